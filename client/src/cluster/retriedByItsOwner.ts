import { groupOf } from '../../../engine/analyse.ts';
import { families } from '../../../engine/families/index.ts';
import type { LiveBackoff, ResourceRef } from '../../../engine/live.ts';
import { listIn, textIn } from './json.ts';
import { kindKey, liveKinds } from './liveKinds.ts';

/** Of all families, whichever are shown: leaving out the owner's does not make its attempts stand alone. */
const kinds = liveKinds(families);

/**
 * Whether what gave up is one attempt of an object that has states of its own: a Job that a TerraformCluster runs.
 *
 * The owner tells when the next one starts; that this one is not started again says nothing. An attempt that still
 * retries within itself, such as a crashing pod, tells what its owner does not.
 */
export function isRetriedByItsOwner(
  { apiVersion, kind }: ResourceRef,
  object: unknown,
  state: LiveBackoff,
): boolean {
  if (state.kind !== 'gave-up') return false;
  const readBy = kinds.neededBy(kindKey(groupOf(apiVersion), kind));
  return (
    readBy.size > 0 &&
    listIn(object, 'metadata', 'ownerReferences').some((owner) =>
      readBy.has(kindKey(groupOf(textIn(owner, 'apiVersion') ?? ''), textIn(owner, 'kind') ?? '')),
    )
  );
}
