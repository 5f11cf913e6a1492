import type { Binary, Node, NodeOf } from './ast.ts';
import { memberFact } from './facts.ts';
import { parse } from './parser.ts';
import type { Fact } from './problem.ts';

/** What is known of the last run, as the controller hands it over: all text. */
export type Facts = { readonly [fact in Fact]?: string };

export type Outcome =
  | { readonly kind: 'retries' }
  | { readonly kind: 'stops' }
  /** The controller cannot evaluate it, and marks the node as Error. */
  | { readonly kind: 'fails' }
  /** Depends on facts that were not given, or on something this reading does not follow. */
  | { readonly kind: 'unknown' };

/**
 * Whether a run with these facts is retried.
 * `lastRetry.exitCode != '-1'` with exit code `-1` stops.
 */
export const evaluateRetryExpression = (text: string, facts: Facts): Outcome =>
  retryExpression(text)(facts);

/** The expression, read once, to be asked about many runs. */
export function retryExpression(text: string): (facts: Facts) => Outcome {
  const { result } = parse(text);
  switch (result.kind) {
    case 'too-large':
      return () => ({ kind: 'unknown' });
    case 'failure':
      return () => ({ kind: text.includes('{{') ? 'unknown' : 'fails' });
    case 'tree':
      return (facts) => outcomeOf(result.root, facts);
  }
}

function outcomeOf(root: Node, facts: Facts): Outcome {
  const answer = evaluate(root, facts);
  if (answer === unknown) return { kind: isNeverTrue(root, facts) ? 'stops' : 'unknown' };
  if (typeof answer !== 'boolean') return { kind: 'fails' };
  return { kind: answer ? 'retries' : 'stops' };
}

/** Whether a condition is false or fails in every case, where it is open which of the two. */
function isNeverTrue(node: Node, facts: Facts): boolean {
  if (node.kind === 'binary' && node.operator === 'and') {
    return isNeverTrue(node.left, facts) || isNeverTrue(node.right, facts);
  }
  if (node.kind === 'binary' && node.operator === 'or') {
    return isNeverTrue(node.left, facts) && isNeverTrue(node.right, facts);
  }
  const answer = evaluate(node, facts);
  return answer !== unknown && answer !== true;
}

/** Text, a number, true or false, nil, a list, a value of a known type, or one of the two outcomes below. */
export type Answer =
  string | number | boolean | null | readonly Answer[] | Some | typeof unknown | typeof failed;

/** What is not known but for its type: every fact is text, and what `asInt` makes of it a number. */
export type Some = { readonly some: 'text' | 'number'; readonly fact?: Fact };

export const unknown = Symbol('unknown');
export const failed = Symbol('failed');

/** The value of a part of an expression; `see` hears every answer on the way. */
export function evaluate(
  node: Node,
  facts: Facts,
  see?: (node: Node, answer: Answer) => void,
): Answer {
  const answer = evaluateNew(node, facts, see);
  see?.(node, answer);
  return answer;
}

type See = ((node: Node, answer: Answer) => void) | undefined;

function evaluateNew(node: Node, facts: Facts, see: See): Answer {
  switch (node.kind) {
    case 'literal':
      return node.hasTag || node.type === 'bytes' ? unknown : node.value;
    case 'name':
      return node.name === 'retries' ? factOf('retries', facts) : unknown;
    case 'member':
      return member(node, facts);
    case 'unary':
      return unary(node, evaluate(node.operand, facts, see));
    case 'binary':
      return binary(node, facts, see);
    case 'conditional': {
      const test = evaluate(node.test, facts, see);
      if (typeof test === 'boolean') return evaluate(test ? node.yes : node.no, facts, see);
      return test === unknown ? unknown : failed;
    }
    case 'list':
      return node.items.map((item) => evaluate(item, facts, see));
    case 'call':
      if (node.callee.kind !== 'name') return unknown;
      return convert(node.callee.name, node.args, facts, see);
    case 'builtin':
      return convert(node.name, node.args, facts, see);
    case 'tag':
    case 'pointer':
    case 'slice':
    case 'closure':
    case 'let':
    case 'sequence':
    case 'map':
      return unknown;
  }
}

