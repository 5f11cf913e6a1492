import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockSkew } from '../../../client/src/cluster/clockSkew.ts';
import { reconnectWait } from '../../../client/src/cluster/reconnect.ts';
import { instant, ms } from '../../../engine/units.ts';

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the wait before we try again', () => {
  it.each([
    [1, 500, 1000],
    [2, 1000, 2000],
    [3, 2000, 4000],
    [5, 8000, 16_000],
    [6, 15_000, 30_000],
    [40, 15_000, 30_000],
  ])('retry %d waits from %d to %d ms', (retry, lo, hi) => {
    expect(reconnectWait(retry, 0)).toBe(lo);
    expect(reconnectWait(retry, 1)).toBe(hi);
  });

  it('is never shorter than half its step, never longer than half a minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: -3, max: 1e6 }), chance, (retry, random) => {
        const wait = reconnectWait(retry, random);
        expect(wait).toBeGreaterThanOrEqual(500);
        expect(wait).toBeLessThanOrEqual(30_000);
      }),
    );
  });

  it('never cuts short what the server asks for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        chance,
        fc.integer({ min: 0, max: 3_600_000 }),
        (retry, random, asked) => {
          expect(reconnectWait(retry, random, ms(asked))).toBeGreaterThanOrEqual(asked);
        },
      ),
    );
  });

  it('keeps clients that failed together apart', () => {
    const waits = new Set(Array.from({ length: 100 }, (_, index) => reconnectWait(4, index / 100)));
    expect(waits.size).toBe(100);
  });
});

describe('the clock of the server', () => {
  it('is within half a second of the truth, whatever the skew and the latency', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -86_400_000, max: 86_400_000 }),
        fc.array(
          fc.record({
            at: fc.integer({ min: 0, max: 100_000 }),
            there: fc.integer({ min: 0, max: 400 }),
            back: fc.integer({ min: 0, max: 400 }),
          }),
          { minLength: 1, maxLength: 20 },
        ),
        (skew, answers) => {
          const clock = clockSkew();
          for (const { at, there, back } of answers) {
            const shown = Math.floor((at + there + skew) / 1000) * 1000;
            clock.heard(instant(shown), instant(at), instant(at + there + back));
          }
          // A second of doubt by the date, and the time the request took.
          expect(Math.abs(clock.value() - skew)).toBeLessThanOrEqual(1800);
        },
      ),
    );
  });

  it('claims no skew where none explains every answer', () => {
    const clock = clockSkew();
    clock.heard(instant(5000), instant(5900), instant(5950));
    clock.heard(instant(6000), instant(6010), instant(6020));
    expect(clock.value()).toBe(0);
  });

  it('follows a clock that was set', () => {
    const clock = clockSkew();
    clock.heard(instant(1000), instant(1500), instant(1510));
    clock.heard(instant(7_202_000), instant(2500), instant(2510));
    expect(Math.abs(clock.value() - 7_200_000)).toBeLessThan(1000);
  });
});
