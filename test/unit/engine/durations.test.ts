import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDuration,
  formatGoDuration,
  formatIsoDuration,
  formatWindow,
  writeGoDuration,
} from '../../../engine/durations/format.ts';
import { parseGatewayDuration } from '../../../engine/durations/gateway.ts';
import { parseGoDuration } from '../../../engine/durations/go.ts';
import { parseIsoDuration } from '../../../engine/durations/iso.ts';
import type { Parsed } from '../../../engine/durations/parsed.ts';
import { parseSecondsOrGoDuration } from '../../../engine/durations/seconds.ts';
import { longestGoDuration, ms, nanoseconds, type Ms } from '../../../engine/units.ts';

const valueOf = (parsed: Parsed<Ms>): number | string =>
  parsed.ok ? parsed.value : `refused: ${parsed.message}`;

/** `start-end message → suggestion`. */
const refusal = (parsed: Parsed<Ms>): string => {
  if (parsed.ok) return `read: ${String(parsed.value)}`;
  const { at, message, suggestion } = parsed;
  const instead = suggestion === undefined ? '' : ` → ${suggestion}`;
  return `${String(at.start)}-${String(at.end)} ${message}${instead}`;
};

const units = 'ns, us, ms, s, m and h';
const noUnit = (unit: string, write?: string) =>
  `\`${unit}\` is not a unit: Go durations know ${units}${write === undefined ? '' : `; write ${write} → ${write}`}`;
const malformed = `not a Go duration: a number and a unit (${units}), such as 1h30m`;
const blanks = 'a Go duration has no blanks in it';
const needsOne = (text: string) => `\`${text}\` has no unit: every number needs one (${units})`;

describe('Go durations', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['+0', 0],
    ['0s', 0],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['750ms', 750],
    ['5us', 0.005],
    ['5µs', 0.005],
    ['5μs', 0.005],
    ['3ns', 0.000_003],
    ['.5s', 500],
    ['5.s', 5000],
    ['-5s', -5000],
    ['+5s', 5000],
    ['1s1s', 2000],
    ['1m1h', 3_660_000],
    ['0.1s', 100],
    ['0.0000000019s', 0.000_001],
    ['9223372036854775807ns', longestGoDuration],
    ['-9223372036854775808ns', -Number(longestGoDuration)],
    ['2562047h47m16.854775807s', longestGoDuration],
    ['0.33333333333333333333h', 1_200_000],
  ])('reads %s', (text, value) => {
    expect(valueOf(parseGoDuration(text))).toBe(value);
  });

  it.each([
    ['', '0-0 an empty text is not a duration'],
    ['+', '0-1 a sign alone is not a duration'],
    ['-', '0-1 a sign alone is not a duration'],
    ['5', '0-1 `5` has no unit: write 5s for seconds → 5s'],
    ['-5', '0-2 `-5` has no unit: write -5s for seconds → -5s'],
    ['1.5', '0-3 `1.5` has no unit: write 1.5s for seconds → 1.5s'],
    ['1d', `1-2 ${noUnit('d', '24h')}`],
    ['-1d', `2-3 ${noUnit('d', '-24h')}`],
    ['1.5d', `3-4 ${noUnit('d', '36h')}`],
    ['1d12h', `1-2 ${noUnit('d', '36h')}`],
    ['1w2h', `1-2 ${noUnit('w', '170h')}`],
    ['1h2days', `3-7 ${noUnit('days', '49h')}`],
    ['1y', `1-2 ${noUnit('y', '8760h')}`],
    ['5S', `1-2 ${noUnit('S', '5s')}`],
    ['5sec', `1-4 ${noUnit('sec', '5s')}`],
    ['1M', `1-2 ${noUnit('M', '1m')}`],
    ['10min', `2-5 ${noUnit('min', '10m')}`],
    ['200msec', `3-7 ${noUnit('msec', '200ms')}`],
    ['5x', `1-2 ${noUnit('x')}`],
    ['1h5x', `3-4 ${noUnit('x')}`],
    ['1month', `1-6 ${noUnit('month')}`],
    ['1e3s', `1-2 ${noUnit('e')}`],
    ['1,5s', '1-2 a fraction is written with a point: write 1.5s → 1.5s'],
    ['1h30', `2-4 ${needsOne('30')}`],
    ['1h30m5', `5-6 ${needsOne('5')}`],
    [' 5s', `0-1 ${blanks} → 5s`],
    ['5s ', `2-3 ${blanks} → 5s`],
    ['1h 30m', `2-3 ${blanks} → 1h30m`],
    ['5 d', `1-2 ${blanks} → 120h`],
    ['- 5s', `1-2 ${blanks} → -5s`],
    ['five s', `4-5 ${blanks}`],
    ['PT5S', '0-4 ISO-8601 durations are not read here: write 5s → 5s'],
    ['P1D', '0-3 ISO-8601 durations are not read here: write 24h → 24h'],
    ['P1Y', '0-3 ISO-8601 durations are not read here: write a Go duration such as 1h30m'],
    ['abc', `0-3 ${malformed}`],
    ['h', `0-1 ${malformed}`],
    ['.s', `0-2 ${malformed}`],
    ['1..5s', `0-5 ${malformed}`],
    ['--5s', `0-4 ${malformed}`],
    ['1h-5m', `0-5 ${malformed}`],
    ['300y', `3-4 ${noUnit('y')}`],
    ['9223372036854775808ns', '0-21 longer than a Go duration can be (about 292 years)'],
    ['2562048h', '0-8 longer than a Go duration can be (about 292 years)'],
  ])('refuses %j', (text, expected) => {
    expect(refusal(parseGoDuration(text))).toBe(expected);
  });
});

