import { inferred, unknown, type LiveInput, type LiveReader, type LiveState } from '../../live.ts';
import { textAt, type SourceNode } from '../../source.ts';
import { after, minutes, type Window, type Instant } from '../../units.ts';
import { evidenceAt, timeAt } from '../../liveFacts.ts';

/** The longest wait before a failed pod is replaced; the controller has no setting for it. */
export const longestWait = minutes(15);

const podType = { group: '', version: 'v1', kind: 'Pod', plural: 'pods' } as const;

/** The failed pods of a DaemonSet: each is kept until its node's wait is over. */
export const daemonSetLive: LiveReader = {
  reads: [{ group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets' }],
  alsoNeeds: [podType],
  read: (input) => {
    const failed: LiveState[] = [];
    for (const pod of input.view.related(input.ref, podType)) {
      if (textAt(pod, 'status', 'phase') === 'Failed') failed.push(failedPod(input, pod));
    }
    return failed;
  },
};

function failedPod({ ref, now }: LiveInput, pod: SourceNode): LiveState {
  const name = textAt(pod, 'metadata', 'name');
  const node = textAt(pod, 'spec', 'nodeName') ?? name;
  const created = timeAt(pod, 'metadata', 'creationTimestamp');
  const inMemory = 'kube-controller-manager keeps it in its memory';
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
    ...(name === undefined ? {} : { name }),
  };
  return {
    ...(node === undefined ? {} : { part: node }),
    state: {
      kind: 'waiting',
      retry: unknown(inMemory),
      failures: unknown(inMemory),
      wait: unknown(inMemory),
      lastFailureAt: unknown('the status of a failed pod does not keep when it failed'),
      next:
        created === undefined
          ? unknown(inMemory)
          : inferred(
              window(now, created),
              'the wait counts from the deletion of the pod before, which was not later than this one was created, and is at most 15m',
            ),
      capped: unknown(inMemory),
      reason: `The pod failed${told(pod)}; it is deleted and created again once the wait of its node is over, at most 15m, and 30m without a failure reset that`,
      seen: [
        ...evidenceAt(object, pod, ['status', 'phase']),
        ...evidenceAt(object, pod, ['status', 'reason']),
        ...evidenceAt(object, pod, ['metadata', 'creationTimestamp']),
      ],
    },
  };
}

/** From now to the latest moment there can be; a controller that is late leaves only now. */
function window(now: Instant, created: Instant): Window<Instant> {
  const last = after(created, longestWait);
  return { lo: now < last ? now : last, hi: last };
}

function told(pod: SourceNode): string {
  const reason = textAt(pod, 'status', 'reason');
  return reason === undefined ? '' : ` (${reason})`;
}
