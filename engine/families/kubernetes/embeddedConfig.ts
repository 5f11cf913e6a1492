import type { Site } from '../../family.ts';
import { child, textAt, type SourceNode } from '../../source.ts';

/**
 * Where a component's configuration stands: as a document of its own, or as a text in a ConfigMap.
 *
 * The policy is named by the configuration's `kind`, for want of a key above it.
 */
export function configurationSites(group: string, kinds: readonly string[]): readonly Site[] {
  const view = (node: SourceNode): SourceNode | undefined => asConfiguration(node, group, kinds);
  return [
    { group, kinds, anchor: '', implied: true, view },
    {
      group: '',
      kinds: ['ConfigMap'],
      anchor: 'data.*>',
      needs: [group],
      when: (root) => mentions(root, group),
      view,
    },
  ];
}

/** A configuration of the group and of one of the kinds, named by its kind. */
function asConfiguration(
  node: SourceNode,
  group: string,
  kinds: readonly string[],
): SourceNode | undefined {
  if (node.kind !== 'map' || !kinds.includes(textAt(node, 'kind') ?? '')) return undefined;
  if (textAt(node, 'apiVersion')?.startsWith(`${group}/`) !== true) return undefined;
  const key = child(node, 'kind')?.span;
  return key === undefined ? node : { ...node, key };
}

/** Spares the texts of other ConfigMaps from being parsed. */
function mentions(root: SourceNode, group: string): boolean {
  const data = child(root, 'data');
  if (data?.kind !== 'map') return false;
  return [...data.children.values()].some(
    (entry) => entry.kind === 'scalar' && entry.text.includes(group),
  );
}
