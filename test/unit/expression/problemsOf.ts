import { checkRetryExpression, type CheckOptions } from '../../../engine/expression/check.ts';
import type { ProblemKind } from '../../../engine/expression/problem.ts';

/** One expected problem: its kind, the text it covers, its message, and the text its fixes leave. */
export type Expected = readonly [
  kind: ProblemKind,
  covers: string,
  message: string,
  ...fixed: string[],
];

type Found = {
  readonly kind: ProblemKind;
  readonly at: { readonly start: number; readonly end: number };
  readonly message: string;
  readonly fixed: readonly string[];
};

/** Kind, span, message and what every fix leaves: compare all of them, always. */
export function found(text: string, options?: CheckOptions): readonly Found[] {
  return checkRetryExpression(text, options).problems.map(({ kind, at, message, fixes }) => ({
    kind,
    at,
    message,
    fixed: fixes.map((fix) => applied(text, fix.edits)),
  }));
}

export function wanted(text: string, expected: readonly Expected[]): readonly Found[] {
  return expected.map(([kind, covers, message, ...fixed]) => {
    const start = text.indexOf(covers);
    return { kind, at: { start, end: start + covers.length }, message, fixed };
  });
}

export function applied(
  text: string,
  edits: readonly { readonly at: { start: number; end: number }; readonly text: string }[],
): string {
  return [...edits]
    .sort((a, b) => b.at.start - a.at.start)
    .reduce((all, { at, text: part }) => all.slice(0, at.start) + part + all.slice(at.end), text);
}
