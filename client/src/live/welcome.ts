import type { SessionSnapshot } from '../cluster/sessionTypes.ts';

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
  | 'forbidden-in-part'
  | 'unserved'
  | 'quiet'
  | 'rows';

/** Where this window is, as far as a cluster is concerned. */
export type Place = 'web' | 'untrusted' | 'virtual' | 'no-kubeconfig' | 'ready';

/** Where a window with these folders is; a cluster is reached from `ready` alone. */
export function windowPlace(window: {
  readonly hasCluster: boolean;
  readonly isTrusted: boolean;
  /** The schemes of its folders' addresses. */
  readonly folders: readonly string[];
}): Exclude<Place, 'no-kubeconfig'> {
  if (!window.hasCluster) return 'web';
  if (!window.isTrusted) return 'untrusted';
  const { folders } = window;
  const isVirtual = folders.length > 0 && folders.every((scheme) => scheme !== 'file');
  return isVirtual ? 'virtual' : 'ready';
}

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
  const isAnyListed = snapshots.some(({ listed }) => listed > 0);
  const unseen = snapshots.flatMap((snapshot) => snapshot.unseen);
  const why = new Set(unseen.map((one) => one.why));
  if (why.has('failed') || why.has('stale')) return 'rows';
  if (why.has('forbidden')) return isAnyListed ? 'forbidden-in-part' : 'forbidden';
  return why.has('unserved') && !isAnyListed ? 'unserved' : 'quiet';
}

/** Whether the groups are shown; where not, the welcome says more than an empty group would. */
export const showsGroups = (welcome: Welcome): boolean => welcome === 'rows';