function member(node: NodeOf<'member'>, facts: Facts): Answer {
  if (node.object.kind !== 'name' || node.object.name !== 'lastRetry') return unknown;
  if (node.property.kind !== 'literal' || node.property.hasTag) return unknown;
  const fact = memberFact(String(node.property.value));
  return fact === undefined ? null : factOf(fact, facts);
}

const factOf = (fact: Fact, facts: Facts): Answer => facts[fact] ?? { some: 'text', fact };

function unary(node: NodeOf<'unary'>, operand: Answer): Answer {
  if (operand === unknown) return unknown;
  if (node.operator === 'not') return typeof operand === 'boolean' ? !operand : failed;
  if (typeOf(operand) !== 'number') return failed;
  return node.operator === '-' && typeof operand === 'number' ? -operand : operand;
}

function convert(name: string, args: readonly Node[], facts: Facts, see: See): Answer {
  const [first] = args;
  if (first === undefined || args.length !== 1) return unknown;
  const isInt = name === 'asInt' || name === 'int';
  if (!isInt && name !== 'asFloat' && name !== 'float') return unknown;
  const value = evaluate(first, facts, see);
  if (value === unknown || value === failed) return value;
  if (isSome(value)) return convertSome(value, isInt);
  if (typeof value === 'number') return isInt ? Math.trunc(value) : value;
  if (typeof value !== 'string') return failed;
  if (isInt) return /^[+-]?\d+$/.test(value) ? Number(value) : failed;
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)) return Number(value);
  return /\d|inf|nan/i.test(value) ? unknown : failed;
}

/** Exit codes and counts are whole numbers, durations may have a fraction, a status is a word. */
function convertSome({ some, fact }: Some, isInt: boolean): Answer {
  if (fact === 'status') return failed;
  const isNumber =
    some === 'number' ||
    fact === 'exitCode' ||
    fact === 'retries' ||
    (fact === 'duration' && !isInt);
  return isNumber ? { some: 'number' } : unknown;
}

function binary(node: Binary, facts: Facts, see: See): Answer {
  const left = evaluate(node.left, facts, see);
  if (node.operator === 'and' || node.operator === 'or') {
    return logic(node.operator === 'or', left, evaluate(node.right, facts, see));
  }
  const right = evaluate(node.right, facts, see);
  if (left === failed || right === failed) return failed;
  if (node.operator === '??') return left === null ? right : left;
  if (node.operator === 'in') return negate(node, isIn(left, right));
  if (left === unknown || right === unknown) return unknown;
  switch (node.operator) {
    case '==':
    case '!=': {
      const same = equal(left, right);
      return typeof same === 'boolean' && node.operator === '!=' ? !same : same;
    }
    case '<':
    case '>':
    case '<=':
    case '>=':
      return order(node.operator, left, right);
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return negate(node, findText(node.operator, left, right));
    case 'matches':
      return mayMatch(left) && mayMatch(right) ? unknown : failed;
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '**':
      return join(node.operator, left, right);
    case '..':
      return unknown;
  }
}

/** The left side decides alone where it can, as it does in the controller. */
function logic(decisive: boolean, left: Answer, right: Answer): Answer {
  if (left === decisive) return decisive;
  if (left !== unknown && typeof left !== 'boolean') return failed;
  if (left === unknown) return right === decisive ? decisive : unknown;
  if (typeof right === 'boolean' || right === unknown) return right;
  return failed;
}

function negate(node: Binary, answer: Answer): Answer {
  return node.negated && typeof answer === 'boolean' ? !answer : answer;
}

