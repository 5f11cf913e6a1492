import type { Connection } from './hub.ts';

/**
 * The versions that the connected clusters show, by system; none where two of them differ, since nobody can say for
 * which of them a manifest is written. A demo is no cluster.
 */
export function agreedVersions(
  connections: readonly Pick<Connection, 'isDemo' | 'session'>[],
): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>();
  for (const { isDemo, session } of connections) {
    if (isDemo) continue;
    for (const { system, version } of session.snapshot().versions) {
      found.set(system, (found.get(system) ?? new Set()).add(version));
    }
  }
  return new Map(
    [...found].flatMap(([system, versions]) => {
      const [version] = versions;
      return version !== undefined && versions.size === 1 ? [[system, version] as const] : [];
    }),
  );
}
