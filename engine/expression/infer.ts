import type { Node, NodeOf } from './ast.ts';
import { addedFunction, builtin } from './builtins.ts';
import { checkCall } from './calls.ts';
import { checkBinary, checkTruth } from './compare.ts';
import {
  advice,
  known,
  other,
  report,
  source,
  unknownValue,
  write,
  type Context,
  type Value,
} from './context.ts';
import { memberFact } from './facts.ts';
import { missingMember, redeclared, unknownName } from './names.ts';
import type { Fact } from './problem.ts';
import { inWords, isNumber, listOf, resultOf, types, type Type } from './types.ts';

/** Works out what a part of the expression is, and reports what is wrong with it, once. */
export function infer(context: Context, node: Node): Value {
  const before = context.values.get(node);
  if (before !== undefined) return before;
  const value = inferNew(context, node);
  context.values.set(node, value);
  return value;
}

function inferNew(context: Context, node: Node): Value {
  switch (node.kind) {
    case 'literal':
      return known(types[node.type]);
    case 'tag':
      return unknownValue;
    case 'pointer':
      return node.name === '' ? (context.elements.at(-1) ?? unknownValue) : unknownValue;
    case 'name':
      return inferName(context, node);
    case 'member':
      return inferMember(context, node);
    case 'unary':
      return inferUnary(context, node);
    case 'binary':
      return inferBinary(context, node);
    case 'conditional':
      return inferConditional(context, node);
    case 'slice':
      return inferSlice(context, node);
    case 'call':
      return inferCall(context, node);
    case 'builtin': {
      inferArguments(context, node.args);
      const signature = builtin(node.name);
      return signature === undefined
        ? unknownValue
        : checkCall(context, node, node.name, signature, node.args);
    }
    case 'closure':
      infer(context, node.body);
      return unknownValue;
    case 'let':
      return inferLet(context, node);
    case 'sequence': {
      let last = unknownValue;
      for (const part of node.nodes) last = infer(context, part);
      return last;
    }
    case 'list':
      return known(listOf(commonType(node.items.map((item) => infer(context, item).declared))));
    case 'map':
      for (const { key, value } of node.pairs) {
        infer(context, key);
        infer(context, value);
      }
      return known(types.map);
  }
}

/** A closure sees one element of the list before it as `#`. */
function inferArguments(context: Context, args: readonly Node[]): void {
  for (const arg of args) {
    if (arg.kind !== 'closure') {
      infer(context, arg);
      continue;
    }
    const list = args[0] === undefined ? unknownValue : infer(context, args[0]);
    context.elements.push({ ...unknownValue, actual: list.actual.of ?? types.any });
    infer(context, arg);
    context.elements.pop();
  }
}

/** The library compares neighbours only by kind: one different item makes a list of anything. */
function commonType(items: readonly Type[]): Type {
  const first = items[0] ?? types.any;
  return items.every((item) => item.kind === first.kind) ? first : types.any;
}

function inferName(context: Context, node: NodeOf<'name'>): Value {
  const local = context.locals.get(node.name);
  if (local !== undefined) return local;
  switch (node.name) {
    case 'retries':
      context.uses.push({ fact: 'retries', at: node.at });
      return factValue('retries', types.string);
    case 'lastRetry':
    case 'sprig':
      return known(types.map);
    case '$env':
      return unknownValue;
  }
  if (addedFunction(node.name) !== undefined || builtin(node.name) !== undefined) {
    return known(types.function);
  }
  unknownName(context, node);
  return unknownValue;
}

function factValue(fact: Fact, declared: Type): Value {
  return { declared, actual: types.string, origin: { kind: 'fact', fact } };
}

function inferMember(context: Context, node: NodeOf<'member'>): Value {
  const { object, property } = node;
  const name =
    property.kind === 'literal' && property.type === 'string' && !property.hasTag
      ? String(property.value)
      : undefined;
  if (object.kind === 'name' && name !== undefined) {
    if (object.name === 'lastRetry') return inferLastRetry(context, node, name);
    if (object.name === '$env' || object.name === 'sprig') return unknownValue;
  }
  const value = infer(context, object);
  const index = infer(context, property);
  const { declared, actual } = value;
  if (actual.kind === 'list' && name === undefined) {
    const of = isNumber(index.actual) ? (actual.of ?? types.any) : types.any;
    return { declared: declared.kind === 'list' ? of : types.any, actual: of, origin: other };
  }
  if (name === undefined && declared.kind === 'any') return unknownValue;
  if (!'string int float bool'.split(' ').includes(actual.kind)) return unknownValue;
  const part = name === undefined ? 'parts to pick' : `\`${name}\``;
  const clash = `\`${source(context, object)}\` is ${inWords(actual)} and has no ${part}.`;
  if (declared.kind === 'any') {
    report(context, 'fails-at-run-time', node.at, `Fails at run time: ${clash}`);
  } else {
    report(context, 'mismatched-types', node.at, `Does not compile: ${clash}`);
  }
  return unknownValue;
}

