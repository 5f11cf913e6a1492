import { groupOf } from '../../../engine/analyse.ts';
import type { ResourceRef } from '../../../engine/live.ts';
import { listIn, textIn } from './json.ts';
import { kindKey, type LiveKinds } from './liveKinds.ts';

/**
 * Whether an object is one attempt of another one that has states of its own: a Job that a TerraformCluster runs.
 *
 * The owner tells when the next one starts; that this one is not started again says nothing. The object is asked
 * for only where its kind can be such an attempt.
 */
export const retriedByItsOwner =
  (kinds: LiveKinds) =>
  ({ apiVersion, kind }: ResourceRef, object: () => unknown): boolean => {
    const readBy = kinds.neededBy(kindKey(groupOf(apiVersion), kind));
    if (readBy.size === 0) return false;
    return listIn(object(), 'metadata', 'ownerReferences').some((owner) =>
      readBy.has(kindKey(groupOf(textIn(owner, 'apiVersion') ?? ''), textIn(owner, 'kind') ?? '')),
    );
  };
