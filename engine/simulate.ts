import { tokenBucket } from './goBackoff.ts';
import { exponential } from './growth.ts';
import type { Waits } from './schedule.ts';
import { timeHeap } from './timeHeap.ts';
import { ms, zero, type Ms, type Window } from './units.ts';

/** A fleet on one work queue: objects that fail together, and again at every retry. */
export type Fleet = {
  readonly objects: number;
  /** How each object's own wait grows: a limiter's settings, or the waits of a policy. */
  readonly growth:
    | { readonly base: Ms; readonly factor: number; readonly cap?: Ms | undefined }
    | { readonly waits: Waits };
  /** The bucket that all objects share; absent where the queue has none. */
  readonly bucket?: { readonly qps: number; readonly burst: number };
  readonly duration: Ms;
  /** When the dependency is back: an attempt that starts from then on succeeds. */
  readonly recoverAt?: Ms;
  /** How long one attempt takes, and how many run at a time. */
  readonly reconcile?: Ms;
  readonly workers?: number;
};

/** What the fleet does, as the command prints it. */
export type FleetResult = {
  readonly objects: number;
  readonly durationMs: number;
  readonly retries: number;
  readonly firstSecond: number;
  readonly peakPerSecond: number;
  /** Absent when some object was not retried within the duration. */
  readonly allRetriedOnceAtMs?: number;
  /** When the last object had succeeded; absent when some had not within the duration. */
  readonly recoveredAtMs?: number;
  /** Objects whose policy ended without success; absent for policies that never end. */
  readonly gaveUp?: number;
  /** When the simulation stopped early, because waits near zero made too many retries to count. */
  readonly cutShortAtMs?: number;
  readonly perSecond: readonly number[];
};

/**
 * Runs a fleet in simulated time: no clock and no randomness, so equal fleets give equal results.
 *
 * All objects fail at 0. A failure at t waits for the longer of the object's own wait and the bucket's
 * reservation at t. Retries are served in the order of time, then of the object's number. Where a wait is a
 * window, the objects are spread evenly over it.
 */
export function simulate(fleet: Fleet): FleetResult {
  const { objects, duration, recoverAt, reconcile = zero, workers = 1 } = fleet;
  const waitOf = ownWaits(fleet);
  const bucket =
    fleet.bucket === undefined ? undefined : tokenBucket(fleet.bucket.qps, fleet.bucket.burst);
  const queue = timeHeap(objects);
  const busyUntil = timeHeap(workers);
  const failures = new Int32Array(objects);
  const perSecond = Array.from({ length: Math.max(1, Math.ceil(duration / 1000)) }, () => 0);
  const state = {
    retries: 0,
    retried: 0,
    succeeded: 0,
    gaveUp: 0,
    allRetriedAt: 0,
    recoveredAt: 0,
  };
  let cutShortAt: number | undefined;

  const fail = (object: number, at: Ms): void => {
    const retry = (failures[object] ?? 0) + 1;
    failures[object] = retry;
    const own = waitOf(object, retry);
    if (own === undefined) {
      state.gaveUp += 1;
      return;
    }
    const wait = bucket === undefined ? own : Math.max(own, bucket.reserve(at));
    queue.push(at + wait, object);
  };

  for (let object = 0; object < objects; object += 1) fail(object, zero);
  for (let worker = 0; worker < workers; worker += 1) busyUntil.push(0, worker);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const start = reconcile > 0 ? startOn(busyUntil, next.time, reconcile) : next.time;
    if (start > duration) break;
    if (state.retries >= mostRetries) {
      cutShortAt = start;
      break;
    }
    state.retries += 1;
    const second = Math.min(perSecond.length - 1, Math.floor(start / 1000));
    perSecond[second] = (perSecond[second] ?? 0) + 1;
    if (failures[next.index] === 1) {
      state.retried += 1;
      state.allRetriedAt = start;
    }
    const end = start + reconcile;
    if (recoverAt !== undefined && start >= recoverAt) {
      state.succeeded += 1;
      state.recoveredAt = Math.max(state.recoveredAt, end);
    } else fail(next.index, ms(end));
  }

  return {
    objects,
    durationMs: duration,
    retries: state.retries,
    firstSecond: perSecond[0] ?? 0,
    peakPerSecond: perSecond.reduce((most, count) => Math.max(most, count), 0),
    ...(state.retried === objects ? { allRetriedOnceAtMs: state.allRetriedAt } : {}),
    ...(recoverAt !== undefined && state.succeeded === objects
      ? { recoveredAtMs: state.recoveredAt }
      : {}),
    ...(state.gaveUp > 0 ? { gaveUp: state.gaveUp } : {}),
    ...(cutShortAt === undefined ? {} : { cutShortAtMs: cutShortAt }),
    perSecond,
  };
}

// A second or two of work; a fleet that retries more often than this is in a hot loop.
const mostRetries = 5_000_000;

/** The retry starts when it is due and a worker is free; the worker is busy for one attempt. */
function startOn(busyUntil: ReturnType<typeof timeHeap>, due: number, reconcile: Ms): number {
  const free = busyUntil.pop();
  const start = Math.max(due, free?.time ?? due);
  busyUntil.push(start + reconcile, free?.index ?? 0);
  return start;
}

/** An object's own wait before a retry; nothing when its policy has ended. Waits are made once for all. */
function ownWaits({
  objects,
  growth,
}: Fleet): (object: number, retry: number) => number | undefined {
  const source = 'waits' in growth ? growth.waits : exponential(growth);
  const walk = source[Symbol.iterator]();
  const made: Window<Ms>[] = [];
  let ended = false;
  return (object, retry) => {
    const wanted = Math.min(retry, source.constantFrom ?? retry);
    while (made.length < wanted && !ended) {
      const next = walk.next();
      if (next.done === true) ended = true;
      else made.push(next.value);
    }
    const wait = made[wanted - 1];
    if (wait === undefined) return undefined;
    return wait.lo === wait.hi
      ? wait.lo
      : wait.lo + (wait.hi - wait.lo) * share(object, retry, objects);
  };
}

/** A place in the window between 0 and 1: even over the objects, and another one at each retry. */
function share(object: number, retry: number, objects: number): number {
  const golden = 0.618_033_988_749_894_9;
  return ((object + 0.5) / objects + retry * golden) % 1;
}
