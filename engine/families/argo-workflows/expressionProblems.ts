import { atLeast, type Environment } from '../../environment.ts';
import { checkRetryExpression } from '../../expression/check.ts';
import { evaluateRetryExpression } from '../../expression/evaluate.ts';
import type { ExpressionProblem, ProblemKind } from '../../expression/problem.ts';
import { system } from './system.ts';

/** What is wrong with an expression, in the release at hand; nothing where a template engine writes a part of it. */
export function expressionProblems(
  expression: string | undefined,
  env: Environment,
): readonly ExpressionProblem[] {
  return expression === undefined || expression === '' ? [] : checked(expression, env).problems;
}

type Checked = {
  readonly expression: string;
  readonly problems: readonly ExpressionProblem[];
  readonly end: 'error' | 'no-retry' | undefined;
};

// The formula and the rules of one policy ask about the same expression, one right after the other.
const lastChecked = new WeakMap<Environment, Checked>();

function checked(expression: string, env: Environment): Checked {
  const last = lastChecked.get(env);
  if (last?.expression === expression) return last;
  const isTemplated = /\{\{-|\{\{\s*\.|-\}\}/.test(expression);
  const hasMessage = atLeast(env, system, '3.5.0');
  const problems = isTemplated ? [] : checkRetryExpression(expression, { hasMessage }).problems;
  const fresh = { expression, problems, end: endOf(expression, problems) };
  lastChecked.set(env, fresh);
  return fresh;
}

const doNotCompile: ReadonlySet<ProblemKind> = new Set([
  'syntax',
  'unknown-name',
  'mismatched-types',
  'wrong-call',
  'bad-pattern',
  'not-boolean',
]);

/** How the first failure ends for certain, whatever the run did: in Error, without a retry, or not at all. */
export function certainEnd(
  expression: string | undefined,
  env: Environment,
): 'error' | 'no-retry' | undefined {
  return expression === undefined || expression === '' ? undefined : checked(expression, env).end;
}

function endOf(expression: string, problems: readonly ExpressionProblem[]): Checked['end'] {
  if (problems.some(isFatal)) return 'error';
  const isNever = problems.some(
    ({ kind, at }) =>
      kind === 'never-true' && expression.slice(at.start, at.end) === expression.trim(),
  );
  const { kind } = evaluateRetryExpression(expression, {});
  if (kind === 'fails') return 'error';
  return isNever || kind === 'stops' ? 'no-retry' : undefined;
}

/** A tag that nobody fills in breaks the expression where it stands outside of quotes. */
const isFatal = ({ kind, message }: ExpressionProblem): boolean =>
  doNotCompile.has(kind) || (kind === 'not-substituted' && message.startsWith('Does not compile'));
