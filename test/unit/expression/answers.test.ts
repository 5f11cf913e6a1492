import { describe, expect, it } from 'vitest';
import { found, wanted, type Expected } from './problemsOf.ts';

type Row = [expression: string, problems: readonly Expected[]];

// Kinds as the library answers them: expr-lang/expr v1.17.8, exit code 2.

describe('answers', () => {
  it.each<Row>([
    [
      'lastRetry.exitCode',
      [
        [
          'not-boolean',
          'lastRetry.exitCode',
          'Fails at run time: `lastRetry.exitCode` is text, and the expression must be true or false.',
        ],
      ],
    ],
    [
      `'true'`,
      [
        [
          'not-boolean',
          `'true'`,
          `Fails at run time: \`'true'\` is text, and the expression must be true or false. Write \`true\`.`,
          'true',
        ],
      ],
    ],
    [
      'asInt(lastRetry.exitCode)',
      [
        [
          'not-boolean',
          'asInt(lastRetry.exitCode)',
          'Fails at run time: `asInt(lastRetry.exitCode)` is a number, and the expression must be true or false.',
        ],
      ],
    ],
    [
      `lastRetry.status == 'failed'`,
      [
        [
          'never-true',
          `lastRetry.status == 'failed'`,
          `Never true: the status of a run that failed is 'Failed' or 'Error'. Write \`'Failed'\`.`,
          `lastRetry.status == 'Failed'`,
        ],
      ],
    ],
    ...[
      `lastRetry.status == 'Succeeded'`,
      `lastRetry.status in ['Succeeded', 'Running']`,
      `lastRetry.status == 'Succeeded' && asInt(retries) < 2`,
      `not (lastRetry.status in ['Failed', 'Error'])`,
    ].map((text): Row => [
      text,
      [['never-true', text, `Never true: the status of a run that failed is 'Failed' or 'Error'.`]],
    ]),
    [
      `lastRetry.status in ['Failure', 'Error']`,
      [
        [
          'never-true',
          `'Failure'`,
          `This never matches: the status of a run that failed is 'Failed' or 'Error'. Write \`'Failed'\`.`,
          `lastRetry.status in ['Failed', 'Error']`,
        ],
      ],
    ],
    [
      `lastRetry.exitCode == '02'`,
      [
        [
          'never-true',
          `lastRetry.exitCode == '02'`,
          `Never true: an exit code is a whole number in quotes, such as '1', and '-1' when there is none. Write \`'2'\`.`,
          `lastRetry.exitCode == '2'`,
        ],
      ],
    ],
    [
      `lastRetry.exitCode == ''`,
      [
        [
          'never-true',
          `lastRetry.exitCode == ''`,
          `Never true: an exit code is a whole number in quotes, such as '1', and '-1' when there is none. Write \`'-1'\`.`,
          `lastRetry.exitCode == '-1'`,
        ],
      ],
    ],
    [
      `lastRetry.exitCode != '0' or lastRetry.exitCode != '1'`,
      [
        [
          'always-true',
          `lastRetry.exitCode != '0' or lastRetry.exitCode != '1'`,
          `Always true: every result of the last run satisfies \`lastRetry.exitCode != '0' or lastRetry.exitCode != '1'\`. Write \`and\` instead of \`or\`.`,
          `lastRetry.exitCode != '0' and lastRetry.exitCode != '1'`,
        ],
      ],
    ],
    [
      `lastRetry.status == 'Failed' && lastRetry.status == 'Error'`,
      [
        [
          'never-true',
          `lastRetry.status == 'Failed' && lastRetry.status == 'Error'`,
          `Never true: no result of the last run satisfies \`lastRetry.status == 'Failed' && lastRetry.status == 'Error'\`. Write \`||\` instead of \`&&\`.`,
          `lastRetry.status == 'Failed' || lastRetry.status == 'Error'`,
        ],
      ],
    ],
    [
      'asInt(retries) < 0',
      [
        [
          'never-true',
          'asInt(retries) < 0',
          'Never true: no result of the last run satisfies `asInt(retries) < 0`.',
        ],
      ],
    ],
    [
      `lastRetry.status == 'Running'`,
      [
        [
          'never-true',
          `lastRetry.status == 'Running'`,
          `Never true: no result of the last run satisfies \`lastRetry.status == 'Running'\`.`,
        ],
      ],
    ],
    [
      'asInt(retries) < 3 and (asInt(lastRetry.exitCode) > 5 and asInt(lastRetry.exitCode) < 2)',
      [
        [
          'never-true',
          'asInt(lastRetry.exitCode) > 5 and asInt(lastRetry.exitCode) < 2',
          'Never true: no result of the last run satisfies `asInt(lastRetry.exitCode) > 5 and asInt(lastRetry.exitCode) < 2`.',
        ],
      ],
    ],
  ])('%s', (text, problems) => expect(found(text)).toEqual(wanted(text, problems)));
});
