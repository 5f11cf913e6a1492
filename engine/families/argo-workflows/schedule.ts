import type { Policy } from '../../family.ts';
import { allowanceOf } from './allowance.ts';
import { certainEnd } from './expressionProblems.ts';
import type { Values } from '../../field.ts';
import { constant, finite, listed } from '../../growth.ts';
import type { Origin, Reset, Schedule, Stop, Waits } from '../../schedule.ts';
import { exactly, ms, nanoseconds, toNanoseconds, zero, type Ms } from '../../units.ts';
import type { Facts } from './facts.ts';
import type { Fields } from './fields.ts';
import { hasNoContainer, noExitCode } from './manifest.ts';
import { effectivePolicy } from './policy.ts';
import { cite, processNodeRetries, suspendTemplates } from './system.ts';
import { behaviourOf, computedWaits, waited, type Backoff, type Behaviour } from './waits.ts';

type Name = keyof Fields;
type Given = Values<Fields>;

/** The waits, stops and resets of a `retryStrategy`, as processNodeRetries decides them. */
export function scheduleOf(values: Given, policy: Policy<Fields, Facts>): Schedule<Name> {
  const behaviour = behaviourOf(policy.env);
  const { facts } = policy;
  const refused = expressionStops(values, policy);
  const stops = [...limitStops(values), ...deadlineStops(facts), ...refused];
  const rest = { resets, clock: 'after-attempt' } as const;
  const broken =
    suspendStop(facts) ??
    errorStop(values, behaviour) ??
    policyStop(policy) ??
    refused.find((stop) => stop.kind === 'retries' && stop.limit === 0);
  if (broken !== undefined) return { waits: constant(zero), stops: [broken], ...rest };
  const backoff = backoffOf(values);
  const window = windowOf(values);
  if (backoff === undefined) {
    const timed = values.backoff !== undefined && window !== undefined ? [window] : [];
    return { waits: constant(zero), stops: [...stops, ...timed], ...rest };
  }
  const computed = computedWaits(backoff, behaviour);
  if (!isWaitedFor(values, facts, behaviour)) {
    const { waits, end } = withoutWaiting(computed, window);
    const exhausted = end === undefined ? {} : { exhausted: end };
    return { waits, stops: [...stops, ...(end === undefined ? [] : [end])], ...exhausted, ...rest };
  }
  const { cap } = backoff;
  return {
    waits: listed(computed.map(waited)),
    ...(cap === undefined || cap < 0 ? {} : { cap: { value: cap, origin: of('cap') } }),
    stops: [...stops, ...(window === undefined ? [] : [window])],
    ...rest,
  };
}

/** The backoff's numbers, where there is one and it has a `duration`. */
export function backoffOf(values: Given): Backoff | undefined {
  const { backoff, duration, factor, cap } = values;
  if (backoff === undefined || duration === undefined || duration === null) return undefined;
  return { base: duration, factor, cap: cap ?? undefined };
}

/** What no wait can be longer than, in milliseconds and with the cap left aside: told without a schedule. */
export function longestWait(values: Given): number {
  const backoff = backoffOf(values);
  if (backoff === undefined) return 0;
  const base = Math.abs(backoff.base);
  if (backoff.factor === undefined || backoff.factor < 2) return base;
  return values.limit === undefined
    ? Number.POSITIVE_INFINITY
    : base * backoff.factor ** Math.max(0, values.limit - 1);
}

/** Whether the controller holds a retry back at all: without `limit` it does not. */
export function isWaitedFor(
  values: Given,
  facts: Pick<Facts, 'limitIsText'>,
  behaviour: Behaviour,
): boolean {
  if (behaviour.waitsWhen === 'always') return true;
  if (values.limit === undefined) return false;
  return !(behaviour.misreadsQuotedLimit && facts.limitIsText);
}

export const of = (field: Name): Origin<Name> => ({ kind: 'field', field });

/** What happens to a node when its retries end. */
export const fails = 'the node fails';

function limitStops({ limit }: Given): readonly Stop<Name>[] {
  if (limit === undefined) return [];
  return [{ kind: 'retries', limit: Math.max(0, limit), then: fails, origin: of('limit') }];
}

/** After each run the controller looks at the workflow's own deadline first. */
function deadlineStops({ workflowDeadline }: Facts): readonly Stop<Name>[] {
  if (workflowDeadline === undefined) return [];
  return [
    {
      kind: 'elapsed',
      limit: workflowDeadline,
      edge: 'included',
      then: 'the workflow fails',
      origin: {
        kind: 'built-in',
        name: "the workflow's activeDeadlineSeconds",
        cite: processNodeRetries,
      },
    },
  ];
}

