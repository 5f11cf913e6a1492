import type { LiveInput, ResourceRef } from '../../live.ts';
import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';
import { instant, type Instant } from '../../units.ts';
import { latest, numberAt, timeAt } from '../../liveFacts.ts';

export const podType = { group: '', version: 'v1', kind: 'Pod', plural: 'pods' } as const;

export const podRef = (pod: SourceNode): ResourceRef => {
  const name = textAt(pod, 'metadata', 'name');
  const namespace = textAt(pod, 'metadata', 'namespace');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
};

/** The pods that an object owns, as the view knows them. */
export const podsOf = ({ view, ref }: Pick<LiveInput, 'view' | 'ref'>): readonly SourceNode[] => [
  ...view.related(ref, podType),
];

const statusLists = ['initContainerStatuses', 'containerStatuses'] as const;

/** The statuses of a pod's containers, init containers first, with their paths. */
export function containerStatuses(
  pod: SourceNode,
): readonly { readonly status: SourceNode; readonly path: readonly (string | number)[] }[] {
  return statusLists.flatMap((list) =>
    itemsOf(child(child(pod, 'status'), list)).map((status, index) => ({
      status,
      path: ['status', list, index],
    })),
  );
}

export const phaseOf = (pod: SourceNode): string => textAt(pod, 'status', 'phase') ?? '';

/** Restarts of all containers of a pod that runs or is about to. */
export const restartsOf = (pod: SourceNode): number =>
  containerStatuses(pod).reduce(
    (sum, { status }) => sum + (numberAt(status, 'restartCount') ?? 0),
    0,
  );

/**
 * When a failed or succeeded pod ended, as the Job controller reads it: the last container's end, else the time
 * it became unready, else its deletion, else its creation.
 */
export function finishOf(pod: SourceNode): Instant | undefined {
  const ends = itemsOf(child(child(pod, 'status'), 'containerStatuses')).map((status) =>
    timeAt(status, 'state', 'terminated', 'finishedAt'),
  );
  const known = ends.filter((end) => end !== undefined);
  if (known.length > 0 && known.length === ends.length) return latest(known);
  const unready = itemsOf(child(child(pod, 'status'), 'conditions')).find(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'False',
  );
  const deletion = timeAt(pod, 'metadata', 'deletionTimestamp');
  const grace = numberAt(pod, 'metadata', 'deletionGracePeriodSeconds') ?? 0;
  return (
    timeAt(unready, 'lastTransitionTime') ??
    (deletion === undefined ? undefined : instant(deletion - grace * 1000)) ??
    timeAt(pod, 'metadata', 'creationTimestamp')
  );
}

const cannotStart = new Set([
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
  'ImageInspectError',
]);

/** Why a pod cannot start, where it says so: `ImagePullBackOff`, `Unschedulable`. */
export function stuckReason(pod: SourceNode): string | undefined {
  if (phaseOf(pod) !== 'Pending') return undefined;
  for (const { status } of containerStatuses(pod)) {
    const reason = textAt(status, 'state', 'waiting', 'reason');
    if (reason !== undefined && cannotStart.has(reason)) return reason;
  }
  const unscheduled = itemsOf(child(child(pod, 'status'), 'conditions')).find(
    (one) => textAt(one, 'type') === 'PodScheduled' && textAt(one, 'status') === 'False',
  );
  return textAt(unscheduled, 'reason');
}

/** A pod that has failed, or that is being deleted before it succeeded. */
export function hasFailed(pod: SourceNode, onlyWhenGone: boolean): boolean {
  if (phaseOf(pod) === 'Failed') return true;
  const isDeleted = textAt(pod, 'metadata', 'deletionTimestamp') !== undefined;
  return isDeleted && !onlyWhenGone && phaseOf(pod) !== 'Succeeded';
}
