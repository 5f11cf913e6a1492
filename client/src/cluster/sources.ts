import type { ResourceType } from '../../../engine/live.ts';
import type { Instant } from '../../../engine/units.ts';
import type { Scope } from './access.ts';
import type { Clock } from './clock.ts';
import { resourceName } from './discovery.ts';
import { isForAll } from './failureKinds.ts';
import { keyOfType, type LiveKinds } from './liveKinds.ts';
import type { LiveTable, TableSource } from './liveTable.ts';
import { listWatch, type ListWatch, type ListWatchState } from './listWatch.ts';
import type { ClusterPort, PortFailure } from './port.ts';
import type { Unseen } from './sessionTypes.ts';
import { turns } from './turns.ts';

type Waiting = Extract<ListWatchState, { readonly kind: 'waiting' }>;

/** How all lists and watches together are doing. */
export type Health =
  /** Nothing has answered yet. */
  | { readonly kind: 'new' }
  | { readonly kind: 'up' }
  /** None of them gets through; the one that is tried next. */
  | { readonly kind: 'down'; readonly next: Waiting }
  /** A refusal that holds for all of them. */
  | { readonly kind: 'refused'; readonly failure: PortFailure };

/** The lists and watches of a session: one for each resource and scope. */
export type SourceSet = {
  /**
   * Makes these the scopes there are: new ones begin, others are given up with what they brought.
   *
   * One that was stopped is tried again: it is served and may be seen, by all that is known now.
   */
  readonly apply: (scopes: readonly Scope[], isQuiet: (type: ResourceType) => boolean) => void;
  readonly start: () => void;
  readonly pause: () => void;
  /** Whether everything that readers of a kind look at has been listed. */
  readonly isReady: (type: ResourceType) => boolean;
  readonly isSettled: () => boolean;
  readonly health: () => Health;
  /** How many lists of kinds with readers were answered, and may still be seen. */
  readonly listed: () => number;
  readonly unseen: () => readonly Unseen[];
  /** How many lists and watches are under way. */
  readonly running: () => number;
};

export type SourceSetOptions = {
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly kinds: LiveKinds;
  readonly table: () => LiveTable;
  readonly watches: boolean;
  readonly heard: (date: Instant | undefined, sent: Instant) => void;
  readonly onChange: () => void;
};

type Source = {
  readonly key: string;
  readonly scope: Scope;
  readonly isQuiet: boolean;
  readonly rows: TableSource;
  readonly listWatch: ListWatch;
  /** Whether anything needs it: what is only looked at beside others waits for the first of them. */
  isWanted: boolean;
  hasObjects: boolean;
  hasListed: boolean;
  hasAnswered: boolean;
  /** Set from a failure until the next answer. */
  failing: Waiting | undefined;
  /** Set from a refusal until the next answer: trying again takes nothing back. */
  refused: PortFailure | undefined;
};

// Enough to be quick, few enough to leave room for others at the API server.
const listsAtATime = 6;
const quietListsAtATime = 4;

