import { atLeast, type Environment } from '../../environment.ts';
import { waitBackoffSteps } from '../../goBackoff.ts';
import { sequence } from '../../growth.ts';
import type { Waits } from '../../schedule.ts';
import { ms, seconds, type Ms } from '../../units.ts';
import { kueue } from './system.ts';

/** At most this share of a wait is added at random. */
const jitter = 0.0001;

// `math.MaxInt` steps: more than anybody waits for.
const steps = 1_000_000;

/** Before base and maximum could be set, waits grew by this factor from 1s, without a maximum. */
const oldGrowth = { duration: seconds(1), factor: 1.412_847_38, jitter, steps } as const;

/** Whether base and maximum of the waits can be set at all. */
export const hasBounds = (env: Environment): boolean => atLeast(env, kueue, '0.7.0');

/** Whether the maximum is kept by `wait.Backoff` itself: it spares the first wait, and 0 is none. */
export const capsInside = (env: Environment): boolean => atLeast(env, kueue, '0.15.0');

/** The waits before a Workload is back in its queue, as the version has them. */
export function requeueWaits(env: Environment, base: Ms, max: Ms): Waits {
  if (!hasBounds(env)) return waitBackoffSteps(oldGrowth);
  const doubling = { duration: base, factor: 2, jitter, steps };
  if (capsInside(env)) return waitBackoffSteps({ ...doubling, cap: max });
  return cutAt(waitBackoffSteps(doubling), base, max);
}

/** Each wait, jitter included, is cut at the maximum; a maximum of 0 leaves no wait. */
function cutAt(inner: Waits, base: Ms, max: Ms): Waits {
  const least = (wait: Ms): Ms => (wait < max ? wait : max);
  const from = base <= 0 || max <= base ? 1 : Math.ceil(Math.log2(max / base)) + 2;
  return sequence(function* cut() {
    for (const { lo, hi } of inner) yield { lo: least(lo), hi: least(hi) };
  }, from);
}

/** The same in whole seconds, as an admission check keeps them. */
export function inWholeSeconds(inner: Waits): Waits {
  const whole = (wait: Ms): Ms => ms(Math.floor(wait / 1000) * 1000);
  return sequence(function* cut() {
    for (const { lo, hi } of inner) yield { lo: whole(lo), hi: whole(hi) };
  }, inner.constantFrom);
}
