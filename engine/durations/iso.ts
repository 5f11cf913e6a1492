import { ms, type Ms } from '../units.ts';
import { parsed, refused, type Parsed } from './parsed.ts';

const perUnit = { D: 86_400_000, H: 3_600_000, M: 60_000, S: 1000, W: 604_800_000 };

/**
 * Reads an ISO-8601 duration: `PT1.5S`, `P1DT2H`. The value is in milliseconds.
 *
 * Years and months have no fixed length and are refused.
 */
export function parseIsoDuration(text: string): Parsed<Ms> {
  const whole = { start: 0, end: text.length };
  const number = '(\\d+(?:[.,]\\d+)?)';
  const shape = new RegExp(
    `^P(?:${number}W)?(?:${number}D)?(?:T(?:${number}H)?(?:${number}M)?(?:${number}S)?)?$`,
  );
  const match = shape.exec(text);
  if (match === null || /^PT?$/.test(text) || text.endsWith('T')) {
    const calendar = /^P(?:[\d.,]+[YM])/.exec(text);
    if (calendar !== null) {
      return refused('years and months have no fixed length: write days or hours', {
        start: 1,
        end: calendar[0].length,
      });
    }
    return refused(
      'not an ISO-8601 duration: write for example PT30S or PT1H30M',
      whole,
      suggest(text),
    );
  }
  const [, weeks, days, hour, minute, second] = match;
  const value = (digits: string | undefined) => Number((digits ?? '0').replace(',', '.'));
  const total =
    value(weeks) * perUnit.W +
    value(days) * perUnit.D +
    value(hour) * perUnit.H +
    value(minute) * perUnit.M +
    value(second) * perUnit.S;
  return Number.isFinite(total) ? parsed(ms(total)) : refused('longer than anyone can wait', whole);
}

/** `1h30m` → `PT1H30M`. */
function suggest(text: string): string | undefined {
  const go = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/.exec(text);
  const upper = text.toUpperCase();
  if (upper !== text && parseIsoDuration(upper).ok) return upper;
  if (go === null || text === '') return /^\d+$/.test(text) ? `PT${text}S` : undefined;
  const [, hour, minute, second] = go;
  const part = (digits: string | undefined, unit: string) =>
    digits === undefined ? '' : `${digits}${unit}`;
  return `PT${part(hour, 'H')}${part(minute, 'M')}${part(second, 'S')}`;
}
