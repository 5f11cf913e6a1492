import type { Fix } from '../finding.ts';
import type { Binary, Literal, Node } from './ast.ts';
import {
  advice,
  quoted,
  report,
  source,
  valueOf,
  write,
  type Context,
  type Value,
} from './context.ts';
import { canBe, nearestValue, orderedWrongly, valuesInWords } from './facts.ts';
import { checkPattern } from './pattern.ts';
import type { Fact } from './problem.ts';
import { comparable, inWords, isNumber, resultOf, types } from './types.ts';

type Side = { readonly node: Node; readonly value: Value };

/** Says what is wrong with `left operator right`, once both sides are known. */
export function checkBinary(context: Context, node: Binary): void {
  const left: Side = { node: node.left, value: valueOf(context, node.left) };
  const right: Side = { node: node.right, value: valueOf(context, node.right) };
  if (node.operator === '??') return;
  if (resultOf(node.operator, left.value.declared, right.value.declared) === undefined) {
    reportMismatch(context, node, left, right);
    return;
  }
  switch (node.operator) {
    case '==':
    case '!=':
      checkEqual(context, node, left, right);
      return;
    case 'in':
      checkIn(context, node, left, right);
      return;
    case 'and':
    case 'or':
      for (const side of [left, right]) checkTruth(context, side.node, `\`${node.operator}\``);
      return;
    case '<':
    case '>':
    case '<=':
    case '>=':
      checkOrder(context, node, left, right);
      return;
    case 'matches':
      checkPattern(context, node.right);
      checkOperands(context, node, left, right);
      return;
    case 'contains':
    case 'startsWith':
    case 'endsWith':
    case '..':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '**':
      checkOperands(context, node, left, right);
  }
}

/** `lastRetry.exitCode and true`: text where only true or false can stand. */
export function checkTruth(context: Context, node: Node, where: string): void {
  const { actual } = valueOf(context, node);
  if (actual.kind === 'any' || actual.kind === 'bool') return;
  const message =
    `Fails at run time: \`${source(context, node)}\` is ${inWords(actual)}, ` +
    `and ${where} needs true or false.`;
  report(context, 'fails-at-run-time', node.at, message);
}

function reportMismatch(context: Context, node: Binary, left: Side, right: Side): void {
  const fixes = conversions(context, node, left, right);
  const sides =
    node.operator === 'in' && right.value.declared.kind === 'list'
      ? `${is(context, left, 'declared')} and the list holds ${plural(right)}`
      : `${is(context, left, 'declared')} and ${is(context, right, 'declared')}`;
  const message = `Does not compile: ${sides}.${advice(fixes)}`;
  report(context, 'mismatched-types', node.at, message, fixes);
}

function checkOperands(context: Context, node: Binary, left: Side, right: Side): void {
  const l = left.value.actual;
  const r = right.value.actual;
  if (l.kind === 'nil' || r.kind === 'nil') return;
  if (resultOf(node.operator, l, r) !== undefined) return;
  const fixes = conversions(context, node, left, right);
  const isOrder = /^[<>]/.test(node.operator);
  const message =
    `Fails at run time: ${is(context, left)} and ${is(context, right)}, ` +
    `and \`${node.operator}\` cannot ${isOrder ? 'compare' : 'join'} them.${advice(fixes)}`;
  report(context, 'fails-at-run-time', node.at, message, fixes);
}

function checkOrder(context: Context, node: Binary, left: Side, right: Side): void {
  if (resultOf(node.operator, left.value.actual, right.value.actual) === undefined) {
    checkOperands(context, node, left, right);
    return;
  }
  for (const [side, opposite, isLeft] of [
    [left, right, true],
    [right, left, false],
  ] as const) {
    const fact = numericFact(side);
    const literal = textLiteral(opposite.node);
    if (fact === undefined || literal === undefined) continue;
    const example = orderedWrongly(fact, node.operator, String(literal.value), isLeft);
    // Nothing stands before '1' that is not also below 1, but that is luck: '2' would go wrong.
    if (example === undefined && literal.value !== '1') continue;
    const call = converter(fact, String(literal.value));
    const fixed = `${call}(${source(context, side.node)})`;
    const number = String(literal.value);
    const ordered = isLeft
      ? `${fixed} ${node.operator} ${number}`
      : `${number} ${node.operator} ${fixed}`;
    const fix: Fix = {
      title: `Write \`${ordered}\``,
      edits: [
        { at: side.node.at, text: fixed },
        { at: literal.at, text: number },
      ],
      preferred: true,
    };
    const { text, isTrue } = example ?? { text: `'10' > '2'`, isTrue: false };
    const message =
      `Compared letter by letter, not as numbers: \`${text}\` is ` +
      `${isTrue ? 'true' : 'false'}.${advice([fix])}`;
    report(context, 'compares-as-text', node.at, message, [fix]);
    return;
  }
}

