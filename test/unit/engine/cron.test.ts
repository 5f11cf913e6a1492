import { Cron } from 'croner';
import { describe, expect, it } from 'vitest';
import { parseCron, periodsOf } from '../../../engine/cron.ts';
import { formatWindow } from '../../../engine/durations/format.ts';

const period = (text: string): string => {
  const read = parseCron(text);
  if (!read.ok) return `refused: ${read.message}`;
  const periods = periodsOf(read.schedule);
  return periods === undefined ? 'never' : formatWindow(periods);
};

describe('shortest and longest time between two runs', () => {
  it.each([
    ['* * * * *', '1m'],
    ['*/5 * * * *', '5m'],
    ['*/7 * * * *', '4m..7m'],
    ['1 * * * *', '1h'],
    ['0 2 * * *', '24h'],
    ['0 2,14 * * *', '12h'],
    ['0 22,2 * * *', '4h..20h'],
    ['0 9-17 * * MON-FRI', '1h..64h'],
    ['30 6 * * mon,wed', '48h..120h'],
    ['0 0 1 * *', '672h..744h'],
    ['0 0 15,20 * *', '120h..624h'],
    ['0 0 1 * MON', '24h..168h'],
    ['5/20 * * * *', '20m'],
    ['59 23 31 12 *', '365 days..366 days'],
    ['@hourly', '1h'],
    ['@midnight', '24h'],
    ['@weekly', '168h'],
    ['@every 90s', '1m30s'],
    ['@every 100ms', '1s'],
    ['0 0 30 2 *', 'never'],
    ['* * ? * ?', '1m'],
  ])('%s: %s', (text, expected) => {
    expect(period(text)).toBe(expected);
  });

  it.each([
    ['* * * *', 'it has 4 fields'],
    ['0 0 * * 7', 'Sunday is 0'],
    ['60 * * * *', 'from 0 to 59'],
    ['*/0 * * * *', 'from 1 on'],
    ['5-1 * * * *', 'ends before it begins'],
    ['0 0 * * MOON', 'is no day of the week'],
    ['1-2-3 * * * *', 'cannot be read'],
    ['TZ=UTC 0 0 * * *', 'time zone'],
    ['@sometimes', 'there is no @sometimes'],
    ['@every soon', '@every'],
    ['', 'it has 0 fields'],
  ])('%s is refused: %s', (text, expected) => {
    expect(period(text)).toMatch(/^refused: /);
    expect(period(text)).toContain(expected);
  });
});

describe('the same schedule as croner reads it', () => {
  it.each([
    '*/13 * * * *',
    '3,4,50 */5 * * *',
    '10-40/7 8-18 * * *',
    '0 4 * * 0,3,4',
    '0 12 5,25 * *',
    '15 3 1 * 5',
    '0 0 29 2 *',
    '45 23 * 1,7 *',
    '0 6 28-31 * *',
    '30 1 10 jan,jun *',
  ])('%s', (text) => {
    const job = new Cron(text, { timezone: 'UTC', paused: true });
    let shortest = Number.POSITIVE_INFINITY;
    let longest = 0;
    let at = new Date('2028-01-01T00:00:00Z');
    for (let count = 0; count < 700; count += 1) {
      const next = job.nextRun(at);
      if (next === null || next.getUTCFullYear() > 2056) break;
      const gap = next.getTime() - at.getTime();
      if (count > 0) {
        shortest = Math.min(shortest, gap);
        longest = Math.max(longest, gap);
      }
      at = next;
    }
    const read = parseCron(text);
    expect(read.ok && periodsOf(read.schedule)).toEqual({ lo: shortest, hi: longest });
  });
});
