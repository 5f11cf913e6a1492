import { groupOf } from './analyse.ts';
import type { ClusterView, ResourceRef, ResourceType } from './live.ts';
import { child, itemsOf, nodeAt, textAt, type SourceNode } from './source.ts';

/** The objects of a file that was printed from a cluster, as the neighbours of one of them. */
export function manifestView(objects: readonly SourceNode[]): ClusterView {
  const byName = new Map<string, SourceNode>();
  const byOwner = new Map<string, SourceNode[]>();
  for (const object of objects) {
    const { kind, name, namespace } = namesOf(object);
    byName.set(token(kind, namespace, name), object);
    for (const owner of ownersOf(object, namespace)) {
      const others = byOwner.get(owner);
      if (others === undefined) byOwner.set(owner, [object]);
      else others.push(object);
    }
  }
  return {
    get: ({ apiVersion, kind, namespace, name }: ResourceRef) => {
      const found = byName.get(token(kind, namespace, name));
      return groupIn(found) === groupOf(apiVersion) ? found : undefined;
    },
    related: ({ kind, namespace, name }: ResourceRef, type: ResourceType) =>
      (byOwner.get(token(kind, namespace, name)) ?? []).filter((object) => isOf(object, type)),
  };
}

const namesOf = (object: SourceNode) => ({
  kind: textAt(object, 'kind'),
  name: textAt(object, 'metadata', 'name'),
  namespace: textAt(object, 'metadata', 'namespace'),
});

const token = (
  kind: string | undefined,
  namespace: string | undefined,
  name: string | undefined,
): string => `${kind ?? ''}/${namespace ?? ''}/${name ?? ''}`;

const groupIn = (object: SourceNode | undefined): string =>
  groupOf(textAt(object, 'apiVersion') ?? '');

/** Events are of either of two groups, and say the same in both. */
const isOf = (object: SourceNode, { kind, group }: ResourceType): boolean =>
  textAt(object, 'kind') === kind && (kind === 'Event' || groupIn(object) === group);

/** What an object says it belongs to: its owners, what an event is about, or by label. */
function ownersOf(object: SourceNode, namespace: string | undefined): readonly string[] {
  const owners = itemsOf(nodeAt(object, ['metadata', 'ownerReferences']));
  const about = child(object, 'regarding') ?? child(object, 'involvedObject');
  const references = about === undefined ? owners : [...owners, about];
  if (references.length > 0) {
    return references.map((one) => token(textAt(one, 'kind'), namespace, textAt(one, 'name')));
  }
  return byLabel(object, namespace);
}

const nameEnding = '/owner-name';

function byLabel(object: SourceNode, namespace: string | undefined): readonly string[] {
  const labels = nodeAt(object, ['metadata', 'labels']);
  if (labels?.kind !== 'map') return [];
  return [...labels.children.keys()]
    .filter((key) => key.endsWith(nameEnding))
    .map((key) => {
      const kindKey = `${key.slice(0, -nameEnding.length)}/owner-kind`;
      return token(textAt(labels, kindKey), namespace, textAt(labels, key));
    });
}
