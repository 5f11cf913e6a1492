import { child, itemsOf, textAt, type SourceNode } from './source.ts';

/**
 * Where objects of one kind hold whole objects of other kinds, to be created as they stand there.
 *
 * `*` is every item of a list. A List is taken apart too, by its name alone.
 */
const places: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'argoproj.io/Sensor',
    [
      'spec.triggers.*.template.argoWorkflow.source.resource',
      'spec.triggers.*.template.k8s.source.resource',
    ],
  ],
  ['template.openshift.io/Template', ['objects.*']],
  ['kubernetes.crossplane.io/Object', ['spec.forProvider.manifest']],
  ['work.open-cluster-management.io/ManifestWork', ['spec.workload.manifests.*']],
  ['policy.open-cluster-management.io/Policy', ['spec.policy-templates.*.objectDefinition']],
  [
    'policy.open-cluster-management.io/ConfigurationPolicy',
    ['spec.object-templates.*.objectDefinition'],
  ],
  ['hive.openshift.io/SyncSet', ['spec.resources.*']],
  ['hive.openshift.io/SelectorSyncSet', ['spec.resources.*']],
  ['kro.run/ResourceGraphDefinition', ['spec.resources.*.template']],
]);

/** The objects that an object of another kind holds: the Workflow in a Sensor's trigger. */
export function wrappedIn(root: SourceNode, group: string): readonly SourceNode[] {
  const found = places.get(`${group}/${textAt(root, 'kind') ?? ''}`);
  return found === undefined ? [] : found.flatMap((path) => follow(root, path.split('.')));
}

function follow(node: SourceNode | undefined, [step, ...rest]: readonly string[]): SourceNode[] {
  if (node === undefined) return [];
  if (step === undefined) return node.kind === 'map' ? [node] : [];
  return step === '*'
    ? itemsOf(node).flatMap((item) => follow(item, rest))
    : follow(child(node, step), rest);
}
