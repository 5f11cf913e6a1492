import type { Environment } from '../../../engine/environment.ts';
import type { LiveBackoff, ResourceRef } from '../../../engine/live.ts';
import type { Instant, Ms } from '../../../engine/units.ts';
import type { ContextInfo } from './port.ts';

/** Where the connection to a cluster stands. Exactly one of these at any time. */
export type SessionState =
  | { readonly kind: 'connecting'; readonly since: Instant }
  | { readonly kind: 'live'; readonly since: Instant }
  /** The session's own back-off, shown with the same widget as everybody else's. */
  | {
      readonly kind: 'reconnecting';
      readonly retry: number;
      readonly wait: Ms;
      readonly nextAt: Instant;
      readonly why: string;
    }
  /** Nothing is tried again before a person signs in: the way back is `resume`. */
  | { readonly kind: 'unauthorised'; readonly detail: string }
  | { readonly kind: 'stopped'; readonly why: string };

/** One policy of one live object, ready to be shown. */
export type LiveRow = {
  /** `<uid>/<family>/<part>`; stable over updates. */
  readonly key: string;
  readonly family: string;
  readonly resource: ResourceRef;
  readonly uid: string;
  readonly part?: string;
  readonly state: LiveBackoff;
  /** Set where an exponential work queue is estimated, not read. */
  readonly isEstimate: boolean;
};

/** What cannot be seen, and why; `namespace` is absent where it holds for all. */
export type Unseen = {
  readonly resource: string;
  readonly namespace?: string;
  readonly why: 'forbidden' | 'unserved' | 'stale' | 'failed';
  readonly detail: string;
};

/** The version of a controller, with where it was read. */
export type DetectedVersion = {
  readonly system: string;
  readonly version: string;
  readonly from: string;
};

/** What controllers are started with, as far as it changes a wait; absent where they have their defaults. */
export type DetectedFlags = {
  /** `<system>/<setting>` → value. */
  readonly controllers: ReadonlyMap<string, string>;
  readonly gates: ReadonlyMap<string, boolean>;
};

export type SessionSnapshot = {
  readonly context: ContextInfo;
  readonly state: SessionState;
  /** Rows that are not idle, by key; idle ones are counted only. */
  readonly rows: ReadonlyMap<string, LiveRow>;
  readonly idle: number;
  /** How many lists of kinds that can back off were answered, empty or not: with none, nothing is known. */
  readonly listed: number;
  readonly unseen: readonly Unseen[];
  readonly versions: readonly DetectedVersion[];
  readonly flags: DetectedFlags;
  /** What the rows are read with: what is set, else what the cluster shows. */
  readonly env: Environment;
  /** The server's clock minus ours; positive when the server is ahead. */
  readonly clockSkew: Ms;
  /** The time of the last thing heard, by the server's clock. */
  readonly checkedAt: Instant;
  readonly isComplete: boolean;
};

/** What changed since the last call; a burst of updates becomes one change. */
export type SessionChange = {
  readonly changed: readonly LiveRow[];
  readonly removed: readonly string[];
  /** Anything but rows changed: state, unseen, versions, counts. */
  readonly about: boolean;
};

/** A live connection with one context. */
export type ClusterSession = {
  readonly snapshot: () => SessionSnapshot;
  readonly subscribe: (listener: (change: SessionChange) => void) => () => void;
  /** Pauses all requests while nobody looks, and picks up where it left. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Says anew what is set of versions, gates and controllers; rows that it changes are read again. */
  readonly restate: (stated: Environment) => void;
  /** The object behind a row, as last seen, with managed fields left out; secrets are never among them. */
  readonly object: (ref: ResourceRef) => unknown;
  /** Child objects and events that tell an object's past. */
  readonly history: (ref: ResourceRef) => Promise<readonly HistoryEntry[]>;
  readonly dispose: () => void;
};

export type HistoryEntry = {
  readonly at: Instant;
  readonly what: string;
  readonly source: ResourceRef;
  readonly kind: 'failure' | 'retry' | 'success' | 'note';
};
