import { seconds, type Ms } from '../units.ts';
import { parseGoDuration } from './go.ts';
import { parsed, refused, type Parsed } from './parsed.ts';

/**
 * Reads what Argo reads: a bare whole number is seconds, anything else a Go duration.
 *
 * `"10"` → 10s. Source: argo-workflows workflow/util `ParseStringToDuration`.
 */
export function parseSecondsOrGoDuration(text: string): Parsed<Ms> {
  if (/^[+-]?\d+$/.test(text)) return parsed(seconds(Number(text)));
  const go = parseGoDuration(text);
  if (go.ok || !/^[+-]?\d+\.\d+$/.test(text)) return go;
  return refused('a bare number must be whole seconds', { start: 0, end: text.length }, `${text}s`);
}