describe('whole seconds or Go durations', () => {
  it.each([
    ['10', 10_000],
    ['-5', -5000],
    ['+5', 5000],
    ['1m', 60_000],
    ['0', 0],
  ])('reads %s', (text, value) => {
    expect(valueOf(parseSecondsOrGoDuration(text))).toBe(value);
  });

  it.each([
    ['1.5', '0-3 a bare number must be whole seconds → 1.5s'],
    ['-1.5', '0-4 a bare number must be whole seconds → -1.5s'],
    ['10 ', `2-3 ${blanks} → 10`],
    ['1d', `1-2 ${noUnit('d', '24h')}`],
    ['', '0-0 an empty text is not a duration'],
    ['9223372037', '0-10 longer than a Go duration can be (about 292 years)'],
  ])('refuses %j', (text, expected) => {
    expect(refusal(parseSecondsOrGoDuration(text))).toBe(expected);
  });
});

describe('ISO-8601 durations', () => {
  it.each([
    ['PT1.5S', 1500],
    ['PT1,5S', 1500],
    ['P1DT2H', 93_600_000],
    ['P1W', 604_800_000],
    ['P2D', 172_800_000],
    ['PT1M', 60_000],
    ['PT0S', 0],
  ])('reads %s', (text, value) => {
    expect(valueOf(parseIsoDuration(text))).toBe(value);
  });

  const shape = 'not an ISO-8601 duration: write for example PT30S or PT1H30M';
  it.each([
    ['PT', `0-2 ${shape}`],
    ['P', `0-1 ${shape}`],
    ['', `0-0 ${shape}`],
    ['P1DT', `0-4 ${shape}`],
    ['PT-5S', `0-5 ${shape}`],
    ['P1Y2M', '1-3 years and months have no fixed length: write days or hours'],
    ['P1M', '1-3 years and months have no fixed length: write days or hours'],
    ['30', `0-2 ${shape} → PT30S`],
    ['1h30m', `0-5 ${shape} → PT1H30M`],
    ['pt5s', `0-4 ${shape} → PT5S`],
  ])('refuses %j', (text, expected) => {
    expect(refusal(parseIsoDuration(text))).toBe(expected);
  });
});

describe('Gateway API durations', () => {
  it.each([
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['0s', 0],
    ['99999h', 99_999 * 3_600_000],
    ['1s1s', 2000],
  ])('reads %s', (text, value) => {
    expect(valueOf(parseGatewayDuration(text))).toBe(value);
  });

  const shape =
    'not a Gateway API duration: up to four whole numbers of at most five digits with h, m, s or ms';
  const whole = 'a Gateway API duration has no fractions';
  it.each([
    ['0', `0-1 ${shape} → 0s`],
    ['5', `0-1 ${shape} → 5s`],
    ['1.5h', `0-3 ${whole} → 1h30m`],
    ['1m30.5s', `2-6 ${whole} → 1m30s500ms`],
    ['0.5s', `0-3 ${whole} → 500ms`],
    ['100000ms', `0-8 ${shape} → 1m40s`],
    ['1s1s1s1s1s', `0-10 ${shape} → 5s`],
    ['1d', `0-2 ${shape} → 24h`],
    ['10 s', `0-4 ${shape} → 10s`],
    ['5us', `0-3 ${shape}`],
    ['-5s', `0-3 ${shape}`],
    ['', `0-0 ${shape}`],
  ])('refuses %j', (text, expected) => {
    expect(refusal(parseGatewayDuration(text))).toBe(expected);
  });
});

