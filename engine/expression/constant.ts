import type { Fix } from '../finding.ts';
import type { Binary, Node } from './ast.ts';
import { advice, report, source, type Context } from './context.ts';
import { evaluate, failed, type Answer, type Facts } from './evaluate.ts';
import { valuesInWords } from './facts.ts';
import type { Fact } from './problem.ts';

/** More combinations than this are not tried; nothing is said then. */
const mostCombinations = 300;

/**
 * Reports the smallest conditions that have one answer whatever the last run did,
 * such as `lastRetry.exitCode != '0' or lastRetry.exitCode != '1'`.
 *
 * Facts that are not tried stay unknown, so an answer found without them holds with them too.
 */
export function checkConstant(context: Context, root: Node): void {
  const counts = new Map<Fact, number>();
  for (const { fact } of context.uses) {
    if (fact !== 'message') counts.set(fact, (counts.get(fact) ?? 0) + 1);
  }
  const numbers = numbersIn(context);
  const constants = new Map<Node, boolean>();
  let combined: Facts[] = [{}];
  let shared = 0;
  for (const [fact, count] of counts) {
    const values = samples(fact, numbers, context.text).filter(
      (v) => fact === 'exitCode' || !v.startsWith('-'),
    );
    tryAll(
      root,
      values.map((value) => ({ [fact]: value })),
      constants,
    );
    // A fact that is read once cannot contradict anything else.
    if (count === 1) continue;
    shared++;
    combined = combined.flatMap((facts) => values.map((value) => ({ ...facts, [fact]: value })));
    if (combined.length > mostCombinations) break;
  }
  if (shared > 1 && combined.length <= mostCombinations) tryAll(root, combined, constants);
  if (!reportSmallest(context, root, constants)) reportNoFailure(context, root);
}

/** A condition that no failed run meets, such as `lastRetry.status == 'Succeeded'`: only those are asked about. */
function reportNoFailure(context: Context, root: Node): void {
  if (!context.uses.some(({ fact }) => fact === 'status')) return;
  const answers = ['Failed', 'Error'].map((status) => evaluate(root, { status }));
  if (!answers.every((answer) => answer === false)) return;
  report(context, 'never-true', root.at, `Never true: ${valuesInWords('status')}.`, []);
}

/** Adds the conditions that answer the same to every one of the cases. */
function tryAll(root: Node, cases: readonly Facts[], constants: Map<Node, boolean>): void {
  const seen = new Map<Node, Answer>();
  for (const facts of cases) {
    const isSettled = seen.size > 0 && ![...seen.values()].some((a) => typeof a === 'boolean');
    if (isSettled) return;
    evaluate(root, facts, (node, answer) => {
      if (node.kind !== 'binary' && node.kind !== 'unary') return;
      if (answer === failed) return;
      const before = seen.get(node);
      seen.set(node, before === undefined || before === answer ? answer : 'varies');
    });
  }
  for (const [node, answer] of seen) {
    if (typeof answer === 'boolean') constants.set(node, answer);
  }
}

/** The numbers the expression names: a comparison changes its answer near them. */
function numbersIn(context: Context): readonly number[] {
  const numbers = new Set<number>();
  for (const node of context.values.keys()) {
    if (node.kind !== 'literal' || node.value === null || node.value === '') continue;
    const number = Number(node.value);
    if (Number.isFinite(number) && Math.abs(number) < 1e15) numbers.add(Math.abs(number));
  }
  return [...numbers].sort((a, b) => a - b);
}

function samples(fact: Fact, numbers: readonly number[], text: string): readonly string[] {
  const near = numbers.flatMap((n) => [Math.floor(n) - 1, Math.floor(n), Math.floor(n) + 1]);
  const signed = text.includes('-') ? near.map((n) => -n) : [];
  switch (fact) {
    case 'status':
      return ['Failed', 'Error', 'Succeeded'];
    case 'exitCode':
      // Windows exit codes fill 32 bits, with either sign.
      return texts([-1, 0, 1, 77, -1073741819, 3221225477, ...near, ...signed]);
    case 'retries':
      return texts([0, 1, 1e9, ...near]);
    case 'duration':
      // Durations are fractions: one lies between any two numbers.
      return texts([0, 1e9, ...near, ...numbers, ...between([0, ...numbers])]);
    case 'message':
      return [];
  }
}

function between(numbers: readonly number[]): readonly number[] {
  return numbers.map((n, i) => (n + (numbers[i + 1] ?? n + 1)) / 2);
}

function texts(numbers: readonly number[]): readonly string[] {
  return [...new Set(numbers.map((n) => String(n === 0 ? 0 : n)))];
}

/** True where this condition, or one inside it, was reported. */
function reportSmallest(
  context: Context,
  root: Node,
  constants: ReadonlyMap<Node, boolean>,
): boolean {
  return visit(root, true);

  function visit(node: Node, isRoot: boolean): boolean {
    const parts = partsOf(node).map((part) => visit(part, false));
    if (parts.includes(true)) return true;
    const answer = constants.get(node);
    const readsFact = context.uses.some(
      ({ at }) => at.start >= node.at.start && at.end <= node.at.end,
    );
    if (answer === undefined || !readsFact) return false;
    // `lastRetry.exitCode != nil` is a guard that does no harm.
    if (!isRoot && node.kind === 'binary' && (isNil(node.left) || isNil(node.right))) return false;
    const fixes = node.kind === 'binary' ? otherJoin(context, node, answer) : [];
    const kind = answer ? 'always-true' : 'never-true';
    const what = answer
      ? `Always true: every result of the last run satisfies \`${source(context, node)}\`.`
      : `Never true: no result of the last run satisfies \`${source(context, node)}\`.`;
    report(context, kind, node.at, what + advice(fixes), fixes);
    return true;
  }
}

function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'binary':
      return node.operator === 'and' || node.operator === 'or' ? [node.left, node.right] : [];
    case 'unary':
      return node.operator === 'not' ? [node.operand] : [];
    case 'conditional':
      return [node.test, node.yes, node.no];
    default:
      return [];
  }
}

function isNil(node: Node): boolean {
  return node.kind === 'literal' && node.type === 'nil';
}

/** `a != 0 or a != 1` was meant with `and`, `a == 0 and a == 1` with `or`. */
function otherJoin(context: Context, node: Binary, answer: boolean): Fix[] {
  const wrong = answer ? 'or' : 'and';
  const { left, right } = node;
  const isSame =
    left.kind === 'binary' && right.kind === 'binary' && left.operator === right.operator;
  if (node.operator !== wrong || !isSame) return [];
  const written = context.text.slice(node.operatorAt.start, node.operatorAt.end);
  const others: { readonly [word: string]: string } = {
    or: 'and',
    and: 'or',
    '||': '&&',
    '&&': '||',
  };
  const word = others[written];
  if (word === undefined) return [];
  return [
    {
      title: `Write \`${word}\` instead of \`${written}\``,
      edits: [{ at: node.operatorAt, text: word }],
      preferred: false,
    },
  ];
}
