import type {
  ListNode,
  MapNode,
  Path,
  ScalarNode,
  SourceNode,
  Span,
} from '../../../engine/source.ts';
import {
  code,
  colonAfterKey,
  endOfLine,
  endOfPlain,
  endOfPlainInFlow,
  isDash,
  isLineEnd,
  isMarker,
  isQuote,
  keyName,
  oneQuoted,
  skipSpaces,
  textOfBlock,
  withoutBlanks,
} from './commonScalar.ts';
import { plainValue } from './scalarValue.ts';

/**
 * The tree of a manifest of the common form; `undefined` for every other text, which the parser of all of YAML reads.
 *
 * The common form is what nearly every manifest is written in: block maps and lists, values on one line (plain,
 * quoted, or a flow collection of such), literal and folded texts, comments. Anchors, aliases, tags, merge keys,
 * values over several lines, tabs, carriage returns, byte order marks, duplicate keys and whatever is wrong or merely odd are not of it.
 * For a text that is, the tree equals the one made from the `yaml` package's document, spans included, and that
 * document has no error: tests hold both readers side by side.
 *
 * It exists for speed alone: a file of a thousand manifests is read in a tenth of the time that the package needs.
 */
export function readCommonForm(text: string): SourceNode | undefined {
  if (text.includes('\r') || text.includes('\uFEFF')) return undefined;
  return new Reader(text).document();
}

/** Deeper nests are left to the reader that bounds them. */
const deepest = 60;

/** Between the parts of a flow collection; no plain key in one holds them. */
const flowMark = /[,[\]{}]/;

/**
 * Reads from top to bottom, once. Every method that returns `undefined` has met something uncommon, and the whole
 * text is given up: no state is put back.
 */
