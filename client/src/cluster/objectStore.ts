import { groupOf } from '../../../engine/analyse.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import type { ClusterView, ResourceRef, ResourceType, Unpack } from '../../../engine/live.ts';
import type { SourceNode } from '../../../engine/source.ts';
import { isRecord, textIn, type JsonRecord } from './json.ts';
import { kindKey, keyOfType } from './liveKinds.ts';
import { ownersOf, tokenOf } from './relations.ts';
import { packedText, slim } from './slim.ts';

/** One object that is kept, packed as text: parsed objects take several times as much. */
export type Kept = {
  readonly uid: string;
  readonly kind: string;
  readonly ref: ResourceRef;
  readonly token: string;
  readonly owners: readonly string[];
  readonly json: string;
};

/** The objects at hand, by name and by owner. */
export type ObjectStore = {
  readonly put: (kept: Kept) => void;
  readonly drop: (kept: Kept) => void;
  readonly find: (ref: ResourceRef) => Kept | undefined;
  /** Every object of a name, whatever its group. */
  readonly named: (token: string) => readonly Kept[];
  /** The objects of a kind that belong to another. */
  readonly ownedBy: (token: string, kind?: string) => readonly Kept[];
  /** A view for readers; tells which objects were asked for by name. */
  readonly view: (onAsked: (token: string) => void) => ClusterView;
  readonly size: () => number;
};

export const parseKept = (kept: Kept): unknown => JSON.parse(kept.json);

export const nodeOfKept = (kept: Kept): SourceNode => jsonTree(parseKept(kept)).root;

export const tokenOfRef = ({ kind, namespace, name }: ResourceRef): string =>
  tokenOf(kind, namespace, name ?? '');

/** Makes an object of an answer as we keep it; nothing where it has no name. */
export function keptOf(
  value: unknown,
  type: Pick<ResourceType, 'group' | 'version' | 'kind'>,
  unpack: Unpack,
): { readonly object: JsonRecord; readonly ref: ResourceRef; readonly uid: string } | undefined {
  if (!isRecord(value)) return undefined;
  const name = textIn(value, 'metadata', 'name');
  if (name === undefined) return undefined;
  const namespace = textIn(value, 'metadata', 'namespace');
  // Items of lists come without their own version and kind.
  const apiVersion =
    textIn(value, 'apiVersion') ??
    (type.group === '' ? type.version : `${type.group}/${type.version}`);
  const kind = textIn(value, 'kind') ?? type.kind;
  const full = unpack('kind' in value ? value : { apiVersion, kind, ...value });
  const ref = { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
  const uid = textIn(value, 'metadata', 'uid') ?? `${apiVersion}/${tokenOfRef(ref)}`;
  return { object: slim(isRecord(full) ? full : value), ref, uid };
}

export const packed = (object: JsonRecord, ref: ResourceRef, uid: string): Kept => ({
  uid,
  kind: kindKey(groupOf(ref.apiVersion), ref.kind),
  ref,
  token: tokenOfRef(ref),
  owners: ownersOf(object),
  json: packedText(object),
});

export function objectStore(): ObjectStore {
  const byToken = new Map<string, Kept[]>();
  const byOwner = new Map<string, Set<Kept>>();
  let size = 0;

  const drop = (kept: Kept) => {
    const named = byToken.get(kept.token)?.filter((one) => one.uid !== kept.uid) ?? [];
    if (named.length === (byToken.get(kept.token)?.length ?? 0)) return;
    size -= 1;
    if (named.length === 0) byToken.delete(kept.token);
    else byToken.set(kept.token, named);
    for (const owner of kept.owners) {
      const owned = byOwner.get(owner);
      owned?.delete(kept);
      if (owned?.size === 0) byOwner.delete(owner);
    }
  };

  const put = (kept: Kept) => {
    const old = byToken.get(kept.token)?.find((one) => one.uid === kept.uid);
    if (old !== undefined) drop(old);
    size += 1;
    // The newest object of a name comes first: it is the one that a name means.
    byToken.set(kept.token, [kept, ...(byToken.get(kept.token) ?? [])]);
    for (const owner of kept.owners) {
      const owned = byOwner.get(owner) ?? new Set();
      byOwner.set(owner, owned.add(kept));
    }
  };

  const find = (ref: ResourceRef): Kept | undefined => {
    const kind = kindKey(groupOf(ref.apiVersion), ref.kind);
    return byToken.get(tokenOfRef(ref))?.find((one) => one.kind === kind);
  };

  const ownedBy = (token: string, kind?: string): readonly Kept[] => {
    const owned = byOwner.get(token);
    if (owned === undefined) return [];
    return [...owned].filter((one) => kind === undefined || one.kind === kind);
  };

  return {
    put,
    drop,
    find,
    named: (token) => byToken.get(token) ?? [],
    ownedBy,
    view: (onAsked) => ({
      get: (ref) => {
        onAsked(tokenOfRef(ref));
        const kept = find(ref);
        return kept === undefined ? undefined : nodeOfKept(kept);
      },
      related: (ref, type) => ownedBy(tokenOfRef(ref), keyOfType(type)).map(nodeOfKept),
    }),
    size: () => size,
  };
}
