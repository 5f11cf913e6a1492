import type { PolicyFamily } from '../../../engine/family.ts';
import type { LiveReader, ResourceType } from '../../../engine/live.ts';

export type FamilyReader = { readonly family: PolicyFamily; readonly live: LiveReader };

/** Which families read which kinds, and what they must have at hand for it. */
export type LiveKinds = {
  /** Kinds with states of their own. */
  readonly read: readonly ResourceType[];
  readonly readersOf: (kind: string) => readonly FamilyReader[];
  /** The kinds that must be there before one can be read. */
  readonly neededFor: (kind: string) => readonly ResourceType[];
  /** The kinds whose readers look at this one. */
  readonly neededBy: (kind: string) => ReadonlySet<string>;
  readonly typeOf: (kind: string) => ResourceType | undefined;
};

/** `batch/Job`; the key under which kinds are looked up. */
export const kindKey = (group: string, kind: string): string => `${group}/${kind}`;

export const keyOfType = ({ group, kind }: ResourceType): string => kindKey(group, kind);

export function liveKinds(families: readonly PolicyFamily[]): LiveKinds {
  const read = new Map<string, ResourceType>();
  const types = new Map<string, ResourceType>();
  const readers = new Map<string, FamilyReader[]>();
  const neededFor = new Map<string, Map<string, ResourceType>>();
  const neededBy = new Map<string, Set<string>>();
  for (const family of families) {
    const { live } = family;
    if (live === undefined) continue;
    for (const type of live.reads) {
      const key = keyOfType(type);
      if (!read.has(key)) read.set(key, type);
      if (!types.has(key)) types.set(key, type);
      readers.set(key, [...(readers.get(key) ?? []), { family, live }]);
      for (const other of live.alsoNeeds) {
        const otherKey = keyOfType(other);
        if (!types.has(otherKey)) types.set(otherKey, other);
        const needs = neededFor.get(key) ?? new Map<string, ResourceType>();
        // Readers look at other objects of their own kind as they come.
        if (otherKey !== key) needs.set(otherKey, other);
        neededFor.set(key, needs);
        neededBy.set(otherKey, (neededBy.get(otherKey) ?? new Set()).add(key));
      }
    }
  }
  const none: ReadonlySet<string> = new Set();
  return {
    read: [...read.values()],
    readersOf: (kind) => readers.get(kind) ?? [],
    neededFor: (kind) => [...(neededFor.get(kind)?.values() ?? [])],
    neededBy: (kind) => neededBy.get(kind) ?? none,
    typeOf: (kind) => types.get(kind),
  };
}
