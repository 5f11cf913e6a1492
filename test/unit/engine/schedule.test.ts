import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  constant,
  exponential,
  finite,
  jittered,
  listed,
  take,
  waits,
} from '../../../engine/growth.ts';
import {
  bound,
  capReachedAt,
  firstSteps,
  steps,
  type Schedule,
  type Stop,
  type Waits,
} from '../../../engine/schedule.ts';
import {
  between,
  exactly,
  hours,
  minutes,
  ms,
  seconds,
  zero,
  type Ms,
} from '../../../engine/units.ts';

const origin = { kind: 'field', field: 'x' } as const;
const retries = (limit: number): Stop => ({ kind: 'retries', limit, then: 'it fails', origin });
const elapsed = (limit: Ms, edge: 'included' | 'excluded' = 'included'): Stop => ({
  kind: 'elapsed',
  limit,
  edge,
  then: 'it fails',
  origin,
});
const condition: Stop = { kind: 'condition', text: 'deleted', then: 'it ends', origin };

const schedule = (source: Waits, ...stops: readonly Stop[]): Schedule => ({
  waits: source,
  stops,
  resets: [],
  clock: 'after-attempt',
});

const doubling = exponential({ base: seconds(1), factor: 2 });
const toAMinute = exponential({ base: seconds(1), factor: 2, cap: seconds(60) });

describe('steps', () => {
  it('count from 1, add up, and know the cap', () => {
    const capped: Schedule = {
      ...schedule(exponential({ base: seconds(1), factor: 2, cap: seconds(3) }), retries(3)),
      cap: { value: seconds(3), origin },
    };
    expect([...steps(capped)]).toEqual([
      { retry: 1, wait: exactly(1000), total: exactly(1000), capped: false },
      { retry: 2, wait: exactly(2000), total: exactly(3000), capped: false },
      { retry: 3, wait: exactly(3000), total: exactly(6000), capped: true },
    ]);
    expect(capReachedAt(capped)).toBe(3);
  });

  it('are none for a limit of 0 or below', () => {
    expect([...steps(schedule(doubling, retries(0)))]).toEqual([]);
    expect([...steps(schedule(doubling, retries(-1)))]).toEqual([]);
  });

  it('say whether more follow', () => {
    expect(firstSteps(schedule(doubling, retries(3)), 3).more).toBe(false);
    expect(firstSteps(schedule(doubling, retries(4)), 3).more).toBe(true);
    expect(firstSteps(schedule(doubling), 0)).toEqual({ steps: [], more: true });
    expect(firstSteps(schedule(finite([exactly(seconds(1))])), 3).more).toBe(false);
  });

  it('reach no cap where the retries end before', () => {
    const early = { ...schedule(doubling, retries(2)), cap: { value: hours(1), origin } };
    expect(capReachedAt(early)).toBeUndefined();
    expect(capReachedAt(schedule(doubling))).toBeUndefined();
  });
});

