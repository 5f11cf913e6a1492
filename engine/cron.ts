import { parseGoDuration } from './durations/go.ts';
import { exactly, minutes, ms, type Ms, type Window } from './units.ts';

/** A cron schedule of five fields, or `@every` with a fixed period. */
export type CronSchedule =
  | { readonly kind: 'every'; readonly period: Ms }
  | {
      readonly kind: 'fields';
      /** Minutes of the day, in order. */
      readonly times: readonly number[];
      readonly days: ReadonlySet<number>;
      readonly months: ReadonlySet<number>;
      readonly weekdays: ReadonlySet<number>;
      /** Whether a day must be in both sets, as where one of the two fields is `*`; otherwise one is enough. */
      readonly both: boolean;
    };

export type CronRead =
  | { readonly ok: true; readonly schedule: CronSchedule }
  | { readonly ok: false; readonly message: string; readonly part?: string };

type Field = {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
};

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const dayNames = 'sun mon tue wed thu fri sat'.split(' ');

const fields = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of the month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: monthNames },
  { name: 'day of the week', min: 0, max: 6, names: dayNames },
] as const satisfies readonly Field[];

const named: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/** Reads a schedule as github.com/robfig/cron v3 `ParseStandard` does, which Kubernetes uses. */
export function parseCron(text: string): CronRead {
  if (/^(?:CRON_)?TZ=/.test(text)) {
    return { ok: false, message: 'the time zone does not belong into the schedule' };
  }
  if (text.startsWith('@')) return parseNamed(text);
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) {
    return {
      ok: false,
      message: `it has ${String(parts.length)} fields, and a schedule has five: minute, hour, day of the month, month, day of the week`,
    };
  }
  const read = fields.map((field, index) => parseField(parts[index] ?? '', field));
  const wrong = read.find((one) => typeof one === 'object' && 'message' in one);
  if (wrong !== undefined && 'message' in wrong) return { ok: false, ...wrong };
  const [minute, hour, day, month, weekday] = read.map((one) =>
    'message' in one ? { values: new Set<number>(), isStar: false } : one,
  );
  if (!minute || !hour || !day || !month || !weekday) return { ok: false, message: 'it is empty' };
  const times: number[] = [];
  for (let at = 0; at < 1440; at += 1) {
    if (hour.values.has(Math.floor(at / 60)) && minute.values.has(at % 60)) times.push(at);
  }
  return {
    ok: true,
    schedule: {
      kind: 'fields',
      times,
      days: day.values,
      months: month.values,
      weekdays: weekday.values,
      both: day.isStar || weekday.isStar,
    },
  };
}

function parseNamed(text: string): CronRead {
  const fieldsOf = named.get(text);
  if (fieldsOf !== undefined) return parseCron(fieldsOf);
  const every = text.startsWith('@every ') ? parseGoDuration(text.slice(7)) : undefined;
  if (every === undefined) {
    return { ok: false, message: `there is no ${text}: write @hourly, @daily, @every 1h30m…` };
  }
  if (!every.ok) return { ok: false, message: `@every: ${every.message}` };
  // Whole seconds, and at least one.
  const period = ms(Math.max(1000, Math.floor(every.value / 1000) * 1000));
  return { ok: true, schedule: { kind: 'every', period } };
}

type Values = { readonly values: ReadonlySet<number>; readonly isStar: boolean };
type Wrong = { readonly message: string; readonly part: string };

function parseField(text: string, field: Field): Values | Wrong {
  const values = new Set<number>();
  let isStar = false;
  for (const part of text.split(',')) {
    if (part === '') continue;
    const range = parseRange(part, field);
    if ('message' in range) return range;
    isStar ||= range.isStar;
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
  }
  return values.size === 0
    ? { message: `the ${field.name} is empty`, part: text }
    : { values, isStar };
}

type Range = {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isStar: boolean;
};

// `*`, `5`, `1-5`, `*/15`, `10-40/5`; `5/15` is `5-59/15`.
function parseRange(part: string, field: Field): Range | Wrong {
  const wrong = (message: string): Wrong => ({ message, part });
  const [range = '', stepText, ...slashes] = part.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  if (slashes.length > 0 || hyphens.length > 0) return wrong(`\`${part}\` cannot be read`);
  const step = stepText === undefined ? 1 : Number(stepText);
  if (stepText !== undefined && (!/^\d+$/.test(stepText) || step === 0)) {
    return wrong(`the step of \`${part}\` must be a whole number from 1 on`);
  }
  if (low === '*' || low === '?') {
    return { start: field.min, end: field.max, step, isStar: step === 1 };
  }
  const start = numberOf(low, field);
  const last = high === undefined ? start : numberOf(high, field);
  const end = stepText !== undefined && high === undefined ? field.max : last;
  if (start === undefined || end === undefined) {
    return wrong(
      `\`${part}\` is no ${field.name}${field.names === undefined ? '' : ' or its name'}`,
    );
  }
  if (start < field.min || end > field.max) {
    const sunday = field.max === 6 && end === 7 ? '; Sunday is 0' : '';
    return wrong(
      `\`${part}\` is out of range: the ${field.name} goes from ${String(field.min)} to ${String(field.max)}${sunday}`,
    );
  }
  if (start > end) return wrong(`\`${part}\` ends before it begins`);
  return { start, end, step, isStar: false };
}

function numberOf(text: string, field: Field): number | undefined {
  const byName = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (byName >= 0) return byName + field.min;
  return /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}

/**
 * The shortest and the longest time between two runs that follow each other; nothing where no day ever matches.
 *
 * Clock changes are left aside: twice a year one period is an hour shorter or longer.
 */
export function periodsOf(schedule: CronSchedule): Window<Ms> | undefined {
  if (schedule.kind === 'every') return exactly(schedule.period);
  const { times } = schedule;
  const [first = 0] = times;
  const last = times.at(-1) ?? first;
  const days = daysBetween(schedule);
  if (days === undefined) return undefined;
  let shortest = days.lo * 1440 - last + first;
  let longest = days.hi * 1440 - last + first;
  for (const [index, time] of times.entries()) {
    const next = times[index + 1];
    if (next === undefined) break;
    shortest = Math.min(shortest, next - time);
    longest = Math.max(longest, next - time);
  }
  return { lo: minutes(shortest), hi: minutes(longest) };
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The fewest and the most days from one matching day to the next, over the 28 years in which the calendar repeats. */
function daysBetween(schedule: CronSchedule & { kind: 'fields' }): Window<number> | undefined {
  const { days, months, weekdays, both } = schedule;
  if (days.size === 31 && months.size === 12 && weekdays.size === 7) return exactly(1);
  let between: Window<number> | undefined;
  let previous: number | undefined;
  let at = 0;
  // The first of January 2000 was a Saturday.
  for (let year = 2000; year < 2029; year += 1) {
    for (const [month, length] of monthLengths.entries()) {
      const extra = month === 1 && year % 4 === 0 ? 1 : 0;
      if (!months.has(month + 1)) {
        at += length + extra;
        continue;
      }
      for (let date = 1; date <= length + extra; date += 1, at += 1) {
        const inDays = days.has(date);
        const inWeek = weekdays.has((at + 6) % 7);
        if (both ? !(inDays && inWeek) : !(inDays || inWeek)) continue;
        if (previous !== undefined) {
          const gap = at - previous;
          between = {
            lo: Math.min(between?.lo ?? gap, gap),
            hi: Math.max(between?.hi ?? gap, gap),
          };
        }
        previous = at;
      }
    }
  }
  return between;
}
