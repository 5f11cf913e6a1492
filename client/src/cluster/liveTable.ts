import type { Environment } from '../../../engine/environment.ts';
import type { Failure } from '../../../engine/guard.ts';
import type { ResourceRef, ResourceType, Unpack } from '../../../engine/live.ts';
import { seconds, type Instant } from '../../../engine/units.ts';
import { keyOfType, type LiveKinds } from './liveKinds.ts';
import { keptOf, objectStore, packed, parseKept, tokenOfRef, type Kept } from './objectStore.ts';
import { readRows } from './readRows.ts';
import type { LiveRow } from './sessionTypes.ts';

/** What one list and watch has brought. */
export type TableSource = {
  readonly type: ResourceType;
  readonly began: () => void;
  readonly upsert: (objects: readonly unknown[]) => void;
  readonly remove: (object: unknown) => void;
  /** What the list did not bring is gone. */
  readonly listed: () => void;
  /** Forgets everything that came from here. */
  readonly clear: () => void;
  readonly count: () => number;
};

export type LiveTableOptions = {
  readonly kinds: LiveKinds;
  readonly env: () => Environment;
  /** By the server's clock. */
  readonly now: () => Instant;
  readonly unpack: Unpack;
  readonly keepsIdle: boolean;
  /** Whether everything that readers of a kind look at has been listed. */
  readonly isReady: (type: ResourceType) => boolean;
  /** Something changed; rows are read when `work` is called. */
  readonly onChange: () => void;
  readonly onFailure: (failure: Failure) => void;
};

export type LiveTable = {
  readonly source: (type: ResourceType) => TableSource;
  readonly rows: ReadonlyMap<string, LiveRow>;
  readonly idle: () => number;
  /** Reads at most so many objects that wait for it; false when none is left that can be read. */
  readonly work: (most: number) => boolean;
  /** Marks what may have changed by time alone: what fell due, and what was read a while ago. */
  readonly markDue: () => void;
  /** Marks everything that is kept, as what it is read with has changed. */
  readonly markAll: () => void;
  /** The rows that changed and the keys that went since the last call. */
  readonly take: () => {
    readonly changed: readonly LiveRow[];
    readonly removed: readonly string[];
  };
  readonly object: (ref: ResourceRef) => unknown;
  readonly ownedBy: (ref: ResourceRef) => readonly unknown[];
  readonly size: () => number;
};

/** An object as the table knows it: what is idle and looked at by nobody is not kept, only counted. */
type Entry = {
  readonly kept: Kept | undefined;
  readonly rows: readonly string[];
  readonly idle: number;
  readonly round: number;
  /** By the server's clock, as the state was read with it. */
  readonly readAt: Instant;
  readonly asked: readonly string[];
};

type Pending = { readonly source: SourceState; readonly uid: string };

type SourceState = {
  readonly type: ResourceType;
  readonly kind: string;
  readonly entries: Map<string, Entry>;
  round: number;
};

