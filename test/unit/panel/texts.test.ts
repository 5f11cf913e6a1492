import { describe, expect, it } from 'vitest';
import { ladder } from '../../../client/src/panel/ladder.ts';
import { isToPanel } from '../../../client/src/panel/model/messages.ts';
import {
  besideName,
  nextCell,
  rowTooltip,
  timesTooltip,
} from '../../../client/src/panel/model/nextTexts.ts';
import { nextAt } from '../../../client/src/panel/model/words.ts';
import type { Schedule } from '../../../engine/schedule.ts';
import { inferred, reported, unknown } from '../../../engine/live.ts';
import { ms } from '../../../engine/units.ts';
import { at, gaveUp, noon, shown, waiting } from './samples.ts';

const wide = waiting('12:10:00', {
  next: inferred({ lo: at('12:02:00'), hi: at('12:10:00') }, 'bounds'),
  wait: inferred({ lo: ms(60_000), hi: ms(540_000) }, 'bounds'),
});
const inWindow = shown('keys', wide);
const guess = shown('keys', wide, { isEstimate: true });
const exact = shown('tls', waiting('12:02:14'));

describe('a next retry that is a window', () => {
  it('is one beside its name, and an estimate is marked', () => {
    expect(besideName(exact, noon)).toBe('02:14 · Certificate');
    expect(besideName(inWindow, noon)).toBe('02:00 to 10:00 · Certificate');
    expect(besideName(guess, noon)).toBe('est. 02:00 to 10:00 · Certificate');
    expect(besideName(shown('x', gaveUp('09:00:00')), noon)).toBe('Certificate');
    expect(nextCell(guess, 'utc', noon)).toBe('est. 12:02:00 UTC to 12:10:00 UTC');
  });

  it('is one in the tooltip of the tree, on both clocks, with the wait', () => {
    const [, times, wait] = rowTooltip(guess, noon);
    expect(times).toMatch(
      /^Estimated: .+ to .+ local, 2026-01-10T12:02:00Z to 2026-01-10T12:10:00Z$/,
    );
    expect(wait).toBe('Wait: 1m..9m, an estimate');
    expect(rowTooltip(inWindow, noon)[1]).not.toContain('Estimated');
    expect(rowTooltip(exact, noon)[1]).toMatch(/ local, 2026-01-10T12:02:14Z$/);
  });

  it('is one in the tooltip of the table, with how it is known', () => {
    expect(timesTooltip(guess, noon).split('\n')).toEqual([
      '02:00 to 10:00',
      expect.stringMatching(/ to .+ local$/),
      '2026-01-10T12:02:00Z to 2026-01-10T12:10:00Z',
      'an estimate: bounds',
    ]);
    expect(timesTooltip(inWindow, noon)).toMatch(/\ninferred: bounds$/);
    expect(timesTooltip(exact, noon).split('\n')[2]).toBe('2026-01-10T12:02:14Z');
  });

  it('is called an estimate in the table for an incident', () => {
    expect(nextAt(guess, noon)).toMatch(/, an estimate$/);
    expect(nextAt(inWindow, noon)).not.toContain('estimate');
  });
});

describe('the place on a schedule', () => {
  const schedule: Schedule = {
    waits: {
      *[Symbol.iterator]() {
        for (;;) yield { lo: ms(10_000), hi: ms(10_000) };
      },
    },
    stops: [],
    resets: [],
    clock: 'after-attempt',
  };
  const places = (row: ReturnType<typeof shown>) => {
    const made = ladder(schedule, row);
    const detail = { id: 'x', policy: '', formula: '', version: '', past: [], evidence: [] };
    const message = { type: 'detail', detail: { ...detail, links: [], actions: [], ladder: made } };
    expect(isToPanel(JSON.parse(JSON.stringify(message)))).toBe(true);
    return made.rungs.map(({ place }) => place);
  };
  const uncounted = { retry: unknown('not counted'), failures: unknown('not counted') } as const;

  it('is marked where retries or failures are counted', () => {
    expect(places(shown('a', waiting('12:02:00', { retry: reported(2) })))[1]).toBe('here');
    const failures = waiting('12:02:00', { ...uncounted, failures: reported(3) });
    expect(places(shown('a', failures))[2]).toBe('here');
  });

  it('is not marked where nobody counts, whether it waits or gave up', () => {
    const none: unknown[] = Array.from({ length: 6 });
    expect(places(shown('a', waiting('12:02:00', uncounted)))).toEqual(none);
    const over = { ...gaveUp('09:00:00'), failures: unknown('not counted') };
    expect(places(shown('a', over))).toEqual(none);
    expect(places(shown('a', gaveUp('09:00:00')))).not.toContain('here');
    expect(places(shown('a', gaveUp('09:00:00')))).toContain('past');
  });
});
