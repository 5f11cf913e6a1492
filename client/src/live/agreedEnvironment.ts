import type { Environment } from '../../../engine/environment.ts';
import type { SessionSnapshot } from '../cluster/sessionTypes.ts';
import type { Connection } from './hub.ts';

/**
 * What the connected clusters show of versions, flags and gates; nothing of what two of them differ in, since nobody can
 * say for which of them a manifest is written. A demo is no cluster.
 */
export function agreedEnvironment(
  connections: readonly Pick<Connection, 'isDemo' | 'session'>[],
): Environment {
  const snapshots = connections
    .filter(({ isDemo }) => !isDemo)
    .map(({ session }) => session.snapshot());
  const versions = snapshots.map(
    (snapshot) => new Map(snapshot.versions.map(({ system, version }) => [system, version])),
  );
  return {
    versions: agreed(versions, (system) => versions.filter((one) => one.has(system))),
    controllers: agreed(
      snapshots.map(({ flags }) => flags.controllers),
      // A controller without the flag runs with its default, which is another value.
      (name) =>
        snapshots
          .filter((snapshot) => runs(snapshot, name.split('/')[0] ?? ''))
          .map(({ flags }) => flags.controllers),
    ),
    gates: agreed(
      snapshots.map(({ flags }) => flags.gates),
      () => snapshots.map(({ flags }) => flags.gates),
    ),
  };
}

/** The values that are the same for everyone who is concerned. */
function agreed<T>(
  all: readonly ReadonlyMap<string, T>[],
  concerned: (name: string) => readonly ReadonlyMap<string, T>[],
): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const [name, value] of all.flatMap((one) => [...one])) {
    if (concerned(name).every((one) => one.get(name) === value)) found.set(name, value);
  }
  return found;
}

const runs = ({ versions, flags }: SessionSnapshot, system: string): boolean =>
  versions.some((one) => one.system === system) ||
  [...flags.controllers.keys()].some((name) => name.startsWith(`${system}/`));
