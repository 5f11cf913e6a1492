import {
  inferred,
  reported,
  unknown,
  type Known,
  type LiveBackoff,
  type LiveInput,
  type LiveReader,
} from '../../live.ts';
import { conditionOf, evidenceAt, numberAt } from '../../liveFacts.ts';
import type { Stop } from '../../schedule.ts';
import { child, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { parseInstant, type Instant } from '../../units.ts';
import { sources } from './system.ts';

/** How often a JobSet was restarted, and what ended it. */
export const jobSetLive: LiveReader = {
  reads: [{ group: 'jobset.x-k8s.io', version: 'v1alpha2', kind: 'JobSet', plural: 'jobsets' }],
  alsoNeeds: [],
  read: (input) => (child(input.object, 'status') === undefined ? [] : [{ state: stateOf(input) }]),
};

function stateOf({ object, ref }: LiveInput): LiveBackoff {
  const restarts = numberAt(object, 'status', 'restarts') ?? 0;
  const counted = numberAt(object, 'status', 'restartsCountTowardsMax');
  const max = numberAt(object, 'spec', 'failurePolicy', 'maxRestarts') ?? 0;
  const counts = [
    ...evidenceAt(ref, object, ['status', 'restarts']),
    ...evidenceAt(ref, object, ['status', 'restartsCountTowardsMax']),
    ...evidenceAt(ref, object, ['spec', 'failurePolicy', 'maxRestarts']),
  ];
  const failed = conditionOf(object, 'Failed', 'True');
  if (failed !== undefined) {
    const cause = textAt(failed, 'reason');
    return {
      kind: 'gave-up',
      by: stopOf(cause, max),
      at: timeOf(failed),
      failures: inferred(restarts + 1, '`status.restarts` and the failure after the last of them'),
      reason: `${ended(cause, restarts, max)}; it starts again only when it is created anew`,
      seen: [...counts, ...evidenceAt(ref, object, [...pathOf(failed), 'reason'])],
    };
  }
  const finished = conditionOf(object, 'Completed', 'True');
  if (finished !== undefined) {
    return {
      kind: 'idle',
      because: 'finished',
      reason: `It has completed after ${plural(restarts, 'restart')}`,
      seen: counts,
    };
  }
  const left = max - (counted ?? restarts);
  const rest =
    left > 0 ? `${plural(left, 'restart')} left` : 'the next failure that counts ends it';
  const restarting = conditionOf(object, 'RestartingJobSet', 'True');
  if (restarting !== undefined) {
    return {
      kind: 'attempting',
      retry: reported(restarts),
      failures: reported(restarts),
      reason: `Its Jobs are created again without a wait (restart ${String(restarts)}, ${rest})`,
      seen: [...counts, ...evidenceAt(ref, object, [...pathOf(restarting), 'reason'])],
    };
  }
  if (conditionOf(object, 'Suspended', 'True') !== undefined) {
    return {
      kind: 'idle',
      because: 'not-started',
      reason: 'It is suspended: no Job runs until it is resumed',
      seen: counts,
    };
  }
  return {
    kind: 'idle',
    because: 'healthy',
    reason:
      restarts === 0
        ? 'It has not been restarted'
        : `It runs after ${plural(restarts, 'restart')} (${rest})`,
    seen: counts,
  };
}

function ended(cause: string | undefined, restarts: number, max: number): string {
  switch (cause) {
    case 'ReachedMaxRestarts':
      return `A Job failed after ${plural(restarts, 'restart')}, and \`maxRestarts\` is ${String(max)}`;
    case 'FailJobSetFailurePolicyAction':
      return 'A rule of its failure policy ended it';
    case 'FailedJobs':
      return 'A Job failed, and without a failure policy the first failure ends it';
    default:
      return `It failed${cause === undefined ? '' : ` (${cause})`}`;
  }
}

function stopOf(cause: string | undefined, limit: number): Known<Stop> {
  const then = 'the JobSet fails';
  if (cause === 'ReachedMaxRestarts') {
    return reported({
      kind: 'retries',
      limit,
      then,
      origin: { kind: 'field', field: 'maxRestarts' },
    });
  }
  if (cause === 'FailedJobs') {
    return reported({ kind: 'retries', limit: 0, then, origin: noPolicy });
  }
  if (cause === 'FailJobSetFailurePolicyAction') {
    const origin = { kind: 'field', field: 'rules' } as const;
    return reported({ kind: 'condition', text: 'a rule with FailJobSet matched', then, origin });
  }
  return unknown('the condition gives another reason');
}

/** Without a failure policy the first failed Job fails the JobSet. */
export const noPolicy = {
  kind: 'built-in',
  name: 'no failure policy',
  cite: sources.apply,
} as const;

function timeOf(condition: SourceNode): Known<Instant> {
  const at = parseInstant(textAt(condition, 'lastTransitionTime'));
  return at === undefined ? unknown('the condition has no time') : reported(at);
}

const pathOf = (node: SourceNode): readonly (string | number)[] => node.path;