function checkEqual(context: Context, node: Binary, left: Side, right: Side): void {
  const constant = node.operator === '==' ? 'never-true' : 'always-true';
  const opening = constant === 'never-true' ? 'Never true' : 'Always true';
  if (!comparable(left.value.actual, right.value.actual)) {
    const fixes = conversions(context, node, left, right);
    const so = constant === 'never-true' ? 'they are never equal' : 'they always differ';
    const sides = `${is(context, left)} and ${is(context, right)}`;
    report(context, constant, node.at, `${opening}: ${sides}, so ${so}.${advice(fixes)}`, fixes);
    return;
  }
  for (const [side, opposite] of [
    [left, right],
    [right, left],
  ] as const) {
    const literal = textLiteral(opposite.node);
    const { origin } = side.value;
    if (origin.kind !== 'fact' || literal === undefined) continue;
    if (canBe(origin.fact, String(literal.value))) continue;
    const fixes = nearValue(context, origin.fact, literal);
    const message = `${opening}: ${valuesInWords(origin.fact)}.${advice(fixes)}`;
    report(context, constant, node.at, message, fixes);
    return;
  }
}

function checkIn(context: Context, node: Binary, left: Side, right: Side): void {
  const l = left.value.actual;
  const r = right.value.actual;
  if (r.kind === 'string' && l.kind !== 'nil') {
    const operator = node.negated ? 'not contains' : 'contains';
    const text = `${source(context, right.node)} ${operator} ${source(context, left.node)}`;
    const fixes = l.kind === 'string' ? [write(node.at, text)] : [];
    const message =
      `Fails at run time: \`in\` looks in lists, and ` +
      `\`${source(context, right.node)}\` is text.${advice(fixes)}`;
    report(context, 'fails-at-run-time', node.at, message, fixes);
    return;
  }
  if (isNumber(r) || r.kind === 'bool') {
    const message = `Fails at run time: \`in\` looks in lists, and ${is(context, right)}.`;
    report(context, 'fails-at-run-time', node.at, message);
    return;
  }
  if (r.kind !== 'list' || l.kind === 'any') return;
  const items = right.node.kind === 'list' ? right.node.items : [];
  const strangers = items.filter((item) => !comparable(l, valueOf(context, item).actual));
  const isAll =
    items.length > 0 ? strangers.length === items.length : !comparable(l, r.of ?? types.any);
  if (isAll) reportStrangeList(context, node, left, right, items);
  else for (const item of strangers) reportStrangeItem(context, left, item);
  if (left.value.origin.kind === 'fact') checkItems(context, left.value.origin.fact, items);
}

/** Every item is of another type than what is looked for. */
function reportStrangeList(
  context: Context,
  node: Binary,
  left: Side,
  right: Side,
  items: readonly Node[],
): void {
  const fixes = conversions(context, node, left, right);
  const sides = `${is(context, left)} and the list holds ${plural(right)}`;
  // A list of text becomes a set of text keys, and looking up anything else in it fails:
  // expr-lang/expr v1.17.8 optimizer/in_array.go.
  const isTextSet =
    items.length > 0 && items.every((i) => i.kind === 'literal' && i.type === 'string');
  if (isTextSet && left.value.declared.kind === 'any') {
    const message = `Fails at run time: ${sides}.${advice(fixes)}`;
    report(context, 'fails-at-run-time', node.at, message, fixes);
    return;
  }
  const kind = node.negated ? 'always-true' : 'never-true';
  const opening = node.negated ? 'Always true' : 'Never true';
  report(context, kind, node.at, `${opening}: ${sides}.${advice(fixes)}`, fixes);
}

function reportStrangeItem(context: Context, left: Side, item: Node): void {
  const text = source(context, item);
  const fixes =
    left.value.actual.kind === 'string' && isNumberLiteral(item)
      ? [write(item.at, quoted(context, text))]
      : isNumber(left.value.actual) && textNumber(item) !== undefined
        ? [write(item.at, textNumber(item) ?? '')]
        : [];
  const message = `\`${text}\` never matches: ${is(context, left)}.${advice(fixes)}`;
  report(context, 'never-true', item.at, message, fixes);
}

