import type { Evidence, Known, LiveBackoff, LiveState, ResourceRef } from './live.ts';
import { nameOf } from './summary.ts';
import { formatInstant, type Instant, type Ms, type Window } from './units.ts';

/** A fact as the command prints it: how it is known, and the value, or why there is none. */
export type KnownJson = Readonly<Record<string, unknown>> & { readonly how: Known<unknown>['how'] };

/** One state as `status` and `explain` print it. */
export type StateJson = {
  readonly family: string;
  readonly resource: ResourceRef;
  readonly part?: string;
  readonly state: LiveBackoff['kind'];
  readonly [field: string]: unknown;
};

/** Writes a live state in the public shape: times in RFC 3339, spans in milliseconds, absent where not known. */
export function stateJson(
  family: string,
  resource: ResourceRef,
  { part, state }: LiveState,
): StateJson {
  const head = {
    family,
    resource,
    ...(part === undefined ? {} : { part }),
    state: state.kind,
  };
  return { ...head, ...detailsOf(state) };
}

function detailsOf(state: LiveBackoff): Readonly<Record<string, unknown>> {
  switch (state.kind) {
    case 'idle':
      return { because: state.because, ...saying(state) };
    case 'attempting':
      return {
        retry: plainFact(state.retry),
        failures: plainFact(state.failures),
        ...saying(state),
      };
    case 'waiting':
      return {
        retry: plainFact(state.retry),
        failures: plainFact(state.failures),
        wait: fact(state.wait, waitJson),
        lastFailureAt: fact(state.lastFailureAt, (at) => ({ at: formatInstant(at) })),
        nextAt: fact(state.next, instantsJson),
        ...(state.capped.how === 'unknown' ? {} : { capped: state.capped.value }),
        ...saying(state),
      };
    case 'gave-up':
      return {
        by: fact(state.by, (stop) => ({ kind: stop.kind, by: nameOf(stop), text: stop.then })),
        at: fact(state.at, (at) => ({ at: formatInstant(at) })),
        failures: plainFact(state.failures),
        ...saying(state),
      };
    case 'unseen':
      return { why: state.why, detail: state.detail };
  }
}

const saying = (state: { readonly reason: string; readonly seen: readonly Evidence[] }) => ({
  reason: state.reason,
  evidence: state.seen.map(({ object, path, value }) => ({ resource: object, path, value })),
});

function fact<T>(
  known: Known<T>,
  write: (value: T) => Readonly<Record<string, unknown>>,
): KnownJson {
  switch (known.how) {
    case 'reported':
      return { how: known.how, ...write(known.value) };
    case 'inferred':
      return { how: known.how, ...write(known.value), from: known.from };
    case 'unknown':
      return { how: known.how, why: known.why };
  }
}

const plainFact = (known: Known<number>): KnownJson => fact(known, (value) => ({ value }));

const waitJson = ({ lo, hi }: Window<Ms>) => ({ minMs: lo, maxMs: hi });

const instantsJson = ({ lo, hi }: Window<Instant>) => ({
  min: formatInstant(lo),
  max: formatInstant(hi),
});