describe('writing', () => {
  it.each([
    [0, '0s', '0s', 'PT0S'],
    [0.000_003, '3ns', '3ns', 'PT0.000000003S'],
    [0.000_001, '1ns', '1ns', 'PT0.000000001S'],
    [0.0015, '1.5µs', '1.5µs', 'PT0.0000015S'],
    [0.75, '750µs', '750µs', 'PT0.00075S'],
    [1, '1ms', '1ms', 'PT0.001S'],
    [5062.5, '5.0625s', '5.0625s', 'PT5.0625S'],
    [1000.000_001, '1.000000001s', '1.000000001s', 'PT1.000000001S'],
    [60_000, '1m', '1m0s', 'PT1M'],
    [80_000, '1m20s', '1m20s', 'PT1M20S'],
    [300_000, '5m', '5m0s', 'PT5M'],
    [3_600_000, '1h', '1h0m0s', 'PT1H'],
    [3_601_000, '1h1s', '1h0m1s', 'PT1H1S'],
    [61_380_000, '17h3m', '17h3m0s', 'PT17H3M'],
    [-1500, '-1.5s', '-1.5s', undefined],
  ])('%d ms', (value, short, go, iso) => {
    expect(formatDuration(ms(value))).toBe(short);
    expect(formatGoDuration(ms(value))).toBe(go);
    if (iso !== undefined) expect(formatIsoDuration(ms(value))).toBe(iso);
  });

  it('rounds what nobody reads', () => {
    expect(formatDuration(longestGoDuration)).toBe('292 years');
    expect(formatDuration(ms(200 * 86_400_000))).toBe('200 days');
    expect(formatDuration(ms(99 * 86_400_000))).toBe('2376h');
  });

  it('writes manifests in Go, however long', () => {
    expect(writeGoDuration(ms(365 * 86_400_000))).toBe('8760h');
    expect(writeGoDuration(ms(90_000))).toBe('1m30s');
  });

  it('writes windows', () => {
    expect(formatWindow({ lo: ms(1000), hi: ms(1000) })).toBe('1s');
    expect(formatWindow({ lo: ms(1000), hi: ms(1500) })).toBe('1s..1.5s');
  });
});

describe('properties', () => {
  /** Whole nanoseconds up to 99 days. */
  const span = fc
    .bigInt({ min: 0n, max: 99n * 86_400_000_000_000n })
    .map((count) => ({ count, value: nanoseconds(count) }));
  const close = (a: number, b: number) => Math.abs(a - b) <= Math.max(1e-6, Math.abs(a) * 1e-12);

  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(span, ({ value }) => {
        for (const text of [
          formatDuration(value),
          formatGoDuration(value),
          writeGoDuration(value),
        ]) {
          const read = parseGoDuration(text);
          expect(read.ok && close(read.value, value), text).toBe(true);
        }
        const iso = parseIsoDuration(formatIsoDuration(value));
        expect(iso.ok && close(iso.value, value)).toBe(true);
      }),
    );
  });

  it('adds up its parts', () => {
    const part = fc.tuple(fc.integer({ min: 0, max: 9999 }), fc.constantFrom('h', 'm', 's', 'ms'));
    const of = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts.map(([amount, unit]) => `${String(amount)}${unit}`).join('');
        const sum = parts.reduce((total, [amount, unit]) => total + amount * of[unit], 0);
        expect(parseGoDuration(text)).toEqual({ ok: true, value: sum });
      }),
    );
  });

  const parsers = {
    go: parseGoDuration,
    seconds: parseSecondsOrGoDuration,
    iso: parseIsoDuration,
    gateway: parseGatewayDuration,
  };
  const letters = fc.constantFrom(...' 0123456789.+-,PTYMWDHSdhmsnuµμwye'.split(''));
  const written = fc.oneof(
    fc.string(),
    fc.array(letters, { maxLength: 12 }).map((all) => all.join('')),
  );

  it.each(Object.entries(parsers))(
    'points inside the text and suggests what it reads: %s',
    (_, parse) => {
      fc.assert(
        fc.property(written, (text) => {
          const read = parse(text);
          if (read.ok) {
            expect(Number.isFinite(read.value)).toBe(true);
            return;
          }
          expect(read.at.start).toBeGreaterThanOrEqual(0);
          expect(read.at.start).toBeLessThanOrEqual(read.at.end);
          expect(read.at.end).toBeLessThanOrEqual(text.length);
          if (read.suggestion !== undefined) expect(parse(read.suggestion).ok, text).toBe(true);
        }),
        { numRuns: 2000 },
      );
    },
  );

  // What walks a text of this length once for each of its characters takes minutes: it ends by the test's timeout.
  it('ends for texts of any length', () => {
    const long = '1'.repeat(200_000);
    for (const text of [
      long,
      `${long}.`,
      `${long}x`,
      ' '.repeat(200_000),
      `${'1h'.repeat(100_000)}!`,
    ]) {
      for (const parse of Object.values(parsers)) expect(parse(text)).toBeDefined();
    }
  });
});
