/**
 * Tells whether the manifests on the screen count as a look at the cluster.
 *
 * One does while something of the cluster stands beside it, and at the moment when it comes on the screen. A manifest
 * that the cluster has nothing to say about keeps nothing alive: five minutes later no request is made for it.
 */
export function manifestLooks(): (onScreen: ReadonlyMap<string, string>) => boolean {
  let before: ReadonlyMap<string, string> = new Map();
  return (onScreen) => {
    const isLook = [...onScreen].some(([uri, beside]) => beside !== '' || !before.has(uri));
    before = new Map(onScreen);
    return isLook;
  };
}
