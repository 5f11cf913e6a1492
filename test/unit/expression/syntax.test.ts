import { describe, expect, it } from 'vitest';
import { found, wanted, type Expected } from './problemsOf.ts';

type Row = [expression: string, problems: readonly Expected[]];

// Kinds as the library answers them: expr-lang/expr v1.17.8, exit code 2.

describe('syntax', () => {
  it.each<Row>([
    [
      `lastRetry.status = 'Failed'`,
      [
        [
          'syntax',
          '=',
          'Does not compile: `=` does not compare. Write `==`.',
          `lastRetry.status == 'Failed'`,
        ],
      ],
    ],
    [
      `lastRetry.status === 'Failed'`,
      [
        [
          'syntax',
          '===',
          'Does not compile: `===` means nothing here. Write `==`.',
          `lastRetry.status == 'Failed'`,
        ],
      ],
    ],
    [
      'asInt(retries) =< 3',
      [
        [
          'syntax',
          '=<',
          'Does not compile: `=<` means nothing here. Write `<=`.',
          'asInt(retries) <= 3',
        ],
      ],
    ],
    [
      `lastRetry.status <> 'Failed'`,
      [
        [
          'syntax',
          '<>',
          'Does not compile: `<>` means nothing here. Write `!=`.',
          `lastRetry.status != 'Failed'`,
        ],
      ],
    ],
    [
      `lastRetry.status == 'Failed' & true`,
      [
        [
          'syntax',
          '&',
          'Does not compile: `&` means nothing here. Write `&&`.',
          `lastRetry.status == 'Failed' && true`,
        ],
      ],
    ],
    [
      `lastRetry.status == 'Failed' AND asInt(retries) < 3`,
      [
        [
          'syntax',
          'AND',
          'Does not compile: `AND` means nothing here. Write `and`.',
          `lastRetry.status == 'Failed' and asInt(retries) < 3`,
        ],
      ],
    ],
    [
      `lastRetry.status == 'Failed' | asInt(retries) < 3`,
      [
        [
          'wrong-call',
          `lastRetry.status == 'Failed' | asInt(retries)`,
          'Does not compile: `asInt` takes 1 argument, and this has 2.',
        ],
      ],
    ],
    [
      '(asInt(retries) < 3',
      [
        [
          'syntax',
          '(',
          'Does not compile: this `(` is never closed. Add `)`.',
          '(asInt(retries) < 3)',
        ],
      ],
    ],
    ['true)', [['syntax', ')', 'Does not compile: `)` closes a bracket that was never opened.']]],
    ['asInt(retries) <', [['syntax', '<', 'Does not compile: `<` has nothing on its right side.']]],
    [
      '   ',
      [['syntax', '   ', 'Does not compile: there is no expression here, only white space.']],
    ],
    [
      `lastRetry.status == 'Failed`,
      [['syntax', `'Failed`, `Does not compile: this text is never closed. End it with '.`]],
    ],
    [
      "lastRetry.message matches '\\d+'",
      [
        [
          'syntax',
          '\\d',
          'Does not compile: `\\d` is not an escape. Write `\\\\d`, or use backticks instead of quotes.',
          "lastRetry.message matches '\\\\d+'",
        ],
      ],
    ],
    [
      'lastRetry.status == ‘Failed’',
      [
        [
          'syntax',
          '‘',
          `Does not compile: \`‘\` is a typographic quote. Text stands between ' and '.`,
          `lastRetry.status == 'Failed'`,
        ],
      ],
    ],
    [
      'asFloat(lastRetry.duration) < 10s',
      [
        [
          'syntax',
          '10s',
          'Does not compile: `10s` is not a number. Write only the digits, or put text in quotes.',
        ],
      ],
    ],
    [
      `asInt(retries) < 3 lastRetry.status == 'Error'`,
      [
        [
          'syntax',
          'lastRetry',
          'Does not compile: something is missing before `lastRetry`, such as `and`, `or` or `==`.',
        ],
      ],
    ],
    [
      'asInt(retries, 10) < 3',
      [
        [
          'wrong-call',
          'asInt(retries, 10)',
          'Does not compile: `asInt` takes 1 argument, and this has 2.',
        ],
      ],
    ],
    [
      'asInt(retries) < 3 /* why',
      [['syntax', '/* why', 'Does not compile: this comment is never closed. End it with `*/`.']],
    ],
  ])('%s', (text, problems) => expect(found(text)).toEqual(wanted(text, problems)));
});

