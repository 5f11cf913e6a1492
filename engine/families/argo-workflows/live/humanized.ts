import { hours, ms, type Ms, type Window } from '../../../units.ts';

const second = 1000;
const days = (count: number): number => hours(24 * count);
const units: ReadonlyMap<string, number> = new Map([
  ['second', second],
  ['minute', 60 * second],
  ['hour', 3600 * second],
  ['day', days(1)],
  ['week', days(7)],
  ['month', days(30)],
  ['year', days(360)],
]);

/**
 * The waits that the controller's words can stand for: `1 minute 0 seconds` is 60 to 61 seconds.
 *
 * Two units at most are written and the rest is cut off. Source: argo-workflows v4.1.2
 * util/humanize/humanize.go Duration, over github.com/dustin/go-humanize.
 */
export function readHumanized(text: string): Window<Ms> | undefined {
  const match = /^(\d+) ([a-z]+?)s?(?: (\d+) (second|minute|hour)s)?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, count = '', name = '', more, moreName = ''] = match;
  const unit = units.get(name);
  if (unit === undefined) return undefined;
  const first = Number(count) * unit;
  // "1 year" is up to a year and a half, "2 years" from there on.
  const lo = name === 'year' && count === '2' ? 1.5 * unit : first;
  const end = name === 'year' && count === '1' ? 1.5 * unit : first + unit;
  const rest = units.get(moreName);
  if (more === undefined || rest === undefined) return { lo: ms(lo), hi: ms(end) };
  const from = lo + Number(more) * rest;
  // Minutes go with seconds, hours with minutes, days with hours; larger units leave days out.
  const isExact = unit <= days(1);
  return { lo: ms(from), hi: ms(isExact ? from + rest : end) };
}

/** The wait in `Backoff for 1 minute 0 seconds`, which is all of it and does not count down. */
export function waitInMessage(message: string | undefined): Window<Ms> | undefined {
  const match = /^Backoff for (.+)$/.exec(message ?? '');
  return match === null ? undefined : readHumanized(match[1] ?? '');
}
