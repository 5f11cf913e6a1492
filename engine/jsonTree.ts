import type { MapNode, Path, SourceNode, SourceTree } from './source.ts';

/**
 * Reads plain JSON, such as a live object, as a source tree without spans.
 *
 * Total: values that JSON cannot hold (functions, symbols) read as null.
 */
export function jsonTree(value: unknown): SourceTree {
  return { root: jsonNode(value, []), embedded: () => undefined };
}

function jsonNode(value: unknown, path: Path): SourceNode {
  if (Array.isArray(value)) {
    const items = value.map((item, index) => jsonNode(item, [...path, index]));
    return { kind: 'list', path, flow: false, items };
  }
  if (typeof value === 'object' && value !== null) return lazyMap(value, path);
  switch (typeof value) {
    case 'string':
      return { kind: 'scalar', path, value, text: value, style: 'quoted' };
    case 'number':
    case 'bigint':
    case 'boolean':
      return { kind: 'scalar', path, value, text: String(value), style: 'plain' };
    default:
      return { kind: 'scalar', path, value: null, text: 'null', style: 'plain' };
  }
}

/** Live objects are wide and readers look at few of their fields, so children are made on demand. */
function lazyMap(value: object, path: Path): MapNode {
  let made: ReadonlyMap<string, SourceNode> | undefined;
  return {
    kind: 'map',
    path,
    flow: false,
    get children() {
      made ??= new Map(
        Object.entries(value).map(([key, inner]) => [key, jsonNode(inner, [...path, key])]),
      );
      return made;
    },
  };
}
