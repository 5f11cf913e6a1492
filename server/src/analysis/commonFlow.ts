import type { Path, SourceNode, Span } from '../../../engine/source.ts';
import { listNode, mapNode, plainScalar, quotedScalar } from './commonNode.ts';
import { colonAfterKey, endOfPlainInFlow, keyName } from './commonScalar.ts';
import { code, isMarker, isQuote, skipSpaces, trimmedEnd } from './commonText.ts';

/** A node, and the place behind it. */
export type ReadNode = { readonly node: SourceNode; readonly end: number };

/**
 * Reads a flow collection of the common form; `undefined` where something uncommon stands in it.
 *
 * @param column of the key or dash that it belongs to; its lines are indented further
 * @param depth that it may still have
 */
export function readFlow(
  text: string,
  at: number,
  column: number,
  depth: number,
  path: Path,
  key: Span | undefined,
): ReadNode | undefined {
  const reader = new FlowReader(text, at, column);
  const node = reader.collection(path, key, depth);
  return node === undefined ? undefined : { node, end: reader.at };
}

/** A method that returns `undefined` has met something uncommon: the state means nothing afterwards. */
class FlowReader {
  readonly #text: string;
  readonly #column: number;
  at: number;

  constructor(text: string, at: number, column: number) {
    this.#text = text;
    this.at = at;
    this.#column = column;
  }

  /** The collection that opens at `at`; afterwards that is behind it. */
  collection(path: Path, key: Span | undefined, depth: number): SourceNode | undefined {
    if (depth <= 0) return undefined;
    return this.#isAt(code.brace) ? this.#map(path, key, depth) : this.#list(path, key, depth);
  }

  #list(path: Path, key: Span | undefined, depth: number): SourceNode | undefined {
    const start = this.at;
    const items: SourceNode[] = [];
    this.#skip(1);
    if (!this.#isAt(code.bracketEnd)) {
      for (;;) {
        const item = this.#value([...path, items.length], undefined, depth);
        if (item === undefined) return undefined;
        items.push(item);
        if (!this.#isAt(code.comma)) break;
        this.#skip(1);
      }
      if (!this.#isAt(code.bracketEnd)) return undefined;
    }
    this.at += 1;
    return listNode(true, items, { start, end: this.at }, path, key);
  }

  #map(path: Path, key: Span | undefined, depth: number): SourceNode | undefined {
    const start = this.at;
    const children = new Map<string, SourceNode>();
    this.#skip(1);
    if (!this.#isAt(code.braceEnd)) {
      for (;;) {
        const own = this.#key();
        if (own === undefined || children.has(own.name)) return undefined;
        const node = this.#value([...path, own.name], own.span, depth);
        if (node === undefined) return undefined;
        children.set(own.name, node);
        if (!this.#isAt(code.comma)) break;
        this.#skip(1);
      }
      if (!this.#isAt(code.braceEnd)) return undefined;
    }
    this.at += 1;
    return mapNode(true, children, { start, end: this.at }, path, key);
  }

  /** A key; afterwards `at` is at its value. */
  #key(): { readonly name: string; readonly span: Span } | undefined {
    const text = this.#text;
    const start = this.at;
    const colon = colonAfterKey(text, start);
    if (colon === -1) return undefined;
    const end = trimmedEnd(text, start, colon);
    // A comma or bracket before the colon ends what begins here: it is no key.
    if (!isQuote(text.charCodeAt(start)) && endOfPlainInFlow(text, start) !== end) return undefined;
    const name = keyName(text, start, end);
    if (name === undefined) return undefined;
    this.at = colon;
    this.#skip(1);
    return { name, span: { start, end } };
  }

  /** A value; afterwards `at` is at the comma or bracket behind it. */
  #value(path: Path, key: Span | undefined, depth: number): SourceNode | undefined {
    const text = this.#text;
    const { at } = this;
    const one = text.charCodeAt(at);
    let node: SourceNode | undefined;
    if (one === code.bracket || one === code.brace) node = this.collection(path, key, depth - 1);
    else if (isQuote(one)) node = quotedScalar(text, at, path, key);
    else {
      const end = endOfPlainInFlow(text, at);
      node = end === -1 ? undefined : plainScalar(text, at, end, path, key);
    }
    if (node?.span === undefined) return undefined;
    this.at = node.span.end;
    this.#skip(0);
    return node;
  }

  #isAt(one: number): boolean {
    return this.#text.charCodeAt(this.at) === one;
  }

  /** Goes on behind so many characters, over spaces and line breaks; a line that stands too far left is not ours. */
  #skip(characters: number): void {
    const text = this.#text;
    let at = skipSpaces(text, this.at + characters);
    while (text.charCodeAt(at) === code.newline) {
      const lineStart = at + 1;
      at = skipSpaces(text, lineStart);
      const isEmpty = text.charCodeAt(at) === code.newline;
      const isTooFarLeft = at - lineStart <= this.#column || isMarker(text, lineStart);
      if (!isEmpty && isTooFarLeft) at = text.length;
    }
    this.at = at;
  }
}
