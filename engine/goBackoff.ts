import { constant, exponential, sequence, waits } from './growth.ts';
import type { Waits } from './schedule.ts';
import {
  exactly,
  longestGoDuration,
  ms,
  toNanoseconds,
  zero,
  type Ms,
  type Window,
} from './units.ts';

/**
 * Waits of client-go's per-item limiter: `itemExponential(5ms, 1000s)` → 5ms, 10ms, 20ms … 16m40s.
 *
 * A base above the maximum makes every wait the maximum; without a base there is no wait at all.
 * Source: client-go util/workqueue/default_rate_limiters.go, `ItemExponentialFailureRateLimiter.When`.
 */
export function itemExponential(base: Ms, max: Ms): Waits {
  return base <= 0 || max <= 0 ? constant(zero) : exponential({ base, factor: 2, cap: max });
}

/**
 * Waits of client-go's fast-slow limiter: `fastSlow(200ms, 10s, 3)` → 200ms, 200ms, 200ms, 10s, 10s…
 *
 * Source: client-go util/workqueue/default_rate_limiters.go, `ItemFastSlowRateLimiter.When`.
 */
export function fastSlow(fast: Ms, slow: Ms, fastAttempts: number): Waits {
  const turn = Math.max(0, fastAttempts);
  return waits((retry) => exactly(retry <= turn ? fast : slow), turn + 1);
}

/** The longer of two waits at every retry, as client-go's `MaxOfRateLimiter` has it. */
export function longerOf(first: Waits, second: Waits): Waits {
  return paired(first, second, (a, b) => ({ lo: larger(a.lo, b.lo), hi: larger(a.hi, b.hi) }));
}

/** Waits that another bound cuts off, as client-go's `WithMaxWaitRateLimiter` does. */
export function withMaxWait(inner: Waits, max: Ms): Waits {
  return sequence(function* bounded() {
    for (const { lo, hi } of inner) yield { lo: smaller(lo, max), hi: smaller(hi, max) };
  }, inner.constantFrom);
}

/** The settings of apimachinery's `wait.Backoff`; a cap of 0 or none at all is no cap. */
export type WaitBackoff = {
  readonly duration: Ms;
  readonly factor: number;
  readonly jitter: number;
  readonly steps: number;
  readonly cap?: Ms | undefined;
};

/**
 * What each call of `Backoff.Step()` returns, without end: `{1s, ×2, 10 steps, cap 10s}` → 1, 2, 4, 8, 10, 10 s…
 *
 * The wait grows for `steps` calls and then stays; the first wait is never capped, and meeting the cap uses up
 * the steps. Jitter only adds, and comes after the cap. Each wait is cut to whole nanoseconds before the next
 * is made of it. Source: apimachinery pkg/util/wait/backoff.go, `Backoff.Step`.
 */
export function waitBackoffSteps(backoff: WaitBackoff): Waits {
  const { jitter } = backoff;
  const widen = (wait: Ms): Window<Ms> => ({
    lo: wait,
    hi: jitter > 0 ? ms(wait * (1 + jitter)) : wait,
  });
  return {
    *[Symbol.iterator]() {
      let { duration, steps } = backoff;
      for (;;) {
        yield widen(duration);
        const next = afterStep(backoff, duration, steps);
        duration = next.duration;
        steps = next.steps;
      }
    },
    ...settled(backoff),
  };
}

/**
 * The waits that a loop over `wait.Backoff` really retries after: `{1s, ×2, 10 steps, cap 5s}` → 1s, 2s.
 *
 * `wait.ExponentialBackoff` tries while steps are left: at most `steps` times, and no more once the cap is met,
 * because that sets the steps to 0. The wait that meets it is slept and followed by nothing.
 * Source: apimachinery pkg/util/wait/backoff.go, `ExponentialBackoff`.
 */
export function waitBackoffLoop(backoff: WaitBackoff): BackoffLoop {
  const capped = metCap(backoff);
  const retries = capped?.retries ?? Math.max(0, backoff.steps - 1);
  const all = waitBackoffSteps(backoff);
  const slept = sequence(function* some() {
    let left = retries;
    for (const wait of all) {
      if (left <= 0) return;
      yield wait;
      left -= 1;
    }
  }, all.constantFrom);
  return {
    waits: slept,
    retries,
    endedByCap: capped !== undefined,
    ...(capped === undefined ? {} : { sleptInVain: capped.last }),
  };
}

/** How a loop over `wait.Backoff` goes when every attempt fails. */
export type BackoffLoop = {
  readonly waits: Waits;
  readonly retries: number;
  /** Whether the cap ends the loop before the steps are used up. */
  readonly endedByCap: boolean;
  /** The last wait, where it is slept without a retry after it. */
  readonly sleptInVain?: Ms;
};

