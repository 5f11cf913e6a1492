import { ms, type Ms, type Window } from '../units.ts';

const day = 86_400_000;
const year = 365 * day;

/**
 * Writes a span for a reader, shortest exact form first: `1m20s`, `5m`, `17h3m`, `1.5s`, `750ms`, `0s`.
 *
 * Above a hundred days it rounds (`292 years`): nobody reads the seconds of a year.
 */
export function formatDuration(value: Ms): string {
  if (value < 0) return `-${formatDuration(ms(-Number(value)))}`;
  if (value === 0) return '0s';
  if (value < 1000) return formatBelowSecond(value);
  if (value >= 2 * year) return `${String(Math.round(value / year))} years`;
  if (value >= 100 * day) return `${String(Math.round(value / day))} days`;
  const rest = value % 60_000;
  const totalMinutes = Math.floor(value / 60_000);
  const part = (amount: number, unit: string) => (amount === 0 ? '' : `${trimmed(amount)}${unit}`);
  return (
    part(Math.floor(totalMinutes / 60), 'h') +
    part(totalMinutes % 60, 'm') +
    (rest === 0 ? '' : `${ofSeconds(rest / 1000)}s`)
  );
}

/** `1s..1.5s`, or one value where the window has no width. */
export function formatWindow(window: Window<Ms>): string {
  const { lo, hi } = window;
  return lo === hi ? formatDuration(lo) : `${formatDuration(lo)}..${formatDuration(hi)}`;
}

/** Writes a span as a manifest would have it, in Go's grammar: like `formatDuration`, and `8760h` for a year. */
export function writeGoDuration(value: Ms): string {
  return Math.abs(value) < 100 * day ? formatDuration(value) : `${trimmed(value / 3_600_000)}h`;
}

/** Writes a span in ISO-8601: `PT1H30M`, `PT0.5S`, `PT0S`. */
export function formatIsoDuration(value: Ms): string {
  const totalSeconds = Math.trunc(value / 1000);
  const rest = value - totalSeconds * 1000;
  const hour = Math.trunc(totalSeconds / 3600);
  const minute = Math.trunc(totalSeconds / 60) % 60;
  const second = ofSeconds((totalSeconds % 60) + rest / 1000);
  const text =
    (hour === 0 ? '' : `${String(hour)}H`) +
    (minute === 0 ? '' : `${String(minute)}M`) +
    (second === '0' ? '' : `${second}S`);
  return `PT${text === '' ? '0S' : text}`;
}

/** Writes a span of whole milliseconds as the Gateway API has it, without fractions: `1m30s500ms`. */
export function formatGatewayDuration(value: Ms): string {
  const totalSeconds = Math.floor(value / 1000);
  const parts = [
    [Math.floor(totalSeconds / 3600), 'h'],
    [Math.floor(totalSeconds / 60) % 60, 'm'],
    [totalSeconds % 60, 's'],
    [Math.round(value - totalSeconds * 1000), 'ms'],
  ] as const;
  const text = parts.map(([amount, unit]) => (amount === 0 ? '' : `${String(amount)}${unit}`));
  return text.join('') || '0s';
}

/**
 * Writes a span as Go's `Duration.String()` does: `5m0s`, `1h0m0s`, `1.5s`.
 *
 * For parsing and comparing the controllers' own messages.
 */
export function formatGoDuration(value: Ms): string {
  if (value < 0) return `-${formatGoDuration(ms(-Number(value)))}`;
  if (value === 0) return '0s';
  if (value < 1000) return formatBelowSecond(value);
  const totalSeconds = Math.floor(value / 1000);
  const rest = `${ofSeconds((totalSeconds % 60) + (value % 1000) / 1000)}s`;
  const hour = Math.floor(totalSeconds / 3600);
  const minute = Math.floor(totalSeconds / 60) % 60;
  if (hour > 0) return `${String(hour)}h${String(minute)}m${rest}`;
  return minute > 0 ? `${String(minute)}m${rest}` : rest;
}

function formatBelowSecond(value: number): string {
  if (value >= 1) return `${trimmed(value)}ms`;
  return value >= 0.001 ? `${trimmed(value * 1000)}µs` : `${trimmed(value * 1e6)}ns`;
}

const trimmed = (value: number): string => String(Number(value.toFixed(6)));

/** Seconds with all the digits down to a nanosecond. */
const ofSeconds = (value: number): string => value.toFixed(9).replace(/\.?0+$/, '');
