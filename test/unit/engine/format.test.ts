import { describe, expect, it } from 'vitest';
import {
  boolean,
  decimal,
  gatewayDuration,
  goDuration,
  integer,
  integerOrText,
  isoDuration,
  nearest,
  oneOf,
  secondsOrGoDuration,
  text,
  wholeNanoseconds,
  wholeSeconds,
  type Format,
} from '../../../engine/format.ts';
import { nodeAt } from '../../../engine/source.ts';
import { hours, ms, seconds } from '../../../engine/units.ts';
import { parseYamlDocument } from '../../../server/src/analysis/yamlDocument.ts';

/** `value`, or `code message → suggestion (style)`. */
const read = (format: Format<unknown>, written: string): unknown => {
  const parsed = parseYamlDocument(`a: ${written}\n`);
  const node = parsed === undefined ? undefined : nodeAt(parsed.tree.root, ['a']);
  if (node === undefined) throw new Error('no node');
  const result = format.read(node);
  if (result.ok) return result.value;
  const { code, message, suggestion, style } = result.problem;
  const instead = suggestion === undefined ? '' : ` → ${suggestion}`;
  return `${code}: ${message}${instead}${style === undefined ? '' : ` (${style})`}`;
};

describe('durations', () => {
  it.each<[Format<unknown>, string, unknown]>([
    [goDuration, '5m', 300_000],
    [goDuration, '"1h30m"', 5_400_000],
    [
      goDuration,
      '30',
      'wrong-type: the number 30 is refused here: the field holds a string, write "30s" → 30s (quoted)',
    ],
    [
      goDuration,
      '"30"',
      'bad-duration: `30` cannot be read: `30` has no unit: write 30s for seconds → 30s',
    ],
    [goDuration, '{s: 5}', 'wrong-type: a map is refused here: write a Go duration, such as 1h30m'],
    [secondsOrGoDuration, '"30"', 30_000],
    [secondsOrGoDuration, '1m', 60_000],
    [
      secondsOrGoDuration,
      '30',
      'wrong-type: the number 30 is refused here: the field holds a string, write "30" → 30 (quoted)',
    ],
    [isoDuration, 'PT5S', 5000],
    [gatewayDuration, '500ms', 500],
    [wholeSeconds, '30', 30_000],
    [
      wholeSeconds,
      '"1m"',
      'wrong-type: the text "1m" is refused here: the field counts seconds, write 60 → 60 (plain)',
    ],
    [
      wholeSeconds,
      '1m',
      'wrong-type: the text "1m" is refused here: the field counts seconds, write 60 → 60 (plain)',
    ],
    [wholeNanoseconds, '"1000000"', 1],
    [wholeNanoseconds, '3', 0.000_003],
  ])('reads, case %#', (format, written, expected) => {
    expect(read(format, written)).toEqual(expected);
  });

  it.each<[Format<ReturnType<typeof ms>>, number, string]>([
    [goDuration, 90_000, '1m30s'],
    [goDuration, hours(8760), '8760h'],
    [isoDuration, 90_000, 'PT1M30S'],
    [gatewayDuration, 1500, '1s500ms'],
    [wholeSeconds, seconds(30), '30'],
    [wholeNanoseconds, ms(1.5), '1500000'],
  ])('writes what it reads, case %#', (format, value, expected) => {
    const written = format.write(ms(value));
    expect(written).toBe(expected);
    expect(read(format, format === wholeSeconds ? written : `"${written}"`)).toBe(value);
  });
});

describe('numbers', () => {
  it.each<[Format<unknown>, string, unknown]>([
    [integer, '5', 5],
    [integer, '-1', -1],
    [
      integer,
      '"5"',
      'wrong-type: the text "5" is refused here: the field holds an integer, write it without quotes → 5 (plain)',
    ],
    [integer, '1.5', 'wrong-type: the number 1.5 is refused here: write a whole number'],
    [integer, 'six', 'wrong-type: the text "six" is refused here: write a whole number'],
    [integer, '[1]', 'wrong-type: a list is refused here: write a whole number'],
    [integerOrText, '5', 5],
    [integerOrText, '"5"', 5],
    [integerOrText, '"six"', 'bad-number: "six" is not a whole number: write 1, 2, 3…'],
    [
      integerOrText,
      '1.5',
      'wrong-type: the number 1.5 is refused here: write a whole number: 1, 2, 3…',
    ],
    [decimal, '1.5', 1.5],
    [decimal, '"1.5"', 1.5],
    [decimal, '""', 'wrong-type: the text "" is refused here: write a number'],
    [boolean, 'true', true],
    [
      boolean,
      '"true"',
      'wrong-type: the text "true" is refused here: write true or false without quotes → true (plain)',
    ],
  ])('reads, case %#', (format, written, expected) => {
    expect(read(format, written)).toEqual(expected);
  });
});

describe('words', () => {
  const words = oneOf('Always', 'OnFailure', 'OnError');

  it.each<[Format<unknown>, string, unknown]>([
    [words, 'Always', 'Always'],
    [
      words,
      'OnFailur',
      'not-allowed: `OnFailur` is refused: allowed are Always, OnFailure, OnError → OnFailure',
    ],
    [words, 'xyz', 'not-allowed: `xyz` is refused: allowed are Always, OnFailure, OnError'],
    [text, 'a', 'a'],
    [
      text,
      '5',
      'wrong-type: the number 5 is refused here: the field holds a string, write "5" → 5 (quoted)',
    ],
  ])('reads, case %#', (format, written, expected) => {
    expect(read(format, written)).toEqual(expected);
  });

  it.each([
    ['retry-policy', ['retryPolicy', 'limit'], 'retryPolicy'],
    ['limt', ['limit', 'duration'], 'limit'],
    ['retires', ['retries'], 'retries'],
    ['x', ['limit'], undefined],
    ['x', [], undefined],
  ])('knows what %s stands for', (written, known, expected) => {
    expect(nearest(written, known)).toBe(expected);
  });
});
