import { Cron } from 'croner';
import cronstrue from 'cronstrue';

const shown = 5;

/**
 * A cron schedule in words, with its next runs: `At 03:30, only on Monday: Mon 2026-12-07 03:30, …`.
 *
 * Times are those of the zone the CronJob names; without one the controller manager's own zone decides, most often
 * UTC, which is said. Undefined for what the libraries cannot read: the finding says what is wrong with it.
 */
export function describeCron(
  schedule: string,
  timeZone: string | undefined,
  now: Date,
): string | undefined {
  const expression = schedule.trim();
  if (expression.startsWith('@every')) return undefined;
  try {
    const words = cronstrue.toString(expression, { use24HourTimeFormat: true });
    const zone = timeZone ?? 'UTC';
    // Kubernetes takes a day that is in either of two restricted day fields, as cron does.
    const runs = new Cron(expression, { timezone: zone, legacyMode: true, paused: true }).nextRuns(
      shown,
      now,
    );
    const times = runs.map((run) => formatIn(zone, run)).join(', ');
    const assumed =
      timeZone === undefined
        ? ' (UTC, unless the controller manager has another zone)'
        : ` (${zone})`;
    return times === '' ? `${words}: it never runs` : `${words}. Next: ${times}${assumed}`;
  } catch {
    // The reader's own text, which one of the libraries refuses; our own reader has judged it.
    return undefined;
  }
}

function formatIn(timeZone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((one) => one.type === type)?.value ?? '';
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}
