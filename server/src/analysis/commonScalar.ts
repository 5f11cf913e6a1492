/** The characters of the common form, by their UTF-16 code. */
export const code = {
  tab: 9,
  newline: 10,
  space: 32,
  doubleQuote: 34,
  hash: 35,
  singleQuote: 39,
  comma: 44,
  dash: 45,
  colon: 58,
  angle: 62,
  bracket: 91,
  backslash: 92,
  bracketEnd: 93,
  brace: 123,
  bar: 124,
  braceEnd: 125,
} as const;

/** Characters that no plain value begins with; `?` and `:` may, and are left to the reader of all of YAML. */
const indicators = new Set(Array.from(',[]{}#&*!|>\'"%@`?: \n\t', (one) => one.charCodeAt(0)));

/** Longer keys are refused by YAML; whether one is too long is not decided here. */
const longestKey = 1000;

export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === code.space) at += 1;
  return at;
}

/** Where the line ends that a place is in: its break, or the end of the text. */
export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** The end of a stretch of text, without the blanks and line breaks that it ends with. */
export function withoutBlanks(text: string, start: number, from: number): number {
  let end = from;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

const isBlank = (one: number): boolean =>
  one === code.space || one === code.newline || one === code.tab;

/** Whether nothing but a comment follows on a line; blanks are behind us. */
export function isLineEnd(text: string, at: number): boolean {
  const one = text.charCodeAt(at);
  return one === code.newline || one === code.hash || at >= text.length;
}

/** Whether a blank, a line break or the end of the text stands at a place. */
function isEmpty(text: string, at: number): boolean {
  const one = text.charCodeAt(at);
  return isBlank(one) || at >= text.length;
}

/** Whether a list item begins at a place. */
export const isDash = (text: string, at: number): boolean =>
  text.charCodeAt(at) === code.dash && isEmpty(text, at + 1);

/** Whether a line that begins at a place is a document marker. */
export const isMarker = (text: string, at: number): boolean =>
  (text.startsWith('---', at) || text.startsWith('...', at)) && isEmpty(text, at + 3);

export const isQuote = (one: number): boolean =>
  one === code.doubleQuote || one === code.singleQuote;

const beginsPlain = (text: string, at: number): boolean =>
  at < text.length && !indicators.has(text.charCodeAt(at)) && !isDash(text, at);

/** Where the colon stands behind the key that begins at a place; -1 where none does. */
export function colonAfterKey(text: string, at: number): number {
  if (isQuote(text.charCodeAt(at))) {
    const end = endOfQuoted(text, at);
    if (end === -1) return -1;
    const behind = skipSpaces(text, end);
    return text.charCodeAt(behind) === code.colon && isEmpty(text, behind + 1) ? behind : -1;
  }
  if (!beginsPlain(text, at)) return -1;
  for (let index = at; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case code.colon:
        if (isEmpty(text, index + 1)) return index;
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
  if (end - start > longestKey) return undefined;
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
    if (one === code.tab || (one === code.colon && isEmpty(text, index + 1))) return -1;
  }
  return withoutBlanks(text, at, index);
}

/** Where a plain value ends inside a flow collection; -1 as above. */
export function endOfPlainInFlow(text: string, at: number): number {
  if (!beginsPlain(text, at)) return -1;
  for (let index = at; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case code.comma:
      case code.bracketEnd:
      case code.braceEnd: {
        const end = withoutBlanks(text, at, index);
        return end === at + 1 && text.charCodeAt(at) === code.dash ? -1 : end;
      }
      case code.bracket:
      case code.brace:
      case code.newline:
      case code.tab:
        return -1;
      case code.hash:
        if (text.charCodeAt(index - 1) === code.space) return -1;
        break;
      case code.colon:
        if (isEmpty(text, index + 1) || isFlowMark(text.charCodeAt(index + 1))) return -1;
        break;
    }
  }
  return -1;
}

const isFlowMark = (one: number): boolean =>
  one === code.comma ||
  one === code.bracket ||
  one === code.bracketEnd ||
  one === code.brace ||
  one === code.braceEnd;

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
 * A literal or folded text below its header, and where it ends: behind its last line that is not blank.
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
  const first = headerEnd + 1;
  const indent = skipSpaces(text, first) - first;
  const lines: string[] = [];
  let end = first;
  let blank = 0;
  for (let lineStart = first; lineStart < text.length;) {
    const at = skipSpaces(text, lineStart);
    const lineEnd = endOfLine(text, at);
    if (at === lineEnd) {
      if (at - lineStart > indent || lines.length === 0) return undefined;
      blank += 1;
    } else if (at - lineStart < indent) {
      if (at - lineStart > column) return undefined;
      break;
    } else {
      // A last line without a break is uncommon: its value has none either.
      if (lineEnd === text.length) return undefined;
      for (; blank > 0; blank -= 1) lines.push('');
      lines.push(text.slice(lineStart + indent, lineEnd));
      end = lineEnd + 1;
    }
    lineStart = lineEnd + 1;
  }
  if (lines.length === 0 || indent <= column) return undefined;
  const isFolded = text.charCodeAt(header) === code.angle;
  if (isFolded && lines.some((line) => !/^\S.*\S$/.test(line))) return undefined;
  return { value: lines.join(isFolded ? ' ' : '\n') + (isStripped ? '' : '\n'), end };
}
