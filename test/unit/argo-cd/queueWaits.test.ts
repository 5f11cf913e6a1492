import { describe, expect, it } from 'vitest';
import { queueWaits } from '../../../engine/families/argo-cd/queueWaits.ts';
import { take } from '../../../engine/growth.ts';
import { hours, ms, seconds, zero } from '../../../engine/units.ts';

const first = (limiter: Parameters<typeof queueWaits>[0], count: number) =>
  take(queueWaits(limiter), count).map(({ lo }) => lo);

const usual = { base: ms(1), max: seconds(1), factor: 1.5 };

describe('the limiter of the application controller', () => {
  it('does not grow without a cooldown', () => {
    expect(first({ ...usual, cooldown: zero }, 3)).toEqual([1, 1, 1]);
    expect(first({ ...usual, cooldown: zero, max: ms(0.5) }, 2)).toEqual([1, 1]);
  });

  it('grows by the factor, in whole nanoseconds, up to the maximum', () => {
    const waits = first({ ...usual, cooldown: hours(1) }, 20);
    expect(waits.slice(0, 8)).toEqual([1, 1.5, 2.25, 3.375, 5.0625, 7.59375, 11.390625, 17.085937]);
    expect(waits[16]).toBeLessThan(1000);
    expect(waits.slice(18)).toEqual([1000, 1000]);
  });

  it('starts over after a wait as long as the cooldown', () => {
    const limiter = { base: seconds(1), max: seconds(30), factor: 2, cooldown: seconds(8) };
    const row = [1000, 2000, 4000, 8000, 1000];
    expect(first(limiter, 10)).toEqual([...row, ...row]);
  });

  it('stays at a base as long as the cooldown', () => {
    expect(
      first({ base: seconds(9), max: seconds(30), factor: 2, cooldown: seconds(8) }, 3),
    ).toEqual([9000, 9000, 9000]);
  });

  it('shrinks below a factor of 1', () => {
    expect(first({ ...usual, factor: 0.5, cooldown: seconds(9) }, 3)).toEqual([1, 0.5, 0.25]);
    expect(first({ ...usual, factor: 0, cooldown: seconds(9) }, 3)).toEqual([1, 0, 0]);
  });
});
