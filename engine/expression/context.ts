import type { Fix } from '../finding.ts';
import type { Span } from '../source.ts';
import type { Node } from './ast.ts';
import type { ExpressionProblem, Fact, ProblemKind } from './problem.ts';
import { types, type Type } from './types.ts';

/**
 * What is known of a part of the expression.
 * `lastRetry.exitCode` is declared as anything, and is in fact always text.
 */
export type Value = {
  /** What the compiler believes; a clash here does not compile. */
  readonly declared: Type;
  /** What it is when the expression runs; a clash here goes wrong silently, or fails then. */
  readonly actual: Type;
  readonly origin: Origin;
};

export type Origin =
  | { readonly kind: 'fact'; readonly fact: Fact }
  /** `asInt(lastRetry.exitCode)`. */
  | { readonly kind: 'number-of'; readonly fact: Fact }
  | { readonly kind: 'other' };

export type Use = { readonly fact: Fact; readonly at: Span };

/** One check: the text, what was found, and the value of every part seen so far. */
export type Context = {
  readonly text: string;
  readonly hasMessage: boolean;
  readonly problems: ExpressionProblem[];
  readonly uses: Use[];
  readonly values: Map<Node, Value>;
  readonly locals: Map<string, Value>;
  /** Parts with a `??` behind them: being nil is expected there. */
  readonly guarded: Set<Node>;
  /** What `#` is, in the closures around the part that is looked at. */
  readonly elements: Value[];
  /** Parts that stand beside `<` or `>`: being nil fails there. */
  readonly ordered: Set<Node>;
};

export const other: Origin = { kind: 'other' };

export const unknownValue: Value = { declared: types.any, actual: types.any, origin: other };

export function known(type: Type): Value {
  return { declared: type, actual: type, origin: other };
}

export function report(
  context: Context,
  kind: ProblemKind,
  at: Span,
  message: string,
  fixes: readonly Fix[] = [],
): void {
  context.problems.push({ kind, message, at: { start: at.start, end: at.end }, fixes });
}

/** The reader's own words: the text of a part of the expression. */
export function source(context: Context, node: Node): string {
  return context.text.slice(node.at.start, node.at.end);
}

export function valueOf(context: Context, node: Node): Value {
  return context.values.get(node) ?? unknownValue;
}

/** Quotes in the reader's style: `'2'`, or `"2"` where the text only uses double quotes. */
export function quoted(context: Context, text: string): string {
  const { text: whole } = context;
  const quote = whole.includes('"') && !whole.includes("'") ? '"' : "'";
  return `${quote}${text}${quote}`;
}

/** A replacement that shows what it writes: the title is ``Write `asInt(retries)` ``. */
export function write(at: Span, text: string, preferred = true): Fix {
  return { title: `Write \`${text}\``, edits: [{ at, text }], preferred };
}

/** Ends a message with the fixes it comes with: ` Write a, or b.` */
export function advice(fixes: readonly Fix[]): string {
  const [first, second] = fixes.map((fix) => fix.title);
  if (first === undefined) return '';
  if (second === undefined) return ` ${first}.`;
  return ` ${first}, or ${second.replace('Write ', '')}.`;
}
