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
  question: 63,
  bracket: 91,
  backslash: 92,
  bracketEnd: 93,
  brace: 123,
  bar: 124,
  braceEnd: 125,
} as const;

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

/** The end of a stretch of text, without the spaces, tabs and line breaks that it ends with. */
export function trimmedEnd(text: string, start: number, from: number): number {
  let end = from;
  while (end > start && isSpaceOrBreak(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

const isSpaceOrBreak = (one: number): boolean =>
  one === code.space || one === code.newline || one === code.tab;

/** Whether a space, a line break or the end of the text stands at a place. */
export const endsToken = (text: string, at: number): boolean =>
  at >= text.length || isSpaceOrBreak(text.charCodeAt(at));

/** Whether nothing but a comment follows on a line; the spaces before it are behind us. */
export function isLineEnd(text: string, at: number): boolean {
  const one = text.charCodeAt(at);
  return one === code.newline || one === code.hash || at >= text.length;
}

/** Whether a list item begins at a place. */
export const isDash = (text: string, at: number): boolean =>
  text.charCodeAt(at) === code.dash && endsToken(text, at + 1);

/** Whether a line that begins at a place is a document marker. */
export const isMarker = (text: string, at: number): boolean =>
  (text.startsWith('---', at) || text.startsWith('...', at)) && endsToken(text, at + 3);

export const isQuote = (one: number): boolean =>
  one === code.doubleQuote || one === code.singleQuote;

/** Whether a character opens, parts or closes a flow collection. */
export const isFlowMark = (one: number): boolean =>
  one === code.comma ||
  one === code.bracket ||
  one === code.bracketEnd ||
  one === code.brace ||
  one === code.braceEnd;
