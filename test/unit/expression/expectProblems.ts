import { expect } from 'vitest';
import { checkRetryExpression, type CheckOptions } from '../../../engine/expression/check.ts';
import type { ProblemKind } from '../../../engine/expression/problem.ts';

/** One expected problem: its kind, the text it covers, its message, and the text its fixes leave. */
export type Expected = readonly [
  kind: ProblemKind,
  covers: string,
  message: string,
  ...fixed: string[],
];

/** Compares kind, span, message and the result of every fix: all of them, always. */
export function expectProblems(
  text: string,
  expected: readonly Expected[],
  options?: CheckOptions,
): void {
  const { problems } = checkRetryExpression(text, options);
  const found = problems.map(({ kind, at, message, fixes }) => ({
    kind,
    at,
    message,
    fixed: fixes.map((fix) => applied(text, fix.edits)),
  }));
  const wanted = expected.map(([kind, covers, message, ...fixed]) => {
    const start = text.indexOf(covers);
    return { kind, at: { start, end: start + covers.length }, message, fixed };
  });
  expect(found).toEqual(wanted);
}

export function applied(
  text: string,
  edits: readonly { readonly at: { start: number; end: number }; readonly text: string }[],
): string {
  return [...edits]
    .sort((a, b) => b.at.start - a.at.start)
    .reduce((all, { at, text: part }) => all.slice(0, at.start) + part + all.slice(at.end), text);
}
