import type { Instant, Ms, Window } from '../../../../engine/units.ts';
import { formatInstant, instant } from '../../../../engine/units.ts';

/** The server's time, from ours and the difference between the two clocks. */
export const serverTime = (ours: Instant, skew: Ms): Instant => instant(ours + skew);

/** How a wait stands: running, within its window, or past it. */
export type Countdown = {
  readonly kind: 'running' | 'due' | 'overdue';
  /** `02:14`, `02:14 to 05:00`, `due, at the latest in 00:20`, `overdue by 03:12`. */
  readonly text: string;
};

// API times have whole seconds, so a window this narrow is one moment for a reader.
const oneMoment = 1000;

/** Whether a window is to be written as one time. */
export const isMoment = ({ lo, hi }: Window<Instant>): boolean => hi - lo <= oneMoment;

// A controller that is up acts within this time; longer is worth a word.
const patience = 15_000;

/** Counts down to a window of time; `now` is the server's time. */
export function countdown(next: Window<Instant>, now: Instant): Countdown {
  const { lo, hi } = next;
  if (now < lo) {
    const text = isMoment(next)
      ? clockText(lo - now)
      : `${clockText(lo - now)} to ${clockText(hi - now)}`;
    return { kind: 'running', text };
  }
  if (now < hi && !isMoment(next)) {
    return { kind: 'due', text: `within ${clockText(hi - now)}` };
  }
  const late = now - hi;
  return late < patience
    ? { kind: 'due', text: 'due now' }
    : { kind: 'overdue', text: `overdue by ${clockText(late)}` };
}

/** A span as a clock shows it, rounded up to the second: `02:14`, `1:02:14`, `3d 04:00`. */
export function clockText(span: number): string {
  const total = Math.max(0, Math.ceil(span / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const days = Math.floor(total / 86_400);
  const hour = Math.floor((total % 86_400) / 3600);
  const minute = Math.floor((total % 3600) / 60);
  const second = total % 60;
  if (days > 0) return `${String(days)}d ${two(hour)}:${two(minute)}`;
  if (hour > 0) return `${String(hour)}:${two(minute)}:${two(second)}`;
  return `${two(minute)}:${two(second)}`;
}

/** A span in words for a listener: `2 hours 11 minutes`, `42 seconds`. */
export function spokenSpan(span: number): string {
  const total = Math.max(0, Math.ceil(span / 1000));
  const days = Math.floor(total / 86_400);
  const hour = Math.floor((total % 86_400) / 3600);
  const minute = Math.floor((total % 3600) / 60);
  const second = total % 60;
  const part = (value: number, unit: string): readonly string[] =>
    value === 0 ? [] : [`${String(value)} ${unit}${value === 1 ? '' : 's'}`];
  const parts =
    days > 0
      ? [...part(days, 'day'), ...part(hour, 'hour')]
      : hour > 0
        ? [...part(hour, 'hour'), ...part(minute, 'minute')]
        : [...part(minute, 'minute'), ...part(second, 'second')];
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

/** `2026-01-10T16:04:00Z`: whole seconds are all that a reader can use. */
export const utcText = (at: Instant): string =>
  formatInstant(instant(Math.floor(at / 1000) * 1000));

/** How times are written: how long until then, on this machine's clock, or in UTC. */
export type TimeStyle = 'relative' | 'local' | 'utc';

/** `16:04:00`, with the day where it is another one than `now`: `Dec 1, 16:04:00`. */
export function timeText(at: Instant, style: 'local' | 'utc', now: Instant): string {
  const { iso, clock, short } = formats[style];
  const day = iso.format(at);
  const today = iso.format(now);
  const time = `${clock.format(at)}${style === 'utc' ? ' UTC' : ''}`;
  if (day === today) return time;
  const isThisYear = day.slice(0, 4) === today.slice(0, 4);
  return isThisYear ? `${short.format(at)}, ${time}` : `${day} ${time}`;
}

const formatsIn = (zone: { readonly timeZone?: string }) => ({
  iso: new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', ...zone }),
  clock: new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', ...zone }),
  short: new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', ...zone }),
});

// Made once: a table writes them for every row, every second.
const formats = { local: formatsIn({}), utc: formatsIn({ timeZone: 'UTC' }) };

/** The next retry of a row in the chosen style. */
export function nextText(next: Window<Instant>, style: TimeStyle, now: Instant): string {
  if (style === 'relative') return countdown(next, now).text;
  if (isMoment(next)) return timeText(next.lo, style, now);
  return `${timeText(next.lo, style, now)} to ${timeText(next.hi, style, now)}`;
}
