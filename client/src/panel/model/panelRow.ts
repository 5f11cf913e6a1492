import type { LiveRow } from '../../cluster/sessionTypes.ts';
import type { Known, LiveBackoff } from '../../../../engine/live.ts';
import { nameOf } from '../../../../engine/summary.ts';
import type { Instant, Ms, Window } from '../../../../engine/units.ts';

/** What a person asks first: does it need me, when is it tried again, how sure is that. */
export type Group = 'gave-up' | 'waiting' | 'attempting' | 'estimate' | 'unseen';

/** The groups in the order they are read: what needs a person comes first. */
export const groups: readonly Group[] = ['gave-up', 'waiting', 'attempting', 'estimate', 'unseen'];

/** One row of the panel: plain data that fits into a message. Absent means not known. */
export type PanelRow = {
  /** Unique over all contexts. */
  readonly id: string;
  readonly context: string;
  readonly group: Group;
  readonly system: string;
  readonly family: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly part?: string;
  readonly retry?: number;
  readonly failures?: number;
  readonly wait?: Window<Ms>;
  /** When it is tried next, by the server's clock. */
  readonly next?: Window<Instant>;
  readonly nextHow: Known<unknown>['how'];
  /** What the time was inferred from, or why there is none. */
  readonly nextNote?: string;
  readonly lastFailureAt?: Instant;
  /** When it gave up, or will without another retry before. */
  readonly endedAt?: Instant;
  /** Who decides whether another attempt starts in its place. */
  readonly owner?: string;
  /** The field or the built-in that ended it. */
  readonly endedBy?: string;
  readonly capped?: boolean;
  readonly reason: string;
};

/** The identity of a row over all contexts. */
export const rowId = (context: string, key: string): string => `${context}\n${key}`;

/** Takes a session's row apart: `web-tls` in `prod-eu` waits for retry 4 until 16:00. */
export function panelRow(context: string, row: LiveRow): PanelRow {
  const { resource, family, part, state } = row;
  return {
    id: rowId(context, row.key),
    context,
    group: groupOf(row),
    system: family.split('/')[0] ?? family,
    family,
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    ...present('namespace', resource.namespace),
    name: resource.name ?? '',
    ...present('part', part),
    ...facts(state),
  };
}

function groupOf({ state, isEstimate }: LiveRow): Group {
  if (state.kind === 'gave-up') return 'gave-up';
  if (state.kind === 'unseen') return 'unseen';
  if (isEstimate) return 'estimate';
  return state.kind === 'waiting' ? 'waiting' : 'attempting';
}

type Facts = Omit<
  PanelRow,
  | 'id'
  | 'context'
  | 'group'
  | 'system'
  | 'family'
  | 'apiVersion'
  | 'kind'
  | 'namespace'
  | 'name'
  | 'part'
>;

function facts(state: LiveBackoff): Facts {
  switch (state.kind) {
    case 'idle':
      return { nextHow: 'unknown', nextNote: 'nothing waits', reason: state.reason };
    case 'unseen':
      return { nextHow: 'unknown', nextNote: state.why, reason: state.detail };
    case 'attempting':
      return {
        ...present('retry', valueOf(state.retry)),
        ...present('failures', valueOf(state.failures)),
        nextHow: 'unknown',
        nextNote: 'it is being tried now',
        reason: state.reason,
      };
    case 'waiting':
      return {
        ...present('retry', valueOf(state.retry)),
        ...present('failures', valueOf(state.failures)),
        ...present('wait', valueOf(state.wait)),
        ...present('next', valueOf(state.next)),
        nextHow: state.next.how,
        ...present('nextNote', noteOf(state.next)),
        ...present('lastFailureAt', valueOf(state.lastFailureAt)),
        ...present('capped', valueOf(state.capped)),
        reason: state.reason,
      };
    case 'gave-up':
      return {
        ...present('failures', valueOf(state.failures)),
        nextHow: 'unknown',
        nextNote: state.owner === undefined ? alone : ofOwner(state.owner),
        ...present('owner', state.owner),
        ...present('endedAt', valueOf(state.at)),
        ...present('endedBy', state.by.how === 'unknown' ? undefined : nameOf(state.by.value)),
        reason: state.reason,
      };
  }
}

/** What is said of an end: that nothing follows, or who decides what does. */
export const alone = 'nothing retries it by itself';
export const ofOwner = (owner: string): string => `${owner} decides whether another one starts`;

const valueOf = <T>(known: Known<T>): T | undefined =>
  known.how === 'unknown' ? undefined : known.value;

const noteOf = (known: Known<unknown>): string | undefined => {
  switch (known.how) {
    case 'reported':
      return undefined;
    case 'inferred':
      return known.from;
    case 'unknown':
      return known.why;
  }
};

type Present<K extends string, T> = { readonly [key in K]?: T };

function present<K extends string, T>(key: K, value: T | undefined): Present<K, T>;
function present(key: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { [key]: value };
}

/** `web/tls`, or `tls` for an object outside namespaces, with the part where there are several. */
export const titleOf = ({ namespace, name, part }: PanelRow): string =>
  `${namespace === undefined ? '' : `${namespace}/`}${name}${part === undefined ? '' : ` · ${part}`}`;