class Reader {
  readonly #text: string;
  /** Where the next thing to be read stands: between values, at the first character of a line's content. */
  #at = 0;
  #lineStart = 0;
  /** The column of the content at `#at`; -1 at the end of the text. */
  #column = 0;
  /** Where the last value ends, with the comment behind it: where the collections that it closes end. */
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): SourceNode | undefined {
    const opening = /^---[ ]*(?:\n|$)/.exec(this.#text);
    this.#at = opening === null ? 0 : opening[0].length;
    if (!this.#toContent() || this.#column !== 0) return undefined;
    const root = this.#block([], undefined);
    return this.#isAtEnd() ? root : undefined;
  }

  #isAtEnd(): boolean {
    return this.#column === -1;
  }

  /**
   * Goes on to the next line that has content, from the start of a line; false where something uncommon stands.
   *
   * A comment that is indented further than what follows belongs to one of the collections that end before it, and
   * which one takes the whole of YAML's rules to tell.
   */
  #toContent(): boolean {
    const text = this.#text;
    let deepestComment = 0;
    let at = this.#at;
    for (;;) {
      const lineStart = at;
      while (text.charCodeAt(at) === code.space) at += 1;
      const one = text.charCodeAt(at);
      if (one === code.hash) {
        deepestComment = Math.max(deepestComment, at - lineStart);
        at = text.indexOf('\n', at);
        if (at === -1) at = text.length;
        else at += 1;
      } else if (one === code.newline) at += 1;
      else {
        this.#at = at;
        this.#lineStart = lineStart;
        const isEnd = at >= text.length;
        this.#column = isEnd ? -1 : at - lineStart;
        return (
          one !== code.tab &&
          deepestComment <= (isEnd ? 0 : this.#column) &&
          !(at === lineStart && isMarker(text, at))
        );
      }
      if (at >= text.length) {
        this.#at = at;
        this.#column = -1;
        return deepestComment === 0;
      }
    }
  }

  /** Ends a value at a place, and its line with it: only blanks and a comment may follow. */
  #endLine(valueEnd: number): boolean {
    const text = this.#text;
    let at = valueEnd;
    while (text.charCodeAt(at) === code.space) at += 1;
    const one = text.charCodeAt(at);
    this.#end = valueEnd;
    if (one === code.hash && at > valueEnd) {
      const lineEnd = endOfLine(text, at);
      this.#end = withoutBlanks(text, at, lineEnd);
      at = lineEnd;
    } else if (one !== code.newline && at < text.length) return false;
    this.#at = at + 1;
    return this.#toContent();
  }

  /** The map or list that begins at `#at`. */
  #block(path: Path, key: Span | undefined): SourceNode | undefined {
    if (isDash(this.#text, this.#at)) return this.#list(path, key);
    const colon = colonAfterKey(this.#text, this.#at);
    return colon === -1 ? undefined : this.#map(path, key, colon);
  }

  #map(path: Path, key: Span | undefined, firstColon: number): MapNode | undefined {
    if (path.length > deepest) return undefined;
    const text = this.#text;
    const column = this.#at - this.#lineStart;
    const start = this.#at;
    const children = new Map<string, SourceNode>();
    let colon = firstColon;
    for (;;) {
      const keyStart = this.#at;
      const keyEnd = withoutBlanks(text, keyStart, colon);
      const name = keyName(text, keyStart, keyEnd);
      if (name === undefined || children.has(name)) return undefined;
      const below = [...path, name];
      const node = this.#valueOfKey(below, { start: keyStart, end: keyEnd }, column, colon + 1);
      if (node === undefined) return undefined;
      children.set(name, node);
      if (this.#column !== column) break;
      colon = colonAfterKey(text, this.#at);
      if (colon === -1) return undefined;
    }
    if (this.#column > column) return undefined;
    const span = { start, end: this.#end };
    return key === undefined
      ? { kind: 'map', path, flow: false, children, span }
      : { kind: 'map', path, flow: false, children, key, span };
  }

  /** What stands behind a key's colon, or below it. */
  #valueOfKey(path: Path, key: Span, column: number, from: number): SourceNode | undefined {
    const at = skipSpaces(this.#text, from);
    if (!isLineEnd(this.#text, at)) return this.#value(path, key, column, at);
    if (!this.#skipLine(at, from)) return undefined;
    // A list may stand as far left as the key that it belongs to.
    const isBelow =
      this.#column > column || (this.#column === column && isDash(this.#text, this.#at));
    return isBelow ? this.#block(path, key) : this.#missing(path, key, column, at);
  }

  #list(path: Path, key: Span | undefined): ListNode | undefined {
    if (path.length > deepest) return undefined;
    const text = this.#text;
    const column = this.#at - this.#lineStart;
    const start = this.#at;
    const items: SourceNode[] = [];
    do {
      const item = this.#item([...path, items.length], column);
      if (item === undefined) return undefined;
      items.push(item);
    } while (this.#column === column && isDash(text, this.#at));
    if (this.#column > column) return undefined;
    const span = { start, end: this.#end };
    return key === undefined
      ? { kind: 'list', path, flow: false, items, span }
      : { kind: 'list', path, flow: false, items, key, span };
  }

  #item(path: Path, column: number): SourceNode | undefined {
    const text = this.#text;
    const from = this.#at + 1;
    const at = skipSpaces(text, from);
    if (isLineEnd(text, at)) {
      if (!this.#skipLine(at, from)) return undefined;
      if (this.#column > column) return this.#block(path, undefined);
      return this.#missing(path, undefined, column, at);
    }
    if (isDash(text, at)) {
      this.#at = at;
      return this.#list(path, undefined);
    }
    const colon = colonAfterKey(text, at);
    if (colon === -1) return this.#value(path, undefined, column, at);
    this.#at = at;
    return this.#map(path, undefined, colon);
  }

  /** Leaves a line whose value is missing or stands below. A comment of ytt's is a value. */
  #skipLine(at: number, end: number): boolean {
    this.#end = end;
    if (this.#text.startsWith('#@', at)) return false;
    this.#at = endOfLine(this.#text, at) + 1;
    return this.#toContent();
  }

  /** A missing value; one that is the last of its collection takes the comments behind it along. */
  #missing(path: Path, key: Span | undefined, column: number, at: number): ScalarNode | undefined {
    const isLast = this.#column < column;
    const isFollowed = this.#text.slice(at, this.#at).includes('#');
    return isLast && isFollowed ? undefined : nullScalar(path, key, at);
  }

  /** A value on the line of its key or dash, or a text that begins there. */
  #value(path: Path, key: Span | undefined, column: number, at: number): SourceNode | undefined {
    const text = this.#text;
    const one = text.charCodeAt(at);
    if (one === code.bar || one === code.angle) return this.#blockText(path, key, column, at);
    let node: SourceNode | undefined;
    if (one === code.bracket || one === code.brace) {
      this.#at = at;
      node = this.#flow(path, key);
    } else if (isQuote(one)) node = quoted(text, at, path, key);
    else {
      const end = endOfPlain(text, at);
      node = end === -1 ? undefined : plain(text, at, end, path, key);
    }
    if (node?.span === undefined || !this.#endLine(node.span.end)) return undefined;
    // What is indented further goes on with the value.
    return this.#column > column ? undefined : node;
  }

  #blockText(
    path: Path,
    key: Span | undefined,
    column: number,
    at: number,
  ): ScalarNode | undefined {
    const block = textOfBlock(this.#text, at, column);
    if (block === undefined) return undefined;
    const { value, end } = block;
    this.#end = withoutBlanks(this.#text, at, end);
    this.#at = end;
    if (!this.#toContent() || this.#column > column) return undefined;
    const span = { start: at, end };
    return key === undefined
      ? { kind: 'scalar', path, value, text: value, style: 'block', span }
      : { kind: 'scalar', path, value, text: value, style: 'block', key, span };
  }

  /** A flow collection on one line, at `#at`; afterwards that is behind it. */
  #flow(path: Path, key: Span | undefined): SourceNode | undefined {
    if (path.length > deepest) return undefined;
    return this.#text.charCodeAt(this.#at) === code.brace
      ? this.#flowMap(path, key)
      : this.#flowList(path, key);
  }

  #flowList(path: Path, key: Span | undefined): ListNode | undefined {
    const text = this.#text;
    const start = this.#at;
    const items: SourceNode[] = [];
    this.#at = skipSpaces(text, start + 1);
    if (text.charCodeAt(this.#at) !== code.bracketEnd) {
      for (;;) {
        const item = this.#flowValue([...path, items.length], undefined);
        if (item === undefined) return undefined;
        items.push(item);
        if (text.charCodeAt(this.#at) !== code.comma) break;
        this.#at = skipSpaces(text, this.#at + 1);
      }
      if (text.charCodeAt(this.#at) !== code.bracketEnd) return undefined;
    }
    this.#at += 1;
    const span = { start, end: this.#at };
    return key === undefined
      ? { kind: 'list', path, flow: true, items, span }
      : { kind: 'list', path, flow: true, items, key, span };
  }

  #flowMap(path: Path, key: Span | undefined): MapNode | undefined {
    const text = this.#text;
    const start = this.#at;
    const children = new Map<string, SourceNode>();
    this.#at = skipSpaces(text, start + 1);
    if (text.charCodeAt(this.#at) !== code.braceEnd) {
      for (;;) {
        const keyStart = this.#at;
        const colon = colonAfterKey(text, keyStart);
        if (colon === -1) return undefined;
        const keyEnd = withoutBlanks(text, keyStart, colon);
        const name = keyName(text, keyStart, keyEnd);
        if (name === undefined || children.has(name)) return undefined;
        if (!isQuote(text.charCodeAt(keyStart)) && flowMark.test(name)) return undefined;
        this.#at = skipSpaces(text, colon + 1);
        const node = this.#flowValue([...path, name], { start: keyStart, end: keyEnd });
        if (node === undefined) return undefined;
        children.set(name, node);
        if (text.charCodeAt(this.#at) !== code.comma) break;
        this.#at = skipSpaces(text, this.#at + 1);
      }
      if (text.charCodeAt(this.#at) !== code.braceEnd) return undefined;
    }
    this.#at += 1;
    const span = { start, end: this.#at };
    return key === undefined
      ? { kind: 'map', path, flow: true, children, span }
      : { kind: 'map', path, flow: true, children, key, span };
  }

  /** A value inside a flow collection; afterwards `#at` is at the comma or bracket behind it. */
  #flowValue(path: Path, key: Span | undefined): SourceNode | undefined {
    const text = this.#text;
    const at = this.#at;
    const one = text.charCodeAt(at);
    let node: SourceNode | undefined;
    if (one === code.bracket || one === code.brace) node = this.#flow(path, key);
    else if (isQuote(one)) node = quoted(text, at, path, key);
    else {
      const end = endOfPlainInFlow(text, at);
      node = end === -1 ? undefined : plain(text, at, end, path, key);
    }
    if (node?.span === undefined) return undefined;
    this.#at = skipSpaces(text, node.span.end);
    return node;
  }
}

function plain(
  text: string,
  start: number,
  end: number,
  path: Path,
  key: Span | undefined,
): ScalarNode {
  const source = text.slice(start, end);
  const value = plainValue({ value: source, type: 'PLAIN', source }, undefined);
  const span = { start, end };
  const written = typeof value === 'string' ? value : source;
  return key === undefined
    ? { kind: 'scalar', path, value, text: written, style: 'plain', span }
    : { kind: 'scalar', path, value, text: written, style: 'plain', key, span };
}

function quoted(
  text: string,
  start: number,
  path: Path,
  key: Span | undefined,
): ScalarNode | undefined {
  const read = oneQuoted(text, start);
  if (read === undefined) return undefined;
  const { value, end } = read;
  const span = { start, end };
  const inner = { start: start + 1, end: end - 1 };
  return key === undefined
    ? { kind: 'scalar', path, value, text: value, style: 'quoted', span, inner }
    : { kind: 'scalar', path, value, text: value, style: 'quoted', key, span, inner };
}

function nullScalar(path: Path, key: Span | undefined, at: number): ScalarNode {
  const span = { start: at, end: at };
  return key === undefined
    ? { kind: 'scalar', path, value: null, text: 'null', style: 'plain', span }
    : { kind: 'scalar', path, value: null, text: 'null', style: 'plain', key, span };
}