/** The rows of all sources, kept up to date object by object. */
export function liveTable(options: LiveTableOptions): LiveTable {
  const { kinds, unpack } = options;
  const store = objectStore();
  const rows = new Map<string, LiveRow>();
  const dirty = new Map<string, Pending>();
  const places = new Map<string, SourceState>();
  const askers = new Map<string, Map<string, SourceState>>();
  const changed = new Set<string>();
  const removed = new Set<string>();
  let idle = 0;

  const setRows = (old: readonly string[], next: readonly LiveRow[]) => {
    for (const row of next) {
      const before = rows.get(row.key);
      rows.set(row.key, row);
      removed.delete(row.key);
      if (before === undefined || !isSame(before, row)) changed.add(row.key);
    }
    for (const key of old) {
      if (next.some((row) => row.key === key)) continue;
      rows.delete(key);
      changed.delete(key);
      removed.add(key);
    }
  };

  const unask = (uid: string, asked: readonly string[]) => {
    for (const token of asked) {
      const set = askers.get(token);
      set?.delete(uid);
      if (set?.size === 0) askers.delete(token);
    }
  };

  const forget = (source: SourceState, uid: string) => {
    const entry = source.entries.get(uid);
    if (entry === undefined) return;
    source.entries.delete(uid);
    dirty.delete(uid);
    places.delete(uid);
    idle -= entry.idle;
    unask(uid, entry.asked);
    setRows(entry.rows, []);
    if (entry.kept !== undefined) {
      store.drop(entry.kept);
      touch(source, entry.kept);
    }
  };

  /** Marks the objects whose states rest on this one. */
  const touch = (source: SourceState, kept: Kept) => {
    const by = kinds.neededBy(source.kind);
    if (by.size === 0) return;
    for (const owner of kept.owners) {
      for (const one of store.named(owner)) {
        const place = places.get(one.uid);
        if (by.has(one.kind) && place !== undefined) mark(place, one.uid);
      }
    }
    for (const [uid, place] of askers.get(kept.token) ?? []) mark(place, uid);
  };

  const mark = (source: SourceState, uid: string) => {
    dirty.set(uid, { source, uid });
  };

  const isNeeded = (source: SourceState, kept: Kept): boolean => {
    const by = kinds.neededBy(source.kind);
    if (by.size === 0) return false;
    if (kept.owners.length === 0) return true;
    return kept.owners.some((owner) => [...by].some((kind) => isOfKind(owner, kind)));
  };

  /** Objects whose state can change through others must be at hand when that happens. */
  const restsOnOthers = (source: SourceState): boolean =>
    kinds.readersOf(source.kind).some(({ live }) => live.alsoNeeds.length > 0);

  const upsert = (source: SourceState, value: unknown) => {
    const found = keptOf(value, source.type, unpack);
    if (found === undefined) return;
    const { object, ref, uid } = found;
    const isReadable = options.isReady(source.type);
    const old = source.entries.get(uid);
    if (isReadable && !restsOnOthers(source)) {
      const { rows: next, idle: count } = read(uid, ref, object, old);
      const isKept = next.length > 0 || kinds.neededBy(source.kind).size > 0;
      const kept = isKept ? packed(object, ref, uid) : undefined;
      settle(source, uid, old, {
        kept: kept !== undefined && (next.length > 0 || isNeeded(source, kept)) ? kept : undefined,
        rows: next.map((row) => row.key),
        idle: count,
        round: source.round,
        readAt: options.now(),
        asked: [],
      });
      return;
    }
    const kept = packed(object, ref, uid);
    const isOfUse = kinds.readersOf(source.kind).length > 0 || isNeeded(source, kept);
    if (!isOfUse) return;
    settle(source, uid, old, {
      kept,
      rows: old?.rows ?? [],
      idle: old?.idle ?? 0,
      round: source.round,
      readAt: old?.readAt ?? options.now(),
      asked: old?.asked ?? [],
    });
    if (isReadable) readKept(source, uid, object);
    else mark(source, uid);
  };

  const settle = (source: SourceState, uid: string, old: Entry | undefined, next: Entry) => {
    idle += next.idle - (old?.idle ?? 0);
    source.entries.set(uid, next);
    if (old?.kept !== undefined) store.drop(old.kept);
    if (next.kept === undefined) {
      places.delete(uid);
    } else {
      store.put(next.kept);
      places.set(uid, source);
    }
    const kept = next.kept ?? old?.kept;
    if (kept !== undefined) touch(source, kept);
  };

  /** Reads an object's rows and shows them; which others it asked for is noted by the caller. */
  const read = (
    uid: string,
    ref: ResourceRef,
    object: unknown,
    old: Entry | undefined,
    asked?: Set<string>,
  ) => {
    const result = readRows(
      {
        object,
        ref,
        uid,
        view: store.view((token) => asked?.add(token)),
        env: options.env(),
        now: options.now(),
      },
      kinds,
      options.keepsIdle,
    );
    for (const failure of result.failures) options.onFailure(failure);
    setRows(old?.rows ?? [], result.rows);
    return result;
  };

  const readKept = (source: SourceState, uid: string, object?: unknown) => {
    const entry = source.entries.get(uid);
    dirty.delete(uid);
    if (entry?.kept === undefined) return;
    const asked = new Set<string>();
    const { kept } = entry;
    const result = read(uid, kept.ref, object ?? parseKept(kept), entry, asked);
    idle += result.idle - entry.idle;
    unask(uid, entry.asked);
    for (const token of asked) {
      const set = askers.get(token) ?? new Map<string, SourceState>();
      askers.set(token, set.set(uid, source));
    }
    const keys = result.rows.map((row) => row.key);
    const stays = keys.length > 0 || restsOnOthers(source) || isNeeded(source, kept);
    source.entries.set(uid, {
      kept: stays ? kept : undefined,
      rows: keys,
      idle: result.idle,
      round: entry.round,
      readAt: options.now(),
      asked: [...asked],
    });
    if (stays) return;
    store.drop(kept);
    places.delete(uid);
  };

  const work = (most: number): boolean => {
    let left = most;
    for (const { source, uid } of dirty.values()) {
      if (!options.isReady(source.type)) continue;
      if (left === 0) return true;
      left -= 1;
      readKept(source, uid);
    }
    return false;
  };

  return {
    rows,
    idle: () => idle,
    work,
    size: () => store.size(),
    source: (type) => {
      const source: SourceState = { type, kind: keyOfType(type), entries: new Map(), round: 0 };
      return {
        type,
        count: () => source.entries.size,
        began: () => {
          source.round += 1;
        },
        upsert: (objects) => {
          for (const object of objects) upsert(source, object);
          options.onChange();
        },
        remove: (object) => {
          const found = keptOf(object, type, (same) => same);
          if (found === undefined) return;
          forget(source, found.uid);
          options.onChange();
        },
        listed: () => {
          for (const [uid, { round }] of source.entries) {
            if (round !== source.round) forget(source, uid);
          }
          options.onChange();
        },
        clear: () => {
          for (const uid of source.entries.keys()) forget(source, uid);
          options.onChange();
        },
      };
    },
    markDue: () => {
      const now = options.now();
      for (const row of rows.values()) {
        const place = places.get(row.uid);
        const readAt = place?.entries.get(row.uid)?.readAt;
        if (place === undefined || readAt === undefined) continue;
        if (isDue(row, readAt, now)) mark(place, row.uid);
      }
    },
    markAll: () => {
      for (const [uid, source] of places) mark(source, uid);
    },
    take: () => {
      const taken = {
        changed: [...changed].flatMap((key) => rows.get(key) ?? []),
        removed: [...removed],
      };
      changed.clear();
      removed.clear();
      return taken;
    },
    object: (ref) => {
      const kept = store.find(ref);
      return kept === undefined ? undefined : parseKept(kept);
    },
    ownedBy: (ref) => store.ownedBy(tokenOfRef(ref)).map(parseKept),
  };
}

const isOfKind = (token: string, kind: string): boolean =>
  token.startsWith(`${kind.slice(kind.indexOf('/') + 1)}/`);

/** A state that changes by time alone, such as that of a pod that has run for long enough, is right within a minute. */
const readEvery = seconds(50);

function isDue({ state }: LiveRow, readAt: Instant, now: Instant): boolean {
  // A clock that was set back says nothing of how long ago it was.
  if (now - readAt >= readEvery || now < readAt) return true;
  if (state.kind !== 'waiting' || state.next.how === 'unknown') return false;
  const { hi } = state.next.value;
  return hi <= now && readAt < hi;
}

const isSame = (a: LiveRow, b: LiveRow): boolean =>
  JSON.stringify(a.state) === JSON.stringify(b.state);
