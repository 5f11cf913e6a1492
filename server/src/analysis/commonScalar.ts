import {
  code,
  endOfLine,
  endsToken,
  isFlowMark,
  isQuote,
  skipSpaces,
  trimmedEnd,
} from './commonText.ts';

/** Characters that no plain value begins with. */
const indicators = new Set(Array.from(',[]{}#&*!|>\'"%@` \n\t', (one) => one.charCodeAt(0)));

/** YAML refuses keys of more than 1024 characters, the spaces before the colon included; near that, it decides. */
const longestKey = 1000;

function beginsPlain(text: string, at: number): boolean {
  const one = text.charCodeAt(at);
  if (at >= text.length || indicators.has(one)) return false;
  const isMark = one === code.dash || one === code.colon || one === code.question;
  return !isMark || !endsToken(text, at + 1);
}

/** Where the colon stands behind the key that begins at a place; -1 where none does, or where YAML may refuse it. */
export function colonAfterKey(text: string, at: number): number {
  const isQuoted = isQuote(text.charCodeAt(at));
  const colon = isQuoted ? colonAfterQuoted(text, at) : colonAfterPlain(text, at);
  return colon - at > longestKey ? -1 : colon;
}

function colonAfterQuoted(text: string, at: number): number {
  const end = endOfQuoted(text, at);
  if (end === -1) return -1;
  const behind = skipSpaces(text, end);
  return text.charCodeAt(behind) === code.colon && endsToken(text, behind + 1) ? behind : -1;
}

function colonAfterPlain(text: string, at: number): number {
  if (!beginsPlain(text, at)) return -1;
  for (let index = at; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case code.colon:
        if (endsToken(text, index + 1)) return index;
        break;
      case code.hash:
        if (text.charCodeAt(index - 1) === code.space) return -1;
        break;
      case code.newline:
      case code.tab:
        return -1;
    }
  }
  return -1;
}

/** The name that a key gives; `undefined` for merge keys and what is no common key. */
export function keyName(text: string, start: number, end: number): string | undefined {
  if (isQuote(text.charCodeAt(start))) return oneQuoted(text, start)?.value;
  const name = text.slice(start, end);
  return name === '<<' ? undefined : name;
}

/** Where a plain value ends that is alone on its line; -1 where something uncommon stands in it. */
export function endOfPlain(text: string, at: number): number {
  if (!beginsPlain(text, at)) return -1;
  let index = at;
  for (; index < text.length; index += 1) {
    const one = text.charCodeAt(index);
    if (one === code.newline) break;
    if (one === code.hash && text.charCodeAt(index - 1) === code.space) break;
    if (one === code.tab || (one === code.colon && endsToken(text, index + 1))) return -1;
  }
  return trimmedEnd(text, at, index);
}

/** Where a plain value or key ends inside a flow collection; -1 as above. */
export function endOfPlainInFlow(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (!beginsPlain(text, at) || first === code.colon || first === code.question) return -1;
  for (let index = at; index < text.length; index += 1) {
    const one = text.charCodeAt(index);
    if (one === code.bracket || one === code.brace || one === code.tab) return -1;
    if (isFlowMark(one) || one === code.newline) return endInFlow(text, at, index);
    if (one === code.hash && text.charCodeAt(index - 1) === code.space) return -1;
    if (one === code.colon) {
      if (endsToken(text, index + 1)) return endInFlow(text, at, index);
      if (isFlowMark(text.charCodeAt(index + 1))) return -1;
    }
  }
  return -1;
}

/** A dash alone is no value of a flow collection. */
function endInFlow(text: string, at: number, from: number): number {
  const end = trimmedEnd(text, at, from);
  return end === at + 1 && text.charCodeAt(at) === code.dash ? -1 : end;
}

/** Behind the closing quote of a text on one line; -1 where that is not closed. */
function endOfQuoted(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    const one = text.charCodeAt(at);
    if (one === quote) {
      if (quote === code.doubleQuote || text.charCodeAt(at + 1) !== quote) return at + 1;
      at += 1;
    } else if (one === code.backslash && quote === code.doubleQuote) at += 1;
    else if (one === code.newline || one === code.tab) return -1;
  }
  return -1;
}

const escapes: Readonly<Record<string, string>> = {
  '\\"': '"',
  '\\\\': '\\',
  '\\/': '/',
  '\\n': '\n',
  '\\t': '\t',
};

/** A quoted text on one line, and where it ends; rare escapes are uncommon. */
export function oneQuoted(
  text: string,
  start: number,
): { readonly value: string; readonly end: number } | undefined {
  const end = endOfQuoted(text, start);
  if (end === -1) return undefined;
  const inner = text.slice(start + 1, end - 1);
  if (text.charCodeAt(start) === code.singleQuote) {
    return { value: inner.includes("'") ? inner.replaceAll("''", "'") : inner, end };
  }
  if (!inner.includes('\\')) return { value: inner, end };
  let isCommon = true;
  const value = inner.replaceAll(/\\[^]?/g, (escape) => {
    const meant = escapes[escape];
    if (meant === undefined) isCommon = false;
    return meant ?? escape;
  });
  return isCommon ? { value, end } : undefined;
}

/**
 * A literal or folded text below its header, and where it ends: behind its last line that has content.
 *
 * @param column of the key or dash that it belongs to; its lines are indented further
 */
export function textOfBlock(
  text: string,
  header: number,
  column: number,
): { readonly value: string; readonly end: number } | undefined {
  const isStripped = text.charCodeAt(header + 1) === code.dash;
  const headerEnd = skipSpaces(text, header + (isStripped ? 2 : 1));
  if (text.charCodeAt(headerEnd) !== code.newline) return undefined;
  const firstLine = headerEnd + 1;
  const indent = skipSpaces(text, firstLine) - firstLine;
  const lines: string[] = [];
  let contentEnd = firstLine;
  let emptyLines = 0;
  for (let lineStart = firstLine; lineStart < text.length;) {
    const at = skipSpaces(text, lineStart);
    const lineEnd = endOfLine(text, at);
    if (at === lineEnd) {
      if (at - lineStart > indent || lines.length === 0) return undefined;
      emptyLines += 1;
    } else if (at - lineStart < indent) {
      if (at - lineStart > column) return undefined;
      break;
    } else {
      for (; emptyLines > 0; emptyLines -= 1) lines.push('');
      lines.push(text.slice(lineStart + indent, lineEnd));
      contentEnd = Math.min(lineEnd + 1, text.length);
    }
    lineStart = lineEnd + 1;
  }
  if (lines.length === 0 || indent <= column) return undefined;
  const isFolded = text.charCodeAt(header) === code.angle;
  if (isFolded && lines.some((line) => !/^\S(?:.*\S)?$/.test(line))) return undefined;
  const value = lines.join(isFolded ? ' ' : '\n') + (isStripped ? '' : '\n');
  return { value, end: contentEnd };
}
