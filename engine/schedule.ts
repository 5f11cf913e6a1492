import type { Citation } from './citation.ts';
import { addMs, addWindow, exactly, ms, zero, type Ms, type Window } from './units.ts';

/** What decides a part of a schedule: a field of the policy, or something the system has built in. */
export type Origin<Name extends string = string> =
  | { readonly kind: 'field'; readonly field: Name }
  | { readonly kind: 'built-in'; readonly name: string; readonly cite: Citation };

/** What ends the retries. `then` says what happens at that moment: `the node fails`. */
export type Stop<Name extends string = string> =
  | {
      readonly kind: 'retries';
      readonly limit: number;
      readonly then: string;
      readonly origin: Origin<Name>;
    }
  | {
      readonly kind: 'elapsed';
      readonly limit: Ms;
      /** Whether a retry that would start exactly at the limit still starts. */
      readonly edge: 'included' | 'excluded';
      readonly then: string;
      readonly origin: Origin<Name>;
    }
  | {
      readonly kind: 'condition';
      readonly text: string;
      readonly then: string;
      readonly origin: Origin<Name>;
    };

/** What makes the next failure wait as little as the first one did. */
export type Reset<Name extends string = string> = {
  readonly text: string;
  /** How long things must stay well before the reset. */
  readonly after?: Ms;
  readonly origin: Origin<Name>;
};

/**
 * The waits before retry 1, 2, 3…: lazy, restartable, possibly endless.
 *
 * `constantFrom` names the retry from which all waits are equal, so that totals need no counting.
 */
export type Waits = Iterable<Window<Ms>> & { readonly constantFrom?: number };

/**
 * What becomes of a limit and of the waits where several things share them and may fail at one time.
 *
 * Such a failure counts several times at once, so that fewer retries start, and waits are left out: they do not add up.
 */
export type Together = {
  /** The retries that start at the least before the limit is met. */
  readonly fewest: number;
  /** The waiting that there is at the least. */
  readonly least: Ms;
  /** The longest waiting there can be up to a retry. */
  readonly most: (retry: number) => Ms;
};

/** What a family states. Everything else is derived, so it cannot contradict itself. */
export type Schedule<Name extends string = string> = {
  readonly waits: Waits;
  readonly cap?: { readonly value: Ms; readonly origin: Origin<Name> };
  /** Absent: retries come one by one. */
  readonly together?: Together;
  /** Empty: the retries never end. */
  readonly stops: readonly Stop<Name>[];
  /** What to name when the waits run out before any of the stops is met. */
  readonly exhausted?: Stop<Name>;
  readonly resets: readonly Reset<Name>[];
  /** Whether a wait starts when the attempt ends, or ticks regardless of it. */
  readonly clock: 'after-attempt' | 'fixed-rate';
};

/** One retry: its wait, all waiting up to its start, and whether the cap holds the wait. */
export type Step = {
  readonly retry: number;
  readonly wait: Window<Ms>;
  readonly total: Window<Ms>;
  readonly capped: boolean;
};

/** How the retries end. Totals count waiting only: the time that attempts take is not ours to know. */
export type Bound =
  | {
      readonly kind: 'bounded';
      readonly by: Stop;
      /** How many retries can start; absent when as many start as happen to fit in time. */
      readonly retries?: Window<number>;
      readonly lasts: Window<Ms>;
    }
  | { readonly kind: 'conditional'; readonly on: readonly Stop[] }
  | { readonly kind: 'unbounded' };

/**
 * The retries that can start when attempts take no time, in order; endless where nothing stops them.
 *
 * A retry belongs to the list when it can start at all: the smallest total decides.
 */
export function* steps(schedule: Schedule): Generator<Step> {
  const limit = retryLimit(schedule);
  let total = exactly(zero);
  let retry = 0;
  if (limit < 1) return;
  for (const wait of schedule.waits) {
    retry += 1;
    total = totalAt(schedule, retry, addWindow(total, wait));
    if (retry > limit || elapsedStop(schedule, total.lo) !== undefined) return;
    yield { retry, wait, total, capped: isCapped(schedule, wait) };
  }
}

