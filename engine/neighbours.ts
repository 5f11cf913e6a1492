import type { PolicyFamily } from './family.ts';
import { jsonTree } from './jsonTree.ts';
import type { SourceNode } from './source.ts';

/**
 * What a family knows of the other objects in a manifest's file: those that give a policy what it does not set.
 *
 * Objects of one document are seen as they stand there, those of the other documents as `shown` says.
 */
export type Neighbours = {
  /** Of these texts one stands in every document whose policies look at other objects. */
  readonly lookers: readonly string[];
  /** Of these texts one stands in every document with an object that is looked at. */
  readonly lookedAt: readonly string[];
  /**
   * What others may see of an object, in its own shape; nothing where it is none that they look at.
   *
   * Lookers are read again when any of this changes, so it is no more than what they need.
   */
  readonly shown: (object: SourceNode) => unknown;
};

/** The objects of a file that a family looks at; the looker itself may be among them. */
export type Seen = (family: PolicyFamily) => readonly SourceNode[];

const none: readonly SourceNode[] = [];

/** Nobody else: a manifest on its own. */
export const nobody: Seen = () => none;

/** The objects of one document, and those that others show it. */
export function seenIn(resources: readonly SourceNode[], outside: Seen): Seen {
  const known = new Map<string, readonly SourceNode[]>();
  return (family) => {
    const { id, neighbours } = family;
    if (neighbours === undefined) return none;
    const before = known.get(id);
    if (before !== undefined) return before;
    const own = resources.filter((object) => neighbours.shown(object) !== undefined);
    const seen = [...own, ...outside(family)];
    known.set(id, seen);
    return seen;
  };
}

/** What the objects of a document show, as a text that is equal where they show the same; empty: nothing. */
export function shownText(
  resources: readonly SourceNode[],
  families: readonly PolicyFamily[],
): string {
  const shown = families.flatMap(({ id, neighbours }): readonly (readonly [string, unknown])[] => {
    const objects = resources.flatMap((object) => neighbours?.shown(object) ?? []);
    return objects.length === 0 ? [] : [[id, objects]];
  });
  return shown.length === 0 ? '' : JSON.stringify(Object.fromEntries(shown));
}

/** A tree with all its nodes: every looker of a file walks through them. */
function made(node: SourceNode): SourceNode {
  switch (node.kind) {
    case 'scalar':
      return node;
    case 'list':
      return { ...node, items: node.items.map(made) };
    case 'map':
      return {
        ...node,
        children: new Map([...node.children].map(([key, inner]) => [key, made(inner)] as const)),
      };
  }
}

/** The objects in such a text, by family. */
export function readShown(text: string): (family: string) => readonly SourceNode[] {
  const root = made(jsonTree(JSON.parse(text)).root);
  return (family) => {
    const objects = root.kind === 'map' ? root.children.get(family) : undefined;
    return objects?.kind === 'list' ? objects.items : none;
  };
}
