import { describe, expect, it } from 'vitest';
import {
  fastSlow,
  flowBackoff,
  flowBackoffAfter,
  itemExponential,
  longerOf,
  tokenBucket,
  waitBackoffLoop,
  waitBackoffSteps,
  withMaxWait,
} from '../../../engine/goBackoff.ts';
import { constant, exponential, take } from '../../../engine/growth.ts';
import type { Waits } from '../../../engine/schedule.ts';
import { longestGoDuration, ms, seconds } from '../../../engine/units.ts';
import flowcontrol from '../../vectors/flowcontrol.json' with { type: 'json' };
import waitBackoff from '../../vectors/wait-backoff.json' with { type: 'json' };
import workQueue from '../../vectors/work-queue.json' with { type: 'json' };

const first = (waits: Waits, count: number): readonly number[] =>
  take(waits, count).map(({ lo, hi }) => {
    expect(lo).toBe(hi);
    return lo;
  });

/** From `constantFrom` on, waits are equal; before it they may be. */
const isConstantAsItSays = (waits: Waits): boolean => {
  const from = waits.constantFrom;
  if (from === undefined) return true;
  const rest = take(waits, from + 20).slice(from - 1);
  return rest.every(({ lo, hi }) => lo === rest[0]?.lo && hi === rest[0]?.hi);
};

describe('per-item exponential', () => {
  it.each(workQueue.itemExponential)('$baseMs ms to $maxMs ms', ({ baseMs, maxMs, delaysMs }) => {
    const waits = itemExponential(ms(baseMs), ms(maxMs));
    expect(first(waits, delaysMs.length)).toEqual(delaysMs);
    expect(isConstantAsItSays(waits)).toBe(true);
  });
});

describe('fast and slow', () => {
  it.each(workQueue.fastSlow)('$fastMs ms, then $slowMs ms', (vector) => {
    const waits = fastSlow(ms(vector.fastMs), ms(vector.slowMs), vector.fastAttempts);
    expect(first(waits, vector.delaysMs.length)).toEqual(vector.delaysMs);
    expect(isConstantAsItSays(waits)).toBe(true);
  });

  it('is slow at once without fast attempts', () => {
    expect(first(fastSlow(ms(5), ms(10), 0), 2)).toEqual([10, 10]);
  });
});

describe('limiters over limiters', () => {
  const growing = exponential({ base: ms(5), factor: 2, cap: seconds(1) });

  it('takes the longer wait', () => {
    expect(first(longerOf(growing, constant(ms(15))), 4)).toEqual([15, 15, 20, 40]);
    expect(isConstantAsItSays(longerOf(growing, constant(ms(15))))).toBe(true);
  });

  it('cuts what is over the maximum', () => {
    expect(first(withMaxWait(growing, ms(12)), 4)).toEqual([5, 10, 12, 12]);
    expect(withMaxWait(growing, ms(12)).constantFrom).toBe(growing.constantFrom);
  });
});