/** The retries before the wait that meets the cap, and that wait; nothing where the steps end first. */
function metCap(backoff: WaitBackoff): { readonly retries: number; readonly last: Ms } | undefined {
  if (backoff.cap === undefined || backoff.cap <= 0) return undefined;
  let { duration, steps } = backoff;
  for (let retries = 0; steps > 1 && retries < furthest; retries += 1) {
    const next = afterStep(backoff, duration, steps);
    if (next.steps === 0) return { retries, last: duration };
    if (next.duration === duration) return undefined;
    ({ duration, steps } = next);
  }
  return undefined;
}

// A wait that grows so slowly that it takes more steps to meet its cap never does for a reader.
const furthest = 10_000;

/** Settings of client-go's `flowcontrol.Backoff`, which the kubelet and the DaemonSet controller use. */
export type FlowBackoff = { readonly base: Ms; readonly max: Ms };

/**
 * Waits of `flowcontrol.Backoff`: the base as it is, then twice the wait before, up to the maximum.
 *
 * Source: client-go util/flowcontrol/backoff.go, `Backoff.Next`.
 */
export function flowBackoff({ base, max }: FlowBackoff): Waits {
  return {
    *[Symbol.iterator]() {
      for (let wait = base; ; wait = smaller(ms(wait * 2), max)) yield exactly(wait);
    },
    constantFrom: base <= 0 ? 1 : Math.max(2, Math.ceil(Math.log2(Math.max(1, max / base))) + 2),
  };
}

/** The wait after a quiet time: the base again when it was longer than twice the maximum. */
export function flowBackoffAfter(backoff: FlowBackoff, last: Ms, quiet: Ms): Ms {
  return quiet > 2 * backoff.max ? backoff.base : smaller(ms(last * 2), backoff.max);
}

/** A bucket of tokens that fills with time; every retry takes one and waits for it where none is left. */
export type TokenBucket = {
  /** Takes a token at a time since the start and says how long to wait for it. */
  readonly reserve: (at: Ms) => Ms;
};

/**
 * The token bucket of client-go's `BucketRateLimiter`: full at the start, and reserving without bound.
 *
 * Float64 tokens and whole nanoseconds, as golang.org/x/time/rate `Limiter.reserveN` and `advance` have them. A
 * burst below 1 never gives a token: the wait is the longest there is.
 */
export function tokenBucket(qps: number, burst: number): TokenBucket {
  let tokens = burst;
  let last = 0;
  return {
    reserve: (at) => {
      if (burst < 1) return longestGoDuration;
      const elapsed = Math.max(0, at - last);
      const filled = Math.min(burst, tokens + (qps > 0 ? goSeconds(ms(elapsed)) * qps : 0));
      last = at;
      tokens = filled - 1;
      if (tokens >= 0) return zero;
      if (qps <= 0) return longestGoDuration;
      const waitNs = Math.trunc((-tokens / qps) * 1e9);
      return waitNs / 1e6 > longestGoDuration ? longestGoDuration : ms(waitNs / 1e6);
    },
  };
}

/** `Duration.Seconds()`: whole seconds and the rest as float64, added. */
function goSeconds(value: Ms): number {
  const whole = Math.floor(value / 1000);
  return whole + Math.round((value - whole * 1000) * 1e6) / 1e9;
}

function afterStep(
  { factor, cap }: WaitBackoff,
  duration: Ms,
  steps: number,
): { readonly duration: Ms; readonly steps: number } {
  if (steps < 1) return { duration, steps: 0 };
  if (factor === 0) return { duration, steps: steps - 1 };
  const next = smaller(timesFactor(duration, factor), longestGoDuration);
  if (cap !== undefined && cap > 0 && next > cap) return { duration: cap, steps: 0 };
  return { duration: next, steps: steps - 1 };
}

/** `time.Duration(float64(d) * factor)`: whole nanoseconds, cut. */
function timesFactor(duration: Ms, factor: number): Ms {
  return ms(Math.trunc(Number(toNanoseconds(duration)) * factor) / 1e6);
}

/** The retry from which all waits are equal, if they settle soon enough to look. */
function settled(backoff: WaitBackoff): { readonly constantFrom?: number } {
  let { duration, steps } = backoff;
  for (let retry = 1; retry <= 1000; retry += 1) {
    const next = afterStep(backoff, duration, steps);
    if (steps < 1 || next.duration === duration) return { constantFrom: retry };
    ({ duration, steps } = next);
  }
  return {};
}

const larger = (a: Ms, b: Ms): Ms => (a > b ? a : b);
const smaller = (a: Ms, b: Ms): Ms => (a < b ? a : b);

function paired(
  first: Waits,
  second: Waits,
  join: (a: Window<Ms>, b: Window<Ms>) => Window<Ms>,
): Waits {
  const { constantFrom: a } = first;
  const { constantFrom: b } = second;
  return sequence(
    function* both() {
      const other = second[Symbol.iterator]();
      for (const wait of first) {
        const next = other.next();
        if (next.done === true) return;
        yield join(wait, next.value);
      }
    },
    a === undefined || b === undefined ? undefined : Math.max(a, b),
  );
}
