import type { Fix } from '../finding.ts';
import type { Span } from '../source.ts';
import type { SyntaxFailure, Token } from './lexer.ts';
import { replace } from './problem.ts';

/** Other languages' words, and what they are called here. */
const otherWords: { readonly [word: string]: string } = {
  AND: 'and',
  And: 'and',
  OR: 'or',
  Or: 'or',
  NOT: 'not',
  Not: 'not',
  IN: 'in',
  In: 'in',
  is: '==',
  equals: '==',
  eq: '==',
  ne: '!=',
  like: 'contains',
  startswith: 'startsWith',
  endswith: 'endsWith',
  match: 'matches',
  notIn: 'not in',
  notin: 'not in',
};

/** Says why the word at `index` cannot stand there: `=` is not a comparison, for example. */
export function misplaced(text: string, tokens: readonly Token[], index: number): SyntaxFailure {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (token === undefined || token.kind === 'end') return ended(text, tokens, before);
  const at = { start: token.start, end: token.end };
  const touches = before !== undefined && before.end === token.start;
  switch (token.kind === 'operator' ? token.text : '') {
    case '=': {
      const after = text[token.end] ?? '';
      if (touches && (before.text === '==' || before.text === '!=')) {
        const whole = { start: before.start, end: token.end };
        return instead(text, whole, before.text);
      }
      if (after === '>' || after === '<') {
        return instead(text, { start: token.start, end: token.end + 1 }, `${after}=`);
      }
      const message = '`=` does not compare. Write `==`.';
      return { message, at, fixes: [replace(at, '==', 'Write `==`')] };
    }
    case '>':
      if (touches && before.text === '<') {
        return instead(text, { start: before.start, end: token.end }, '!=');
      }
      break;
    case '&':
      return instead(text, at, '&&');
    case '|': {
      const message = '`|` hands a value to a function. For "or", write `||`.';
      return { message, at, fixes: [replace(at, '||', 'Write `||`')] };
    }
  }
  const word = token.kind === 'name' ? otherWords[token.text] : undefined;
  if (word !== undefined && index > 0) return instead(text, at, word);
  const message = `Nothing expected \`${text.slice(at.start, at.end)}\` here.`;
  return { message: missing(token, before) ?? message, at, fixes: [] };
}

function instead(text: string, at: Span, word: string): SyntaxFailure {
  const message = `\`${text.slice(at.start, at.end)}\` means nothing here. Write \`${word}\`.`;
  return { message, at, fixes: [replace(at, word, `Write \`${word}\``)] };
}

function missing(token: Token, before: Token | undefined): string | undefined {
  const isValue = token.kind === 'name' || token.kind === 'number' || token.kind === 'string';
  const afterValue =
    before !== undefined &&
    (before.kind === 'name' || before.kind === 'number' || before.kind === 'string');
  if (isValue && (afterValue || before?.text === ')' || before?.text === ']')) {
    return `Something is missing before \`${source(token)}\`, such as \`and\`, \`or\` or \`==\`.`;
  }
  if (token.kind === 'bracket' && ')]}'.includes(token.text)) {
    const comesEarly = before?.kind === 'operator';
    if (comesEarly) return `\`${before.text}\` has nothing on its right side.`;
    return `\`${token.text}\` closes a bracket that was never opened.`;
  }
  if (token.kind === 'operator' && before === undefined) {
    return `\`${token.text}\` has nothing on its left side.`;
  }
  if (token.kind === 'operator' && before?.kind === 'operator') {
    return `\`${before.text}\` and \`${token.text}\` cannot follow each other.`;
  }
  return undefined;
}

function source(token: Token): string {
  return token.kind === 'string' ? `'${token.text}'` : token.text;
}

function ended(text: string, tokens: readonly Token[], before: Token | undefined): SyntaxFailure {
  if (before === undefined) {
    const at = { start: 0, end: text.length };
    return { message: 'There is no expression here, only white space.', at, fixes: [] };
  }
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== 'bracket') continue;
    if ('([{'.includes(token.text)) open.push(token);
    else open.pop();
  }
  const unclosed = open.at(-1);
  if (before.kind === 'operator') {
    const message = `\`${before.text}\` has nothing on its right side.`;
    return { message, at: { start: before.start, end: before.end }, fixes: [] };
  }
  if (unclosed === undefined) {
    const at = { start: before.start, end: before.end };
    return { message: 'The expression ends too early.', at, fixes: [] };
  }
  const close = { '(': ')', '[': ']', '{': '}' }[unclosed.text] ?? ')';
  const end = { start: before.end, end: before.end };
  const fixes: Fix[] = [replace(end, close, `Add \`${close}\` at the end`, false)];
  const at = { start: unclosed.start, end: unclosed.end };
  return { message: `This \`${unclosed.text}\` is never closed. Add \`${close}\`.`, at, fixes };
}
