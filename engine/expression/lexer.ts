import type { Fix } from '../finding.ts';
import type { Span } from '../source.ts';

export type TokenKind =
  'name' | 'number' | 'string' | 'bytes' | 'operator' | 'bracket' | 'tag' | 'end';

/** One word of an expression. `'2'` is a string token with the text `2` and a span of three. */
export type Token = Span & {
  readonly kind: TokenKind;
  readonly text: string;
  /** A string literal that holds a `{{...}}` tag has an unknown value. */
  readonly hasTag: boolean;
};

/** A `{{...}}` tag; `literal` is the string literal it stands in. */
export type Tag = Span & { readonly inner: string; readonly literal: Span | undefined };

/** Why the text is not an expression, and where. */
export type SyntaxFailure = {
  readonly message: string;
  readonly at: Span;
  readonly fixes: readonly Fix[];
};

export type Lexed = {
  /** Always ends with an `end` token, also when `failure` stopped the reading there. */
  readonly tokens: readonly Token[];
  readonly tags: readonly Tag[];
  readonly failure: SyntaxFailure | undefined;
};

/** Words that are operators, although they are also valid after a dot. */
const wordOperators = new Set(
  'not in or and matches contains startsWith endsWith let if else'.split(' '),
);

const letter = /[\p{L}\p{Nd}_$]/u;
const space = /\s|\u0085/u;

