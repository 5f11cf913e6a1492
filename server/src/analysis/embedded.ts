import type { MapNode, ScalarNode, SourceNode, SourceTree, Span } from '../../../engine/source.ts';
import type { ParsedDocument } from './yamlDocument.ts';

/**
 * Reads the YAML inside a scalar, with spans that point into the outer text.
 *
 * Literal blocks and plain or quoted one-liners map exactly; folded blocks have no exact offsets, so their
 * nodes carry the scalar's own span.
 */
export function embeddedTree(
  text: string,
  scalar: ScalarNode,
  parse: (text: string) => ParsedDocument | undefined,
): SourceTree | undefined {
  if (typeof scalar.value !== 'string' || scalar.span === undefined) return undefined;
  const parsed = parse(scalar.value);
  if (parsed === undefined) return undefined;
  const place = offsetsOf(text, scalar, scalar.span);
  const move = (span: Span): Span =>
    place === undefined
      ? (scalar.span ?? span)
      : { start: place(span.start), end: place(span.end) };
  const root = moved(parsed.tree.root, scalar.path, move, place === undefined);
  return {
    root,
    ...(place === undefined ? {} : { text }),
    embedded: () => undefined,
  };
}

/** A function from offsets in the scalar's value to offsets in the document. */
function offsetsOf(
  text: string,
  scalar: ScalarNode,
  span: Span,
): ((at: number) => number) | undefined {
  const value = String(scalar.value);
  if (scalar.inner !== undefined || scalar.style === 'plain') {
    const start = scalar.inner?.start ?? span.start;
    return text.slice(start, start + value.length) === value ? (at) => start + at : undefined;
  }
  if (scalar.style !== 'block' || text[span.start] !== '|') return undefined;
  const firstLine = text.indexOf('\n', span.start) + 1;
  const lines = value.split('\n');
  const starts: number[] = [];
  let at = firstLine;
  for (const line of lines) {
    const end = text.indexOf('\n', at);
    const written = text.slice(at, end === -1 ? text.length : end).replace(/\r$/, '');
    starts.push(at + Math.max(0, written.length - line.length));
    at = end === -1 ? text.length : end + 1;
  }
  const valueStarts = lines.reduce<number[]>(
    (sums, line) => [...sums, (sums.at(-1) ?? 0) + line.length + 1],
    [0],
  );
  return (offset) => {
    const line = valueStarts.findLastIndex((start) => start <= offset);
    return (starts[line] ?? firstLine) + offset - (valueStarts[line] ?? 0);
  };
}

function moved(
  node: SourceNode,
  prefix: SourceNode['path'],
  move: (span: Span) => Span,
  rough: boolean,
): SourceNode {
  const place = {
    path: [...prefix, ...node.path],
    ...(rough ? { rough } : {}),
    ...(node.key === undefined ? {} : { key: move(node.key) }),
    ...(node.span === undefined ? {} : { span: move(node.span) }),
    ...(node.via === undefined ? {} : { via: move(node.via) }),
  };
  switch (node.kind) {
    case 'scalar':
      return {
        ...node,
        ...place,
        ...(node.inner === undefined ? {} : { inner: move(node.inner) }),
      };
    case 'list':
      return {
        ...node,
        ...place,
        items: node.items.map((item) => moved(item, prefix, move, rough)),
      };
    case 'map': {
      const children = new Map<string, SourceNode>();
      for (const [key, inner] of node.children)
        children.set(key, moved(inner, prefix, move, rough));
      const map: MapNode = { ...node, ...place, children };
      return map;
    }
  }
}