function inferLastRetry(context: Context, node: NodeOf<'member'>, name: string): Value {
  const fact = memberFact(name);
  if (fact === undefined) {
    missingMember(context, node, name);
    return unknownValue;
  }
  context.uses.push({ fact, at: node.at });
  if (fact === 'message' && !context.hasMessage) {
    if (node.optional || context.guarded.has(node)) return unknownValue;
    const message =
      '`lastRetry.message` came with Argo Workflows 3.5. Before that it is nil, ' +
      'and nothing compares with it.';
    report(context, 'unknown-member', node.at, message);
    return unknownValue;
  }
  return factValue(fact, types.any);
}

function inferUnary(context: Context, node: NodeOf<'unary'>): Value {
  const { declared, actual } = infer(context, node.operand);
  if (node.operator === 'not') {
    if (declared.kind !== 'any' && declared.kind !== 'bool') {
      const message = `Does not compile: \`${source(context, node.operand)}\` is ${inWords(declared)}, and \`not\` needs true or false.`;
      report(context, 'mismatched-types', node.at, message);
    } else {
      checkTruth(context, node.operand, '`not`');
    }
    return known(types.bool);
  }
  if (declared.kind !== 'any' && !isNumber(declared)) {
    const message = `Does not compile: \`${source(context, node.operand)}\` is ${inWords(declared)}, and \`${node.operator}\` needs a number.`;
    report(context, 'mismatched-types', node.at, message);
    return unknownValue;
  }
  if (actual.kind !== 'any' && !isNumber(actual) && node.operator === '-') {
    const message = `Fails at run time: \`${source(context, node.operand)}\` is ${inWords(actual)}, and \`-\` needs a number.`;
    report(context, 'fails-at-run-time', node.at, message);
    return unknownValue;
  }
  return { declared, actual: isNumber(actual) ? actual : types.any, origin: other };
}

function inferBinary(context: Context, node: NodeOf<'binary'>): Value {
  if (node.operator === '??') context.guarded.add(node.left);
  if (/^[<>]/.test(node.operator)) {
    context.ordered.add(node.left);
    context.ordered.add(node.right);
  }
  if (negatesTooEarly(context, node)) {
    infer(context, node.right);
    return known(types.bool);
  }
  const left = infer(context, node.left);
  const right = infer(context, node.right);
  if (node.operator === '??') return fallback(left, right);
  checkBinary(context, node);
  const declared = resultOf(node.operator, left.declared, right.declared);
  const actual = resultOf(node.operator, left.actual, right.actual);
  const isQuestion = resultOf(node.operator, types.any, types.any)?.kind === 'bool';
  if (isQuestion) return known(types.bool);
  return { declared: declared ?? types.any, actual: actual ?? types.any, origin: other };
}

/** `not lastRetry.exitCode in ['1']` reads as `(not lastRetry.exitCode) in ['1']`. */
function negatesTooEarly(context: Context, node: NodeOf<'binary'>): boolean {
  const { left } = node;
  if (left.kind !== 'unary' || left.operator !== 'not' || left.at.start !== node.at.start) {
    return false;
  }
  if (node.operator === 'and' || node.operator === 'or') return false;
  const { actual, declared } = infer(context, left.operand);
  if (actual.kind === 'any' || actual.kind === 'bool') return false;
  const fixes = [
    {
      title: 'Put the comparison in parentheses',
      edits: [
        { at: { start: left.operand.at.start, end: left.operand.at.start }, text: '(' },
        { at: { start: node.at.end, end: node.at.end }, text: ')' },
      ],
      preferred: true,
    },
  ];
  const not = context.text.slice(left.operatorAt.start, left.operatorAt.end);
  const subject = `\`${not}\` only takes \`${source(context, left.operand)}\`, which is ${inWords(actual)}.`;
  if (declared.kind === 'any') {
    const message = `Fails at run time: ${subject}${advice(fixes)}`;
    report(context, 'fails-at-run-time', node.at, message, fixes);
  } else {
    const message = `Does not compile: ${subject}${advice(fixes)}`;
    report(context, 'mismatched-types', node.at, message, fixes);
  }
  return true;
}

