import type { Fix } from '../finding.ts';
import type { Node } from './ast.ts';
import type { Accepts, Signature } from './builtins.ts';
import {
  advice,
  other,
  report,
  source,
  valueOf,
  write,
  type Context,
  type Value,
} from './context.ts';
import { inWords, isNumber, types, type Type } from './types.ts';

const conversions = new Set(['asInt', 'asFloat', 'int', 'float']);

/** Checks a call against its signature, and says what it gives. */
export function checkCall(
  context: Context,
  call: Node,
  name: string,
  signature: Signature,
  args: readonly Node[],
): Value {
  const result: Value = { declared: signature.returns, actual: signature.returns, origin: other };
  if (!checkCount(context, call, name, signature, args.length)) return result;
  if (conversions.has(name)) return convert(context, name, signature, args[0]);
  args.forEach((arg, i) => {
    const accepts = signature.accepts[Math.min(i, signature.accepts.length - 1)] ?? 'any';
    if (signature.closure !== 'none' && i === 1) checkClosure(context, name, arg);
    else checkArgument(context, name, accepts, arg);
  });
  return result;
}

function checkCount(
  context: Context,
  call: Node,
  name: string,
  signature: Signature,
  count: number,
): boolean {
  const { least, most } = signature;
  if (count >= least && (most === undefined || count <= most)) return true;
  const wanted =
    most === undefined ? `at least ${least}` : least === most ? least : `${least} to ${most}`;
  const noun = wanted === 1 ? 'argument' : 'arguments';
  const message = `Does not compile: \`${name}\` takes ${wanted} ${noun}, and this has ${count}.`;
  report(context, 'wrong-call', call.at, message);
  return false;
}

function checkArgument(context: Context, name: string, accepts: Accepts, arg: Node): void {
  const { declared, actual } = valueOf(context, arg);
  const wanted = acceptsInWords(accepts);
  if (!isAccepted(accepts, declared)) {
    const clash = `\`${source(context, arg)}\` is ${inWords(declared)}, and \`${name}\` needs ${wanted}.`;
    report(context, 'mismatched-types', arg.at, `Does not compile: ${clash}`);
  } else if (!isAccepted(accepts, actual)) {
    const clash = `\`${source(context, arg)}\` is ${inWords(actual)}, and \`${name}\` needs ${wanted}.`;
    report(context, 'fails-at-run-time', arg.at, `Fails at run time: ${clash}`);
  }
}

/** `all(list, # + 1)`: these closures must answer true or false. */
function checkClosure(context: Context, name: string, arg: Node): void {
  if (arg.kind !== 'closure' || !questions.has(name)) return;
  const { declared } = valueOf(context, arg.body);
  if (declared.kind === 'any' || declared.kind === 'bool') return;
  const message = `Does not compile: \`${name}\` needs true or false here, and this is ${inWords(declared)}.`;
  report(context, 'mismatched-types', arg.at, message);
}

const questions = new Set(
  'all none any one filter count find findLast findIndex findLastIndex'.split(' '),
);

/** `asInt(x)`: always a number, unless it fails at run time. */
function convert(
  context: Context,
  name: string,
  signature: Signature,
  arg: Node | undefined,
): Value {
  const isFloat = name === 'asFloat' || name === 'float';
  const actual = isFloat ? types.float : types.int;
  // `asInt` is declared to take and give anything, the builtin `int` is not.
  const isStrict = signature.returns.kind !== 'any';
  const result: Value = { declared: isStrict ? actual : types.any, actual, origin: other };
  if (arg === undefined) return result;
  const value = valueOf(context, arg);
  checkConvertible(context, name, isFloat, arg, value, isStrict);
  if (value.origin.kind !== 'fact') return result;
  return { ...result, origin: { kind: 'number-of', fact: value.origin.fact } };
}

function checkConvertible(
  context: Context,
  name: string,
  isFloat: boolean,
  arg: Node,
  value: Value,
  isStrict: boolean,
): void {
  const text = source(context, arg);
  if (isStrict && !isAccepted('numeric', value.declared)) {
    const message = `Does not compile: \`${text}\` is ${inWords(value.declared)}, and \`${name}\` needs a number or text.`;
    report(context, 'mismatched-types', arg.at, message);
    return;
  }
  if (!isAccepted('numeric', value.actual)) {
    const message = `Fails at run time: \`${text}\` is ${inWords(value.actual)}, and \`${name}\` needs a number or text.`;
    report(context, 'fails-at-run-time', arg.at, message);
    return;
  }
  if (value.origin.kind === 'fact' && value.origin.fact === 'status') {
    const message = `Fails at run time: \`${text}\` is a word such as 'Failed', and \`${name}\` needs a number.`;
    report(context, 'fails-at-run-time', arg.at, message);
    return;
  }
  if (arg.kind !== 'literal' || arg.type !== 'string' || arg.hasTag) return;
  const literal = String(arg.value);
  const isInteger = /^[+-]?\d+$/.test(literal);
  // Go also reads `inf`, `0x1p-2` and `1_000` as floats; only what is surely refused is said.
  const isReadable = isFloat ? /\d|inf|nan/i.test(literal) : isInteger;
  if (isReadable) return;
  const isFraction = /^[+-]?\d*\.\d+$/.test(literal);
  const fixes: Fix[] = isFraction ? [floatFix(context, name, arg)] : [];
  const message = `Fails at run time: \`${name}\` cannot read ${text} as a ${isFloat ? '' : 'whole '}number.${advice(fixes)}`;
  report(context, 'fails-at-run-time', arg.at, message, fixes);
}

/** Writes `asFloat('12.5')` for `asInt('12.5')`: the name ends where the bracket before it opens. */
function floatFix(context: Context, name: string, arg: Node): Fix {
  const start = context.text.lastIndexOf(name, arg.at.start);
  const better = name === 'asInt' ? 'asFloat' : 'float';
  return write({ start, end: start + name.length }, better);
}

function isAccepted(accepts: Accepts, type: Type): boolean {
  if (type.kind === 'any') return true;
  const isCountable = isNumber(type) || type.kind === 'duration';
  switch (accepts) {
    case 'any':
      return true;
    case 'text':
      return type.kind === 'string' || type.kind === 'bytes';
    case 'number':
      return isCountable;
    case 'numeric':
      return isCountable || type.kind === 'string';
    case 'list':
      return type.kind === 'list' || type.kind === 'bytes';
    case 'map':
      return type.kind === 'map';
    case 'sized':
      return ['string', 'list', 'map', 'bytes'].includes(type.kind);
    case 'ordered':
      return isCountable || type.kind === 'list' || type.kind === 'bytes';
  }
}

function acceptsInWords(accepts: Accepts): string {
  switch (accepts) {
    case 'any':
      return 'anything';
    case 'text':
      return 'text';
    case 'number':
      return 'a number';
    case 'numeric':
      return 'a number or text';
    case 'list':
      return 'a list';
    case 'map':
      return 'a map';
    case 'sized':
      return 'text, a list or a map';
    case 'ordered':
      return 'numbers or lists';
  }
}
