import { describe, expect, it } from 'vitest';
import { checkRetryExpression } from '../../../engine/expression/check.ts';
import { applied } from './problemsOf.ts';

const problems = (text: string) => checkRetryExpression(text).problems;

/** What the first fix makes of an expression. */
const fixed = (text: string): string | undefined => {
  const [fix] = problems(text).flatMap(({ fixes }) => fixes);
  return fix === undefined ? undefined : applied(text, fix.edits);
};

describe('a fix compiles', () => {
  it.each([
    ['lastRetry.exitCode matches 137', "lastRetry.exitCode matches '137'"],
    ['lastRetry.exitCode startsWith 1', "lastRetry.exitCode startsWith '1'"],
    ['lastRetry.message contains 137', "lastRetry.message contains '137'"],
    ["lowr(lastRetry.message) contains 'x'", "lower(lastRetry.message) contains 'x'"],
    ['any([1, 2], # == lastRetry.exitCode)', 'any([1, 2], # == asInt(lastRetry.exitCode))'],
  ])('%s', (text, expected) => {
    expect(fixed(text)).toBe(expected);
    expect(problems(expected)).toEqual([]);
  });

  it('or is not offered: no function of that name takes so many arguments', () => {
    expect(problems('nope(lastRetry.status)').map(({ message }) => message)).toEqual([
      'Does not compile: unknown name `nope`.',
    ]);
    expect(fixed('nope(lastRetry.status)')).toBeUndefined();
  });
});

describe('a member that does not exist', () => {
  it('fails where it is ordered, and is nil elsewhere', () => {
    const kinds = (text: string) => problems(text).map(({ kind }) => kind);
    expect(kinds('lastRetry.foo > 1')).toEqual(['fails-at-run-time']);
    expect(kinds('1 <= lastRetry.foo')).toEqual(['fails-at-run-time']);
    expect(kinds("lastRetry.foo == '1'")).toEqual(['unknown-member']);
    expect(kinds('(lastRetry.foo ?? 2) > 1')).toEqual(['unknown-member']);
  });
});

describe('an element of a list', () => {
  it('is of the type of the list', () => {
    const kinds = (text: string) => problems(text).map(({ kind }) => kind);
    expect(kinds('any([1, 2], # == lastRetry.exitCode)')).toEqual(['never-true']);
    expect(kinds("any(['1', '2'], # == lastRetry.exitCode)")).toEqual([]);
    expect(kinds("any([1, '2'], # == lastRetry.exitCode)")).toEqual([]);
    expect(kinds('any([1, 2], # == asInt(lastRetry.exitCode))')).toEqual([]);
    expect(kinds("any(split(lastRetry.message, ' '), # == 'OOM')")).toEqual([]);
  });
});
