import type { Instant } from '../../../engine/units.ts';
import type { ResourceRef } from '../../../engine/live.ts';
import { at } from '../cluster/json.ts';
import type { SessionSnapshot } from '../cluster/sessionTypes.ts';
import type { AnchoredResource } from '../languageClient.ts';
import type { PanelRow } from '../panel/model/panelRow.ts';
import { nowOf } from './details.ts';
import type { Connection, Hub } from './hub.ts';
import type { OwnRow } from './lensText.ts';
import { keyOfManifest, keysOf, originOf } from './template.ts';

/** A connection at one moment; everything about a file is worked out from one such moment. */
export type Moment = {
  readonly connection: Connection;
  readonly snapshot: SessionSnapshot;
  readonly now: Instant;
};

/** All connections now, by name: one snapshot of each. */
export const momentsOf = (hub: Pick<Hub, 'connections'>): ReadonlyMap<string, Moment> =>
  new Map(
    hub.connections().map((connection) => {
      const snapshot = connection.session.snapshot();
      return [connection.name, { connection, snapshot, now: nowOf(connection, snapshot) }];
    }),
  );

type Manifest = Pick<AnchoredResource, 'resource' | 'generateName'>;

/** Rows by the manifests that they may come from. */
export type RowIndex = {
  readonly rowsOf: (manifest: Manifest, moments: ReadonlyMap<string, Moment>) => readonly OwnRow[];
};

/** Made once after each change of the rows, however many objects a file has. */
export function rowIndex(rows: Iterable<PanelRow>, moments: ReadonlyMap<string, Moment>): RowIndex {
  const byKey = new Map<string, PanelRow[]>();
  for (const row of rows) {
    const known = linksOf(row, moments.get(row.context)?.connection);
    for (const key of known.keys) {
      const own = byKey.get(key);
      if (own === undefined) byKey.set(key, [row]);
      else own.push(row);
    }
  }
  const known = new WeakMap<Manifest, readonly Origins[]>();
  const originsOf = (manifest: Manifest): readonly Origins[] => {
    const before = known.get(manifest);
    if (before !== undefined) return before;
    const made = (byKey.get(keyOfManifest(manifest)) ?? []).flatMap((row): readonly Origins[] => {
      const moment = moments.get(row.context);
      const { ref, ancestry } = linksOf(row, moment?.connection);
      const origin = originOf(manifest, ref, ancestry, moment?.snapshot.context.namespace);
      return origin === undefined ? [] : [{ row, origin }];
    });
    known.set(manifest, made);
    return made;
  };
  return {
    rowsOf: (manifest, now) =>
      originsOf(manifest).flatMap(({ row, origin }): readonly OwnRow[] => {
        const moment = now.get(row.context);
        return moment === undefined ? [] : [{ row, origin, now: moment.now }];
      }),
  };
}

type Origins = Pick<OwnRow, 'row' | 'origin'>;

type Links = {
  readonly ref: ResourceRef;
  /** The part of an object that tells where it comes from. */
  readonly ancestry: unknown;
  readonly keys: ReadonlySet<string>;
};

/** Kept with the row, which is another one after each change. */
const links = new WeakMap<PanelRow, Links>();

function linksOf(row: PanelRow, connection: Connection | undefined): Links {
  const known = links.get(row);
  if (known !== undefined) return known;
  const { apiVersion, kind, namespace, name } = row;
  const ref = { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
  const object = connection?.session.object(ref);
  const ancestry = {
    metadata: {
      labels: at(object, 'metadata', 'labels'),
      ownerReferences: at(object, 'metadata', 'ownerReferences'),
    },
  };
  const made = { ref, ancestry, keys: keysOf(ref, ancestry) };
  links.set(row, made);
  return made;
}