describe('text operators', () => {
  it.each<Row>([
    [
      `not lastRetry.exitCode in ['1']`,
      [
        [
          'fails-at-run-time',
          `not lastRetry.exitCode in ['1']`,
          'Fails at run time: `not` only takes `lastRetry.exitCode`, which is text. Put the comparison in parentheses.',
          `not (lastRetry.exitCode in ['1'])`,
        ],
      ],
    ],
    [
      `!lastRetry.exitCode == '1'`,
      [
        [
          'fails-at-run-time',
          `!lastRetry.exitCode == '1'`,
          'Fails at run time: `!` only takes `lastRetry.exitCode`, which is text. Put the comparison in parentheses.',
          `!(lastRetry.exitCode == '1')`,
        ],
      ],
    ],
    [
      `'OOM' in lastRetry.message`,
      [
        [
          'fails-at-run-time',
          `'OOM' in lastRetry.message`,
          `Fails at run time: \`in\` looks in lists, and \`lastRetry.message\` is text. Write \`lastRetry.message contains 'OOM'\`.`,
          `lastRetry.message contains 'OOM'`,
        ],
      ],
    ],
    [
      `lastRetry.message.contains('OOM')`,
      [
        [
          'fails-at-run-time',
          `lastRetry.message.contains('OOM')`,
          `Fails at run time: \`contains\` is an operator, not a method. Write \`(lastRetry.message contains 'OOM')\`.`,
          `(lastRetry.message contains 'OOM')`,
        ],
      ],
    ],
    [
      `lastRetry.message matches '*OOM*'`,
      [
        [
          'bad-pattern',
          `'*OOM*'`,
          'Does not compile: `*` repeats what stands before it, and nothing does. For any text, write `.*`.',
        ],
      ],
    ],
    [
      `lastRetry.message matches '(?!OOM)'`,
      [
        [
          'bad-pattern',
          `'(?!OOM)'`,
          'Does not compile: Go patterns cannot look around: `(?!` is not allowed.',
        ],
      ],
    ],
    [
      `lastRetry.message matches '(OOM'`,
      [['bad-pattern', `'(OOM'`, 'Does not compile: a `(` in the pattern is never closed.']],
    ],
    [
      'lastRetry.exitCode and true',
      [
        [
          'fails-at-run-time',
          'lastRetry.exitCode',
          'Fails at run time: `lastRetry.exitCode` is text, and `and` needs true or false.',
        ],
      ],
    ],
    [
      `lower(asInt(retries)) == '1'`,
      [
        [
          'fails-at-run-time',
          'asInt(retries)',
          'Fails at run time: `asInt(retries)` is a number, and `lower` needs text.',
        ],
      ],
    ],
    [
      'len(1) > 1',
      [
        [
          'mismatched-types',
          '1',
          'Does not compile: `1` is a number, and `len` needs text, a list or a map.',
        ],
      ],
    ],
  ])('%s', (text, problems) => expect(found(text)).toEqual(wanted(text, problems)));
});

describe('tags', () => {
  it.each<Row>([
    [
      '{{retries}} < 3',
      [
        [
          'not-substituted',
          '{{retries}}',
          'Does not compile: nothing replaces `{{retries}}` inside the expression. Write `asInt(retries)`.',
          'asInt(retries) < 3',
        ],
      ],
    ],
    [
      `{{lastRetry.status}} == 'Failed'`,
      [
        [
          'not-substituted',
          '{{lastRetry.status}}',
          'Does not compile: nothing replaces `{{lastRetry.status}}` inside the expression. Write `lastRetry.status`.',
          `lastRetry.status == 'Failed'`,
        ],
      ],
    ],
    [
      `'{{lastRetry.exitCode}}' == '2'`,
      [
        [
          'not-substituted',
          '{{lastRetry.exitCode}}',
          'Stays as it is written: nothing replaces `{{lastRetry.exitCode}}` inside the expression. Write `lastRetry.exitCode`.',
          `lastRetry.exitCode == '2'`,
        ],
      ],
    ],
    [
      '{{=asInt(lastRetry.exitCode) >= 2}}',
      [
        [
          'not-substituted',
          '{{=asInt(lastRetry.exitCode) >= 2}}',
          'Does not compile: `{{=...}}` is not evaluated inside this field, which is an expression already. Write `asInt(lastRetry.exitCode) >= 2`.',
          'asInt(lastRetry.exitCode) >= 2',
        ],
      ],
    ],
    [
      `lastRetry.status = 'Failed' and {{inputs.parameters.go}}`,
      [
        [
          'syntax',
          '=',
          'Does not compile: `=` does not compare. Write `==`.',
          `lastRetry.status == 'Failed' and {{inputs.parameters.go}}`,
        ],
      ],
    ],
  ])('%s', (text, problems) => expect(found(text)).toEqual(wanted(text, problems)));
});