describe('wait.Backoff', () => {
  it.each(waitBackoff.steps)('steps: $durationMs ms ×$factor, $steps steps', (vector) => {
    const { durationMs, factor, jitter, steps, capMs, delaysMs } = vector;
    const waits = waitBackoffSteps({
      duration: ms(durationMs),
      factor,
      jitter,
      steps,
      cap: ms(capMs),
    });
    expect(first(waits, delaysMs.length)).toEqual(delaysMs);
    expect(isConstantAsItSays(waits)).toBe(true);
  });

  it('adds jitter after the cap', () => {
    const waits = waitBackoffSteps({
      duration: seconds(1),
      factor: 2,
      jitter: 0.5,
      steps: 9,
      cap: seconds(3),
    });
    expect(take(waits, 4)).toEqual([
      { lo: 1000, hi: 1500 },
      { lo: 2000, hi: 3000 },
      { lo: 3000, hi: 4500 },
      { lo: 3000, hi: 4500 },
    ]);
    expect(isConstantAsItSays(waits)).toBe(true);
  });

  it('never caps the first wait', () => {
    const backoff = { duration: seconds(10), factor: 2, jitter: 0, steps: 5, cap: seconds(5) };
    expect(first(waitBackoffSteps(backoff), 4)).toEqual([10_000, 5000, 5000, 5000]);
  });

  it('stays below the longest Go duration', () => {
    const backoff = { duration: seconds(1e9), factor: 1e9, jitter: 0, steps: 5 };
    expect(first(waitBackoffSteps(backoff), 3)[2]).toBe(longestGoDuration);
  });

  it.each([
    // tries = waits + 1; the wait before the loop ends by its cap is slept for nothing
    ['five steps', { duration: 1, factor: 2, steps: 5 }, [1, 2, 4, 8], undefined],
    ['a cap', { duration: 1, factor: 2, steps: 10, cap: 5 }, [1, 2], 4],
    ['a cap below the first wait', { duration: 10, factor: 2, steps: 5, cap: 5 }, [], 10],
    ['one step', { duration: 1, factor: 2, steps: 1 }, [], undefined],
    ['no step', { duration: 1, factor: 2, steps: 0 }, [], undefined],
    ['factor 0', { duration: 1, factor: 0, steps: 4 }, [1, 1, 1], undefined],
  ])('loop with %s', (_, { duration, factor, steps, ...rest }, waits, inVain) => {
    const cap = 'cap' in rest ? seconds(rest.cap) : undefined;
    const loop = waitBackoffLoop({ duration: seconds(duration), factor, jitter: 0, steps, cap });
    expect(first(loop.waits, 20)).toEqual(waits.map((wait) => wait * 1000));
    expect(loop.sleptInVain).toBe(inVain === undefined ? undefined : inVain * 1000);
    expect(loop.endedByCap).toBe(inVain !== undefined);
    expect(loop.retries).toBe(waits.length);
    expect([...loop.waits]).toEqual([...loop.waits]);
  });
});

it('knows a loop of a trillion steps without walking it', () => {
  const backoff = { duration: seconds(1), factor: 2, jitter: 0.5, steps: 1_000_000_000_000 };
  expect(waitBackoffLoop(backoff).retries).toBe(999_999_999_999);
  expect(waitBackoffLoop({ ...backoff, cap: seconds(60) })).toMatchObject({
    retries: 5,
    sleptInVain: 32_000,
  });
  expect(waitBackoffLoop({ ...backoff, factor: 1, cap: seconds(60) }).retries).toBe(
    999_999_999_999,
  );
});

describe('flowcontrol.Backoff', () => {
  it.each(flowcontrol.backoffs)('$baseMs ms to $maxMs ms', (vector) => {
    const backoff = { base: ms(vector.baseMs), max: ms(vector.maxMs) };
    const waits = flowBackoff(backoff);
    expect(first(waits, vector.delaysMs.length)).toEqual(vector.delaysMs);
    expect(isConstantAsItSays(waits)).toBe(true);
    const last = ms(vector.delaysMs.at(-1) ?? 0);
    expect(flowBackoffAfter(backoff, last, ms(2 * vector.maxMs + 1))).toBe(vector.afterQuietMs);
    expect(flowBackoffAfter(backoff, backoff.base, ms(2 * vector.maxMs))).toBe(2 * vector.baseMs);
  });

  it('starts above its maximum where the base is', () => {
    expect(first(flowBackoff({ base: seconds(20), max: seconds(5) }), 3)).toEqual([
      20_000, 5000, 5000,
    ]);
  });
});

describe('token bucket', () => {
  it('gives the burst at once and then one token at a time', () => {
    const bucket = tokenBucket(10, 2);
    expect([0, 0, 0, 0].map((at) => bucket.reserve(ms(at)))).toEqual([0, 0, 100, 200]);
    expect(bucket.reserve(ms(1000))).toBe(0);
  });

  it('never gives one without burst or rate', () => {
    expect(tokenBucket(10, 0).reserve(ms(0))).toBe(longestGoDuration);
    const empty = tokenBucket(0, 1);
    expect(empty.reserve(ms(0))).toBe(0);
    expect(empty.reserve(seconds(1e6))).toBe(longestGoDuration);
  });

  it('reserves without bound: 72,000 retries at 10 a second wait two hours', () => {
    const bucket = tokenBucket(10, 100);
    let last = 0;
    for (let retry = 0; retry < 72_100; retry += 1) last = bucket.reserve(ms(0));
    expect(last).toBe(7_200_000);
  });
});
