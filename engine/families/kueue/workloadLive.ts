import {
  inferred,
  reported,
  unknown,
  type Evidence,
  type LiveBackoff,
  type LiveInput,
  type LiveReader,
  type LiveState,
  type ResourceRef,
  type ResourceType,
} from '../../live.ts';
import { conditionOf, evidenceAt, numberAt } from '../../liveFacts.ts';
import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { exactly, instant, parseInstant, seconds, type Instant } from '../../units.ts';

const workloads: ResourceType = {
  group: 'kueue.x-k8s.io',
  version: 'v1beta2',
  kind: 'Workload',
  plural: 'workloads',
};

/** Workloads that were evicted for pods that did not get ready, and when they are put back. */
export const workloadLive: LiveReader = {
  reads: [workloads],
  alsoNeeds: [],
  read: (input) => (child(input.object, 'status') === undefined ? [] : [{ state: stateOf(input) }]),
};

/** Admission checks of Workloads that wait before a further ProvisioningRequest. */
export const admissionCheckLive: LiveReader = {
  reads: [workloads],
  alsoNeeds: [],
  read: ({ object, ref }) =>
    itemsOf(nodeAt(object, ['status', 'admissionChecks'])).flatMap((check) =>
      checkState(object, ref, check),
    ),
};

function stateOf({ object, ref, now }: LiveInput): LiveBackoff {
  const count = numberAt(object, 'status', 'requeueState', 'count');
  const at = parseInstant(textAt(object, 'status', 'requeueState', 'requeueAt'));
  const counts = [
    ...evidenceAt(ref, object, ['status', 'requeueState', 'count']),
    ...evidenceAt(ref, object, ['status', 'requeueState', 'requeueAt']),
  ];
  const idle = (because: 'healthy' | 'finished' | 'not-started', reason: string): LiveBackoff => ({
    kind: 'idle',
    because,
    reason,
    seen: counts,
  });
  if (conditionOf(object, 'Finished', 'True') !== undefined)
    return idle('finished', 'It has finished');
  const exceeded = itemsOf(nodeAt(object, ['status', 'conditions'])).find(
    (one) =>
      textAt(one, 'status') === 'True' &&
      textAt(one, 'reason')?.includes('RequeuingLimitExceeded') === true,
  );
  if (exceeded !== undefined) {
    const time = parseInstant(textAt(exceeded, 'lastTransitionTime'));
    return {
      kind: 'gave-up',
      by: unknown('the limit stands in the configuration of Kueue, not in the Workload'),
      at: time === undefined ? unknown('the condition has no time') : reported(time),
      failures:
        count === undefined
          ? unknown('the count is reset')
          : inferred(count + 1, '`status.requeueState.count`'),
      reason:
        'Its pods did not get ready as often as `backoffLimitCount` allows; setting `spec.active` to true puts it back and resets the count',
      seen: [...counts, ...evidenceAt(ref, object, [...exceeded.path, 'reason'])],
    };
  }
  if (textAt(object, 'spec', 'active') === 'false') {
    return idle(
      'not-started',
      'It is deactivated: it stays out of its queue until `spec.active` is true',
    );
  }
  const evicted = conditionOf(object, 'Evicted', 'True');
  const isBack = textAt(conditionOf(object, 'Requeued', 'True'), 'reason') === 'BackoffFinished';
  if (at !== undefined && !isBack && (evicted !== undefined || now < at)) {
    return waiting(object, ref, { count, at, evicted, counts });
  }
  if (conditionOf(object, 'QuotaReserved', 'True') === undefined) {
    return idle(
      'not-started',
      count === undefined
        ? 'It waits in its queue'
        : `It is back in its queue after ${plural(count, 'eviction')}`,
    );
  }
  const notReady = conditionOf(object, 'PodsReady', 'False');
  if (notReady === undefined) return idle('healthy', 'It is admitted');
  const isRecovery = textAt(notReady, 'reason') === 'WaitForRecovery';
  return {
    kind: 'attempting',
    retry: count === undefined ? unknown('it has not been put back yet') : reported(count),
    failures: count === undefined ? reported(0) : reported(count),
    reason: `It is admitted and ${isRecovery ? 'waits for a pod to come back' : 'its pods are not all ready'}; when the timeout passes it is evicted and put back after a wait that doubles`,
    seen: [...counts, ...evidenceAt(ref, object, [...notReady.path, 'reason'])],
  };
}

function waiting(
  object: SourceNode,
  ref: ResourceRef,
  facts: {
    readonly count: number | undefined;
    readonly at: Instant;
    readonly evicted: SourceNode | undefined;
    readonly counts: readonly Evidence[];
  },
): LiveBackoff {
  const { count, at, evicted, counts } = facts;
  const since = parseInstant(textAt(evicted, 'lastTransitionTime'));
  const cause = textAt(evicted, 'reason');
  return {
    kind: 'waiting',
    retry: count === undefined ? unknown('the status has no count') : reported(count),
    failures: count === undefined ? unknown('the status has no count') : reported(count),
    wait:
      since === undefined || since > at
        ? unknown('the status keeps only the end of the wait')
        : inferred(
            exactly(seconds((at - since) / 1000)),
            '`requeueAt` less the time of the eviction',
          ),
    lastFailureAt:
      since === undefined ? unknown('the condition Evicted has no time') : reported(since),
    next: reported({ lo: at, hi: instant(at + 1000) }),
    capped: unknown('the longest wait stands in the configuration of Kueue'),
    reason: `It was evicted${cause === undefined ? '' : ` (${cause})`} and is put back into its queue at \`requeueAt\`; deactivating and activating it again resets the count`,
    seen: [
      ...counts,
      ...(evicted === undefined ? [] : evidenceAt(ref, object, [...evicted.path, 'reason'])),
    ],
  };
}

function checkState(object: SourceNode, ref: ResourceRef, check: SourceNode): readonly LiveState[] {
  const wait = numberAt(check, 'requeueAfterSeconds');
  const retries = numberAt(check, 'retryCount');
  if (textAt(check, 'state') !== 'Retry' || wait === undefined) return [];
  const part = textAt(check, 'name');
  const since = parseInstant(textAt(check, 'lastTransitionTime'));
  const seen = ['state', 'retryCount', 'requeueAfterSeconds', 'lastTransitionTime'].flatMap((key) =>
    evidenceAt(ref, object, [...check.path, key]),
  );
  const noCount = unknown('the check has no count');
  const ends = since === undefined ? undefined : since + wait * 1000;
  const state: LiveBackoff = {
    kind: 'waiting',
    retry: retries === undefined ? noCount : reported(retries),
    failures: retries === undefined ? noCount : reported(retries),
    wait: reported(exactly(seconds(wait))),
    lastFailureAt: since === undefined ? unknown('the check has no time') : reported(since),
    next:
      ends === undefined
        ? unknown('the check has no time')
        : inferred(
            { lo: instant(ends), hi: instant(ends + 1000) },
            '`lastTransitionTime` and `requeueAfterSeconds`',
          ),
    capped: unknown('the longest wait stands in the ProvisioningRequestConfig'),
    reason:
      'The request for nodes failed; a new one is made once the wait is over, and a Workload that is activated anew starts to count from 0',
    seen,
  };
  return [part === undefined ? { state } : { part, state }];
}
