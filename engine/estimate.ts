import type { Citation } from './citation.ts';
import { formatDuration } from './durations/format.ts';
import {
  inferred,
  reported,
  unknown,
  type Evidence,
  type LiveBackoff,
  type LiveInput,
} from './live.ts';
import { child, formatPath, itemsOf, textAt, type SourceNode } from './source.ts';
import { after, minutes, ms, parseInstant, seconds, type Instant, type Ms } from './units.ts';

/** The bounds of a work queue with exponential waits, and who has them. */
export type QueueLimits = {
  readonly base: Ms;
  readonly max: Ms;
  /** In words: `controller-runtime's default`. */
  readonly whose: string;
  readonly cite: Citation;
};

/** What a controller has that sets nothing: 5ms doubling to 1000s. */
export const usualLimits: QueueLimits = {
  base: ms(5),
  max: seconds(1000),
  whose: "controller-runtime's default",
  cite: {
    system: 'controller-runtime',
    versions: '0.14 to 0.24',
    source: 'pkg/controller/controller.go NewTypedUnmanaged',
  },
};

type KnownLimits = QueueLimits & { readonly groups: readonly string[] };

const knownLimits: readonly KnownLimits[] = [
  {
    groups: ['toolkit.fluxcd.io'],
    base: ms(750),
    max: minutes(15),
    whose: "Flux's default",
    cite: {
      system: 'flux',
      versions: '2.0 to 2.7',
      source: 'pkg/runtime/controller/rate_limiter.go',
    },
  },
  {
    groups: ['external-secrets.io'],
    base: seconds(1),
    max: minutes(7),
    whose: 'External Secrets',
    cite: {
      system: 'external-secrets',
      versions: '2.9.0',
      source: 'pkg/controllers/common/common.go',
    },
  },
  {
    groups: ['crossplane.io', 'upbound.io'],
    base: seconds(1),
    max: seconds(60),
    whose: 'Crossplane',
    cite: { system: 'crossplane', versions: '2.4.0', source: 'pkg/ratelimiter/default.go' },
  },
  {
    groups: ['acme.cert-manager.io'],
    base: seconds(5),
    max: minutes(30),
    whose: 'cert-manager',
    cite: {
      system: 'cert-manager',
      versions: '1.21.1',
      source: 'pkg/controller/util.go DefaultACMERateLimiter',
    },
  },
  {
    groups: ['cert-manager.io'],
    base: seconds(5),
    max: minutes(5),
    whose: 'cert-manager',
    cite: {
      system: 'cert-manager',
      versions: '1.21.1',
      source: 'pkg/controller/util.go DefaultItemBasedRateLimiter',
    },
  },
];

/** The bounds that the controllers of an API group have, or the usual ones: `helm.toolkit.fluxcd.io` → Flux's. */
export function limitsOf(group: string): QueueLimits {
  const known = knownLimits.find(({ groups }) =>
    groups.some((suffix) => group === suffix || group.endsWith(`.${suffix}`)),
  );
  return known ?? usualLimits;
}

export type EstimateInput = Pick<LiveInput, 'object' | 'ref' | 'now'>;

/**
 * An estimate of where any custom resource stands on its controller's work queue, from its conditions alone.
 *
 * Nothing in the cluster shows the count or the next retry: what can be said is a bound, and it is marked as an
 * estimate. Gives nothing for an object that does not say it fails. Total: any JSON gives a state or nothing.
 */