/** The retries that an expression lets start at most, and that it may refuse one before. */
function expressionStops(
  { expression, limit }: Given,
  policy: Policy<Fields, Facts>,
): readonly Stop<Name>[] {
  if (expression === undefined || expression === '') return [];
  const origin = of('expression');
  const atMost = (retries: number, end: 'error' | 'no-retry'): Stop<Name> => ({
    kind: 'retries',
    limit: retries,
    then: end === 'error' ? 'the node ends in Error' : fails,
    origin,
  });
  const certain = certainEnd(expression, policy.env);
  if (certain !== undefined) return [atMost(0, certain)];
  const condition: Stop<Name> = {
    kind: 'condition',
    text: 'the expression is false',
    then: fails,
    origin,
  };
  const allowed = allowanceOf(expression, {
    policy: effectivePolicy(policy),
    limit,
    ...(hasNoContainer(policy.facts.body) ? { exitCode: noExitCode } : {}),
  });
  if (allowed === undefined) return [condition];
  const stop = atMost(allowed.retries, allowed.end);
  return allowed.isCertain ? [stop] : [stop, condition];
}

/** Blocks that end the node at its first failure, before anything is retried. */
function errorStop(values: Given, behaviour: Behaviour): Stop<Name> | undefined {
  if (values.backoff === undefined) return undefined;
  if ((values.duration ?? undefined) === undefined) {
    return {
      kind: 'retries',
      limit: 0,
      then: 'the node ends in Error',
      origin: of('duration'),
    };
  }
  if (values.limit !== undefined || !behaviour.failsWithoutLimit) return undefined;
  return { kind: 'retries', limit: 0, then: 'the workflow ends in Error', origin: of('limit') };
}

/** What only waits to be resumed runs nothing that fails. */
function suspendStop({ body }: Facts): Stop<Name> | undefined {
  if (body !== 'suspend') return undefined;
  const origin = { kind: 'built-in', name: 'suspend', cite: suspendTemplates } as const;
  return { kind: 'retries', limit: 0, then: fails, origin };
}

/** A word that is no policy: the controller finds out once a run has failed. */
function policyStop({ settings }: Policy<Fields, Facts>): Stop<Name> | undefined {
  const { retryPolicy } = settings;
  if (retryPolicy.from !== 'unreadable' || retryPolicy.problem.code !== 'not-allowed') {
    return undefined;
  }
  return { kind: 'retries', limit: 0, then: 'the node ends in Error', origin: of('retryPolicy') };
}

/** The window that retries must start in; one of no length or less lets none start. */
function windowOf({ maxDuration }: Given): (Stop<Name> & { kind: 'elapsed' }) | undefined {
  if (maxDuration === undefined || maxDuration === null) return undefined;
  return {
    kind: 'elapsed',
    limit: maxDuration,
    edge: maxDuration > 0 ? 'included' : 'excluded',
    then: fails,
    origin: of('maxDuration'),
  };
}

/**
 * Retries that start at once although waits are computed: the computed ones still end them early.
 *
 * The controller stops where the wait it would not have taken reaches beyond maxDuration.
 */
function withoutWaiting(
  computed: readonly bigint[],
  window: (Stop<Name> & { kind: 'elapsed' }) | undefined,
): { readonly waits: Waits; readonly end?: Stop<Name> & { kind: 'elapsed' } } {
  if (window === undefined) return { waits: constant(zero) };
  const room = toNanoseconds(window.limit);
  const beyond = computed.findIndex((wait) => wait > room);
  if (beyond >= 0 && room > 0n) {
    const waits = finite(Array.from({ length: beyond }, () => exactly(zero)));
    return { waits, end: window };
  }
  const last = computed.at(-1) ?? 0n;
  return {
    waits: constant(zero),
    end: { ...window, limit: left(window.limit, nanoseconds(last < 0n ? 0n : last)) },
  };
}

const left = (room: Ms, wait: Ms): Ms => ms(Math.min(room, room - wait));

const resets: readonly Reset<Name>[] = [
  {
    text: 'a new node starts from the first wait: the template is called again, or an outer retry repeats it',
    origin: {
      kind: 'built-in',
      name: 'retry nodes',
      cite: cite('workflow/controller/operator.go executeTemplate'),
    },
  },
  {
    text: '`argo retry` deletes the failed runs and counts from 0',
    origin: {
      kind: 'built-in',
      name: 'argo retry',
      cite: cite('workflow/util/util.go FormulateRetryWorkflow'),
    },
  },
];
