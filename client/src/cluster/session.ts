import { emptyEnvironment, type Environment } from '../../../engine/environment.ts';
import type { PolicyFamily } from '../../../engine/family.ts';
import { after, ms, seconds, type Instant, type Ms } from '../../../engine/units.ts';
import { asker } from './asker.ts';
import { every, sleep, systemClock, type Clock } from './clock.ts';
import { clockSkew } from './clockSkew.ts';
import { nothingDetected, withDetected } from './controllerVersions.ts';
import { askedWait, mayPass } from './failureKinds.ts';
import { historyOf } from './history.ts';
import { inflateNodes } from './inflateNodes.ts';
import { liveKinds } from './liveKinds.ts';
import { liveTable } from './liveTable.ts';
import { planner, rediscoverEvery, type Plan } from './planner.ts';
import type { ClusterPort, PortFailure } from './port.ts';
import { reconnectWait } from './reconnect.ts';
import type { ClusterSession, SessionChange, SessionState } from './sessionTypes.ts';
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
  /** Families whose kinds are not estimated even where those families are not read here. */
  readonly known?: readonly PolicyFamily[];
  /** False: everything is listed once and not watched. */
  readonly watches?: boolean;
  /** Whether idle states are rows too. */
  readonly keepsIdle?: boolean;
  readonly log?: (line: string) => void;
};

const burst = ms(100);
const objectsAtATime = 250;
const dueEvery = seconds(5);

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
  let env = stated;
  let state: SessionState = { kind: 'connecting', since: clock.now() };
  let plan: Pick<Plan, 'unseen' | 'detected'> = { unseen: [], detected: nothingDetected };
  let connection: AbortController | undefined;
  let isPlanned = false;
  let lastHeard = clock.now();
  let about = false;
  let cancelFlush: (() => void) | undefined;
  let cancelDue = (): void => undefined;
  let cancelPlanning = (): void => undefined;

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

  const plans = planner({
    port,
    clock,
    kinds,
    families,
    known: options.known ?? families,
    namespaces: options.namespaces,
    estimates: options.estimates ?? true,
    heard,
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
    cancelDue();
    cancelPlanning();
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
      const made = await plans.make(own.signal);
      if (own.signal.aborted) return;
      if (made.ok) {
        take(made.value);
        // Their health is judged once all have begun: one that was refused before still says so until then.
        sources.start();
        isPlanned = true;
        startTimers(own.signal, made.value.missing);
        judgeHealth();
        about = true;
        flushSoon(ms(0));
        return;
      }
      const { failure } = made;
      if (failure.kind === 'cancelled') return;
      if (!mayPass(failure)) return refuse(failure);
      const wait = reconnectWait(retry, clock.random(), askedWait(failure));
      const nextAt = after(clock.now(), wait);
      become({ kind: 'reconnecting', retry, wait, nextAt, why: failure.detail });
      await sleep(clock, wait, own.signal);
    }
  }

  /** Makes lists and watches of what there is, and reads them with what stands behind. */
  function take(next: Plan): void {
    plan = next;
    takeEnvironment();
    sources.apply(next.scopes, next.isQuiet);
  }

  /** Looks around anew after a while; by back-off where something gave no answer. */
  function planAgain(signal: AbortSignal, retry: number, failure: PortFailure | undefined): void {
    const isSoon = failure !== undefined && mayPass(failure);
    const wait = isSoon
      ? reconnectWait(retry, clock.random(), askedWait(failure))
      : rediscoverEvery;
    cancelPlanning = clock.after(wait, () => {
      void lookAround(signal, isSoon ? retry + 1 : 1);
    });
  }

  async function lookAround(signal: AbortSignal, retry: number): Promise<void> {
    const made = await plans.make(signal);
    if (signal.aborted) return;
    // Without an answer all stays as it is; the lists and watches tell whether the server is there.
    if (made.ok) take(made.value);
    planAgain(signal, retry, made.ok ? made.value.missing : made.failure);
  }

  /** A controller was replaced by another version, or a setting changed: waits may be others now. */
  function takeEnvironment(): void {
    const next = withDetected(stated, plan.detected);
    const isNew = textOf(next) !== textOf(env);
    env = next;
    if (!isNew) return;
    about = true;
    table.markAll();
    flushSoon(burst);
  }

  function startTimers(signal: AbortSignal, missing: PortFailure | undefined): void {
    if (!watches) return;
    cancelDue = every(clock, dueEvery, () => {
      table.markDue();
      flushSoon(burst);
    });
    planAgain(signal, 1, missing);
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
      versions: plan.detected.versions,
      flags: plan.detected,
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
      port.readAgain?.();
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
      const ask = asker(port, clock, never.signal, heard);
      return historyOf(ask, ref, table.ownedBy(ref), serverTime(clock.now()));
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

const textOf = ({ versions, detected, gates, controllers }: Environment): string =>
  JSON.stringify([[...versions], [...(detected ?? [])], [...gates], [...controllers]]);

function isSameState(a: SessionState, b: SessionState): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