function checkItems(context: Context, fact: Fact, items: readonly Node[]): void {
  for (const item of items) {
    const literal = textLiteral(item);
    if (literal === undefined || canBe(fact, String(literal.value))) continue;
    const fixes = nearValue(context, fact, literal);
    const message = `This never matches: ${valuesInWords(fact)}.${advice(fixes)}`;
    report(context, 'never-true', literal.at, message, fixes);
  }
}

function nearValue(context: Context, fact: Fact, literal: Literal): Fix[] {
  const near = nearestValue(fact, String(literal.value));
  if (near === undefined) return [];
  const quote = context.text[literal.at.start] ?? "'";
  return [write(literal.at, `${quote}${near}${quote}`)];
}

/** The ways to bring a number and a text together: `asInt(...)` first, then quotes. */
function conversions(context: Context, node: Binary, left: Side, right: Side): Fix[] {
  if (isTextOperator(node.operator)) {
    // Text is looked for in text: a number can only be the text that spells it.
    return isNumberLiteral(node.right)
      ? [write(node.right.at, quoted(context, source(context, node.right)))]
      : [];
  }
  for (const [side, opposite] of [
    [left, right],
    [right, left],
  ] as const) {
    const fact = numericFact(side);
    const items = opposite.node.kind === 'list' ? opposite.node.items : [];
    const isNumeric =
      isNumber(opposite.value.actual) ||
      (opposite.value.actual.kind === 'list' && isNumber(opposite.value.actual.of ?? types.any)) ||
      (items.length > 0 && items.every(isNumberLiteral));
    if (fact !== undefined && isNumeric) {
      const call = converter(fact, source(context, opposite.node));
      const fixes = [write(side.node.at, `${call}(${source(context, side.node)})`)];
      const isEquality = node.operator === '==' || node.operator === '!=';
      const canQuote = items.length > 0 ? node.operator === 'in' : isEquality;
      if (canQuote) fixes.push(...quoteNumbers(context, opposite.node, items));
      return fixes;
    }
    if (isNumber(side.value.actual) && opposite.value.actual.kind === 'string') {
      const number = textNumber(opposite.node);
      if (number !== undefined) return [write(opposite.node.at, number)];
    }
    if (isNumber(side.value.actual) && items.length > 0) {
      const numbers = items.map(textNumber);
      if (numbers.every((number) => number !== undefined)) {
        return [write(opposite.node.at, `[${numbers.join(', ')}]`)];
      }
    }
  }
  return [];
}

const isTextOperator = (operator: Binary['operator']): boolean =>
  ['matches', 'contains', 'startsWith', 'endsWith'].includes(operator);

function quoteNumbers(context: Context, node: Node, items: readonly Node[]): Fix[] {
  if (items.length > 0) {
    if (!items.every(isNumberLiteral)) return [];
    const texts = items.map((item) => quoted(context, source(context, item)));
    return [write(node.at, `[${texts.join(', ')}]`, false)];
  }
  return isNumberLiteral(node)
    ? [write(node.at, quoted(context, source(context, node)), false)]
    : [];
}

function is(context: Context, side: Side, which: 'declared' | 'actual' = 'actual'): string {
  return `\`${source(context, side.node)}\` is ${inWords(side.value[which])}`;
}

function plural(side: Side): string {
  const of = side.value.actual.of ?? types.any;
  if (isNumber(of)) return 'numbers';
  return of.kind === 'any' ? 'other things' : inWords(of);
}

/** `retries`, `lastRetry.exitCode` and `lastRetry.duration`: text that spells a number. */
function numericFact(side: Side): Fact | undefined {
  const { origin } = side.value;
  if (origin.kind !== 'fact') return undefined;
  return origin.fact === 'status' || origin.fact === 'message' ? undefined : origin.fact;
}

/** `asInt` refuses `12.5`: a duration, and a comparison with a fraction, need `asFloat`. */
function converter(fact: Fact, opposite: string): string {
  return fact === 'duration' || /^-?\d*\.\d+$/.test(opposite) ? 'asFloat' : 'asInt';
}

function textLiteral(node: Node): Literal | undefined {
  return node.kind === 'literal' && node.type === 'string' && !node.hasTag ? node : undefined;
}

/** `'12'` as the number it spells. */
function textNumber(node: Node): string | undefined {
  const text = String(textLiteral(node)?.value ?? '');
  return /^-?\d+(\.\d+)?$/.test(text) ? text : undefined;
}

function isNumberLiteral(node: Node): boolean {
  if (node.kind === 'unary' && node.operator === '-') return isNumberLiteral(node.operand);
  return node.kind === 'literal' && (node.type === 'int' || node.type === 'float');
}
