import { emptyEnvironment, type Environment } from '../../../engine/environment.ts';
import type { PolicyFamily } from '../../../engine/family.ts';
import type { ResourceType } from '../../../engine/live.ts';
import { after, ms, seconds, type Instant, type Ms } from '../../../engine/units.ts';
import { planAccess } from './access.ts';
import { asker, type Asker } from './asker.ts';
import { systemClock, type Clock } from './clock.ts';
import { clockSkew } from './clockSkew.ts';
import {
  detectControllers,
  nothingDetected,
  withDetected,
  type Detected,
} from './controllerVersions.ts';
import { discover } from './discovery.ts';
import { historyOf } from './history.ts';
import { inflateNodes } from './inflateNodes.ts';
import { keyOfType, liveKinds } from './liveKinds.ts';
import { liveTable } from './liveTable.ts';
import type { ClusterPort, PortFailure } from './port.ts';
import { reconnectWait } from './reconnect.ts';
import type {
  ClusterSession,
  DetectedVersion,
  SessionChange,
  SessionState,
  Unseen,
} from './sessionTypes.ts';
import { sourceSet } from './sources.ts';

export type SessionOptions = {
  readonly port: ClusterPort;
  readonly families: readonly PolicyFamily[];
  readonly clock?: Clock;
  /** What settings say of versions and controllers; it wins over what is detected. */
  readonly env?: Environment;
  /** Only these namespaces. */
  readonly namespaces?: readonly string[];
  /** Whether custom resources that no family reads are estimated. */
  readonly estimates?: boolean;
  /** False: everything is listed once and not watched. */
  readonly watches?: boolean;
  /** Whether idle states are rows too. */
  readonly keepsIdle?: boolean;
  readonly log?: (line: string) => void;
};

const burst = ms(100);
const objectsAtATime = 250;
const dueEvery = seconds(5);
const rediscoverEvery = seconds(600);

/**
 * Connects to a cluster and keeps the states of its objects up to date.
 *
 * Nothing is contacted before this is called, and nothing after `dispose` or while it is paused.
 */
