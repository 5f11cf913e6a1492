import type { Instant, Ms, Window } from '../../../../engine/units.ts';

/** One retry of the schedule, and where it stands as seen from now. */
export type Rung = {
  readonly retry: number;
  readonly wait: Window<Ms>;
  readonly total: Window<Ms>;
  readonly isCapped: boolean;
  /** Absent where nothing tells which retry comes next. */
  readonly place?: 'past' | 'here' | 'later';
  /** When it starts, or may start at the earliest where attempts before it take no time. */
  readonly at?: Window<Instant>;
};

/** A part of the schedule around where the object stands. */
export type Ladder = {
  readonly rungs: readonly Rung[];
  /** Retries between the first and the last rung that are left out, by the retry they follow. */
  readonly hasMore: boolean;
  readonly summary: string;
  readonly cap?: string;
  readonly end: string;
  readonly resets: readonly string[];
};

export type PastEntry = {
  readonly at: Instant;
  readonly what: string;
  readonly source: string;
  readonly kind: 'failure' | 'retry' | 'success' | 'note';
};

export type EvidenceLine = {
  readonly object: string;
  readonly path: string;
  readonly value: string;
};

/** Where a click leads; the host knows what is behind an id. */
export type Link = 'yaml' | 'policy' | 'events' | 'logs' | 'sentence' | 'markdown';

/** What can be done about it, and what keeps it from being done. */
export type ActionLine = {
  readonly id: string;
  readonly title: string;
  readonly effect: string;
  /** Absent where it can be done now. */
  readonly blocked?: string;
};

/** Everything the panel shows of one object beside its row. */
export type Detail = {
  readonly id: string;
  readonly policy: string;
  readonly formula: string;
  readonly version: string;
  readonly ladder?: Ladder;
  /** Why there is no schedule to show. */
  readonly withoutLadder?: string;
  readonly past: readonly PastEntry[] | 'loading';
  readonly evidence: readonly EvidenceLine[];
  readonly links: readonly Link[];
  readonly actions: readonly ActionLine[];
  /** Said where nothing can be done by hand. */
  readonly advice?: string;
};
