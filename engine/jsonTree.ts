import type { Path, SourceNode, SourceTree } from './source.ts';

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
  if (typeof value === 'object' && value !== null) {
    return { kind: 'map', path, flow: false, children: new LazyChildren(value, path) };
  }
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

/**
 * The children of a JSON object, each made when it is asked for; whoever walks over them makes all.
 *
 * Live objects are wide, there are many of them, and readers look at few of their fields.
 */
class LazyChildren implements ReadonlyMap<string, SourceNode> {
  readonly #value: object;
  readonly #path: Path;
  /** Maps and lists that were made; a scalar is as quickly made again. */
  #made: Map<string, SourceNode> | undefined;
  #all: ReadonlyMap<string, SourceNode> | undefined;

  constructor(value: object, path: Path) {
    this.#value = value;
    this.#path = path;
  }

  get size(): number {
    return Object.keys(this.#value).length;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#value, key);
  }

  get(key: string): SourceNode | undefined {
    const known = this.#all?.get(key) ?? this.#made?.get(key);
    if (known !== undefined || !Object.hasOwn(this.#value, key)) return known;
    const node = jsonNode(Reflect.get(this.#value, key), [...this.#path, key]);
    if (node.kind === 'scalar') return node;
    this.#made ??= new Map();
    this.#made.set(key, node);
    return node;
  }

  forEach(
    call: (node: SourceNode, key: string, map: ReadonlyMap<string, SourceNode>) => void,
  ): void {
    for (const [key, node] of this.#whole()) call(node, key, this);
  }

  entries(): MapIterator<[string, SourceNode]> {
    return this.#whole().entries();
  }

  keys(): MapIterator<string> {
    return this.#whole().keys();
  }

  values(): MapIterator<SourceNode> {
    return this.#whole().values();
  }

  [Symbol.iterator](): MapIterator<[string, SourceNode]> {
    return this.#whole()[Symbol.iterator]();
  }

  #whole(): ReadonlyMap<string, SourceNode> {
    this.#all ??= new Map(
      Object.entries(this.#value).map(([key, inner]): [string, SourceNode] => [
        key,
        this.#made?.get(key) ?? jsonNode(inner, [...this.#path, key]),
      ]),
    );
    return this.#all;
  }
}
