import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  type Document,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { fix } from '../../../engine/edits.ts';
import type { MapNode, Path, ScalarNode, SourceNode, Span } from '../../../engine/source.ts';
import { filler, maskVariables, unmaskBlock, type Masked } from './templates.ts';
import { plainValue } from './scalarValue.ts';
import { explainSyntax, joinQuotedLines, type SyntaxProblem } from './syntaxProblems.ts';

/** Plain values of a configuration file of ours, with what is wrong with its YAML. */
export function parsePlain(text: string): { readonly value: unknown; readonly error?: string } {
  const [document] = parseAllDocuments(text, { logLevel: 'error', prettyErrors: true });
  if (document === undefined) return { value: undefined };
  const [error] = document.errors;
  if (error !== undefined) return { value: undefined, error: error.message };
  return { value: document.toJS({ maxAliasCount: 100 }) };
}

/**
 * Reads any YAML document with the `yaml` package, which nothing else knows; never throws on user input.
 *
 * `undefined` where the text holds no node at all and nothing is wrong with it.
 */
export function readAnyForm(
  text: string,
  template: Masked,
): { readonly root: SourceNode; readonly problems: readonly SyntaxProblem[] } | undefined {
  const { masked, document } = readable(template);
  if (document === undefined) return undefined;
  const builder = new TreeBuilder(text, document, masked);
  const root = document.contents === null ? undefined : builder.node(document.contents, [], {});
  const problems = explainSyntax(text, document.errors, builder.problems, masked.isTemplate);
  if (root === undefined && problems.length === 0) return undefined;
  return { root: root ?? emptyRoot, problems };
}

/** A text as it can be read: with its variables masked where they are no YAML. */
function readable(masked: Masked): {
  readonly masked: Masked;
  readonly document: Document | undefined;
} {
  const document = composed(masked.text);
  if (document === undefined || document.errors.length === 0) return { masked, document };
  const other = maskVariables(masked);
  if (other === undefined) return { masked, document };
  const second = composed(other.text);
  return second === undefined || second.errors.length >= document.errors.length
    ? { masked, document }
    : { masked: other, document: second };
}

/** The first document of a text; a text that only outdents a quoted line is mended before it counts as broken. */
function composed(text: string): Document | undefined {
  // The failsafe schema leaves every scalar a text; those that someone looks at are read by `plainValue`.
  const options = { logLevel: 'error', prettyErrors: false, schema: 'failsafe' } as const;
  let current = text;
  for (let round = 0; ; round += 1) {
    const [document] = parseAllDocuments(current, options);
    if (document === undefined || document.errors.length === 0 || round === 8) return document;
    const mended = joinQuotedLines(current, document.errors);
    if (mended === undefined) return document;
    current = mended;
  }
}

const emptyRoot: SourceNode = { kind: 'scalar', path: [], value: null, text: '', style: 'plain' };

type Place = { readonly key?: Span; readonly via?: Span };

/** Turns the package's nodes into ours; aliases and merge keys are followed, with a bound on depth. */
class TreeBuilder {
  readonly problems: SyntaxProblem[] = [];
  readonly #text: string;
  readonly #document: Document;
  readonly #masked: Masked;
  readonly #isEager: boolean;
  #shared = 0;