const totalAt = ({ together }: Schedule, retry: number, added: Window<Ms>): Window<Ms> =>
  together === undefined ? added : { lo: added.lo, hi: together.most(retry) };

/** The first steps, and whether there are more after them. */
export function firstSteps(
  schedule: Schedule,
  count: number,
): { readonly steps: readonly Step[]; readonly more: boolean } {
  const listed: Step[] = [];
  for (const step of steps(schedule)) {
    if (listed.length >= count) return { steps: listed, more: true };
    listed.push(step);
  }
  return { steps: listed, more: false };
}

// Sequences that never become constant are followed this far before they count as endless.
const horizon = 20_000;
// Those with a limit are counted out, as far as that can be done while someone types.
const mostCounted = 1_000_000;

/** How many retries start, what ends them and how long that lasts; or that nothing ends them. */
export function bound(schedule: Schedule): Bound {
  const limit = retryLimit(schedule);
  const timed = schedule.stops.some((stop) => stop.kind === 'elapsed');
  if (limit === Number.POSITIVE_INFINITY && !timed && isEndless(schedule.waits)) {
    return withoutLimit(schedule);
  }
  const earliest = follow(schedule, limit, 'lo');
  const latest = follow(schedule, limit, 'hi');
  const last = earliest.by;
  if (last === undefined) return withoutLimit(schedule);
  const lasts = { lo: latest.total, hi: earliest.total };
  const ordered = lasts.lo <= lasts.hi ? lasts : { lo: lasts.hi, hi: lasts.lo };
  const { together } = schedule;
  if (together !== undefined && earliest.retries !== undefined) {
    const { retries } = earliest;
    return {
      kind: 'bounded',
      by: last,
      retries: { lo: Math.min(together.fewest, retries), hi: retries },
      lasts: { lo: ms(Math.min(together.least, earliest.total)), hi: together.most(retries) },
    };
  }
  if (earliest.retries === undefined || latest.retries === undefined) {
    return { kind: 'bounded', by: last, lasts: ordered };
  }
  return {
    kind: 'bounded',
    by: last,
    retries: { lo: Math.min(latest.retries, earliest.retries), hi: earliest.retries },
    lasts: totalsOf(schedule, earliest.retries, ordered),
  };
}

/** The retry from which waits stay at the cap, if any of the first ones does. */
export function capReachedAt(schedule: Schedule): number | undefined {
  if (schedule.cap === undefined) return undefined;
  let seen = 0;
  for (const step of steps(schedule)) {
    if (step.capped) return step.retry;
    seen += 1;
    if (seen > 256) return undefined;
  }
  return undefined;
}

type Followed = {
  readonly retries?: number;
  readonly total: Ms;
  readonly by?: Stop;
};

/** Walks the waits along one edge of their windows until a stop is met. */
function follow(schedule: Schedule, limit: number, edge: 'lo' | 'hi'): Followed {
  const { constantFrom } = schedule.waits;
  const furthest = limit === Number.POSITIVE_INFINITY ? horizon : mostCounted;
  let retries = 0;
  let total: number = 0;
  for (const wait of schedule.waits) {
    if (retries >= limit) return { retries, total: ms(total), ...blamed(retryStop(schedule)) };
    const next = addMs(ms(total), wait[edge]);
    const stop = elapsedStop(schedule, next);
    if (stop !== undefined) return { retries, total: ms(total), by: stop };
    retries += 1;
    total = next;
    if (constantFrom !== undefined && retries >= constantFrom) {
      return followConstant(schedule, limit, retries, total, wait[edge]);
    }
    if (retries >= furthest) return timeOnly(schedule, total);
  }
  if (retries >= limit) return { retries, total: ms(total), ...blamed(retryStop(schedule)) };
  return { retries, total: ms(total), ...blamed(schedule.exhausted ?? schedule.stops[0]) };
}

