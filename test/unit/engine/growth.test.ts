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
import type { Waits } from '../../../engine/schedule.ts';
import {
  addMs,
  exactly,
  formatInstant,
  instant,
  longestGoDuration,
  ms,
  nanoseconds,
  parseInstant,
  seconds,
  toNanoseconds,
} from '../../../engine/units.ts';

const first = (source: Waits, count: number) => take(source, count).map(({ lo }) => lo);

describe('exponential waits', () => {
  it.each([
    ['doubling', { base: 1000, factor: 2 }, [1000, 2000, 4000, 8000]],
    ['a cap', { base: 1000, factor: 2, cap: 3000 }, [1000, 2000, 3000, 3000]],
    ['a cap below the base', { base: 5000, factor: 2, cap: 3000 }, [3000, 3000]],
    ['a fraction', { base: 1, factor: 1.5 }, [1, 1.5, 2.25, 3.375]],
    ['whole nanoseconds, cut', { base: 0.000_003, factor: 1.5 }, [0.000_003, 0.000_004, 0.000_006]],
    ['factor 1', { base: 7, factor: 1 }, [7, 7, 7]],
    ['factor 0', { base: 7, factor: 0 }, [7, 0, 0]],
    ['a shrinking factor', { base: 8, factor: 0.5 }, [8, 4, 2]],
    ['no base', { base: 0, factor: 2 }, [0, 0]],
  ])('%s', (_, { base, factor, ...rest }, expected) => {
    const cap = 'cap' in rest ? ms(rest.cap) : undefined;
    expect(first(exponential({ base: ms(base), factor, cap }), expected.length)).toEqual(expected);
  });

  it('end at the longest Go duration', () => {
    const grown = take(exponential({ base: seconds(1), factor: 10 }), 2000);
    expect(grown.at(-1)).toEqual(exactly(longestGoDuration));
  });

  it.each([
    [{ base: ms(1000), factor: 0.999 }],
    [{ base: ms(1000), factor: 1.01, cap: ms(5000) }],
    [{ base: ms(5), factor: 2, cap: seconds(1000) }],
    [{ base: ms(7), factor: 0 }],
    [{ base: ms(0), factor: 3 }],
    [{ base: ms(9), factor: 0.5, cap: ms(5) }],
  ])('settle where they say: %j', (growth) => {
    const source = exponential(growth);
    const from = source.constantFrom ?? 0;
    expect(from).toBeGreaterThan(0);
    const rest = first(source, from + 50).slice(from - 1);
    expect(new Set(rest).size).toBe(1);
  });

  it('promise nothing they cannot keep', () => {
    expect(exponential({ base: ms(-5), factor: 2 }).constantFrom).toBeUndefined();
    expect(exponential({ base: ms(5), factor: -2 }).constantFrom).toBeUndefined();
  });

  it('never shrink with a factor above 1, and never exceed the cap', () => {
    const base = fc.integer({ min: 1, max: 10_000 }).map((value) => ms(value));
    const factor = fc.double({ min: 1, max: 10, noNaN: true });
    const cap = fc.integer({ min: 1, max: 1_000_000 }).map((value) => ms(value));
    fc.assert(
      fc.property(base, factor, cap, (from, times, most) => {
        const all = first(exponential({ base: from, factor: times, cap: most }), 40);
        expect(all.every((wait, at) => wait <= most && wait >= (all[at - 1] ?? 0))).toBe(true);
      }),
    );
  });
});

describe('other waits', () => {
  it('repeat the last of a list', () => {
    expect(first(listed([seconds(10), seconds(300)]), 4)).toEqual([
      10_000, 300_000, 300_000, 300_000,
    ]);
    expect(first(listed([]), 2)).toEqual([0, 0]);
  });

  it('end where they are finite, and start again', () => {
    const two = finite([exactly(ms(1)), exactly(ms(2))]);
    expect(first(two, 9)).toEqual([1, 2]);
    expect(first(two, 9)).toEqual([1, 2]);
  });

  it('widen by a share', () => {
    expect(take(jittered(constant(seconds(10)), 0.1, 0.5), 1)).toEqual([{ lo: 9000, hi: 15_000 }]);
  });

  it('know their retry', () => {
    expect(
      first(
        waits((retry) => exactly(ms(retry * retry))),
        4,
      ),
    ).toEqual([1, 4, 9, 16]);
    expect(take(constant(ms(1)), 0)).toEqual([]);
  });
});

describe('units', () => {
  it('keep nanoseconds', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 52n }), (count) => {
        expect(toNanoseconds(nanoseconds(count))).toBe(count);
      }),
    );
  });

  it('add up without noise', () => {
    expect(addMs(ms(0.1), ms(0.2))).toBe(0.3);
    expect(addMs(longestGoDuration, ms(1))).toBeGreaterThan(longestGoDuration);
  });

  it('reads times as the platform does, usual ones without it', () => {
    const digits = (length: number) =>
      fc.nat({ max: 10 ** length - 1 }).map((number) => String(number).padStart(length, '0'));
    const two = digits(2);
    const time = fc
      .tuple(digits(4), two, two, two, two, two)
      .map(
        ([year, month, day, hour, minute, second]) =>
          `${year}-${month}-${day}T${hour}:${minute}:${second}Z`,
      );
    const near = fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => `${date.toISOString().slice(0, 19)}Z`);
    fc.assert(
      fc.property(fc.oneof(time, near), (text) => {
        const expected = Date.parse(text);
        expect(parseInstant(text)).toBe(Number.isNaN(expected) ? undefined : expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('read and write instants', () => {
    expect(parseInstant('2026-01-10T11:00:00Z')).toBe(Date.UTC(2026, 0, 10, 11));
    expect(parseInstant('2026-01-10T11:00:00.123456Z')).toBe(Date.UTC(2026, 0, 10, 11) + 123);
    expect(parseInstant('2026-01-10T12:00:00+01:00')).toBe(Date.UTC(2026, 0, 10, 11));
    for (const text of ['', 'yesterday', '2026-13-45T11:00:00Z', 5, null, '2026-01-10']) {
      expect(parseInstant(text)).toBeUndefined();
    }
    expect(formatInstant(instant(Date.UTC(2026, 0, 10, 11)))).toBe('2026-01-10T11:00:00Z');
  });
});