export function estimateWorkQueue(
  { object, ref, now }: EstimateInput,
  limits: QueueLimits = limitsOf(groupIn(ref.apiVersion)),
): LiveBackoff | undefined {
  if (isPaused(object)) return undefined;
  const conditions = itemsOf(child(child(object, 'status'), 'conditions'));
  const stalled = conditions.find((one) => isCondition(one, ['Stalled'], 'True'));
  const failing = stalled ?? conditions.find(isFailing);
  if (failing === undefined) return undefined;
  const type = textAt(failing, 'type') ?? '';
  const reason = textAt(failing, 'reason');
  const says = `${type} is ${textAt(failing, 'status') ?? ''}${reason === undefined ? '' : ` (${reason})`}`;
  const seen = evidenceIn(failing, ref);
  if (stalled !== undefined) {
    const since = parseInstant(textAt(failing, 'lastTransitionTime'));
    return {
      kind: 'gave-up',
      by: unknown('the condition does not say which limit was met'),
      at: since === undefined ? unknown('the condition has no time') : reported(since),
      failures: unknown(inMemory),
      reason: `${says}: by convention its controller does not retry it until the object changes`,
      seen,
    };
  }
  return waiting({ says, type, failing, seen, now }, limits);
}

const inMemory =
  "the count is kept in the controller's memory, and nothing in the cluster shows it";

type Failing = {
  readonly says: string;
  readonly type: string;
  readonly failing: SourceNode;
  readonly seen: readonly Evidence[];
  readonly now: Instant;
};

function waiting({ says, type, failing, seen, now }: Failing, limits: QueueLimits): LiveBackoff {
  const { base, max, whose } = limits;
  const longest = formatDuration(max);
  const heartbeat = parseInstant(textAt(failing, 'lastHeartbeatTime'));
  // A heartbeat older than the longest wait was not written by the last attempt.
  const last = heartbeat !== undefined && after(heartbeat, max) >= now ? heartbeat : undefined;
  const bounds = `estimate from the bounds of the queue: ${formatDuration(base)} to ${longest}, ${whose}`;
  const earliest = last === undefined || after(last, base) < now ? now : after(last, base);
  return {
    kind: 'waiting',
    retry: unknown(inMemory),
    failures: unknown(inMemory),
    wait: inferred({ lo: base, hi: max }, bounds),
    lastFailureAt:
      last === undefined
        ? unknown(`${type} shows when it began to fail, not when it failed last`)
        : reported(last),
    next: inferred({ lo: earliest, hi: after(last ?? now, max) }, bounds),
    capped: unknown(inMemory),
    reason: `${says}: its controller's work queue keeps the wait in memory, so the next retry comes within ${longest} of the last attempt (an estimate, ${whose}); any change to the object triggers it sooner, and a success or a restart of the controller resets the wait`,
    seen,
  };
}

const goodTypes = ['Ready', 'Available', 'Healthy', 'Synced', 'Reconciled', 'Succeeded'];
const badTypes = ['Failed', 'Degraded', 'ReconcileError', 'Error'];

/** Reasons of objects that are under way, not failing: their controllers look again when something changes. */
const underWay =
  /progress|pending|creat|wait|initiali|provision|reconciling|terminat|delet|suspend|paus|scaling|rolling|starting|updating|upgrading|queued|running/i;
const failed = /fail|err|invalid|denied|forbidden|unable|cannot|timeout|timedout|refused/i;

function isFailing(condition: SourceNode): boolean {
  if (isCondition(condition, badTypes, 'True')) return true;
  if (!isCondition(condition, goodTypes, 'False')) return false;
  const reason = textAt(condition, 'reason') ?? '';
  return failed.test(reason) || !underWay.test(reason);
}

const isCondition = (node: SourceNode, types: readonly string[], status: string): boolean =>
  types.includes(textAt(node, 'type') ?? '') && textAt(node, 'status') === status;

const isPaused = (object: SourceNode): boolean =>
  textAt(object, 'spec', 'suspend') === 'true' || textAt(object, 'spec', 'paused') === 'true';

function evidenceIn(condition: SourceNode, ref: EstimateInput['ref']): readonly Evidence[] {
  return ['status', 'reason', 'message', 'lastTransitionTime', 'lastHeartbeatTime'].flatMap(
    (key) => {
      const value = textAt(condition, key);
      const path = formatPath([...condition.path, key]);
      return value === undefined ? [] : [{ object: ref, path, value }];
    },
  );
}

const groupIn = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
