import { describe, expect, it } from 'vitest';
import { found, wanted, type Expected } from './problemsOf.ts';

type Row = [expression: string, problems: readonly Expected[]];

// Kinds as the library answers them: expr-lang/expr v1.17.8, exit code 2.

describe('text and numbers', () => {
  it.each<Row>([
    [
      'lastRetry.exitCode == 2',
      [
        [
          'never-true',
          'lastRetry.exitCode == 2',
          `Never true: \`lastRetry.exitCode\` is text and \`2\` is a number, so they are never equal. Write \`asInt(lastRetry.exitCode)\`, or \`'2'\`.`,
          'asInt(lastRetry.exitCode) == 2',
          `lastRetry.exitCode == '2'`,
        ],
      ],
    ],
    [
      'lastRetry.exitCode != 0',
      [
        [
          'always-true',
          'lastRetry.exitCode != 0',
          `Always true: \`lastRetry.exitCode\` is text and \`0\` is a number, so they always differ. Write \`asInt(lastRetry.exitCode)\`, or \`'0'\`.`,
          'asInt(lastRetry.exitCode) != 0',
          `lastRetry.exitCode != '0'`,
        ],
      ],
    ],
    [
      'lastRetry.exitCode in [2,3]',
      [
        [
          'never-true',
          'lastRetry.exitCode in [2,3]',
          `Never true: \`lastRetry.exitCode\` is text and the list holds numbers. Write \`asInt(lastRetry.exitCode)\`, or \`['2', '3']\`.`,
          'asInt(lastRetry.exitCode) in [2,3]',
          `lastRetry.exitCode in ['2', '3']`,
        ],
      ],
    ],
    [
      'lastRetry.exitCode not in [0, 1]',
      [
        [
          'always-true',
          'lastRetry.exitCode not in [0, 1]',
          `Always true: \`lastRetry.exitCode\` is text and the list holds numbers. Write \`asInt(lastRetry.exitCode)\`, or \`['0', '1']\`.`,
          'asInt(lastRetry.exitCode) not in [0, 1]',
          `lastRetry.exitCode not in ['0', '1']`,
        ],
      ],
    ],
    [
      'lastRetry.exitCode > 1',
      [
        [
          'fails-at-run-time',
          'lastRetry.exitCode > 1',
          'Fails at run time: `lastRetry.exitCode` is text and `1` is a number, and `>` cannot compare them. Write `asInt(lastRetry.exitCode)`.',
          'asInt(lastRetry.exitCode) > 1',
        ],
      ],
    ],
    [
      `lastRetry.exitCode > '1'`,
      [
        [
          'compares-as-text',
          `lastRetry.exitCode > '1'`,
          `Compared letter by letter, not as numbers: \`'10' > '2'\` is false. Write \`asInt(lastRetry.exitCode) > 1\`.`,
          'asInt(lastRetry.exitCode) > 1',
        ],
      ],
    ],
    [
      'lastRetry.exitCode < "3"',
      [
        [
          'compares-as-text',
          'lastRetry.exitCode < "3"',
          `Compared letter by letter, not as numbers: \`'10' < '3'\` is true. Write \`asInt(lastRetry.exitCode) < 3\`.`,
          'asInt(lastRetry.exitCode) < 3',
        ],
      ],
    ],
    [
      `'60' < lastRetry.duration`,
      [
        [
          'compares-as-text',
          `'60' < lastRetry.duration`,
          `Compared letter by letter, not as numbers: \`'60' < '100'\` is false. Write \`60 < asFloat(lastRetry.duration)\`.`,
          '60 < asFloat(lastRetry.duration)',
        ],
      ],
    ],
    [
      'retries < 3',
      [
        [
          'mismatched-types',
          'retries < 3',
          'Does not compile: `retries` is text and `3` is a number. Write `asInt(retries)`.',
          'asInt(retries) < 3',
        ],
      ],
    ],
    [
      'retries == 3',
      [
        [
          'mismatched-types',
          'retries == 3',
          `Does not compile: \`retries\` is text and \`3\` is a number. Write \`asInt(retries)\`, or \`'3'\`.`,
          'asInt(retries) == 3',
          `retries == '3'`,
        ],
      ],
    ],
    [
      'retries in [1, 2]',
      [
        [
          'mismatched-types',
          'retries in [1, 2]',
          `Does not compile: \`retries\` is text and the list holds numbers. Write \`asInt(retries)\`, or \`['1', '2']\`.`,
          'asInt(retries) in [1, 2]',
          `retries in ['1', '2']`,
        ],
      ],
    ],
    [
      `retries < '3'`,
      [
        [
          'compares-as-text',
          `retries < '3'`,
          `Compared letter by letter, not as numbers: \`'10' < '3'\` is true. Write \`asInt(retries) < 3\`.`,
          'asInt(retries) < 3',
        ],
      ],
    ],
    [
      `asInt('12.5') > 1`,
      [
        [
          'fails-at-run-time',
          `'12.5'`,
          `Fails at run time: \`asInt\` cannot read '12.5' as a whole number. Write \`asFloat\`.`,
          `asFloat('12.5') > 1`,
        ],
      ],
    ],
    [
      `lastRetry.exitCode in ['2', 3]`,
      [
        [
          'never-true',
          '3',
          `\`3\` never matches: \`lastRetry.exitCode\` is text. Write \`'3'\`.`,
          `lastRetry.exitCode in ['2', '3']`,
        ],
      ],
    ],
    [
      `asInt(lastRetry.exitCode) == '2'`,
      [
        [
          'never-true',
          `asInt(lastRetry.exitCode) == '2'`,
          `Never true: \`asInt(lastRetry.exitCode)\` is a number and \`'2'\` is text, so they are never equal. Write \`2\`.`,
          'asInt(lastRetry.exitCode) == 2',
        ],
      ],
    ],
    [
      `asInt(lastRetry.exitCode) in ['2']`,
      [
        [
          'fails-at-run-time',
          `asInt(lastRetry.exitCode) in ['2']`,
          'Fails at run time: `asInt(lastRetry.exitCode)` is a number and the list holds text. Write `[2]`.',
          'asInt(lastRetry.exitCode) in [2]',
        ],
      ],
    ],
    [
      `int(lastRetry.exitCode) == '2'`,
      [
        [
          'mismatched-types',
          `int(lastRetry.exitCode) == '2'`,
          `Does not compile: \`int(lastRetry.exitCode)\` is a number and \`'2'\` is text. Write \`2\`.`,
          'int(lastRetry.exitCode) == 2',
        ],
      ],
    ],
    [
      'lastRetry.duration > 60',
      [
        [
          'fails-at-run-time',
          'lastRetry.duration > 60',
          'Fails at run time: `lastRetry.duration` is text and `60` is a number, and `>` cannot compare them. Write `asFloat(lastRetry.duration)`.',
          'asFloat(lastRetry.duration) > 60',
        ],
      ],
    ],
    [
      'lastRetry.exitCode + 1 > 3',
      [
        [
          'fails-at-run-time',
          'lastRetry.exitCode + 1',
          'Fails at run time: `lastRetry.exitCode` is text and `1` is a number, and `+` cannot join them. Write `asInt(lastRetry.exitCode)`.',
          'asInt(lastRetry.exitCode) + 1 > 3',
        ],
      ],
    ],
    [
      'let code = lastRetry.exitCode; code == 2',
      [
        [
          'never-true',
          'code == 2',
          `Never true: \`code\` is text and \`2\` is a number, so they are never equal. Write \`asInt(code)\`, or \`'2'\`.`,
          'let code = lastRetry.exitCode; asInt(code) == 2',
          `let code = lastRetry.exitCode; code == '2'`,
        ],
      ],
    ],
    [
      'lastRetry.exitCode in 1..5',
      [
        [
          'never-true',
          'lastRetry.exitCode in 1..5',
          'Never true: `lastRetry.exitCode` is text and the list holds numbers. Write `asInt(lastRetry.exitCode)`.',
          'asInt(lastRetry.exitCode) in 1..5',
        ],
      ],
    ],
    [
      'lastRetry.status == 1',
      [
        [
          'never-true',
          'lastRetry.status == 1',
          'Never true: `lastRetry.status` is text and `1` is a number, so they are never equal.',
        ],
      ],
    ],
    [
      'lastRetry.exitCode == true',
      [
        [
          'never-true',
          'lastRetry.exitCode == true',
          'Never true: `lastRetry.exitCode` is text and `true` is a boolean, so they are never equal.',
        ],
      ],
    ],
    [
      'asInt(lastRetry.status) > 1',
      [
        [
          'fails-at-run-time',
          'lastRetry.status',
          `Fails at run time: \`lastRetry.status\` is a word such as 'Failed', and \`asInt\` needs a number.`,
        ],
      ],
    ],
  ])('%s', (text, problems) => expect(found(text)).toEqual(wanted(text, problems)));
});
