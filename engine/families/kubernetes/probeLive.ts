import { unknown, type LiveReader, type LiveState } from '../../live.ts';
import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { evidenceAt } from '../../liveFacts.ts';
import { containerStatuses, podRef, podType } from './podLive.ts';

/** Containers that a probe keeps out: not started, or not ready. The API does not count failures. */
export const probeLive: LiveReader = {
  reads: [podType],
  alsoNeeds: [],
  read: ({ object }) =>
    containerStatuses(object).flatMap(({ status, path }): readonly LiveState[] => {
      if (nodeAt(status, ['state', 'running']) === undefined) return [];
      const name = textAt(status, 'name') ?? '';
      const container = containerNamed(object, name);
      const ref = podRef(object);
      const seen = [
        ...evidenceAt(ref, object, [...path, 'started']),
        ...evidenceAt(ref, object, [...path, 'ready']),
      ];
      const count = unknown('the kubelet keeps the count of failures to itself');
      const state = (reason: string): LiveState => ({
        part: name,
        state: { kind: 'attempting', retry: count, failures: count, reason, seen },
      });
      if (textAt(status, 'started') === 'false' && child(container, 'startupProbe') !== undefined) {
        return [
          state(
            'The startup probe has not succeeded yet: the container is stopped when it has failed too often, and the other probes wait for it',
          ),
        ];
      }
      if (textAt(status, 'ready') === 'false' && child(container, 'readinessProbe') !== undefined) {
        return [
          state(
            'The readiness probe fails or has not succeeded yet: the pod gets no traffic from its Services, and is probed further without end',
          ),
        ];
      }
      return [];
    }),
};

function containerNamed(pod: SourceNode, name: string): SourceNode | undefined {
  for (const list of ['containers', 'initContainers']) {
    const found = itemsOf(child(child(pod, 'spec'), list)).find(
      (one) => textAt(one, 'name') === name,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