export function openSession(options: SessionOptions): ClusterSession {
  const { port, clock = systemClock, families, watches = true, log = () => undefined } = options;
  const kinds = liveKinds(families);
  const skew = clockSkew();
  const listeners = new Set<(change: SessionChange) => void>();
  let stated = options.env ?? emptyEnvironment;
  let detected: Detected = nothingDetected;
  let env = stated;
  let state: SessionState = { kind: 'connecting', since: clock.now() };
  let plan: { readonly unseen: readonly Unseen[]; readonly versions: readonly DetectedVersion[] } =
    {
      unseen: [],
      versions: [],
    };
  let connection: AbortController | undefined;
  let isPlanned = false;
  let lastHeard = clock.now();
  let about = false;
  let cancelFlush: (() => void) | undefined;
  let cancelTimers: readonly (() => void)[] = [];

  const serverTime = (at: Instant): Instant => after(at, skew.value());
  const heard = (date: Instant | undefined, sent: Instant) => {
    const now = clock.now();
    lastHeard = now;
    if (date !== undefined) skew.heard(date, sent, now);
  };

  const table = liveTable({
    kinds,
    env: () => env,
    now: () => serverTime(clock.now()),
    unpack: inflateNodes,
    keepsIdle: options.keepsIdle ?? false,
    isReady: (type) => sources.isReady(type),
    onChange: () => flushSoon(burst),
    onFailure: (failure) => log(`${failure.doing}: ${failure.error}`),
  });
  const sources = sourceSet({
    port,
    clock,
    kinds,
    table: () => table,
    watches,
    heard,
    onChange: () => {
      judgeHealth();
      about = true;
      flushSoon(burst);
    },
  });

  function become(next: SessionState): void {
    if (isSameState(state, next)) return;
    state = next;
    about = true;
    flushSoon(ms(0));
  }

  /** Makes one state of how the lists and watches are doing. */
  function judgeHealth(): void {
    if (!isPlanned || connection === undefined) return;
    const health = sources.health();
    switch (health.kind) {
      case 'new':
        return;
      case 'up':
        if (state.kind !== 'live') become({ kind: 'live', since: clock.now() });
        return;
      case 'down': {
        const { retry, wait, nextAt, failure } = health.next;
        become({ kind: 'reconnecting', retry, wait, nextAt, why: failure.detail });
        return;
      }
      case 'refused':
        refuse(health.failure);
    }
  }

  /** Ends every request until a person comes back with `resume`. */
  function refuse(failure: PortFailure): void {
    halt();
    const { kind, detail } = failure;
    const isAccess = kind === 'unauthorised' || kind === 'credentials';
    become(isAccess ? { kind: 'unauthorised', detail } : { kind: 'stopped', why: detail });
  }

  function halt(): void {
    const running = connection;
    connection = undefined;
    running?.abort();
    sources.pause();
    for (const cancel of cancelTimers) cancel();
    cancelTimers = [];
  }

  function flushSoon(wait: Ms): void {
    if (cancelFlush !== undefined && wait > 0) return;
    cancelFlush?.();
    cancelFlush = clock.after(wait, flush);
  }

  function flush(): void {
    cancelFlush = undefined;
    const isMore = table.work(objectsAtATime);
    judgeHealth();
    const { changed, removed } = table.take();
    if (changed.length > 0 || removed.length > 0 || about) {
      const change: SessionChange = { changed, removed, about };
      about = false;
      for (const listener of listeners) listener(change);
    }
    if (isMore) flushSoon(ms(0));
  }

  async function connect(): Promise<void> {
    const own = new AbortController();
    connection = own;
    for (let retry = 1; !own.signal.aborted; retry += 1) {
      const failure = await planned(own.signal);
      if (own.signal.aborted || failure?.kind === 'cancelled') return;
      if (failure === undefined) {
        // Their health is judged once all have begun: one that was refused before still says so until then.
        sources.start();
        isPlanned = true;
        startTimers(own.signal);
        judgeHealth();
        about = true;
        flushSoon(ms(0));
        return;
      }
      if (!mayPass(failure)) return refuse(failure);
      const asked = 'retryAfter' in failure ? failure.retryAfter : undefined;
      const wait = reconnectWait(retry, clock.random(), asked);
      const nextAt = after(clock.now(), wait);
      become({ kind: 'reconnecting', retry, wait, nextAt, why: failure.detail });
      await sleep(wait, own.signal);
    }
  }

  /** Finds out what there is to be listed, and makes lists and watches of it. */
  async function planned(signal: AbortSignal): Promise<PortFailure | undefined> {
    const ask = asker(port, clock, signal, heard);
    const wanted = new Map<string, ResourceType>();
    for (const type of kinds.read) {
      wanted.set(keyOfType(type), type);
      for (const other of kinds.neededFor(keyOfType(type))) wanted.set(keyOfType(other), other);
    }
    const found = await discover(ask, [...wanted.values()], options.estimates ?? true);
    if (!found.ok) return found.failure;
    // What was found before stays until there is a whole answer.
    if (isPlanned && !found.isWhole) return undefined;
    const isServed = (type: ResourceType) => found.served.has(keyOfType(type));
    const read = kinds.read.filter(isServed);
    const needed = read.flatMap((type) => kinds.neededFor(keyOfType(type))).filter(isServed);
    const keys = new Set([...read, ...needed].map(keyOfType));
    const served = [...keys].flatMap((key) => found.served.get(key) ?? []);
    const [access, versions] = await Promise.all([
      planAccess(ask, {
        served,
        quiet: found.others,
        namespaces: options.namespaces,
        ownNamespace: port.context.namespace ?? 'default',
      }),
      detect(ask, read, found.kubernetes),
    ]);
    if (signal.aborted) return undefined;
    const isMissed = (one: Unseen) =>
      one.why !== 'unserved' || kinds.read.some((type) => nameOfType(type) === one.resource);
    plan = { unseen: [...found.unseen.filter(isMissed), ...access.unseen], versions };
    const quiet = new Set(found.others.map(({ type }) => keyOfType(type)));
    sources.apply(access.scopes, (type) => quiet.has(keyOfType(type)));
    return undefined;
  }

  async function detect(
    ask: Asker,
    read: readonly ResourceType[],
    kubernetes: string | undefined,
  ): Promise<readonly DetectedVersion[]> {
    const groups = new Set(read.map(({ group }) => group));
    const systems = families
      .filter(({ live }) => live?.reads.some(({ group }) => groups.has(group)) === true)
      .map(({ system }) => system.id);
    const found = await detectControllers(ask, new Set(systems));
    const own: readonly DetectedVersion[] =
      kubernetes === undefined
        ? []
        : [
            {
              system: 'kubernetes',
              version: kubernetes.replace(/^v/, ''),
              from: 'the API server',
            },
          ];
    detected = { ...found, versions: [...own, ...found.versions] };
    takeEnvironment();
    return detected.versions;
  }

  /** A controller was replaced by another version, or a setting changed: waits may be others now. */
  function takeEnvironment(): void {
    const next = withDetected(stated, detected);
    const isNew = textOf(next) !== textOf(env);
    env = next;
    if (!isNew) return;
    about = true;
    table.markAll();
    flushSoon(burst);
  }

  function startTimers(signal: AbortSignal): void {
    if (!watches) return;
    const every = (wait: Ms, run: () => void): (() => void) => {
      let cancel = () => undefined as void;
      const again = () => {
        run();
        cancel = clock.after(wait, again);
      };
      cancel = clock.after(wait, again);
      return () => cancel();
    };
    cancelTimers = [
      every(dueEvery, () => {
        table.markDue();
        flushSoon(burst);
      }),
      every(rediscoverEvery, () => {
        // What fails here is tried at the next turn; the lists and watches tell the rest.
        void planned(signal);
      }),
    ];
  }

  function sleep(wait: Ms, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        cancel();
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = clock.after(wait, wake);
      signal.addEventListener('abort', wake);
    });
  }

  void connect();
  return {
    snapshot: () => ({
      context: port.context,
      state,
      rows: table.rows,
      idle: table.idle(),
      listed: sources.listed(),
      unseen: [...plan.unseen, ...sources.unseen()],
      versions: plan.versions,
      flags: detected,
      env,
      clockSkew: skew.value(),
      checkedAt: serverTime(lastHeard),
      isComplete: isPlanned && sources.isSettled() && !table.work(0),
    }),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pause: halt,
    resume: () => {
      if (connection !== undefined) return;
      isPlanned = false;
      if (state.kind === 'unauthorised' || state.kind === 'stopped') {
        become({ kind: 'connecting', since: clock.now() });
      }
      void connect();
    },
    restate: (next) => {
      stated = next;
      takeEnvironment();
    },
    object: (ref) => table.object(ref),
    history: async (ref) => {
      const never = new AbortController();
      return historyOf(asker(port, clock, never.signal, heard), ref, table.ownedBy(ref));
    },
    dispose: () => {
      halt();
      cancelFlush?.();
      cancelFlush = undefined;
      listeners.clear();
      port.dispose();
    },
  };
}

const nameOfType = ({ group, plural }: ResourceType): string =>
  group === '' ? plural : `${plural}.${group}`;

/** Whether trying again may help without anybody doing anything. */
function mayPass({ kind }: PortFailure): boolean {
  return kind === 'throttled' || kind === 'server' || kind === 'unreachable' || kind === 'gone';
}

const textOf = ({ versions, detected, gates, controllers }: Environment): string =>
  JSON.stringify([[...versions], [...(detected ?? [])], [...gates], [...controllers]]);

function isSameState(a: SessionState, b: SessionState): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