export function sourceSet(options: SourceSetOptions): SourceSet {
  const { port, clock, kinds } = options;
  const sources = new Map<string, Source>();
  const turn = turns(listsAtATime);
  // Of their own, so that slow lists of the many keep nobody from the few that are read.
  const quietTurn = turns(quietListsAtATime);
  let isRunning = false;

  const ofKind = (kind: string): readonly Source[] =>
    [...sources.values()].filter(({ scope }) => keyOfType(scope.served.type) === kind);

  const wake = (source: Source) => {
    source.isWanted = true;
    if (isRunning) source.listWatch.start();
  };

  /** The first object of a kind: what its readers look at beside it is listed from now on. */
  const hasObjects = (source: Source) => {
    if (source.hasObjects) return;
    source.hasObjects = true;
    for (const needed of kinds.neededFor(keyOfType(source.scope.served.type))) {
      ofKind(keyOfType(needed)).forEach(wake);
    }
  };

  const isNeeded = (kind: string): boolean => {
    const by = kinds.neededBy(kind);
    if (by.size === 0 || kinds.readersOf(kind).length > 0) return true;
    return [...sources.values()].some(
      (source) => source.hasObjects && by.has(keyOfType(source.scope.served.type)),
    );
  };

  const stopped = (source: Source, failure: PortFailure) => {
    if (isForAll(failure)) return;
    source.refused = failure;
    if (!isLost(failure)) return;
    // An object that is served no more, or may be seen no more, is not shown as if it were.
    source.hasListed = false;
    source.rows.clear();
  };

  const add = (scope: Scope, isQuiet: boolean) => {
    const { type } = scope.served;
    const kind = keyOfType(type);
    const rows = options.table().source(type);
    const answered = (date: Instant | undefined, sent: Instant) => {
      source.hasAnswered = true;
      source.failing = undefined;
      source.refused = undefined;
      options.heard(date, sent);
    };
    const source: Source = {
      key: keyOfScope(scope),
      scope,
      isQuiet,
      rows,
      isWanted: isNeeded(kind),
      hasObjects: false,
      hasListed: false,
      hasAnswered: false,
      failing: undefined,
      refused: undefined,
      listWatch: listWatch({
        port,
        clock,
        path: pathOf(scope),
        watches: options.watches,
        turn: isQuiet ? quietTurn : turn,
        sink: {
          began: rows.began,
          page: (objects) => {
            if (objects.length > 0) hasObjects(source);
            rows.upsert(objects);
          },
          listed: () => {
            source.hasListed = true;
            rows.listed();
          },
          event: (what, object) => {
            answered(undefined, clock.now());
            if (what === 'DELETED') return rows.remove(object);
            hasObjects(source);
            rows.upsert([object]);
          },
          heard: answered,
          state: (state) => {
            if (state.kind === 'waiting') source.failing = state;
            if (state.kind === 'stopped') stopped(source, state.failure);
            options.onChange();
          },
        },
      }),
    };
    sources.set(source.key, source);
    if (source.isWanted && isRunning) source.listWatch.start();
  };

  const isSettled = (source: Source): boolean =>
    source.hasListed ||
    source.refused !== undefined ||
    source.listWatch.state().kind === 'stopped' ||
    // What fails again and again is not waited for: it is told as stale.
    (source.failing?.retry ?? 0) > 2;

  const started = (): readonly Source[] => [...sources.values()].filter(({ isWanted }) => isWanted);

  return {
    apply: (scopes, isQuiet) => {
      const wanted = new Map(scopes.map((scope) => [keyOfScope(scope), scope]));
      for (const [key, source] of sources) {
        if (wanted.has(key)) continue;
        source.listWatch.pause();
        source.rows.clear();
        sources.delete(key);
      }
      for (const [key, scope] of wanted) {
        const source = sources.get(key);
        if (source === undefined) add(scope, isQuiet(scope.served.type));
        else if (isRunning && source.isWanted) source.listWatch.start();
      }
      options.onChange();
    },
    start: () => {
      isRunning = true;
      for (const source of started()) {
        // How it stood before says nothing of how it will.
        source.hasAnswered = false;
        source.failing = undefined;
        source.listWatch.start();
      }
    },
    pause: () => {
      isRunning = false;
      for (const { listWatch: one } of sources.values()) one.pause();
    },
    isReady: (type) =>
      kinds
        .neededFor(keyOfType(type))
        .every((needed) => ofKind(keyOfType(needed)).every(isSettled)),
    isSettled: () => started().every(isSettled),
    health: () => healthOf(started()),
    listed: () =>
      started().filter(
        ({ scope, hasListed, refused, listWatch: one }) =>
          hasListed &&
          refused === undefined &&
          one.state().kind !== 'stopped' &&
          kinds.readersOf(keyOfType(scope.served.type)).length > 0,
      ).length,
    unseen: () => started().flatMap((source) => unseenOf(source)),
    running: () =>
      started().filter(({ listWatch: one }) => ['listing', 'watching'].includes(one.state().kind))
        .length,
  };
}

const keyOfScope = ({ served, namespace }: Scope): string =>
  `${served.type.group}/${served.type.version}/${served.type.plural}/${namespace ?? ''}`;

function pathOf({ served: { type }, namespace }: Scope): string {
  const { group, version, plural } = type;
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === undefined
    ? `${base}/${plural}`
    : `${base}/namespaces/${namespace}/${plural}`;
}

const isLost = ({ kind }: PortFailure): boolean => kind === 'forbidden' || kind === 'not-found';

function healthOf(sources: readonly Source[]): Health {
  let next: Waiting | undefined;
  let isUp = sources.length === 0;
  let hasAnswered = false;
  for (const { listWatch: one, failing, hasAnswered: didAnswer } of sources) {
    const state = one.state();
    if (state.kind === 'stopped') {
      if (isForAll(state.failure)) return { kind: 'refused', failure: state.failure };
      isUp = true;
      hasAnswered = true;
      continue;
    }
    hasAnswered ||= didAnswer;
    if (failing === undefined) isUp ||= didAnswer;
    else if (next === undefined || failing.nextAt < next.nextAt) next = failing;
  }
  if (next !== undefined && !isUp) return { kind: 'down', next };
  return hasAnswered || sources.length === 0 ? { kind: 'up' } : { kind: 'new' };
}

function unseenOf({ scope, failing, refused, isQuiet }: Source): readonly Unseen[] {
  const { served, namespace } = scope;
  const resource = resourceName(served.type);
  const place = namespace === undefined ? { resource } : { resource, namespace };
  if (isQuiet) return [];
  if (refused !== undefined) {
    const { kind, detail } = refused;
    if (kind === 'forbidden') return [{ ...place, why: 'forbidden', detail }];
    return [{ ...place, why: kind === 'not-found' ? 'unserved' : 'failed', detail }];
  }
  // One failed request is made up for before anybody has noticed.
  if (failing === undefined || failing.retry < 2) return [];
  return [{ ...place, why: 'stale', detail: failing.failure.detail }];
}