describe('bound', () => {
  it.each([
    ['a limit', schedule(doubling, retries(3)), 3, 7000],
    ['no retry', schedule(doubling, retries(0)), 0, 0],
    ['the smaller of two limits', schedule(doubling, retries(9), retries(2)), 2, 3000],
    [
      'a deadline that the third retry would exceed',
      schedule(doubling, elapsed(seconds(6))),
      2,
      3000,
    ],
    ['a deadline that the third retry meets', schedule(doubling, elapsed(seconds(7))), 3, 7000],
    ['the same, excluded', schedule(doubling, elapsed(seconds(7), 'excluded')), 2, 3000],
    [
      'both edges at one limit',
      schedule(doubling, elapsed(seconds(7)), elapsed(seconds(7), 'excluded')),
      2,
      3000,
    ],
    ['a deadline before the first retry', schedule(doubling, elapsed(ms(999))), 0, 0],
    [
      'constant waits to a deadline',
      schedule(constant(seconds(10)), elapsed(minutes(1))),
      6,
      60_000,
    ],
    [
      'the same, excluded',
      schedule(constant(seconds(10)), elapsed(minutes(1), 'excluded')),
      5,
      50_000,
    ],
    ['fractions that fit exactly', schedule(constant(ms(0.1)), elapsed(ms(0.3))), 3, 0.3],
    ['fractions, excluded', schedule(constant(ms(0.1)), elapsed(ms(0.3), 'excluded')), 2, 0.2],
    [
      'waits that run out',
      schedule(finite([exactly(seconds(1)), exactly(seconds(2))]), retries(9)),
      2,
      3000,
    ],
    ['a list', schedule(listed([seconds(5), minutes(5)]), retries(3)), 3, 605_000],
    ['a cap', schedule(toAMinute, retries(8)), 8, 183_000],
  ])('%s', (_, given, count, total) => {
    expect(bound(given)).toMatchObject({
      kind: 'bounded',
      retries: exactly(count),
      lasts: exactly(total),
    });
  });

  it('counts huge limits without walking', () => {
    expect(bound(schedule(toAMinute, retries(1_000_000_000_000)))).toMatchObject({
      retries: exactly(1_000_000_000_000),
      lasts: exactly(63_000 + (1_000_000_000_000 - 6) * 60_000),
    });
    expect(bound(schedule(constant(ms(1)), elapsed(hours(1_000_000))))).toMatchObject({
      retries: exactly(3_600_000_000_000),
    });
  });

  it('counts out waits that never settle', () => {
    const linear = waits((retry) => exactly(ms(retry)));
    expect(bound(schedule(linear, retries(30_000)))).toMatchObject({
      retries: exactly(30_000),
      lasts: exactly(450_015_000),
    });
  });

  it('spans the windows of random waits', () => {
    const random = jittered(constant(seconds(10)), 0, 1);
    expect(bound(schedule(random, retries(3)))).toMatchObject({
      retries: exactly(3),
      lasts: between(30_000, 60_000),
    });
    expect(bound(schedule(random, elapsed(minutes(1))))).toMatchObject({
      retries: between(3, 6),
      lasts: between(60_000, 120_000),
    });
  });

  it('names the stop that comes first', () => {
    const first = (...stops: readonly Stop[]) => {
      const end = bound(schedule(toAMinute, ...stops));
      return end.kind === 'bounded' ? end.by.kind : end.kind;
    };
    expect(first(retries(3), elapsed(hours(1)))).toBe('retries');
    expect(first(retries(100), elapsed(seconds(20)))).toBe('elapsed');
    // Both at once: the limit is met before the time is looked at.
    expect(first(retries(3), elapsed(seconds(7)))).toBe('retries');
    expect(first(retries(1000), elapsed(hours(1)))).toBe('elapsed');
    expect(first(condition, retries(3))).toBe('retries');
  });

  it('names what stands for waits that run out', () => {
    const stop = retries(2);
    const end = bound({
      ...schedule(finite([exactly(seconds(1))]), elapsed(hours(1))),
      exhausted: stop,
    });
    expect(end).toMatchObject({ kind: 'bounded', by: stop, retries: exactly(1) });
  });

  it('knows what never ends', () => {
    expect(bound(schedule(doubling))).toEqual({ kind: 'unbounded' });
    expect(bound(schedule(doubling, condition))).toEqual({ kind: 'conditional', on: [condition] });
    expect(bound(schedule(constant(zero)))).toEqual({ kind: 'unbounded' });
  });

  it('lets retries without a wait last until the deadline', () => {
    const end = bound(schedule(constant(zero), elapsed(minutes(5))));
    expect(end).toMatchObject({ kind: 'bounded', lasts: exactly(300_000) });
    expect('retries' in end).toBe(false);
  });

  it('counts retries without a wait up to their limit', () => {
    expect(bound(schedule(constant(zero), retries(5), elapsed(minutes(5))))).toMatchObject({
      retries: exactly(5),
      lasts: exactly(0),
    });
  });
});

describe('any schedule', () => {
  const wait = fc.integer({ min: 1, max: 50 }).map((value) => ms(value));
  const source = fc.oneof(
    wait.map(constant),
    fc
      .record({ base: wait, factor: fc.constantFrom(0.5, 1, 1.5, 2, 3), cap: wait })
      .map((growth) => exponential(growth)),
    fc.array(wait, { minLength: 1, maxLength: 5 }).map(listed),
    fc.array(wait, { maxLength: 6 }).map((all) => finite(all.map(exactly))),
    wait.map((value) => waits((retry) => exactly(ms(value + retry)))),
    fc
      .tuple(wait, fc.constantFrom(0.1, 0.5, 1))
      .map(([value, more]) => jittered(constant(value), 0, more)),
  );
  const stop = fc.oneof(
    fc.integer({ min: 0, max: 60 }).map(retries),
    fc
      .tuple(fc.integer({ min: 0, max: 2000 }), fc.constantFrom('included', 'excluded'))
      .map(([limit, edge]) => elapsed(ms(limit), edge as 'included')),
  );

  it('ends as a walk over its steps does', () => {
    fc.assert(
      fc.property(source, fc.array(stop, { minLength: 1, maxLength: 3 }), (all, stops) => {
        const given = schedule(all, ...stops);
        const end = bound(given);
        // Waits that shrink to nothing fit any deadline: they have a time and no count.
        if (end.kind !== 'bounded' || end.retries === undefined) return;
        const walked = firstSteps(given, 3000).steps;
        expect(end.retries.hi).toBe(walked.length);
        expect(end.retries.lo).toBeLessThanOrEqual(end.retries.hi);
        expect(end.lasts.lo).toBeLessThanOrEqual(end.lasts.hi);
        expect(end.lasts.lo).toBeCloseTo(walked.at(-1)?.total.lo ?? 0, 5);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps its promise to be constant', () => {
    fc.assert(
      fc.property(source, (all) => {
        const from = all.constantFrom;
        if (from === undefined || from > 5000) return;
        const rest = take(all, from + 5).slice(from - 1);
        for (const each of rest) expect(each).toEqual(rest[0]);
      }),
    );
  });
});