/** Reads the words of an expression: `retries > 1` gives a name, an operator and a number. */
export function lex(text: string): Lexed {
  const tokens: Token[] = [];
  const tags: Tag[] = [];
  const open = text.includes('{{') ? findTags(text) : [];
  let failure: SyntaxFailure | undefined;
  let at = 0;

  const push = (kind: TokenKind, start: number, end: number, value?: string, hasTag = false) => {
    tokens.push({ kind, text: value ?? text.slice(start, end), start, end, hasTag });
    at = end;
  };
  const fail = (start: number, end: number, message: string, fixes: readonly Fix[] = []) => {
    failure ??= { message, at: { start, end }, fixes };
  };

  for (;;) {
    if (at >= text.length || failure !== undefined) break;
    const start = at;
    const tag = open.find((t) => t.start === start);
    if (tag !== undefined) {
      tags.push(tag);
      push('tag', start, tag.end, tag.inner);
      continue;
    }
    const c = text[at] ?? '';
    const next = text[at + 1] ?? '';
    if (c === ' ' || space.test(c)) {
      at++;
    } else if (c === "'" || c === '"') {
      readQuoted(start, c, 'string');
    } else if ((c === 'b' || c === 'B') && (next === "'" || next === '"')) {
      readQuoted(start, next, 'bytes');
    } else if (c === '`') {
      readRaw(start);
    } else if (isDigit(c) || (c === '.' && isDigit(next))) {
      readNumber(start);
    } else if (c === '/' && next === '/') {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end + 1;
    } else if (c === '/' && next === '*') {
      const end = text.indexOf('*/', at + 2);
      if (end === -1) fail(start, text.length, 'This comment is never closed. End it with `*/`.');
      at = end + 2;
    } else if ('([{)]}'.includes(c)) {
      push('bracket', start, at + 1);
    } else if (pairs[c]?.includes(next) === true && next !== '') {
      push('operator', start, at + 2);
    } else if (',;%+-^&!=*<>?/|:.#'.includes(c)) {
      push('operator', start, at + 1);
    } else {
      const end = wordEnd(text, at);
      const word = text.slice(start, end);
      if (end === start) {
        const point = String.fromCodePoint(text.codePointAt(at) ?? 0);
        fail(start, start + point.length, ...strangeCharacter(text, point, start));
      } else {
        push(wordOperators.has(word) ? 'operator' : 'name', start, end);
      }
    }
  }
  const end = failure?.at.start ?? text.length;
  tokens.push({ kind: 'end', text: '', start: end, end, hasTag: false });
  return { tokens, tags, failure };

  function readQuoted(start: number, quote: string, kind: 'string' | 'bytes'): void {
    const first = kind === 'bytes' ? start + 1 : start;
    let value = '';
    let hasTag = false;
    const inside: Tag[] = [];
    let i = first + 1;
    for (;;) {
      const tag = open.find((t) => t.start === i);
      if (tag !== undefined) {
        inside.push(tag);
        value += text.slice(i, tag.end);
        hasTag = true;
        i = tag.end;
        continue;
      }
      const c = text[i];
      if (c === undefined || c === '\n') {
        fail(start, i, `This text is never closed. End it with ${quote}.`);
        break;
      }
      if (c === quote) break;
      if (c !== '\\') {
        value += c;
        i++;
        continue;
      }
      const escape = readEscape(text, i, quote, kind);
      if (escape === undefined) {
        fail(i, Math.min(i + 2, text.length), ...badEscape(text[i + 1] ?? '', i));
        break;
      }
      value += escape.value;
      i = escape.end;
    }
    if (failure !== undefined) return;
    push(kind, start, i + 1, value, hasTag);
    for (const tag of inside) tags.push({ ...tag, literal: { start, end: i + 1 } });
  }

  /** Backticks: no escapes, a doubled backtick stands for one. */
  function readRaw(start: number): void {
    let i = start + 1;
    for (;;) {
      const close = text.indexOf('`', i);
      if (close === -1) {
        fail(start, text.length, 'This text is never closed. End it with a backtick.');
        return;
      }
      i = close + 1;
      if (text[i] !== '`') break;
      i++;
    }
    const inside = open.filter((t) => t.start > start && t.end < i);
    const value = text.slice(start + 1, i - 1).replaceAll('``', '`');
    push('string', start, i, value, inside.length > 0);
    for (const tag of inside) tags.push({ ...tag, literal: { start, end: i } });
  }

  function readNumber(start: number): void {
    const rest = text.slice(start);
    const digits = /^0[xX][\da-fA-F_]*|^0[oO][0-7_]*|^0[bB][01_]*|^[\d_]*/.exec(rest)?.[0] ?? '';
    let stop = start + digits.length;
    // `1..3` is a range, not the number `1.` followed by a dot.
    if (text[stop] === '.' && text[stop + 1] !== '.') {
      stop += /^\.[\d_]*/.exec(text.slice(stop))?.[0].length ?? 0;
    }
    if (text[stop] !== '.') stop += /^[eE][+-]?[\d_]*/.exec(text.slice(stop))?.[0].length ?? 0;
    const tail = wordEnd(text, stop);
    if (tail > stop) {
      const word = text.slice(start, tail);
      fail(
        start,
        tail,
        `\`${word}\` is not a number. Write only the digits, or put text in quotes.`,
      );
      return;
    }
    const value = parseNumber(text.slice(start, stop));
    if (value === undefined) {
      fail(start, stop, `\`${text.slice(start, stop)}\` is not a number that can be read.`);
      return;
    }
    push('number', start, stop);
  }
}

/** Second characters that make one operator with the first: `>` and `=`, `?` and `.`. */
const pairs: { readonly [first: string]: string } = {
  '&': '&=*',
  '!': '&=*',
  '=': '&=*',
  '*': '&=*',
  '<': '&=*',
  '>': '&=*',
  '?': '.?',
  '|': '|',
  ':': ':',
  '.': '.',
  '#': '#',
};

/**
 * Tags as the controller finds them: from `{{` to the next `}}`.
 * `{{a: 1}}` is left alone: a closure that returns a map looks like that.
 */
function findTags(text: string): Tag[] {
  const tags: Tag[] = [];
  for (const match of text.matchAll(/\{\{(=[\s\S]*?|[^{}:,]*?[^{}:,\s][^{}:,]*?)\}\}/g)) {
    const inner = (match[1] ?? '').trim();
    tags.push({
      start: match.index,
      end: match.index + match[0].length,
      inner,
      literal: undefined,
    });
  }
  return tags;
}

