import { longestGoDuration, seconds, type Ms } from '../units.ts';
import { parseGoDuration } from './go.ts';
import { parsed, refused, type Parsed } from './parsed.ts';

/**
 * Reads what Argo reads: a bare whole number is seconds, anything else a Go duration.
 *
 * `"10"` → 10s. Source: argo-workflows workflow/util `ParseStringToDuration`.
 */
export function parseSecondsOrGoDuration(text: string): Parsed<Ms> {
  if (/^[+-]?\d+$/.test(text)) {
    const value = seconds(Number(text));
    if (Math.abs(value) <= longestGoDuration) return parsed(value);
    const whole = { start: 0, end: text.length };
    return refused('longer than a Go duration can be (about 292 years)', whole);
  }
  const go = parseGoDuration(text);
  const bare = /^\s*([+-]?\d+)\s*$/.exec(text)?.[1];
  if (!go.ok && bare !== undefined) return { ...go, suggestion: bare };
  if (go.ok || !/^[+-]?\d+\.\d+$/.test(text)) return go;
  return refused('a bare number must be whole seconds', { start: 0, end: text.length }, `${text}s`);
}