function equal(left: Answer, right: Answer): Answer {
  const [l, r] = [typeOf(left), typeOf(right)];
  if (l === undefined || r === undefined) return unknown;
  if (l !== r) {
    // Before 3.5.0 there is no message.
    const isAbsent = (one: Answer) => isSome(one) && one.fact === 'message';
    return (isAbsent(left) && r === 'nil') || (isAbsent(right) && l === 'nil') ? unknown : false;
  }
  return isSome(left) || isSome(right) ? unknown : left === right;
}

type TypeName = 'text' | 'number' | 'boolean' | 'nil';

/** The type of an answer, where it is of a simple one and known. */
function typeOf(answer: Answer): TypeName | undefined {
  if (answer === null) return 'nil';
  if (isSome(answer)) return answer.some;
  switch (typeof answer) {
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return undefined;
  }
}

const isSome = (answer: Answer): answer is Some =>
  typeof answer === 'object' && answer !== null && 'some' in answer;

const isList = (answer: Answer): answer is readonly Answer[] => Array.isArray(answer);

function isIn(left: Answer, right: Answer): Answer {
  if (right === unknown) return unknown;
  if (right === null) return false;
  if (!isList(right)) return failed;
  if (left === unknown) return right.length === 0 ? false : unknown;
  // A list of text becomes a set of text keys, and looking up a number in it fails.
  const isTextSet = right.length > 0 && right.every((item) => typeof item === 'string');
  if (typeOf(left) === 'number' && isTextSet) return failed;
  let isUnsure = false;
  for (const item of right) {
    const same = equal(item, left);
    if (same === true) return true;
    if (same !== false) isUnsure = true;
  }
  return isUnsure ? unknown : false;
}

function order(operator: '<' | '>' | '<=' | '>=', left: Answer, right: Answer): Answer {
  const type = typeOf(left);
  if (type !== typeOf(right) || (type !== 'text' && type !== 'number')) return failed;
  const bothNumbers = typeof left === 'number' && typeof right === 'number';
  if (!bothNumbers && !(typeof left === 'string' && typeof right === 'string')) return unknown;
  switch (operator) {
    case '<':
      return left < right;
    case '>':
      return left > right;
    case '<=':
      return left <= right;
    case '>=':
      return left >= right;
  }
}

function findText(
  operator: 'contains' | 'startsWith' | 'endsWith',
  left: Answer,
  right: Answer,
): Answer {
  if (left === null || right === null) return false;
  if (typeOf(left) !== 'text' || typeOf(right) !== 'text') return failed;
  if (typeof left !== 'string' || typeof right !== 'string') return unknown;
  switch (operator) {
    case 'contains':
      return left.includes(right);
    case 'startsWith':
      return left.startsWith(right);
    case 'endsWith':
      return left.endsWith(right);
  }
}

/** Text is matched with text; nil and what is not known are left open. */
const mayMatch = (side: Answer): boolean => typeOf(side) !== 'number' && typeOf(side) !== 'boolean';

/** Numbers are reckoned with, text is only joined with text: `lastRetry.exitCode + 1` fails. */
function join(operator: '+' | '-' | '*' | '/' | '%' | '**', left: Answer, right: Answer): Answer {
  const [l, r] = [typeOf(left), typeOf(right)];
  if (l === undefined || r === undefined || l === 'nil' || r === 'nil') return unknown;
  if (l === 'text' && r === 'text' && operator === '+') {
    const isKnown = typeof left === 'string' && typeof right === 'string';
    return isKnown ? left + right : { some: 'text' };
  }
  if (l !== 'number' || r !== 'number') return failed;
  if (operator === '%') return unknown;
  if (typeof left !== 'number' || typeof right !== 'number') return { some: 'number' };
  const result = reckon(operator, left, right);
  // Beyond this the controller's whole numbers and these differ.
  return Math.abs(result) <= Number.MAX_SAFE_INTEGER ? result : { some: 'number' };
}

function reckon(operator: '+' | '-' | '*' | '/' | '**', left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '**':
      return left ** right;
  }
}
