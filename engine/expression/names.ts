import type { Fix } from '../finding.ts';
import type { NodeOf } from './ast.ts';
import { addedFunction, builtin, builtinNames, environmentNames } from './builtins.ts';
import { advice, quoted, report, write, type Context } from './context.ts';
import { memberFact, memberNames } from './facts.ts';
import { nearest } from './problem.ts';

/** Words of other languages, and of Argo's own documentation, for what exists here. */
const meant: { readonly [name: string]: string } = {
  null: 'nil',
  None: 'nil',
  undefined: 'nil',
  True: 'true',
  TRUE: 'true',
  False: 'false',
  FALSE: 'false',
  toInt: 'asInt',
  parseInt: 'asInt',
  atoi: 'asInt',
  Int: 'asInt',
  Number: 'asInt',
  number: 'asInt',
  toFloat: 'asFloat',
  parseFloat: 'asFloat',
  length: 'len',
  size: 'len',
  toLower: 'lower',
  toUpper: 'upper',
  toString: 'string',
  str: 'string',
  phase: 'lastRetry.status',
  code: 'lastRetry.exitCode',
};

const otherMembers: { readonly [name: string]: string } = {
  code: 'exitCode',
  phase: 'status',
  reason: 'message',
};

const statuses = new Set(['Failed', 'Error', 'Succeeded']);

/** Scopes that a tag reaches and an expression does not. */
const tagScopes = new Set([
  'workflow',
  'inputs',
  'steps',
  'tasks',
  'item',
  'outputs',
  'node',
  'pod',
]);

/** `workflow.status`, `lastretry.status`, `Failed` without quotes: none of them compiles. */
export function unknownName(context: Context, node: NodeOf<'name'>, args?: number): void {
  const { name, at } = node;
  if (tagScopes.has(name)) {
    insertWithTag(context, node);
    return;
  }
  const fixes: Fix[] = [];
  if (statuses.has(name)) fixes.push(write(at, quoted(context, name)));
  else {
    const word = meantName(name, args);
    if (word !== undefined) fixes.push(write(at, word));
  }
  const message = `Does not compile: unknown name \`${name}\`.${advice(fixes)}`;
  report(context, 'unknown-name', at, message, fixes);
}

/** The name that was meant; for a call a function that takes as many arguments. */
function meantName(name: string, args: number | undefined): string | undefined {
  const word = Object.hasOwn(meant, name) ? meant[name] : undefined;
  if (word !== undefined) return word;
  const same = nearest(name, ['lastRetry', 'retries']);
  if (same !== undefined) return same;
  const member = memberNames.find((known) => known.toLowerCase() === name.toLowerCase());
  if (member !== undefined && memberFact(name) !== undefined) return `lastRetry.${member}`;
  const functions = [...environmentNames, ...builtinNames()].filter((one) => takes(one, args));
  return nearest(name, functions);
}

function takes(name: string, args: number | undefined): boolean {
  const signature = addedFunction(name) ?? builtin(name);
  if (signature === undefined || args === undefined) return signature === undefined;
  return args >= signature.least && (signature.most === undefined || args <= signature.most);
}

function insertWithTag(context: Context, node: NodeOf<'name'>): void {
  const { name, at } = node;
  const path = /^[\w-]+(?:\.[\w-]+)+/.exec(context.text.slice(at.start))?.[0];
  const isReachable =
    path !== undefined &&
    /^(inputs\.parameters\.|workflow\.(parameters|labels|annotations)\.|workflow\.(name|namespace|uid|mainEntrypoint|serviceAccountName)$)/.test(
      path,
    );
  const fixes: Fix[] = [];
  if (isReachable) {
    const text = quoted(context, `{{${path}}}`);
    fixes.push({
      ...write({ start: at.start, end: at.start + path.length }, text),
      preferred: false,
    });
  }
  const message =
    `Does not compile: unknown name \`${name}\`. ` +
    `This expression only sees \`retries\` and \`lastRetry\`.${advice(fixes)}`;
  report(context, 'unknown-name', at, message, fixes);
}

/** `lastRetry.exitcode` compiles and is nil, whatever the last run did. */
export function missingMember(context: Context, node: NodeOf<'member'>, name: string): void {
  const { property } = node;
  const at = property.at;
  const fixes: Fix[] = [];
  if (name === 'retries' && !node.isIndex) {
    fixes.push(write(node.at, 'retries'));
  } else {
    const alias = Object.hasOwn(otherMembers, name) ? otherMembers[name] : undefined;
    const squeezed = name.replace(/[_-]/g, '');
    const word = alias ?? nearest(squeezed, memberNames);
    if (word !== undefined) {
      const quote = context.text[at.start] ?? "'";
      const text = node.isIndex ? `${quote}${word}${quote}` : word;
      fixes.push(write(at, text));
    }
  }
  const has = `It has ${memberNames.map((known) => `\`${known}\``).join(', ')}.${advice(fixes)}`;
  if (context.ordered.has(node)) {
    const message = `Fails at run time: \`lastRetry\` has no \`${name}\`, and nil is neither more nor less than anything. ${has}`;
    report(context, 'fails-at-run-time', at, message, fixes);
    return;
  }
  const message = `\`lastRetry\` has no \`${name}\`: it is nil, without any error. ${has}`;
  report(context, 'unknown-member', at, message, fixes);
}

/** `let retries = 1; ...`: the name already has a meaning. */
export function redeclared(context: Context, node: NodeOf<'let'>): void {
  const message = `Does not compile: \`${node.name}\` already means something. Choose another name.`;
  report(context, 'syntax', node.nameAt, message);
}
