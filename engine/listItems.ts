import { child, itemsOf, type ScalarNode, type SourceNode } from './source.ts';

const ending = 'List';

/** The kind that the items of a list have where they name none: `JobList` holds Jobs. */
export const itemKindOf = (listKind: string): string =>
  listKind.endsWith(ending) ? listKind.slice(0, -ending.length) : '';

/** The items of a `List`, each with a kind; nothing where an object is no list. */
export function listItems(root: SourceNode): readonly SourceNode[] | undefined {
  const kind = child(root, 'kind');
  const items = child(root, 'items');
  if (kind?.kind !== 'scalar' || !kind.text.endsWith(ending)) return undefined;
  if (items?.kind !== 'list') return undefined;
  return itemsOf(items).map((item) => named(item, kind, child(root, 'apiVersion')));
}

/**
 * An item with its kind and version: an API server writes them on the list alone, as in `kubectl get --raw`.
 *
 * The words stand where the list says them, which is no place to edit an item's kind.
 */
function named(item: SourceNode, kind: ScalarNode, apiVersion: SourceNode | undefined): SourceNode {
  const text = itemKindOf(kind.text);
  if (item.kind !== 'map' || item.children.has('kind') || text === '') return item;
  const { path } = item;
  const children = new Map<string, SourceNode>(item.children);
  children.set('kind', { ...kind, path: [...path, 'kind'], value: text, text, rough: true });
  if (apiVersion !== undefined) children.set('apiVersion', { ...apiVersion, rough: true });
  return { ...item, children };
}