/** The same walk from a point where all further waits are equal, without counting them one by one. */
function followConstant(
  schedule: Schedule,
  limit: number,
  retries: number,
  total: number,
  wait: number,
): Followed {
  const timed = tightest(schedule);
  const room = timed === undefined ? Number.POSITIVE_INFINITY : roomFor(timed, total, wait);
  if (limit === Number.POSITIVE_INFINITY && room === Number.POSITIVE_INFINITY) {
    return timeOnly(schedule, total);
  }
  const left = limit - retries;
  const more = Math.min(left, room);
  const by = room < left ? timed : retryStop(schedule);
  return { retries: retries + more, total: addMs(ms(total), ms(more * wait)), ...blamed(by) };
}

function roomFor(stop: Stop & { kind: 'elapsed' }, total: number, wait: number): number {
  if (wait <= 0) return Number.POSITIVE_INFINITY;
  // In whole nanoseconds: a quotient of fractions can miss a whole number.
  const room = Math.round((stop.limit - total) * 1e6) / Math.round(wait * 1e6);
  return Math.max(0, stop.edge === 'included' ? Math.floor(room) : Math.ceil(room) - 1);
}

/**
 * Waits of zero fit any deadline as often as attempts are quick: the count is not ours to know.
 *
 * Retries go on until the deadline all the same.
 */
function timeOnly(schedule: Schedule, total: number): Followed {
  const stop = tightest(schedule);
  if (stop === undefined) return { total: ms(total) };
  return { total: ms(Math.max(total, stop.limit)), by: stop };
}

const blamed = (by: Stop | undefined): { readonly by?: Stop } => (by === undefined ? {} : { by });

function totalsOf(schedule: Schedule, retries: number, fallback: Window<Ms>): Window<Ms> {
  let total = exactly(zero);
  let counted = 0;
  if (retries > horizon) return fallback;
  for (const wait of schedule.waits) {
    if (counted >= retries) break;
    total = addWindow(total, wait);
    counted += 1;
  }
  return total;
}

function withoutLimit(schedule: Schedule): Bound {
  const conditions = schedule.stops.filter((stop) => stop.kind === 'condition');
  return conditions.length === 0 ? { kind: 'unbounded' } : { kind: 'conditional', on: conditions };
}

function isEndless(waits: Waits): boolean {
  if (waits.constantFrom !== undefined) return true;
  let seen = 0;
  for (const wait of waits) {
    seen += 1;
    if (seen >= horizon || wait.lo < 0) return true;
  }
  return false;
}

const retryStop = (schedule: Schedule): Stop | undefined =>
  schedule.stops
    .filter((stop) => stop.kind === 'retries')
    .reduce<(Stop & { kind: 'retries' }) | undefined>(
      (least, stop) => (least === undefined || stop.limit < least.limit ? stop : least),
      undefined,
    );

function retryLimit(schedule: Schedule): number {
  const stop = retryStop(schedule);
  return stop?.kind === 'retries' ? stop.limit : Number.POSITIVE_INFINITY;
}

function tightest(schedule: Schedule): (Stop & { kind: 'elapsed' }) | undefined {
  return schedule.stops
    .filter((stop) => stop.kind === 'elapsed')
    .reduce<(Stop & { kind: 'elapsed' }) | undefined>(
      (least, stop) => (least === undefined || isTighter(stop, least) ? stop : least),
      undefined,
    );
}

type Elapsed = Stop & { kind: 'elapsed' };

const isTighter = (a: Elapsed, b: Elapsed): boolean =>
  a.limit < b.limit || (a.limit === b.limit && a.edge === 'excluded' && b.edge === 'included');

function elapsedStop(schedule: Schedule, total: Ms): Stop | undefined {
  const stop = tightest(schedule);
  if (stop === undefined) return undefined;
  const over = stop.edge === 'included' ? total > stop.limit : total >= stop.limit;
  return over ? stop : undefined;
}

const isCapped = (schedule: Schedule, wait: Window<Ms>): boolean =>
  schedule.cap !== undefined && wait.hi >= schedule.cap.value;
