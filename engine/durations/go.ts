import { nanoseconds, type Ms } from '../units.ts';
import { parsed, refused, type Parsed } from './parsed.ts';

// Go's time.ParseDuration, src/time/format.go (Go 1.25): units, fractions and the int64 bound.
const unitNanoseconds: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const largest = 9_223_372_036_854_775_807n;
const knownUnits = 'ns, us, ms, s, m and h';

/** Words people write for a unit that Go does not know → the Go text of one of them. */
const foreignUnits: ReadonlyMap<string, { readonly unit: string; readonly times: number }> =
  new Map([
    ['d', { unit: 'h', times: 24 }],
    ['day', { unit: 'h', times: 24 }],
    ['days', { unit: 'h', times: 24 }],
    ['w', { unit: 'h', times: 168 }],
    ['week', { unit: 'h', times: 168 }],
    ['weeks', { unit: 'h', times: 168 }],
    ['y', { unit: 'h', times: 8760 }],
    ['sec', { unit: 's', times: 1 }],
    ['secs', { unit: 's', times: 1 }],
    ['second', { unit: 's', times: 1 }],
    ['seconds', { unit: 's', times: 1 }],
    ['S', { unit: 's', times: 1 }],
    ['min', { unit: 'm', times: 1 }],
    ['mins', { unit: 'm', times: 1 }],
    ['minute', { unit: 'm', times: 1 }],
    ['minutes', { unit: 'm', times: 1 }],
    ['M', { unit: 'm', times: 1 }],
    ['hr', { unit: 'h', times: 1 }],
    ['hrs', { unit: 'h', times: 1 }],
    ['hour', { unit: 'h', times: 1 }],
    ['hours', { unit: 'h', times: 1 }],
    ['H', { unit: 'h', times: 1 }],
    ['D', { unit: 'h', times: 24 }],
    ['msec', { unit: 'ms', times: 1 }],
    ['millis', { unit: 'ms', times: 1 }],
  ]);

type Part = { readonly number: string; readonly unit: string; readonly start: number };

/**
 * Reads a Go duration, as `time.ParseDuration` does: `1h30m`, `750ms`, `-5s`, `0`.
 *
 * The value is in milliseconds. Refuses days and weeks, bare numbers, blanks and overflow, and points at the
 * offending characters. A leading minus is read; whether it makes sense is the field's to say.
 */
export function parseGoDuration(text: string): Parsed<Ms> {
  if (text === '') return refused('an empty text is not a duration', { start: 0, end: 0 });
  const sign = text.startsWith('-') ? -1n : 1n;
  const body = text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text;
  const offset = text.length - body.length;
  if (body === '0') return parsed(nanoseconds(0n));
  if (body === '') return refused('a sign alone is not a duration', { start: 0, end: 1 });
  const parts = split(body, offset);
  const suggestion = parts === undefined ? suggestFor(body) : rewrite(parts, text.slice(0, offset));
  if (parts === undefined) {
    return refused(describeMalformed(body), malformedAt(body, offset), suggestion);
  }
  let total = 0n;
  for (const part of parts) {
    const perUnit = unitNanoseconds.get(part.unit);
    if (perUnit === undefined) return refuseUnit(part, suggestion);
    total += scaled(part.number, perUnit);
    if (total > largest + (sign === -1n ? 1n : 0n)) {
      return refused('longer than a Go duration can be (about 292 years)', {
        start: 0,
        end: text.length,
      });
    }
  }
  return parsed(nanoseconds(sign * total));
}

/** `1h30` → undefined: every number needs a unit. */
function split(body: string, offset: number): readonly Part[] | undefined {
  const parts: Part[] = [];
  const part = /(\d+\.?\d*|\.\d+)([^\d.\s+-]+)/gy;
  while (part.lastIndex < body.length) {
    const start = part.lastIndex;
    const match = part.exec(body);
    if (match === null) return undefined;
    parts.push({ number: match[1] ?? '', unit: match[2] ?? '', start: start + offset });
  }
  return parts;
}

/** Exact for whole and fractional numbers; digits below a nanosecond are dropped, as Go does. */
function scaled(number: string, perUnit: bigint): bigint {
  const [whole = '0', fraction = ''] = number.split('.');
  const wholePart = BigInt(whole === '' ? '0' : whole) * perUnit;
  if (fraction === '') return wholePart;
  const digits = fraction.slice(0, 18);
  return wholePart + (BigInt(digits) * perUnit) / 10n ** BigInt(digits.length);
}

function refuseUnit(part: Part, suggestion: string | undefined): Parsed<never> {
  const start = part.start + part.number.length;
  const at = { start, end: start + part.unit.length };
  const hint = suggestion === undefined ? '' : `; write ${suggestion}`;
  return refused(
    `\`${part.unit}\` is not a unit: Go durations know ${knownUnits}${hint}`,
    at,
    suggestion,
  );
}

function rewrite(parts: readonly Part[], sign: string): string | undefined {
  let text = sign;
  for (const { number, unit } of parts) {
    if (unitNanoseconds.has(unit)) {
      text += number + unit;
      continue;
    }
    const foreign = foreignUnits.get(unit);
    if (foreign === undefined) return undefined;
    const value = Number(number) * foreign.times;
    if (!Number.isFinite(value)) return undefined;
    text += `${String(Number(value.toFixed(6)))}${foreign.unit}`;
  }
  return text;
}

function describeMalformed(body: string): string {
  if (/^\d+(\.\d+)?$/.test(body)) return `\`${body}\` has no unit: write ${body}s for seconds`;
  if (/\s/.test(body)) return 'a Go duration has no blanks in it';
  if (/^[PT]/.test(body))
    return 'ISO-8601 durations are not read here: write a Go duration such as 1h30m';
  return `not a Go duration: a number and a unit (${knownUnits}), such as 1h30m`;
}

function malformedAt(body: string, offset: number): { start: number; end: number } {
  const trailing = /\d+(\.\d+)?$/.exec(body);
  if (trailing !== null && /^[\d.a-zµμ]+$/.test(body) && trailing.index > 0) {
    return { start: offset + trailing.index, end: offset + body.length };
  }
  return { start: 0, end: offset + body.length };
}

function suggestFor(body: string): string | undefined {
  if (/^\d+(\.\d+)?$/.test(body)) return `${body}s`;
  const tight = body.replace(/\s+/g, '');
  if (tight === body || tight === '') return undefined;
  const parts = split(tight, 0);
  return parts === undefined ? undefined : rewrite(parts, '');
}
