/** UTF-16 offsets into a document's text, end exclusive. */
export type Span = { readonly start: number; readonly end: number };

/** Keys and indices from a document's root to a node. */
export type Path = readonly (string | number)[];

type Place = {
  readonly path: Path;
  /** The key that names this node; absent in lists, at the root and in live objects. */
  readonly key?: Span;
  /** The node's own text; absent in live objects. */
  readonly span?: Span;
  /** The alias (`*retry`) or merge key (`<<`) through which the reader reached shared text. */
  readonly via?: Span;
  /** Set where the spans cover more than the node, so that nothing can be edited there. */
  readonly rough?: true;
};

export type ScalarNode = Place & {
  readonly kind: 'scalar';
  /** The value as the core schema of YAML, or JSON, reads it. */
  readonly value: string | number | bigint | boolean | null;
  /** The text between the quotes, or the plain text; what the author wrote. */
  readonly text: string;
  readonly style: 'plain' | 'quoted' | 'block';
  /** Where the text inside the quotes starts, for spans that point inside a value. */
  readonly inner?: Span;
};

export type MapNode = Place & {
  readonly kind: 'map';
  readonly flow: boolean;
  /** Children by key; own keys win over merged ones, and the last of two equal keys wins. */
  readonly children: ReadonlyMap<string, SourceNode>;
};

export type ListNode = Place & {
  readonly kind: 'list';
  readonly flow: boolean;
  readonly items: readonly SourceNode[];
};

export type SourceNode = ScalarNode | MapNode | ListNode;

/** One manifest, as paths, values and spans. YAML documents and live objects look alike. */
export type SourceTree = {
  readonly root: SourceNode;
  /** The document's text, for edits; absent for live objects. */
  readonly text?: string;
  /** Reads a manifest that is written as text inside a scalar, such as a ConfigMap's value. */
  readonly embedded: (node: ScalarNode) => SourceTree | undefined;
};

/** The child of a map under a key, if the node is a map and has it. */
export const child = (node: SourceNode | undefined, key: string): SourceNode | undefined =>
  node?.kind === 'map' ? node.children.get(key) : undefined;

/** The node at a path below another, if every step is there. */
export const nodeAt = (node: SourceNode | undefined, path: Path): SourceNode | undefined => {
  let current = node;
  for (const step of path) {
    if (current?.kind === 'list' && typeof step === 'number') current = current.items[step];
    else current = child(current, String(step));
  }
  return current;
};

/** The text of a scalar child that holds a string, number or boolean. */
export const textAt = (node: SourceNode | undefined, ...path: string[]): string | undefined => {
  const found = nodeAt(node, path);
  return found?.kind === 'scalar' && found.value !== null ? found.text : undefined;
};

/** A node's items when it is a list, none otherwise. */
export const itemsOf = (node: SourceNode | undefined): readonly SourceNode[] =>
  node?.kind === 'list' ? node.items : [];

/** Writes a path as the contract does: `spec.templates[0].retryStrategy`. */
export const formatPath = (path: Path): string => {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[\w-]+$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
};

/** The span that names a node for a reader: its key where it has one, else its value. */
export const nameSpan = (node: SourceNode): Span | undefined => node.key ?? node.span;

/** The span of a node with its key: `limit: 5`. */
export const wholeSpan = (node: SourceNode): Span | undefined => {
  const { key, span } = node;
  if (key === undefined) return span;
  return span === undefined || span.end < key.end ? key : { start: key.start, end: span.end };
};

export const contains = (span: Span, offset: number): boolean =>
  span.start <= offset && offset <= span.end;

/** A node as plain JSON; numbers beyond 2^53 become texts, so that none is rounded in silence. */
export function toJson(node: SourceNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return typeof node.value === 'bigint' ? String(node.value) : node.value;
    case 'list':
      return node.items.map(toJson);
    case 'map':
      return Object.fromEntries([...node.children].map(([key, inner]) => [key, toJson(inner)]));
  }
}
