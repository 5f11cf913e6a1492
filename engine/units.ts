declare const unit: unique symbol;

/** A span of time in milliseconds; fractions are kept down to a nanosecond. */
export type Ms = number & { readonly [unit]: 'ms' };

/** A point in time, in milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number & { readonly [unit]: 'epoch-ms' };

/** The smallest and the largest value a quantity can take; equal when nothing is random. */
export type Window<T> = { readonly lo: T; readonly hi: T };

export const ms = (value: number): Ms => value as Ms;
export const seconds = (value: number): Ms => (value * 1000) as Ms;
export const minutes = (value: number): Ms => (value * 60_000) as Ms;
export const hours = (value: number): Ms => (value * 3_600_000) as Ms;
export const nanoseconds = (value: number | bigint): Ms => (Number(value) / 1e6) as Ms;
export const instant = (epochMs: number): Instant => epochMs as Instant;

export const zero: Ms = ms(0);

/** The window of a value that is known exactly. */
export const exactly = <T>(value: T): Window<T> => ({ lo: value, hi: value });

export const between = <T>(lo: T, hi: T): Window<T> => ({ lo, hi });

/** A sum to the nanosecond: noise of the fractions below it does not add up. */
export const addMs = (a: Ms, b: Ms): Ms => (Math.round((a + b) * 1e6) / 1e6) as Ms;

export const addWindow = (a: Window<Ms>, b: Window<Ms>): Window<Ms> => ({
  lo: addMs(a.lo, b.lo),
  hi: addMs(a.hi, b.hi),
});

/** The instant a wait after another instant. */
export const after = (from: Instant, wait: Ms): Instant => (from + wait) as Instant;

/** The largest wait a Go `time.Duration` holds: 2^63-1 nanoseconds, about 292 years. */
export const longestGoDuration: Ms = nanoseconds(9_223_372_036_854_775_807n);

/** Whole nanoseconds of a span, as Go counts them. */
export const toNanoseconds = (value: Ms): bigint => {
  const whole = Math.trunc(value);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((value - whole) * 1e6));
};

/** Reads an RFC 3339 time as the Kubernetes API writes it, or nothing when the text is no time. */
export const parseInstant = (text: unknown): Instant | undefined => {
  if (typeof text !== 'string') return undefined;
  const usual = usualInstant(text);
  if (usual !== undefined) return instant(usual);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text)) return undefined;
  const value = Date.parse(text);
  return Number.isNaN(value) ? undefined : instant(value);
};

/** `2026-01-10T16:00:00Z`, as nearly every time of the API is written; every object of a cluster has several of them. */
function usualInstant(text: string): number | undefined {
  const isUsual =
    text.length === 20 &&
    text[4] === '-' &&
    text[7] === '-' &&
    text[10] === 'T' &&
    text[19] === 'Z';
  if (!isUsual || text[13] !== ':' || text[16] !== ':') return undefined;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  // Comparisons with NaN fail. The last days of a month, and years before 100, are left to the whole parser.
  const isDay = year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= 28;
  const isTime = hour <= 23 && minute <= 59 && second <= 59;
  return isDay && isTime ? Date.UTC(year, month - 1, day, hour, minute, second) : undefined;
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - zeroCode;
  const ones = text.charCodeAt(at + 1) - zeroCode;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : Number.NaN;
}

const zeroCode = 48;

/** Writes an instant as the contract prints it: `2026-01-10T16:00:00Z`. */
export const formatInstant = (at: Instant): string =>
  new Date(at).toISOString().replace('.000Z', 'Z');

/** Marks a branch that the types say cannot be reached. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
};
