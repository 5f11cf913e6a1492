import { ms, type Ms } from '../units.ts';
import { formatGatewayDuration } from './format.ts';
import { parseGoDuration } from './go.ts';
import { parsed, refused, type Parsed } from './parsed.ts';

const perUnit: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/**
 * Reads a Gateway API duration (GEP-2257): `1h30m`, `500ms`; integers only, at most five digits each.
 *
 * Source: Gateway API apis/v1/shared_types.go, pattern `^([0-9]{1,5}(h|m|s|ms)){1,4}$`.
 */
export function parseGatewayDuration(text: string): Parsed<Ms> {
  const whole = { start: 0, end: text.length };
  if (/^([0-9]{1,5}(h|m|s|ms)){1,4}$/.test(text)) {
    let total = 0;
    for (const [, digits, unit] of text.matchAll(/(\d+)(ms|h|m|s)/g)) {
      total += Number(digits) * (perUnit[unit ?? ''] ?? 0);
    }
    return parsed(ms(total));
  }
  const asGo = parseGoDuration(text);
  const fits = asGo.ok && asGo.value >= 0 && Number.isInteger(asGo.value);
  const rewritten = fits
    ? formatGatewayDuration(asGo.value)
    : asGo.ok
      ? undefined
      : asGo.suggestion;
  const suggestion =
    rewritten !== undefined && /^([0-9]{1,5}(h|m|s|ms)){1,4}$/.test(rewritten)
      ? rewritten
      : undefined;
  const point = text.indexOf('.');
  if (point !== -1) {
    const before = /\d*$/.exec(text.slice(Math.max(0, point - 20), point))?.[0] ?? '';
    const behind = /^\d*/.exec(text.slice(point + 1))?.[0] ?? '';
    const at = { start: point - before.length, end: point + 1 + behind.length };
    return refused('a Gateway API duration has no fractions', at, suggestion);
  }
  return refused(
    'not a Gateway API duration: up to four whole numbers of at most five digits with h, m, s or ms',
    whole,
    suggestion,
  );
}
