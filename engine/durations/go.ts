import { nanoseconds, type Ms } from '../units.ts';
import { writeGoDuration } from './format.ts';
import { parseIsoDuration } from './iso.ts';
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
  const signText = text.slice(0, offset);
  if (parts === undefined) {
    return refuseMalformed(text, body, offset, suggestFor(body, signText));
  }
  let total = 0n;
  for (const part of parts) {
    const perUnit = unitNanoseconds.get(part.unit);
    if (perUnit === undefined) return refuseUnit(text, part, rewrite(parts, signText));
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
  const part = /(\d+(?:\.\d*)?|\.\d+)([^\d.\s+-]+)/gy;
  while (part.lastIndex < body.length) {
    const start = part.lastIndex;
    const match = part.exec(body);
    if (match === null) return undefined;
    parts.push({ number: match[1] ?? '', unit: match[2] ?? '', start: start + offset });
  }
  return parts;
}

/** Whole numbers exactly; fractions in float64, cut to whole nanoseconds, digit for digit as Go does. */
function scaled(number: string, perUnit: bigint): bigint {
  const [whole = '0', fraction = ''] = number.split('.');
  const wholePart = BigInt(whole === '' ? '0' : whole) * perUnit;
  if (fraction === '') return wholePart;
  let digits = 0n;
  let scale = 1;
  for (const digit of fraction) {
    if (digits > mostDigits) break;
    digits = digits * 10n + BigInt(digit);
    scale *= 10;
  }
  return wholePart + BigInt(Math.trunc(Number(digits) * (Number(perUnit) / scale)));
}

// leadingFraction drops the digits after these: a tenth of the largest int64.
const mostDigits = largest / 10n;

function refuseUnit(text: string, part: Part, suggestion: string | undefined): Parsed<never> {
  const start = part.start + part.number.length;
  const at = { start, end: start + part.unit.length };
  if (part.unit === ',') {
    const pointed = text.replace(',', '.');
    const instead = parseGoDuration(pointed).ok ? pointed : undefined;
    return refused(`a fraction is written with a point: write ${instead ?? '1.5s'}`, at, instead);
  }
  const hint = suggestion === undefined ? '' : `; write ${suggestion}`;
  return refused(
    `\`${part.unit}\` is not a unit: Go durations know ${knownUnits}${hint}`,
    at,
    suggestion,
  );
}

/** The same span with units that Go knows: `1d12h` → `36h`. Parts of one unit are added up. */
function rewrite(parts: readonly Part[], sign: string): string | undefined {
  const amounts = new Map<string, number>();
  for (const { number, unit } of parts) {
    const known = unitNanoseconds.has(unit) ? { unit, times: 1 } : foreignUnits.get(unit);
    if (known === undefined) return undefined;
    amounts.set(known.unit, (amounts.get(known.unit) ?? 0) + Number(number) * known.times);
  }
  const written = [...amounts].map(
    ([unit, amount]) => `${String(Number(amount.toFixed(6)))}${unit}`,
  );
  const text = sign + written.join('');
  return parseGoDuration(text).ok ? text : undefined;
}

function refuseMalformed(
  text: string,
  body: string,
  offset: number,
  suggestion: string | undefined,
): Parsed<never> {
  const whole = { start: 0, end: text.length };
  if (/^\d+(\.\d*)?$/.test(body)) {
    return refused(`\`${text}\` has no unit: write ${text}s for seconds`, whole, suggestion);
  }
  const blank = /\s+/.exec(text);
  if (blank !== null) {
    const at = { start: blank.index, end: blank.index + blank[0].length };
    return refused('a Go duration has no blanks in it', at, suggestion);
  }
  if (/^[PT]/.test(body)) {
    const instead = suggestion ?? 'a Go duration such as 1h30m';
    return refused(`ISO-8601 durations are not read here: write ${instead}`, whole, suggestion);
  }
  const loose = /[^\d.]([\d.]*\d)$/.exec(body)?.[1];
  if (loose !== undefined && /^[\d.a-zµμ]+$/.test(body)) {
    const at = { start: text.length - loose.length, end: text.length };
    return refused(`\`${loose}\` has no unit: every number needs one (${knownUnits})`, at);
  }
  const at = { start: offset, end: text.length };
  return refused(
    `not a Go duration: a number and a unit (${knownUnits}), such as 1h30m`,
    offset > 0 && body !== '' && !/^[+-]/.test(body) ? at : whole,
    suggestion,
  );
}

function suggestFor(body: string, sign: string): string | undefined {
  if (/^\d+(\.\d+)?$/.test(body)) return `${sign}${body}s`;
  const iso = body.startsWith('P') ? parseIsoDuration(body) : undefined;
  if (iso?.ok === true) return sign + writeGoDuration(iso.value);
  const tight = body.replace(/\s+/g, '');
  if (tight === body || tight === '') return undefined;
  const parts = split(tight, 0);
  return parts === undefined ? undefined : rewrite(parts, sign);
}
