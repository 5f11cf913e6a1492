import type { Waits } from './schedule.ts';
import { exactly, longestGoDuration, ms, type Ms, type Window } from './units.ts';

/** Waits that are all equal: `constant(30s)` → 30s, 30s, 30s… */
export function constant(wait: Ms): Waits {
  return waits(() => exactly(wait), 1);
}

/**
 * Waits that grow by a factor up to a cap: `exponential({ base: 1s, factor: 2, cap: 5s })` → 1, 2, 4, 5, 5 s…
 *
 * Computed as Go does: the base in float64 nanoseconds times factor^(k-1), cut to whole nanoseconds, and the
 * longest Go duration where that overflows.
 */
export function exponential(growth: {
  readonly base: Ms;
  readonly factor: number;
  readonly cap?: Ms | undefined;
}): Waits {
  const { base, factor, cap } = growth;
  const longest = cap ?? longestGoDuration;
  const at = (retry: number): Window<Ms> => {
    const grown = wholeNanoseconds(base, factor ** (retry - 1));
    return exactly(ms(Math.min(grown, longest)));
  };
  return waits(at, constantAfter(base, factor, longest));
}

/** Waits taken from a list, the last of which repeats: `listed([10s, 5m])` → 10s, 5m, 5m… */
export function listed(values: readonly Ms[]): Waits {
  const last = values.at(-1) ?? ms(0);
  return waits((retry) => exactly(values[retry - 1] ?? last), Math.max(1, values.length));
}

/** Exactly these waits and no more. */
export function finite(values: readonly Window<Ms>[]): Waits {
  return { [Symbol.iterator]: () => values[Symbol.iterator]() };
}

/**
 * Endless waits computed from the retry's number.
 *
 * `constantFrom` says from which retry they are all equal; leave it out where they never are.
 */
export function waits(at: (retry: number) => Window<Ms>, constantFrom?: number): Waits {
  return sequence(function* all() {
    for (let retry = 1; ; retry += 1) yield at(retry);
  }, constantFrom);
}

/** Widens every wait by a share of itself: `jittered(w, 0, 0.5)` → [w, 1.5·w). */
export function jittered(inner: Waits, less: number, more: number): Waits {
  const widen = ({ lo, hi }: Window<Ms>) => ({ lo: ms(lo * (1 - less)), hi: ms(hi * (1 + more)) });
  return sequence(function* all() {
    for (const wait of inner) yield widen(wait);
  }, inner.constantFrom);
}

/** A restartable sequence from a generator. */
export function sequence(all: () => Iterator<Window<Ms>>, constantFrom: number | undefined): Waits {
  return constantFrom === undefined
    ? { [Symbol.iterator]: all }
    : { [Symbol.iterator]: all, constantFrom };
}

/** The first waits of a sequence, for tables and tests. */
export function take(source: Iterable<Window<Ms>>, count: number): readonly Window<Ms>[] {
  const taken: Window<Ms>[] = [];
  if (count <= 0) return taken;
  for (const wait of source) {
    taken.push(wait);
    if (taken.length >= count) break;
  }
  return taken;
}

function wholeNanoseconds(base: Ms, times: number): number {
  const nanoseconds = base * 1e6 * times;
  if (!Number.isFinite(nanoseconds)) return base === 0 ? 0 : longestGoDuration;
  // Beyond 2^53 nanoseconds (104 days) a float64 has no fraction to cut, in Go as here.
  const whole = Math.abs(nanoseconds) < 2 ** 53 ? Math.trunc(roundNoise(nanoseconds)) : nanoseconds;
  return whole / 1e6;
}

/** `base` is nanoseconds divided by 1e6; multiplying back leaves noise below a thousandth of one. */
const roundNoise = (nanoseconds: number): number => {
  const nearest = Math.round(nanoseconds);
  return Math.abs(nearest - nanoseconds) < 1e-3 ? nearest : nanoseconds;
};

/** The retry from which a growing or shrinking wait no longer changes; nothing where that cannot be told. */
function constantAfter(base: Ms, factor: number, longest: number): number | undefined {
  if (base === 0 || factor === 1) return 1;
  if (base < 0 || factor < 0) return undefined;
  if (factor === 0) return 2;
  // Shrinking waits end below a nanosecond, growing ones at the longest.
  const end = factor < 1 ? 1e-6 : longest;
  if (factor > 1 && base >= longest) return 1;
  return Math.max(1, Math.ceil(Math.log(end / base) / Math.log(factor)) + 2);
}
