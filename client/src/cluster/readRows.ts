import { groupOf } from '../../../engine/analyse.ts';
import type { Environment } from '../../../engine/environment.ts';
import { estimateWorkQueue } from '../../../engine/estimate.ts';
import { guard, type Failure } from '../../../engine/guard.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import type { ClusterView, LiveState, ResourceRef } from '../../../engine/live.ts';
import type { Instant } from '../../../engine/units.ts';
import { kindKey, type LiveKinds } from './liveKinds.ts';
import { isRetriedByItsOwner } from './retriedByItsOwner.ts';
import type { LiveRow } from './sessionTypes.ts';

/** The family under which estimated work queues are shown. */
export const estimateFamily = 'controller-runtime/work-queue';

export type ReadInput = {
  readonly object: unknown;
  readonly ref: ResourceRef;
  readonly uid: string;
  readonly view: ClusterView;
  readonly env: Environment;
  readonly now: Instant;
};

export type ReadResult = {
  /** The states that are not idle, or all where `keepsIdle` asks. */
  readonly rows: readonly LiveRow[];
  readonly idle: number;
  readonly failures: readonly Failure[];
};

/** Reads where each policy of an object stands; a kind that no family reads is estimated from its conditions. */
export function readRows(input: ReadInput, kinds: LiveKinds, keepsIdle: boolean): ReadResult {
  const { object, ref, uid, view, env, now } = input;
  const readers = kinds.readersOf(kindKey(groupOf(ref.apiVersion), ref.kind));
  const tree = jsonTree(object).root;
  const rows: LiveRow[] = [];
  const failures: Failure[] = [];
  let idle = 0;
  const add = (family: string, { part, state }: LiveState, isEstimate: boolean) => {
    if (state.kind === 'idle') idle += 1;
    if (state.kind === 'idle' && !keepsIdle) return;
    if (isRetriedByItsOwner(ref, object, state)) return;
    rows.push({
      key: `${uid}/${family}/${part ?? ''}`,
      family,
      resource: ref,
      uid,
      ...(part === undefined ? {} : { part }),
      state,
      isEstimate,
    });
  };
  for (const { family, live } of readers) {
    const result = guard(`${family.id} of ${ref.kind}`, () =>
      live.read({ object: tree, ref, view, env, now }),
    );
    if (result.ok) {
      for (const state of result.value) add(family.id, state, false);
      continue;
    }
    failures.push(result.failure);
    const detail = `Kube Backoff failed on this ${ref.kind}: its state was not read. The log has the details; please report it`;
    add(family.id, { state: { kind: 'unseen', why: 'stale', detail } }, false);
  }
  if (readers.length === 0) {
    const estimate = guard(`the estimate of ${ref.kind}`, () =>
      estimateWorkQueue({ object: tree, ref, now }),
    );
    if (!estimate.ok) failures.push(estimate.failure);
    else if (estimate.value !== undefined) add(estimateFamily, { state: estimate.value }, true);
  }
  return { rows, idle, failures };
}
