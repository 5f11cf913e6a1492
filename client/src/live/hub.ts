import { systemOf } from '../../../engine/family.ts';
import type { ClusterPort } from '../cluster/port.ts';
import type { ClusterSession, LiveRow, SessionChange } from '../cluster/sessionTypes.ts';
import { panelRow, rowId, type PanelRow } from '../panel/model/panelRow.ts';

/** A context that a person has connected to. */
export type Connection = {
  /** The context's name, by which rows name it too. */
  readonly name: string;
  readonly session: ClusterSession;
  readonly port: ClusterPort;
  readonly isDemo: boolean;
};

export type HubChange = {
  readonly changed: readonly PanelRow[];
  readonly removed: readonly string[];
  /** Anything but rows changed: a connection, its state, what it cannot see. */
  readonly contexts: boolean;
};

export type FoundRow = {
  readonly connection: Connection;
  readonly row: LiveRow;
  readonly shown: PanelRow;
};

/** All connections together, as everything that shows them sees them. */
export type Hub = {
  readonly connections: () => readonly Connection[];
  readonly connection: (name: string) => Connection | undefined;
  readonly add: (connection: Connection) => void;
  readonly remove: (name: string) => void;
  readonly rows: () => ReadonlyMap<string, PanelRow>;
  readonly find: (id: string) => FoundRow | undefined;
  /** Leaves out the rows of these systems from now on, and of no others. */
  readonly hide: (systems: ReadonlySet<string>) => void;
  readonly subscribe: (listener: (change: HubChange) => void) => () => void;
  /** Says that something else about the connections changed, such as a lock. */
  readonly touch: () => void;
  readonly dispose: () => void;
};

export function createHub(): Hub {
  const connections = new Map<
    string,
    { readonly connection: Connection; readonly end: () => void }
  >();
  const listeners = new Set<(change: HubChange) => void>();
  const rows = new Map<string, PanelRow>();
  const keys = new Map<string, string>();

  let hidden: ReadonlySet<string> = new Set();
  const isHidden = ({ family }: LiveRow): boolean => hidden.has(systemOf({ id: family }));

  const tell = (change: HubChange): void => {
    for (const listener of listeners) listener(change);
  };
  const take = (connection: Connection, change: SessionChange): void => {
    const changed: PanelRow[] = [];
    const removed: string[] = [];
    const drop = (id: string): void => {
      keys.delete(id);
      if (rows.delete(id)) removed.push(id);
    };
    for (const row of change.changed) {
      const id = rowId(connection.name, row.key);
      if (row.state.kind === 'idle' || isHidden(row)) drop(id);
      else {
        const shown = panelRow(connection.name, row);
        rows.set(id, shown);
        keys.set(id, row.key);
        changed.push(shown);
      }
    }
    for (const key of change.removed) drop(rowId(connection.name, key));
    if (changed.length + removed.length > 0 || change.about) {
      tell({ changed, removed, contexts: change.about });
    }
  };
  const remove = (name: string): void => {
    const found = connections.get(name);
    if (found === undefined) return;
    connections.delete(name);
    found.end();
    found.connection.session.dispose();
    const removed = [...rows.values()].filter(({ context }) => context === name);
    for (const { id } of removed) {
      rows.delete(id);
      keys.delete(id);
    }
    tell({ changed: [], removed: removed.map(({ id }) => id), contexts: true });
  };

  return {
    connections: () => [...connections.values()].map(({ connection }) => connection),
    connection: (name) => connections.get(name)?.connection,
    add: (connection) => {
      remove(connection.name);
      const end = connection.session.subscribe((change) => {
        take(connection, change);
      });
      connections.set(connection.name, { connection, end });
      const { rows: known } = connection.session.snapshot();
      take(connection, { changed: [...known.values()], removed: [], about: true });
    },
    remove,
    rows: () => rows,
    find: (id) => {
      const shown = rows.get(id);
      const key = keys.get(id);
      const connection =
        shown === undefined ? undefined : connections.get(shown.context)?.connection;
      const row = key === undefined ? undefined : connection?.session.snapshot().rows.get(key);
      return shown === undefined || row === undefined || connection === undefined
        ? undefined
        : { connection, row, shown };
    },
    hide: (systems) => {
      if (hidden.size === systems.size && [...systems].every((one) => hidden.has(one))) return;
      hidden = systems;
      for (const { connection } of connections.values()) {
        const { rows: known } = connection.session.snapshot();
        take(connection, { changed: [...known.values()], removed: [], about: true });
      }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    touch: () => {
      tell({ changed: [], removed: [], contexts: true });
    },
    dispose: () => {
      for (const name of connections.keys()) remove(name);
      listeners.clear();
    },
  };
}
