import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { constant, finite, jittered } from '../../../engine/growth.ts';
import { simulate, type Fleet } from '../../../engine/simulate.ts';
import { timeHeap } from '../../../engine/timeHeap.ts';
import { exactly, ms, seconds } from '../../../engine/units.ts';
import workQueue from '../../vectors/work-queue.json' with { type: 'json' };

describe('a storm', () => {
  it.each(workQueue.storm)(
    'of $objects objects, $baseMs ms to $maxMs ms, $qps/$burst',
    (vector) => {
      const result = simulate({
        objects: vector.objects,
        growth: { base: ms(vector.baseMs), factor: 2, cap: ms(vector.maxMs) },
        ...(vector.qps > 0 ? { bucket: { qps: vector.qps, burst: vector.burst } } : {}),
        duration: ms(vector.horizonMs),
      });
      expect(result).toMatchObject({
        retries: vector.retries,
        firstSecond: vector.firstSecond,
        peakPerSecond: vector.peakPerSecond,
        allRetriedOnceAtMs: vector.allRetriedOnceAtMs,
      });
      expect(result.perSecond.reduce((sum, count) => sum + count, 0)).toBe(vector.retries);
      expect(result.perSecond).toHaveLength(vector.horizonMs / 1000);
    },
  );
});

const few: Fleet = {
  objects: 3,
  growth: { base: seconds(1), factor: 2, cap: seconds(4) },
  duration: seconds(20),
};

describe('recovery', () => {
  it('ends each object at its first attempt after the recovery', () => {
    // Retries at 1, 3, 7, 11, …: the first one from 4s on is at 7s.
    const result = simulate({ ...few, recoverAt: seconds(4) });
    expect(result).toMatchObject({ retries: 9, recoveredAtMs: 7000 });
  });

  it('counts an attempt that starts exactly then', () => {
    expect(simulate({ ...few, recoverAt: seconds(3) }).recoveredAtMs).toBe(3000);
  });

  it('is not there when an object has not been retried since', () => {
    const result = simulate({ ...few, recoverAt: seconds(19.5) });
    expect(result.recoveredAtMs).toBeUndefined();
    expect('recoveredAtMs' in result).toBe(false);
  });
});

describe('workers', () => {
  it('serve one object after the other', () => {
    const result = simulate({
      ...few,
      growth: { base: seconds(1), factor: 1 },
      duration: seconds(5),
      reconcile: seconds(1),
      workers: 1,
    });
    // Due at 1s: 0 at 1s, 1 at 2s, 2 at 3s, then 0 is due again since 3s: 4s, 5s.
    expect(result).toMatchObject({ retries: 5, allRetriedOnceAtMs: 3000 });
    expect(result.perSecond).toEqual([0, 1, 1, 1, 2]);
  });

  it('serve several at a time', () => {
    const result = simulate({ ...few, reconcile: seconds(1), workers: 3, duration: seconds(2) });
    expect(result).toMatchObject({ retries: 3, allRetriedOnceAtMs: 1000 });
  });

  it('end an attempt later than it started', () => {
    const result = simulate({ ...few, reconcile: seconds(0.5), workers: 2, recoverAt: ms(0) });
    expect(result.recoveredAtMs).toBe(2000);
  });
});

describe('the waits of a policy', () => {
  it('take the place of base, factor and cap', () => {
    const result = simulate({
      ...few,
      growth: { waits: constant(seconds(5)) },
      duration: seconds(10),
    });
    expect(result).toMatchObject({ retries: 6, allRetriedOnceAtMs: 5000 });
  });

  it('end where the policy ends', () => {
    const waits = finite([exactly(seconds(1)), exactly(seconds(1))]);
    expect(simulate({ ...few, growth: { waits } })).toMatchObject({ retries: 6, gaveUp: 3 });
    expect(simulate({ ...few, growth: { waits: finite([]) } })).toMatchObject({
      retries: 0,
      gaveUp: 3,
    });
  });

  it('spread over their windows, the same each time', () => {
    const fleet: Fleet = {
      objects: 100,
      growth: { waits: jittered(constant(seconds(10)), 0, 1) },
      duration: seconds(20),
    };
    const result = simulate(fleet);
    expect(result.perSecond.slice(10)).toEqual(Array.from({ length: 10 }, () => 10));
    expect(simulate(fleet)).toEqual(result);
  });
});

it('lets 5,000 objects through an hour at the rate of their bucket', () => {
  const { perSecond } = simulate({
    objects: 5000,
    growth: { base: ms(5), factor: 2, cap: seconds(1000) },
    bucket: { qps: 10, burst: 100 },
    duration: seconds(3600),
  });
  const tries = perSecond.reduce((sum, count) => sum + count, 0);
  expect(tries).toBeGreaterThan(5000);
  expect(tries).toBeLessThanOrEqual(100 + 10 * 3600);
  expect(Math.max(...perSecond)).toBeLessThanOrEqual(110);
});

it('stops counting in a hot loop, and says so', () => {
  const result = simulate({ ...few, growth: { base: ms(0), factor: 2 } });
  expect(result).toMatchObject({ retries: 5_000_000, cutShortAtMs: 0 });
});

it('has nothing to do for no object', () => {
  expect(simulate({ ...few, objects: 0 })).toMatchObject({ retries: 0, peakPerSecond: 0 });
});

it('orders by time, then by index', () => {
  const entry = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 99 }));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 60 }), (entries) => {
      const heap = timeHeap(2);
      for (const [time, index] of entries) heap.push(time, index);
      const popped: [number, number][] = [];
      for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
        popped.push([next.time, next.index]);
      }
      expect(popped).toEqual(entries.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]));
    }),
  );
});
