import { describe, expect, it } from 'vitest';
import { describeCron } from '../../../server/src/cronRuns.ts';

const noon = new Date('2026-11-30T12:00:00Z');
const unsaid = '(UTC, unless the controller manager has another zone)';

describe('a cron schedule in words', () => {
  it.each([
    [
      '30 3 * * 1',
      'Europe/Berlin',
      'At 03:30, only on Monday. Next: Mon 2026-12-07 03:30, Mon 2026-12-14 03:30, Mon 2026-12-21 03:30, Mon 2026-12-28 03:30, Mon 2027-01-04 03:30 (Europe/Berlin)',
    ],
    [
      '@daily',
      undefined,
      `At 00:00. Next: Tue 2026-12-01 00:00, Wed 2026-12-02 00:00, Thu 2026-12-03 00:00, Fri 2026-12-04 00:00, Sat 2026-12-05 00:00 ${unsaid}`,
    ],
    [
      // Either of two restricted day fields is enough, as in cron.
      '0 0 13 * 5',
      undefined,
      `At 00:00, on day 13 of the month, and on Friday. Next: Fri 2026-12-04 00:00, Fri 2026-12-11 00:00, Sun 2026-12-13 00:00, Fri 2026-12-18 00:00, Fri 2026-12-25 00:00 ${unsaid}`,
    ],
    ['0 0 31 2 *', undefined, 'At 00:00, on day 31 of the month, only in February: it never runs'],
    ['@every 90s', undefined, undefined],
    ['every day', undefined, undefined],
    ['0 0 * * *', 'Mars/Olympus', undefined],
  ])('%s in %s', (schedule, zone, expected) => {
    expect(describeCron(schedule, zone, noon)).toBe(expected);
  });
});
