import type { SessionSnapshot } from '../cluster/sessionTypes.ts';
import { notable } from '../panel/model/overview.ts';

/** Why the overview is empty; each cause has a welcome of its own. `rows` where it is not. */
export type Welcome =
  | 'web'
  | 'untrusted'
  | 'virtual'
  | 'no-kubeconfig'
  | 'not-connected'
  | 'connecting'
  | 'unauthorised'
  | 'stopped'
  | 'forbidden'
  | 'unserved'
  | 'quiet'
  | 'rows';

/** Where this window is, as far as a cluster is concerned. */
export type Place = 'web' | 'untrusted' | 'virtual' | 'no-kubeconfig' | 'ready';

/** What the overview says in place of rows. */
export function welcomeOf(
  place: Place,
  snapshots: readonly SessionSnapshot[],
  rows: number,
): Welcome {
  if (snapshots.length === 0) return place === 'ready' ? 'not-connected' : place;
  if (rows > 0) return 'rows';
  if (snapshots.some(({ state }) => state.kind === 'unauthorised')) return 'unauthorised';
  if (snapshots.some(({ state }) => state.kind === 'stopped')) return 'stopped';
  if (snapshots.some(({ isComplete }) => !isComplete)) return 'connecting';
  const healthy = snapshots.some(({ idle }) => idle > 0);
  const unseen = snapshots.flatMap((snapshot) => snapshot.unseen);
  if (healthy) return notable(unseen).length > 0 ? 'rows' : 'quiet';
  if (unseen.length === 0) return 'quiet';
  if (unseen.every(({ why }) => why === 'unserved')) return 'unserved';
  return unseen.some(({ why }) => why === 'forbidden') ? 'forbidden' : 'rows';
}

/** Whether the groups are shown; where not, the welcome says more than an empty group would. */
export const showsGroups = (welcome: Welcome): boolean => welcome === 'rows';
