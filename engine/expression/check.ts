import type { Fix } from '../finding.ts';
import type { Node } from './ast.ts';
import { checkConstant } from './constant.ts';
import { advice, report, source, write, type Context, type Use, type Value } from './context.ts';
import { infer } from './infer.ts';
import type { SyntaxFailure, Tag } from './lexer.ts';
import { parse } from './parser.ts';
import type { ExpressionProblem } from './problem.ts';
import { inWords } from './types.ts';

export type CheckOptions = {
  /** Whether `lastRetry.message` exists: Argo Workflows 3.5.0 and later. */
  readonly hasMessage: boolean;
};

export type ExpressionCheck = {
  /** In the order they stand in the text. */
  readonly problems: readonly ExpressionProblem[];
  /** Every place where the expression reads the last run. */
  readonly uses: readonly Use[];
};

/**
 * Says what a `retryStrategy.expression` gets wrong, and how to put it right.
 * For `lastRetry.exitCode == 2`: `never-true`, over the whole text.
 */
export function checkRetryExpression(
  text: string,
  options: CheckOptions = { hasMessage: true },
): ExpressionCheck {
  // An empty expression is none: the controller does not look at it.
  if (text === '') return { problems: [], uses: [] };
  const context: Context = {
    text,
    hasMessage: options.hasMessage,
    problems: [],
    uses: [],
    values: new Map(),
    locals: new Map(),
    guarded: new Set(),
    elements: [],
    ordered: new Set(),
  };
  const { tags, result } = parse(text);
  for (const tag of tags) checkTag(context, tag);
  switch (result.kind) {
    case 'too-large':
      break;
    case 'failure':
      if (!mayBeTemplate(text, result.failure)) {
        const { at, message, fixes } = result.failure;
        report(context, 'syntax', at, `Does not compile: ${lowerFirst(message)}`, fixes);
      }
      break;
    case 'tree':
      checkAnswer(context, result.root, infer(context, result.root));
      if (context.problems.length === 0) checkConstant(context, result.root);
  }
  const problems = context.problems.sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
  return { problems, uses: context.uses };
}

/** What a tag puts in may change everything after it, but nothing before it. */
function mayBeTemplate(text: string, failure: SyntaxFailure): boolean {
  const first = text.indexOf('{{');
  return first !== -1 && first < failure.at.end;
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** The controller evaluates to true or false, and accepts nothing else. */
function checkAnswer(context: Context, root: Node, value: Value): void {
  const type = value.actual.kind === 'any' ? value.declared : value.actual;
  if (type.kind === 'any' || type.kind === 'bool') return;
  const fixes: Fix[] = [];
  if (root.kind === 'literal' && (root.value === 'true' || root.value === 'false')) {
    fixes.push(write(root.at, root.value));
  }
  const message =
    `Fails at run time: \`${source(context, root)}\` is ${inWords(type)}, ` +
    `and the expression must be true or false.${advice(fixes)}`;
  report(context, 'not-boolean', root.at, message, fixes);
}

/**
 * `{{retries}}` and `{{lastRetry.*}}` get a value only when the next run is prepared, which is
 * after the expression was read: argo-workflows v4.1.2 workflow/controller/operator.go.
 */
function checkTag(context: Context, tag: Tag): void {
  const { inner, literal } = tag;
  const at = { start: tag.start, end: tag.end };
  const name = /^(retries|lastRetry\.\w+)$/.exec(inner)?.[1];
  const expression = /^=([\s\S]*\b(?:retries|lastRetry)\b[\s\S]*)$/.exec(inner)?.[1]?.trim();
  const written = context.text.slice(at.start, at.end);
  if (expression !== undefined && literal === undefined) {
    const isWhole = written === context.text.trim();
    const fixes = [write(at, isWhole ? expression : `(${expression})`)];
    const message = `Does not compile: \`{{=...}}\` is not evaluated inside this field, which is an expression already.${advice(fixes)}`;
    report(context, 'not-substituted', at, message, fixes);
    return;
  }
  if (name === undefined) return;
  const isWholeLiteral =
    literal !== undefined && literal.end - literal.start === at.end - at.start + 2;
  const where = literal ?? at;
  const fixes: Fix[] = [];
  if (literal === undefined || isWholeLiteral) {
    fixes.push(write(where, literal === undefined ? asOperand(context.text, at, name) : name));
  }
  const so = literal === undefined ? 'Does not compile' : 'Stays as it is written';
  const message = `${so}: nothing replaces \`${written}\` inside the expression.${advice(fixes)}`;
  report(context, 'not-substituted', at, message, fixes);
}

/** `{{retries}} < 3` was meant as a number, `{{lastRetry.status}} == 'Failed'` as text. */
function asOperand(text: string, at: { start: number; end: number }, name: string): string {
  const isText =
    /^\s*(?:==|!=|<=?|>=?|in\s*\[|not\s+in\s*\[|contains|matches)\s*['"`]/.test(
      text.slice(at.end),
    ) || /['"`]\s*(?:==|!=|<=?|>=?)\s*$/.test(text.slice(0, at.start));
  if (isText || name === 'lastRetry.status' || name === 'lastRetry.message') return name;
  return name === 'lastRetry.duration' ? `asFloat(${name})` : `asInt(${name})`;
}
