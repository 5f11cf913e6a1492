import { child, itemsOf, type SourceNode, type SourceTree } from './source.ts';

/** A node that an anchor leads to, with the nodes above it, nearest first. */
export type Anchored = {
  readonly node: SourceNode | undefined;
  readonly parents: readonly SourceNode[];
  /** The path of the node, or the one it would have where it is not written. */
  readonly path: readonly (string | number)[];
};

export type AnchorStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'each' | 'entries' | 'embedded' };

/** `spec.templates[*].x`, `data.config>y` and `data.*>y` (every entry of a map) as steps. */
export function parseAnchor(anchor: string): readonly AnchorStep[] {
  const steps: AnchorStep[] = [];
  for (const [token] of anchor.matchAll(/\[\*\]|>|[^.[\]>]+/g)) {
    if (token === '[*]') steps.push({ kind: 'each' });
    else if (token === '*') steps.push({ kind: 'entries' });
    else if (token === '>') steps.push({ kind: 'embedded' });
    else steps.push({ kind: 'key', key: token });
  }
  return steps;
}

/** What was found under the beginnings of anchors in one tree: most anchors begin alike. */
export type Walked = Map<string, readonly Anchored[]>;

/** A name for each beginning of an anchor, for `Walked`; places that are only implied are kept apart. */
export function beginningsOf(anchor: readonly AnchorStep[], implied: boolean): readonly string[] {
  let name = implied ? '?' : '';
  return anchor.map((step) => {
    name += step.kind === 'key' ? `.${step.key}` : `[${step.kind}]`;
    return name;
  });
}

/**
 * All nodes that an anchor leads to in a tree.
 *
 * With `implied`, a last part that is not written still gives a place: its node is undefined. A part that is
 * missing further up gives one too, as long as no list lies on the way.
 */
export function resolveAnchor(
  tree: SourceTree,
  root: SourceNode,
  anchor: readonly AnchorStep[],
  implied: boolean,
  walked: Walked = new Map(),
  beginnings: readonly string[] = beginningsOf(anchor, implied),
): readonly Anchored[] {
  let done = anchor.length;
  let known: readonly Anchored[] | undefined;
  while (done > 0 && known === undefined) {
    known = walked.get(beginnings[done - 1] ?? '');
    if (known === undefined) done -= 1;
  }
  let places = known ?? [{ node: root, parents: [], path: root.path }];
  for (const [index, step] of anchor.entries()) {
    if (index < done) continue;
    const [only] = places;
    if (places.length === 1 && only !== undefined) places = descend(tree, only, step, implied);
    else if (only !== undefined)
      places = places.flatMap((place) => descend(tree, place, step, implied));
    walked.set(beginnings[index] ?? '', places);
  }
  return places;
}

function descend(
  tree: SourceTree,
  place: Anchored,
  step: AnchorStep,
  implied: boolean,
): readonly Anchored[] {
  const { node, parents, path } = place;
  const below = (inner: SourceNode): Anchored => ({
    node: inner,
    parents: node === undefined ? parents : [node, ...parents],
    path: inner.path,
  });
  switch (step.kind) {
    case 'each':
      return itemsOf(node).map(below);
    case 'entries':
      return node?.kind === 'map' ? [...node.children.values()].map(below) : [];
    case 'embedded': {
      const inner = node?.kind === 'scalar' ? tree.embedded(node) : undefined;
      return inner === undefined ? [] : [below(inner.root)];
    }
    case 'key': {
      const inner = child(node, step.key);
      if (inner !== undefined) return [below(inner)];
      if (!implied) return [];
      return [
        {
          node: undefined,
          parents: node === undefined ? parents : [node, ...parents],
          path: [...path, step.key],
        },
      ];
    }
  }
}
