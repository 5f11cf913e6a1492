import type { Binary, Node } from './ast.ts';
import { memberFact } from './facts.ts';
import { parse } from './parser.ts';
import type { Fact } from './problem.ts';

/**
 * Says when the expression allows a retry, for the shapes people write.
 * `asInt(lastRetry.exitCode) > 1` is "the exit code is above 1".
 */
export function explainRetryExpression(text: string): string | undefined {
  const { result } = parse(text);
  return result.kind === 'tree' ? explain(result.root) : undefined;
}

function explain(node: Node): string | undefined {
  if (node.kind === 'literal' && node.type === 'bool')
    return node.value === true ? 'always' : 'never';
  if (node.kind !== 'binary') return undefined;
  if (node.operator === 'and' || node.operator === 'or') return join(node);
  return compare(node);
}

function join(node: Binary): string | undefined {
  const sides = [node.left, node.right].map((side) => {
    const words = side.kind === 'literal' ? undefined : explain(side);
    const isMixed =
      side.kind === 'binary' &&
      side.operator !== node.operator &&
      (side.operator === 'and' || side.operator === 'or');
    return isMixed && words !== undefined ? `(${words})` : words;
  });
  return sides.includes(undefined) ? undefined : sides.join(` ${node.operator} `);
}

type Subject = { readonly fact: Fact; readonly isNumber: boolean };

function compare(node: Binary): string | undefined {
  const left = subject(node.left);
  if (left !== undefined) return predicate(left, node.operator, node.negated, node.right);
  const right = subject(node.right);
  const mirrored = mirrors[node.operator];
  if (right === undefined || mirrored === undefined) return undefined;
  return predicate(right, mirrored, false, node.left);
}

/** `3 > x` says the same as `x < 3`. */
const mirrors: { readonly [operator: string]: Binary['operator'] } = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
};

function subject(node: Node): Subject | undefined {
  if (node.kind === 'name') {
    return node.name === 'retries' ? { fact: 'retries', isNumber: false } : undefined;
  }
  if (node.kind === 'member') {
    if (node.object.kind !== 'name' || node.object.name !== 'lastRetry') return undefined;
    if (node.property.kind !== 'literal' || node.property.hasTag) return undefined;
    const fact = memberFact(String(node.property.value));
    return fact === undefined ? undefined : { fact, isNumber: false };
  }
  const name =
    node.kind === 'builtin'
      ? node.name
      : node.kind === 'call' && node.callee.kind === 'name'
        ? node.callee.name
        : '';
  if (!['asInt', 'asFloat', 'int', 'float'].includes(name)) return undefined;
  if (node.kind !== 'builtin' && node.kind !== 'call') return undefined;
  const [arg] = node.args;
  const inner = arg === undefined ? undefined : subject(arg);
  return inner === undefined ? undefined : { fact: inner.fact, isNumber: true };
}

function predicate(
  { fact, isNumber }: Subject,
  operator: Binary['operator'],
  negated: boolean,
  right: Node,
): string | undefined {
  if (right.kind === 'list') {
    const items = right.items.map((item) => value(item, isNumber));
    if (operator !== 'in' || items.length === 0 || items.includes(undefined)) return undefined;
    return oneOf(fact, negated, items.map(String));
  }
  const text = value(right, isNumber);
  if (text === undefined) return undefined;
  switch (operator) {
    case '==':
      if (fact === 'exitCode' && text === '-1') return 'there is no exit code';
      return exactly(fact, text);
    case '!=':
      if (fact === 'exitCode' && text === '-1') return 'there is an exit code';
      return not(fact, text);
    case '<':
    case '>':
    case '<=':
    case '>=':
      return isNumber ? ordered(fact, operator, text) : undefined;
    case 'contains':
      return isNumber
        ? undefined
        : `${nouns[fact]} ${negated ? 'does not contain' : 'contains'} "${text}"`;
    case 'startsWith':
      return isNumber
        ? undefined
        : `${nouns[fact]} ${negated ? 'does not start' : 'starts'} with "${text}"`;
    case 'endsWith':
      return isNumber
        ? undefined
        : `${nouns[fact]} ${negated ? 'does not end' : 'ends'} with "${text}"`;
    case 'matches':
      return isNumber
        ? undefined
        : `${nouns[fact]} ${negated ? 'does not match' : 'matches'} /${text}/`;
    default:
      return undefined;
  }
}

const nouns: { readonly [fact in Fact]: string } = {
  retries: 'the number of retries so far',
  exitCode: 'the exit code',
  status: 'the status',
  duration: 'the duration',
  message: 'the message',
};

/** The other side in words, when it has the type that the comparison needs. */
function value(node: Node, isNumber: boolean): string | undefined {
  if (node.kind === 'tag') return isNumber ? `{{${node.inner}}}` : undefined;
  if (node.kind === 'unary' && node.operator === '-') {
    const operand = value(node.operand, isNumber);
    return operand === undefined || !isNumber ? undefined : `-${operand}`;
  }
  if (node.kind !== 'literal') return undefined;
  const fits = isNumber ? node.type === 'int' || node.type === 'float' : node.type === 'string';
  return fits ? String(node.value) : undefined;
}

function unit(fact: Fact): string {
  return fact === 'duration' ? 's' : '';
}

function exactly(fact: Fact, text: string): string {
  if (fact === 'message') return `the message is "${text}"`;
  return `${nouns[fact]} is ${text}${unit(fact)}`;
}

function not(fact: Fact, text: string): string {
  if (fact === 'message') return `the message is not "${text}"`;
  return `${nouns[fact]} is not ${text}${unit(fact)}`;
}

function ordered(fact: Fact, operator: '<' | '>' | '<=' | '>=', text: string): string {
  const words = { '<': 'below', '>': 'above', '<=': 'at most', '>=': 'at least' }[operator];
  return `${nouns[fact]} is ${words} ${text}${unit(fact)}`;
}

function oneOf(fact: Fact, negated: boolean, items: readonly string[]): string {
  const shown = items.map((item) => (fact === 'message' ? `"${item}"` : `${item}${unit(fact)}`));
  const last = shown.at(-1) ?? '';
  const [first] = shown;
  if (shown.length === 1) return `${nouns[fact]} is ${negated ? 'not ' : ''}${last}`;
  const before = shown.slice(0, -1).join(', ');
  if (!negated) return `${nouns[fact]} is ${before} or ${last}`;
  if (shown.length === 2) return `${nouns[fact]} is neither ${first ?? ''} nor ${last}`;
  return `${nouns[fact]} is none of ${before} and ${last}`;
}