  constructor(text: string, document: Document, masked: Masked) {
    this.#text = text;
    this.#document = document;
    this.#masked = masked;
    this.#isEager =
      (text.includes('{{') && /[-:,[]\s*\{\{/.test(text)) ||
      (text.includes('*') && /[\s[{,:-]\*\S/.test(text));
  }

  node(node: unknown, path: Path, place: Place): SourceNode | undefined {
    if (place.via !== undefined) this.#shared += 1;
    // Aliases can multiply without end ("billion laughs"); no manifest of worth shares this many nodes.
    if (path.length > 64 || this.#shared > 20_000) return undefined;
    if (isAlias(node)) {
      const span = this.#spanOf(node.range);
      const target = node.resolve(this.#document);
      if (target === undefined) {
        this.#unresolved(node.source, span);
        return undefined;
      }
      const via = place.via ?? span;
      const inner = this.node(target, path, { ...place, ...(via === undefined ? {} : { via }) });
      return inner === undefined
        ? undefined
        : { ...inner, ...(span === undefined ? {} : { span }) };
    }
    if (isMap(node)) return this.#templateTag(node, path, place) ?? this.#map(node, path, place);
    if (isSeq(node)) return this.#list(node, path, place);
    if (isScalar(node)) return this.#scalar(node, path, place);
    return { kind: 'scalar', path, value: null, text: '', style: 'plain', ...place };
  }

  /** Manifests are wide and few of their maps are looked at, so children are made on demand. */
  #map(map: YAMLMap, path: Path, place: Place): MapNode {
    const made: { children?: ReadonlyMap<string, SourceNode> } = {};
    const children = (): ReadonlyMap<string, SourceNode> =>
      (made.children ??= this.#children(map, path, place.via));
    // Problems of aliases and tags are told of the whole document, whoever looks at it.
    if (this.#isEager) children();
    const span = this.#trimmed(this.#spanOf(map.range));
    return {
      kind: 'map',
      path,
      flow: map.flow === true,
      get children() {
        return children();
      },
      ...place,
      ...(span === undefined ? {} : { span }),
    };
  }

  #children(map: YAMLMap, path: Path, via: Span | undefined): ReadonlyMap<string, SourceNode> {
    const children = new Map<string, SourceNode>();
    const merged = new Map<string, SourceNode>();
    for (const pair of map.items) {
      const key = keyOf(pair);
      if (key === undefined) continue;
      if (isMerge(pair)) this.#merge(pair, path, merged);
      else {
        const inner = this.node(pair.value, [...path, key.name], placeOf(key.span, via));
        if (inner !== undefined) children.set(key.name, inner);
      }
    }
    for (const [key, node] of merged) if (!children.has(key)) children.set(key, node);
    return children;
  }

  /** The keys of a merge: the map of the alias, or the maps of several, the first of which wins. */
  #merge(pair: Pair, path: Path, into: Map<string, SourceNode>): void {
    const via = isScalar(pair.key) ? this.#spanOf(pair.key.range) : undefined;
    const sources = isSeq(pair.value) ? pair.value.items : [pair.value];
    for (const source of sources) {
      const node = this.node(source, path, via === undefined ? {} : { via });
      if (node?.kind !== 'map') continue;
      for (const [key, inner] of node.children) if (!into.has(key)) into.set(key, inner);
    }
  }

  #list(list: YAMLSeq, path: Path, place: Place): SourceNode {
    const via = placeOf(undefined, place.via);
    const items: SourceNode[] = [];
    for (const [index, item] of list.items.entries()) {
      const node = this.node(item, [...path, index], via);
      if (node !== undefined) items.push(node);
    }
    const span = this.#trimmed(this.#spanOf(list.range));
    return {
      kind: 'list',
      path,
      flow: list.flow === true,
      items,
      ...place,
      ...(span === undefined ? {} : { span }),
    };
  }

  #scalar(scalar: Scalar, path: Path, place: Place): ScalarNode {
    const span = this.#spanOf(scalar.range);
    const isQuoted = scalar.type === 'QUOTE_DOUBLE' || scalar.type === 'QUOTE_SINGLE';
    const isBlock = scalar.type === 'BLOCK_LITERAL' || scalar.type === 'BLOCK_FOLDED';
    const written = span === undefined ? '' : this.#text.slice(span.start, span.end);
    const inner =
      isQuoted && span !== undefined && span.end - span.start >= 2
        ? { start: span.start + 1, end: span.end - 1 }
        : undefined;
    const template = this.#unmasked(scalar, written, isQuoted, isBlock) ?? this.#yttValue(span);
    const value = plainValue(scalar, template);
    return {
      kind: 'scalar',
      path,
      value,
      text: typeof value === 'string' ? value : written === '' ? 'null' : written,
      style: isQuoted ? 'quoted' : isBlock ? 'block' : 'plain',
      ...place,
      ...(span === undefined ? {} : { span }),
      ...(inner === undefined ? {} : { inner }),
    };
  }

  /** `limit: {{x}}` without quotes parses as a map in a map; the author means a template tag. */
  #templateTag(map: YAMLMap, path: Path, place: Place): ScalarNode | undefined {
    const span = this.#spanOf(map.range);
    if (map.flow !== true || span === undefined) return undefined;
    const written = this.#text.slice(span.start, span.end);
    if (!/^\{\{[^{}]*\}\}$/.test(written)) return undefined;
    const tag: ScalarNode = { kind: 'scalar', path, value: written, text: written, style: 'plain' };
    // Other template engines write theirs before anyone reads YAML; Argo's tags are filled in afterwards.
    if (!isArgoTag(written)) return { ...tag, ...place, span };
    this.problems.push({
      slug: 'unquoted-template',
      severity: 'error',
      message: `${written} without quotes is a map in YAML, so the manifest is refused: write "${written}"`,
      at: span,
      related: [],
      fixes: fix(`Write "${written}"`, true, { at: span, text: `"${written}"` }),
    });
    return { ...tag, ...place, span };
  }

  /** The text of a scalar that a template fills in, in whole or in part. */
  #unmasked(
    scalar: Scalar,
    written: string,
    isQuoted: boolean,
    isBlock: boolean,
  ): string | undefined {
    if (!this.#masked.isTemplate) return undefined;
    const [start, end] = scalar.range ?? [0, 0];
    const masked = this.#masked.text.slice(start, end);
    if (!masked.includes(filler) && !written.includes('{{')) return undefined;
    if (!isBlock) return isQuoted ? written.slice(1, -1) : written;
    return typeof scalar.value === 'string'
      ? unmaskBlock(scalar.value, masked, written)
      : undefined;
  }

  /** ytt computes a value in the comment behind its key: `limit: #@ data.values.limit`. */
  #yttValue(span: Span | undefined): string | undefined {
    if (span === undefined || span.start !== span.end) return undefined;
    return /^[ \t]*(#@[ \t][^\n]*)/.exec(this.#text.slice(span.end, span.end + 200))?.[1]?.trim();
  }

  #unresolved(name: string, span: Span | undefined): void {
    if (span === undefined) return;
    this.problems.push({
      slug: 'unresolved-alias',
      severity: 'error',
      message: `*${name} names no anchor in this document: the manifest cannot be read. Define &${name} above it`,
      at: span,
      related: [],
      fixes: [],
    });
  }

  /** An anchor without a value ends one place behind the text; no span of ours does. */
  #spanOf(range: Range): Span | undefined {
    const span = spanOf(range);
    const { length } = this.#text;
    if (span === undefined || span.end <= length) return span;
    return { start: Math.min(span.start, length), end: length };
  }

  /** Block collections end after their last line break; the reader's span ends with the text. */
  #trimmed(span: Span | undefined): Span | undefined {
    if (span === undefined) return undefined;
    let { end } = span;
    while (end > span.start && isBlank(this.#text.charCodeAt(end - 1))) end -= 1;
    return { start: span.start, end };
  }
}

/** Whether a tag names a variable of a workflow, or holds an expression over them. */
const isArgoTag = (tag: string): boolean =>
  /^\{\{\s*(?:=|(?:workflow|inputs|outputs|steps|tasks|pod|node|lastRetry|cronworkflow)\.|(?:item|retries)\b)/.test(
    tag,
  );

function keyOf(pair: Pair): { readonly name: string; readonly span: Span | undefined } | undefined {
  const { key } = pair;
  if (isScalar(key)) return { name: String(key.value), span: spanOf(key.range) };
  return isCollection(key) ? undefined : { name: String(key), span: undefined };
}

/** Only a plain `<<` merges; in quotes it is a key like any other. Source: go-yaml v3 decode.go isMerge. */
const isMerge = ({ key }: Pair): boolean =>
  isScalar(key) && key.type === 'PLAIN' && key.value === '<<';

const nowhere: Place = {};

/** A place without the parts that are not there; most nodes have a key alone. */
function placeOf(key: Span | undefined, via: Span | undefined): Place {
  if (via === undefined) return key === undefined ? nowhere : { key };
  return key === undefined ? { via } : { key, via };
}

const isBlank = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

type Range = readonly [number, number, number] | null | undefined;

const spanOf = (range: Range): Span | undefined =>
  range === null || range === undefined ? undefined : { start: range[0], end: range[1] };
