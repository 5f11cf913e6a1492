import { unknown, type LiveBackoff, type LiveInput, type LiveReader } from '../../live.ts';
import { child, itemsOf, textAt } from '../../source.ts';
import { evidenceAt } from '../../liveFacts.ts';

/** Pods that no node fits: the scheduler counts their attempts in its memory and reports none of it. */
export const schedulerLive: LiveReader = {
  reads: [{ group: '', version: 'v1', kind: 'Pod', plural: 'pods' }],
  alsoNeeds: [],
  read: (input) => {
    const state = waitingPod(input);
    return state === undefined ? [] : [{ part: 'scheduling', state }];
  },
};

function waitingPod({ object, ref }: LiveInput): LiveBackoff | undefined {
  if (textAt(object, 'spec', 'nodeName') !== undefined) return undefined;
  if (textAt(object, 'metadata', 'deletionTimestamp') !== undefined) return undefined;
  const conditions = itemsOf(child(child(object, 'status'), 'conditions'));
  const index = conditions.findIndex((one) => textAt(one, 'type') === 'PodScheduled');
  const found = conditions[index];
  if (textAt(found, 'status') !== 'False') return undefined;
  const cause = textAt(found, 'reason');
  // A gated pod is not in the queue at all.
  if (cause !== 'Unschedulable' && cause !== 'SchedulerError') return undefined;
  const path = ['status', 'conditions', index] as const;
  const inMemory = 'the scheduler keeps it in its memory; no object tells it';
  return {
    kind: 'waiting',
    retry: unknown(inMemory),
    failures: unknown(inMemory),
    wait: unknown(inMemory),
    lastFailureAt: unknown('the condition keeps the time of the first failure'),
    next: unknown(inMemory),
    capped: unknown(inMemory),
    reason:
      cause === 'SchedulerError'
        ? 'The last attempt to schedule it ended in an error; the next one follows the back-off, and being scheduled resets it'
        : 'No node fits it; a change in the cluster that may help, or 5m at most, makes it due again once its back-off is over, and being scheduled resets it',
    seen: [
      ...evidenceAt(ref, object, [...path, 'reason']),
      ...evidenceAt(ref, object, [...path, 'message']),
      ...evidenceAt(ref, object, [...path, 'lastTransitionTime']),
    ],
  };
}
