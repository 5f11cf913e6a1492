import { formatDuration, formatWindow } from './durations/format.ts';
import {
  bound,
  capReachedAt,
  firstSteps,
  type Bound,
  type Schedule,
  type Stop,
} from './schedule.ts';
import type { Ms, Window } from './units.ts';

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** How a schedule ends, in a few words: `after 6 retries`, `after 2 retries, by maxDuration`, `never`. */
export function describeEnd(end: Bound): string {
  switch (end.kind) {
    case 'unbounded':
      return 'never';
    case 'conditional':
      return end.on.map((stop) => (stop.kind === 'condition' ? stop.text : '')).join(', or ');
    case 'bounded': {
      if (end.by.kind === 'condition') return end.by.text;
      const by = end.by.kind === 'elapsed' ? `, by ${nameOf(end.by)}` : '';
      if (end.retries === undefined) return `after ${formatWindow(end.lasts)}${by}`;
      return `after ${countRange(end.retries)}${by}`;
    }
  }
}

/** The field, or the built-in, behind a stop. */
export const nameOf = (stop: Stop): string =>
  stop.origin.kind === 'field' ? stop.origin.field : stop.origin.name;

const countRange = ({ lo, hi }: Window<number>): string =>
  lo === hi ? plural(hi, 'retry', 'retries') : `${String(lo)} to ${plural(hi, 'retry', 'retries')}`;

/**
 * The first waits with what follows them: `1s, 2s, 4s, 8s, … 5m from retry 6`.
 *
 * Short sequences are written whole; long ones as the first four, the cap and the last.
 */
export function describeWaits(schedule: Schedule): string {
  const { steps, more } = firstSteps(schedule, 12);
  if (steps.length === 0) return 'no retry';
  const listed = steps.map(({ wait }) => formatWindow(wait));
  if (listed.every((wait) => wait === listed[0])) {
    const each = listed[0] ?? '';
    if (each === '0s') return 'no wait between them';
    return steps.length === 1 && !more ? each : `${each} each`;
  }
  if (!more && listed.length <= 8) return listed.join(', ');
  const head = listed.slice(0, 4).join(', ');
  const capAt = capReachedAt(schedule);
  if (schedule.cap !== undefined && capAt !== undefined && capAt > 4) {
    return `${head} … ${formatDuration(schedule.cap.value)} from retry ${String(capAt)}`;
  }
  if (schedule.cap !== undefined && capAt !== undefined) {
    return `${listed.slice(0, capAt).join(', ')} from then on`;
  }
  const last = lastWait(schedule);
  return last === undefined ? `${head} …` : `${head} … ${formatWindow(last)}`;
}

/** `10 retries (11 attempts), 1s, 2s, 4s, 8s … 8m32s, 17m3s of waiting in all`. */
export function summarise(schedule: Schedule): string {
  const end = bound(schedule);
  const waits = describeWaits(schedule);
  switch (end.kind) {
    case 'unbounded':
      return `retries without end: ${waits}`;
    case 'conditional':
      return `retries until ${describeEnd(end)}: ${waits}`;
    case 'bounded': {
      if (end.retries === undefined) {
        return `retries until ${nameOf(end.by)} has passed: ${waits}`;
      }
      if (end.retries.hi === 0) return `no retry: ${end.by.then} at the first failure`;
      const attempts = plural(end.retries.hi + 1, 'attempt');
      const upTo = end.by.kind === 'elapsed' ? 'at most ' : '';
      return `${upTo}${countRange(end.retries)} (${attempts}): ${waits}; ${formatTotal(end.lasts)} of waiting in all`;
    }
  }
}

const formatTotal = (lasts: Window<Ms>): string => formatWindow(lasts);

function lastWait(schedule: Schedule): Window<Ms> | undefined {
  const end = bound(schedule);
  if (end.kind !== 'bounded' || end.retries === undefined || end.retries.hi > 5000)
    return undefined;
  let last: Window<Ms> | undefined;
  let retry = 0;
  for (const wait of schedule.waits) {
    retry += 1;
    if (retry > end.retries.hi) break;
    last = wait;
  }
  return last;
}

// VS Code cuts a hint after 43 characters unless told otherwise.
const longestHint = 43;

/** The schedule in a few words, for a hint behind a line: `10×: 1s, 2s, 4s … 5m`. */
export function shortSummary(schedule: Schedule): string {
  const end = bound(schedule);
  if (end.kind !== 'bounded') return fitting('no limit', schedule);
  if (end.retries === undefined) return fitting(`until ${nameOf(end.by)}`, schedule);
  return end.retries.hi === 0 ? 'no retry' : fitting(`${String(end.retries.hi)}×`, schedule);
}

/** As many of the first waits as fit, then the last or the cap. */
function fitting(lead: string, schedule: Schedule): string {
  const { steps, more } = firstSteps(schedule, 12);
  const listed = steps.map(({ wait }) => formatWindow(wait));
  if (listed.every((wait) => wait === listed[0])) return `${lead}: ${describeWaits(schedule)}`;
  const whole = `${lead}: ${listed.join(', ')}`;
  if (!more && whole.length <= longestHint) return whole;
  const capAt = capReachedAt(schedule);
  const last =
    schedule.cap !== undefined && capAt !== undefined
      ? formatDuration(schedule.cap.value)
      : windowText(lastWait(schedule));
  const tail = last === undefined ? ' …' : ` … ${last}`;
  for (let count = 4; count > 1; count -= 1) {
    const text = `${lead}: ${listed.slice(0, count).join(', ')}${tail}`;
    if (text.length <= longestHint) return text;
  }
  return `${lead}: ${listed[0] ?? ''}${tail}`;
}

const windowText = (window: Window<Ms> | undefined): string | undefined =>
  window === undefined ? undefined : formatWindow(window);
