import { formatDuration } from '../../durations/format.ts';
import { unknown, type LiveBackoff, type LiveInput, type LiveReader } from '../../live.ts';
import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';
import { after, formatInstant, seconds } from '../../units.ts';
import { evidenceAt, numberAt, timeAt } from '../../liveFacts.ts';

/** Whether a rollout goes on, has passed its deadline, or cannot create pods. */
export const deploymentLive: LiveReader = {
  reads: [{ group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' }],
  alsoNeeds: [],
  read: (input) => {
    const conditions = itemsOf(child(child(input.object, 'status'), 'conditions'));
    return conditions.length === 0 ? [] : [{ state: rolloutState(input, conditions) }];
  },
};

function rolloutState(input: LiveInput, conditions: readonly SourceNode[]): LiveBackoff {
  const { object, ref } = input;
  const indexOf = (type: string) => conditions.findIndex((one) => textAt(one, 'type') === type);
  const seen = (index: number, ...keys: readonly string[]) =>
    keys.flatMap((key) => evidenceAt(ref, object, ['status', 'conditions', index, key]));
  const failure = indexOf('ReplicaFailure');
  if (textAt(conditions[failure], 'status') === 'True') {
    const message = textAt(conditions[failure], 'message');
    const why = 'the controller counts it in its memory';
    return {
      kind: 'waiting',
      retry: unknown(why),
      failures: unknown(why),
      wait: unknown('it doubles from 5ms to 16m40s with every failure in a row'),
      lastFailureAt: unknown('the condition keeps the time of the first failure'),
      next: unknown(why),
      capped: unknown(why),
      reason: `Pods cannot be created${message === undefined ? '' : ` (${message})`}; the ReplicaSet tries again after a wait that doubles, and a pod that can be created resets it`,
      seen: seen(failure, 'reason', 'message', 'lastTransitionTime'),
    };
  }
  if (textAt(object, 'spec', 'paused') === 'true') {
    return {
      kind: 'idle',
      because: 'not-started',
      reason: 'It is paused: no rollout starts or goes on until it is resumed',
      seen: evidenceAt(ref, object, ['spec', 'paused']),
    };
  }
  const progressing = indexOf('Progressing');
  const condition = conditions[progressing];
  const cause = textAt(condition, 'reason');
  const facts = seen(progressing, 'status', 'reason', 'lastUpdateTime');
  const limit = numberAt(object, 'spec', 'progressDeadlineSeconds') ?? 600;
  if (cause === 'ProgressDeadlineExceeded') {
    const unset = unknown('a rollout is one attempt, whatever its pods do');
    return {
      kind: 'attempting',
      retry: unset,
      failures: unset,
      reason: `The rollout made no progress for ${formatDuration(seconds(limit))} and counts as failed; nothing is rolled back, it goes on trying, and any progress clears the mark`,
      seen: facts,
    };
  }
  if (condition === undefined || cause === 'NewReplicaSetAvailable') {
    return {
      kind: 'idle',
      because: 'healthy',
      reason: 'The last rollout is complete; its deadline is not looked at any more',
      seen: facts,
    };
  }
  const since = timeAt(condition, 'lastUpdateTime');
  const until =
    since === undefined || limit >= 2_147_483_647
      ? ''
      : `; without further progress it counts as failed at ${formatInstant(after(since, seconds(limit)))}`;
  return { kind: 'idle', because: 'healthy', reason: `A rollout goes on${until}`, seen: facts };
}
