import type { Fix } from '../finding.ts';
import type { Span } from '../source.ts';

/** What an expression can read about the last run. */
export type Fact = 'retries' | 'exitCode' | 'status' | 'duration' | 'message';

/**
 * What is wrong. The first five do not compile, so the first failure ends the retries with an error.
 *
 * - `syntax`, `unknown-name`, `mismatched-types`, `wrong-call`, `bad-pattern`: does not compile
 * - `not-substituted`: a `{{...}}` tag that nobody replaces here
 * - `fails-at-run-time`, `not-boolean`: compiles, then ends the retries with an error
 * - `unknown-member`: reads nil, silently
 * - `never-true`, `always-true`: one answer, whatever the last run did
 * - `compares-as-text`: orders numbers by their letters
 */
export type ProblemKind =
  | 'syntax'
  | 'unknown-name'
  | 'mismatched-types'
  | 'wrong-call'
  | 'bad-pattern'
  | 'not-substituted'
  | 'fails-at-run-time'
  | 'not-boolean'
  | 'unknown-member'
  | 'never-true'
  | 'always-true'
  | 'compares-as-text';

/** For `lastRetry.exitCode == 2`: `never-true` over the whole text, with two fixes. */
export type ExpressionProblem = {
  readonly kind: ProblemKind;
  readonly message: string;
  readonly at: Span;
  readonly fixes: readonly Fix[];
};

/** A fix of one edit: `replace({ start: 0, end: 1 }, '==', 'Write ==')`. */
export function replace(at: Span, text: string, title: string, preferred = true): Fix {
  return { title, edits: [{ at, text }], preferred };
}

/** The candidate the word was meant to be: `exitcode` gives `exitCode`. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = word.length <= 4 ? 2 : 3;
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 3;
}
