import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import type { Environment } from '../../../engine/environment.ts';
import { families } from '../../../engine/families/index.ts';
import { buildRegistry } from '../../../engine/registry.ts';
import { textIn } from '../cluster/json.ts';
import type { AnchoredPolicy, AnchoredResource } from '../languageClient.ts';
import { livePolicies } from '../panel/livePolicy.ts';
import { differences, differenceText } from './drift.ts';
import type { Connection, Hub } from './hub.ts';
import type { OwnRow } from './lensText.ts';
import { manifestObjects } from './manifestObjects.ts';
import { momentsOf, rowIndex, type RowIndex } from './rowIndex.ts';

/** What all connections say at one moment; a file with many objects is worked out from one look. */
export type Look = {
  /** The rows of the object, and of what was made from it. */
  readonly rowsOf: (resource: AnchoredResource) => readonly OwnRow[];
  /** Where a policy of the file differs from the live object's. */
  readonly driftOf: (resource: AnchoredResource, policy: AnchoredPolicy) => readonly string[];
};

export type BesideObjects = {
  readonly look: () => Look;
  readonly dispose: () => void;
};

const registry = buildRegistry(families);

/** What the clusters say of a manifest's objects, at a cost that does not grow with what they hold. */
export function besideObjects(parts: {
  readonly hub: Hub;
  readonly now: () => number;
  readonly isPaused: () => boolean;
  /** A live object was read that was not known before. */
  readonly changed: () => void;
}): BesideObjects {
  const { hub } = parts;
  const objects = manifestObjects(parts);
  let index: RowIndex | undefined;
  const end = hub.subscribe(({ changed, removed }) => {
    if (changed.length + removed.length > 0) index = undefined;
  });
  return {
    look: () => {
      const moments = momentsOf(hub);
      index ??= rowIndex(hub.rows().values(), moments);
      const rows = index;
      const lives = new Map<AnchoredResource, readonly Live[]>();
      const livesOf = (resource: AnchoredResource): readonly Live[] => {
        const known = lives.get(resource);
        if (known !== undefined) return known;
        const made = [...moments.values()].flatMap((moment): readonly Live[] => {
          const object = objects.of(moment, resource);
          if (object === undefined) return [];
          const { connection, snapshot } = moment;
          const policies = policiesOf(resource, connection, object, snapshot.env);
          return [{ name: connection.name, policies }];
        });
        lives.set(resource, made);
        return made;
      };
      return {
        rowsOf: (resource) => rows.rowsOf(resource, moments),
        driftOf: (resource, policy) =>
          livesOf(resource).flatMap(({ name, policies }) => {
            const where = moments.size > 1 ? ` (${name})` : '';
            return differences(policy, policies).map((one) => `${differenceText(one)}${where}`);
          }),
      };
    },
    dispose: end,
  };
}

type Live = { readonly name: string; readonly policies: readonly AnalysedPolicy[] };

type Analysed = {
  readonly object: unknown;
  readonly env: Environment;
  readonly policies: readonly AnalysedPolicy[];
};

/** Kept with the file's objects, which are others after each edit. */
const analysed = new WeakMap<AnchoredResource, WeakMap<Connection, Analysed>>();

function policiesOf(
  resource: AnchoredResource,
  connection: Connection,
  object: unknown,
  env: Environment,
): readonly AnalysedPolicy[] {
  const own = analysed.get(resource) ?? new WeakMap<Connection, Analysed>();
  analysed.set(resource, own);
  const known = own.get(connection);
  if (known?.env === env && isSameVersion(known.object, object)) return known.policies;
  const policies = livePolicies(object, registry, env);
  own.set(connection, { object, env, policies });
  return policies;
}

function isSameVersion(a: unknown, b: unknown): boolean {
  const version = (object: unknown) => textIn(object, 'metadata', 'resourceVersion');
  const uid = (object: unknown) => textIn(object, 'metadata', 'uid');
  return a === b || (version(a) !== undefined && version(a) === version(b) && uid(a) === uid(b));
}
