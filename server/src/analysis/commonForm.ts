import type {
  ListNode,
  MapNode,
  Path,
  ScalarNode,
  SourceNode,
  Span,
} from '../../../engine/source.ts';
import { readFlow, type ReadNode } from './commonFlow.ts';
import {
  listNode,
  mapNode,
  nullScalar,
  plainScalar,
  quotedScalar,
  textScalar,
} from './commonNode.ts';
import { colonAfterKey, endOfPlain, keyName, textOfBlock } from './commonScalar.ts';
import {
  code,
  endOfLine,
  isDash,
  isLineEnd,
  isMarker,
  isQuote,
  skipSpaces,
  trimmedEnd,
} from './commonText.ts';

/**
 * The tree of a manifest of the common form; `undefined` for every other text, which the parser of all of YAML reads.
 *
 * The common form is what nearly every manifest is written in: block maps and lists, plain and quoted values on one
 * line, flow collections of such, literal and folded texts, comments. Anchors, aliases, tags, merge keys,
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

/**
 * Reads from top to bottom, once. A method that returns `undefined`, or false, has met something uncommon: the whole
 * text is given up, and the state means nothing afterwards.
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
    const root = this.#block([], undefined, -1, 0);
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

  /** Ends a value at a place, and its line with it: only spaces and a comment may follow. */
  #endLine(valueEnd: number): boolean {
    const text = this.#text;
    let at = valueEnd;
    while (text.charCodeAt(at) === code.space) at += 1;
    const one = text.charCodeAt(at);
    this.#end = valueEnd;
    if (one === code.hash && at > valueEnd) {
      const lineEnd = endOfLine(text, at);
      this.#end = trimmedEnd(text, at, lineEnd);
      at = lineEnd;
    } else if (one !== code.newline && at < text.length) return false;
    this.#at = at + 1;
    return this.#toContent();
  }

  /**
   * What begins a line, at `#at`, below a key or dash in a column: a map, a list, or a value alone.
   *
   * @param from behind that key or dash: a value alone with a comment before it is uncommon
   */
  #block(path: Path, key: Span | undefined, column: number, from: number): SourceNode | undefined {
    const text = this.#text;
    const at = this.#at;
    if (isDash(text, at)) return this.#list(path, key);
    const colon = colonAfterKey(text, at);
    if (colon !== -1) return this.#map(path, key, colon);
    const one = text.charCodeAt(at);
    const isText = one === code.bar || one === code.angle;
    const isCommented = text.slice(from, at).includes('#');
    return isText || isCommented ? undefined : this.#value(path, key, column, at);
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
      const keyEnd = trimmedEnd(text, keyStart, colon);
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
    return mapNode(false, children, span, path, key);
  }

  /** What stands behind a key's colon, or below it. */
  #valueOfKey(path: Path, key: Span, column: number, from: number): SourceNode | undefined {
    const at = skipSpaces(this.#text, from);
    if (!isLineEnd(this.#text, at)) return this.#value(path, key, column, at);
    if (!this.#skipLine(at, from)) return undefined;
    // A list may stand as far left as the key that it belongs to.
    const isBelow =
      this.#column > column || (this.#column === column && isDash(this.#text, this.#at));
    if (isBelow) return this.#block(path, key, column, from);
    return this.#missing(path, key, at, this.#column < column);
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
    return listNode(false, items, span, path, key);
  }

  #item(path: Path, column: number): SourceNode | undefined {
    const text = this.#text;
    const from = this.#at + 1;
    const at = skipSpaces(text, from);
    if (isLineEnd(text, at)) {
      if (!this.#skipLine(at, from)) return undefined;
      if (this.#column > column) return this.#block(path, undefined, column, from);
      const isNext = this.#column === column && isDash(text, this.#at);
      return this.#missing(path, undefined, at, !isNext);
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

  /**
   * Leaves a line whose value is missing or stands below. A comment of ytt's is a value.
   *
   * @param keyEnd behind the colon or dash: where a collection ends whose last value is missing
   */
  #skipLine(at: number, keyEnd: number): boolean {
    this.#end = keyEnd;
    if (this.#text.startsWith('#@', at)) return false;
    this.#at = endOfLine(this.#text, at) + 1;
    return this.#toContent();
  }

  /**
   * A missing value; one that ends its collection takes the comments behind it along, which is uncommon.
   *
   * @param isLast of its collection
   */
  #missing(path: Path, key: Span | undefined, at: number, isLast: boolean): ScalarNode | undefined {
    const isFollowed = this.#text.slice(at, this.#at).includes('#');
    return isLast && isFollowed ? undefined : nullScalar(path, key, at);
  }

  /** A value on the line of its key or dash or on its own, or a text that begins there. */
  #value(path: Path, key: Span | undefined, column: number, at: number): SourceNode | undefined {
    const one = this.#text.charCodeAt(at);
    if (one === code.bar || one === code.angle) return this.#blockText(path, key, column, at);
    const read = this.#oneValue(path, key, column, at);
    if (read === undefined || !this.#endLine(read.end)) return undefined;
    // What is indented further goes on with the value.
    return this.#column > column ? undefined : read.node;
  }

  #oneValue(path: Path, key: Span | undefined, column: number, at: number): ReadNode | undefined {
    const text = this.#text;
    const one = text.charCodeAt(at);
    if (one === code.bracket || one === code.brace) {
      return readFlow(text, at, column, deepest - path.length, path, key);
    }
    if (isQuote(one)) {
      const node = quotedScalar(text, at, path, key);
      return node?.span === undefined ? undefined : { node, end: node.span.end };
    }
    const end = endOfPlain(text, at);
    return end === -1 ? undefined : { node: plainScalar(text, at, end, path, key), end };
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
    this.#end = trimmedEnd(this.#text, at, end);
    this.#at = end;
    if (!this.#toContent() || this.#column > column) return undefined;
    return textScalar(value, { start: at, end }, path, key);
  }
}
