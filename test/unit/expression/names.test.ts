import { describe, expect, it } from 'vitest';
import { found, wanted, type Expected } from './problemsOf.ts';

type Row = [expression: string, problems: readonly Expected[]];

// Kinds as the library answers them: expr-lang/expr v1.17.8, exit code 2.

describe('names', () => {
  it.each<Row>([
    [
      `lastRetry.exitcode == '2'`,
      [
        [
          'unknown-member',
          'exitcode',
          '`lastRetry` has no `exitcode`: it is nil, without any error. It has `exitCode`, `status`, `duration`, `message`. Write `exitCode`.',
          `lastRetry.exitCode == '2'`,
        ],
      ],
    ],
    [
      `lastRetry['exitcode'] == '2'`,
      [
        [
          'unknown-member',
          `'exitcode'`,
          `\`lastRetry\` has no \`exitcode\`: it is nil, without any error. It has \`exitCode\`, \`status\`, \`duration\`, \`message\`. Write \`'exitCode'\`.`,
          `lastRetry['exitCode'] == '2'`,
        ],
      ],
    ],
    [
      `lastRetry.retries == '1'`,
      [
        [
          'unknown-member',
          'retries',
          '`lastRetry` has no `retries`: it is nil, without any error. It has `exitCode`, `status`, `duration`, `message`. Write `retries`.',
          `retries == '1'`,
        ],
      ],
    ],
    [
      `lastRetry.phase == 'Error'`,
      [
        [
          'unknown-member',
          'phase',
          '`lastRetry` has no `phase`: it is nil, without any error. It has `exitCode`, `status`, `duration`, `message`. Write `status`.',
          `lastRetry.status == 'Error'`,
        ],
      ],
    ],
    [
      `lastRetry.something == '1'`,
      [
        [
          'unknown-member',
          'something',
          '`lastRetry` has no `something`: it is nil, without any error. It has `exitCode`, `status`, `duration`, `message`.',
        ],
      ],
    ],
    [
      `lastretry.status == 'Error'`,
      [
        [
          'unknown-name',
          'lastretry',
          'Does not compile: unknown name `lastretry`. Write `lastRetry`.',
          `lastRetry.status == 'Error'`,
        ],
      ],
    ],
    [
      `exitCode == '1'`,
      [
        [
          'unknown-name',
          'exitCode',
          'Does not compile: unknown name `exitCode`. Write `lastRetry.exitCode`.',
          `lastRetry.exitCode == '1'`,
        ],
      ],
    ],
    [
      `workflow.status == 'Failed'`,
      [
        [
          'unknown-name',
          'workflow',
          'Does not compile: unknown name `workflow`. This expression only sees `retries` and `lastRetry`.',
        ],
      ],
    ],
    [
      `inputs.parameters.x == '1'`,
      [
        [
          'unknown-name',
          'inputs',
          `Does not compile: unknown name \`inputs\`. This expression only sees \`retries\` and \`lastRetry\`. Write \`'{{inputs.parameters.x}}'\`.`,
          `'{{inputs.parameters.x}}' == '1'`,
        ],
      ],
    ],
    [
      'lastRetry.status == Failed',
      [
        [
          'unknown-name',
          'Failed',
          `Does not compile: unknown name \`Failed\`. Write \`'Failed'\`.`,
          `lastRetry.status == 'Failed'`,
        ],
      ],
    ],
    [
      'lastRetry.message != null',
      [
        [
          'unknown-name',
          'null',
          'Does not compile: unknown name `null`. Write `nil`.',
          'lastRetry.message != nil',
        ],
      ],
    ],
    [
      'toInt(retries) < 3',
      [
        [
          'unknown-name',
          'toInt',
          'Does not compile: unknown name `toInt`. Write `asInt`.',
          'asInt(retries) < 3',
        ],
      ],
    ],
    [
      'asint(retries) < 3',
      [
        [
          'unknown-name',
          'asint',
          'Does not compile: unknown name `asint`. Write `asInt`.',
          'asInt(retries) < 3',
        ],
      ],
    ],
  ])('%s', (text, problems) => expect(found(text)).toEqual(wanted(text, problems)));
});