function fallback(left: Value, right: Value): Value {
  if (left.declared.kind === 'nil') return right;
  if (left.actual.kind !== 'any') return left;
  const isSame = left.declared.kind === right.declared.kind && left.declared.kind !== 'any';
  return isSame ? { ...left, origin: other } : unknownValue;
}

function inferConditional(context: Context, node: NodeOf<'conditional'>): Value {
  const test = infer(context, node.test);
  if (test.declared.kind !== 'any' && test.declared.kind !== 'bool') {
    const message = `Does not compile: \`${source(context, node.test)}\` is ${inWords(test.declared)}, and a condition needs true or false.`;
    report(context, 'mismatched-types', node.test.at, message);
  } else {
    checkTruth(context, node.test, 'a condition');
  }
  const yes = infer(context, node.yes);
  const no = infer(context, node.no);
  const pick = (a: Type, b: Type): Type => (a.kind === b.kind && a.kind !== 'list' ? a : types.any);
  return {
    declared: pick(yes.declared, no.declared),
    actual: pick(yes.actual, no.actual),
    origin: other,
  };
}

function inferSlice(context: Context, node: NodeOf<'slice'>): Value {
  const value = infer(context, node.object);
  if (node.from !== undefined) infer(context, node.from);
  if (node.to !== undefined) infer(context, node.to);
  const { declared } = value;
  if (isNumber(declared) || declared.kind === 'bool' || declared.kind === 'map') {
    const message = `Does not compile: \`${source(context, node.object)}\` is ${inWords(declared)} and cannot be cut.`;
    report(context, 'mismatched-types', node.at, message);
    return unknownValue;
  }
  return { ...value, origin: other };
}

const isName = (name: string): boolean => ['retries', 'lastRetry', 'sprig', '$env'].includes(name);

const textMethods = new Set(['contains', 'startsWith', 'endsWith', 'matches']);

function inferCall(context: Context, node: NodeOf<'call'>): Value {
  const { callee, args } = node;
  for (const arg of args) infer(context, arg);
  if (callee.kind === 'name' && !context.locals.has(callee.name)) {
    const signature = addedFunction(callee.name);
    if (signature !== undefined) return checkCall(context, node, callee.name, signature, args);
    if (!isName(callee.name)) {
      unknownName(context, callee, args.length);
      return unknownValue;
    }
    const value = infer(context, callee);
    if (value.actual.kind === 'any') return unknownValue;
    const message = `Does not compile: \`${callee.name}\` is ${inWords(value.actual)}, not a function.`;
    report(context, 'wrong-call', node.at, message);
    return unknownValue;
  }
  if (callee.kind === 'member' && callee.property.kind === 'literal') {
    const { object, property } = callee;
    const { actual, declared } = infer(context, object);
    const argument = args[0];
    const name = String(property.value);
    if (actual.kind === 'string' && textMethods.has(name) && argument && args.length === 1) {
      const text = `(${source(context, object)} ${name} ${source(context, argument)})`;
      const fixes = [write(node.at, text)];
      const isLate = declared.kind === 'any';
      const when = isLate ? 'Fails at run time' : 'Does not compile';
      const message = `${when}: \`${name}\` is an operator, not a method.${advice(fixes)}`;
      report(context, isLate ? 'fails-at-run-time' : 'mismatched-types', node.at, message, fixes);
      return known(types.bool);
    }
  }
  infer(context, callee);
  return unknownValue;
}

function inferLet(context: Context, node: NodeOf<'let'>): Value {
  const isTaken =
    context.locals.has(node.name) ||
    ['retries', 'lastRetry', 'sprig'].includes(node.name) ||
    addedFunction(node.name) !== undefined ||
    builtin(node.name) !== undefined;
  if (isTaken) redeclared(context, node);
  const before = context.locals.get(node.name);
  context.locals.set(node.name, infer(context, node.value));
  const value = infer(context, node.body);
  if (before === undefined) context.locals.delete(node.name);
  else context.locals.set(node.name, before);
  return value;
}