/** Reads `0x1F`, `1_000`, `.5` and `1e3` as the library does; undefined when out of range. */
export function parseNumber(source: string): { value: number; isFloat: boolean } | undefined {
  const plain = source.replaceAll('_', '');
  const prefix = plain.slice(0, 2).toLowerCase();
  if (prefix !== '0x' && /[.eE]/.test(plain)) {
    const value = /^(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(plain) ? Number(plain) : NaN;
    return Number.isFinite(value) ? { value, isFloat: true } : undefined;
  }
  if (!/^(0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+)$/.test(plain)) return undefined;
  const exact = BigInt(plain);
  return exact < 1n << 63n ? { value: Number(exact), isFloat: false } : undefined;
}

function wordEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    const isPlain = (code | 32) >= 97 && (code | 32) <= 122;
    if (isPlain || (code >= 48 && code <= 57) || code === 95 || code === 36) {
      end++;
      continue;
    }
    if (code < 128) break;
    const point = String.fromCodePoint(text.codePointAt(end) ?? 0);
    if (!letter.test(point)) break;
    end += point.length;
  }
  return end;
}

function isDigit(c: string): boolean {
  return c >= '0' && c <= '9' && c.length === 1;
}

const simpleEscapes: { readonly [c: string]: string } = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

function readEscape(
  text: string,
  at: number,
  quote: string,
  kind: 'string' | 'bytes',
): { readonly value: string; readonly end: number } | undefined {
  const c = text[at + 1] ?? '';
  const simple = simpleEscapes[c];
  if (simple !== undefined) return { value: simple, end: at + 2 };
  if (c === quote) return { value: c, end: at + 2 };
  const rest = text.slice(at + 1, at + 12);
  const octal = /^[0-3][0-7]{2}/.exec(rest);
  if (octal !== null) return point(parseInt(octal[0], 8), octal[0].length);
  const hex =
    kind === 'bytes'
      ? /^x([\da-fA-F]{2})/.exec(rest)
      : /^(?:x([\da-fA-F]{2})|u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|U([\da-fA-F]{8}))/.exec(rest);
  if (hex === null) return undefined;
  return point(parseInt(hex[1] ?? hex[2] ?? hex[3] ?? hex[4] ?? '', 16), hex[0].length);

  function point(code: number, length: number): { value: string; end: number } | undefined {
    if (!(code <= 0x10ffff)) return undefined;
    return { value: String.fromCodePoint(code), end: at + 1 + length };
  }
}

function badEscape(c: string, at: number): [string, readonly Fix[]] {
  const fixes: Fix[] = [
    {
      title: 'Double the backslash',
      edits: [{ at: { start: at, end: at + 1 }, text: '\\\\' }],
      preferred: true,
    },
  ];
  const message = `\`\\${c}\` is not an escape. Write \`\\\\${c}\`, or use backticks instead of quotes.`;
  return [message, fixes];
}

const curlyQuotes: { readonly [c: string]: string } = { '‘': "'", '’': "'", '“': '"', '”': '"' };

function strangeCharacter(text: string, c: string, at: number): [string, readonly Fix[]] {
  const straight = curlyQuotes[c];
  if (straight === undefined) return [`\`${c}\` has no meaning in an expression.`, []];
  const edits = [{ at: { start: at, end: at + 1 }, text: straight }];
  const close = /[‘’“”]/.exec(text.slice(at + 1));
  if (close !== null) {
    const end = at + 1 + close.index;
    edits.push({ at: { start: end, end: end + 1 }, text: straight });
  }
  return [
    `\`${c}\` is a typographic quote. Text stands between ${straight} and ${straight}.`,
    [{ title: `Replace with ${straight}`, edits, preferred: true }],
  ];
}
