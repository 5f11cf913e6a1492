import type { Inherited, InheritInput } from '../../family.ts';
import type { Neighbours } from '../../neighbours.ts';
import { child, nodeAt, textAt, toJson, type SourceNode } from '../../source.ts';
import { captfGroup, captfSource } from './system.ts';

export const clusterNameLabel = 'cluster.x-k8s.io/cluster-name';
const capiGroup = 'cluster.x-k8s.io';

/** A machine or pool looks at the TerraformCluster of its cluster, which may stand in the same file. */
export const clusterNeighbours: Neighbours = {
  lookers: ['TerraformMachine'],
  // A Cluster names it as its infrastructure.
  lookedAt: ['TerraformCluster'],
  shown(object) {
    const kind = textAt(object, 'kind');
    const group = textAt(object, 'apiVersion')?.split('/')[0];
    if (group === captfGroup && kind === 'TerraformCluster') {
      return { kind, metadata: metadataOf(object), spec: policiesOf(child(object, 'spec')) };
    }
    if (group === capiGroup && kind === 'Cluster') {
      const infrastructureRef = nodeAt(object, ['spec', 'infrastructureRef']);
      const shown = {
        kind: textAt(infrastructureRef, 'kind'),
        name: textAt(infrastructureRef, 'name'),
      };
      return { kind, metadata: metadataOf(object), spec: { infrastructureRef: shown } };
    }
    return undefined;
  },
};

const metadataOf = (object: SourceNode) => ({
  name: textAt(object, 'metadata', 'name'),
  namespace: textAt(object, 'metadata', 'namespace'),
  labels: { [clusterNameLabel]: textAt(object, 'metadata', 'labels', clusterNameLabel) },
});

const policiesOf = (spec: SourceNode | undefined) => ({
  ...jobsOf(spec),
  defaults: jobsOf(child(spec, 'defaults')),
});

function jobsOf(holder: SourceNode | undefined): { readonly jobs?: unknown } {
  const jobs = child(holder, 'jobs');
  return jobs === undefined ? {} : { jobs: toJson(jobs) };
}

/**
 * The TerraformCluster whose defaults a machine or pool takes, where the file shows which one it is.
 *
 * That is what the machine's Cluster names, or else what carries its label; nothing where several could be it.
 */
export function clusterBeside({ root, neighbours }: InheritInput): SourceNode | undefined {
  const name = textAt(root, 'metadata', 'labels', clusterNameLabel);
  if (name === undefined) return undefined;
  const namespace = textAt(root, 'metadata', 'namespace');
  const here = neighbours.filter((one) => textAt(one, 'metadata', 'namespace') === namespace);
  const owner = only(here.filter((one) => isNamed(one, 'Cluster', name)));
  if (owner === 'several') return undefined;
  const isIts = (one: SourceNode): boolean => {
    if (owner !== undefined) {
      const reference = nodeAt(owner, ['spec', 'infrastructureRef']);
      const wanted = textAt(reference, 'kind') === 'TerraformCluster' && textAt(reference, 'name');
      return typeof wanted === 'string' && isNamed(one, 'TerraformCluster', wanted);
    }
    return (
      textAt(one, 'kind') === 'TerraformCluster' &&
      textAt(one, 'metadata', 'labels', clusterNameLabel) === name
    );
  };
  const found = only(here.filter(isIts));
  return found === 'several' ? undefined : found;
}

const isNamed = (object: SourceNode, kind: string, name: string): boolean =>
  textAt(object, 'kind') === kind && textAt(object, 'metadata', 'name') === name;

function only(objects: readonly SourceNode[]): SourceNode | 'several' | undefined {
  return objects.length > 1 ? 'several' : objects[0];
}

const merging = captfSource('internal/controllers/shared/effective.go Resolve');

/** The cluster's defaults for what a machine or pool leaves out: the two are merged field by field. */
export function clusterDefaults(
  around: InheritInput,
): ((field: string) => Inherited | undefined) | undefined {
  const kind = textAt(around.root, 'kind');
  if (kind !== 'TerraformMachine' && kind !== 'TerraformMachinePool') return undefined;
  const cluster = clusterBeside(around);
  const jobs = nodeAt(cluster, ['spec', 'defaults', 'jobs']);
  if (jobs === undefined) return undefined;
  const by = `\`spec.defaults.jobs\` of ${clusterWords(cluster)}`;
  return (field) => {
    const value = child(jobs, field);
    const isThere = value !== undefined && !(value.kind === 'scalar' && value.value === null);
    return isThere ? { value, by, cite: merging } : undefined;
  };
}

/** `TerraformCluster prod` */
export const clusterWords = (cluster: SourceNode | undefined): string =>
  ['TerraformCluster', textAt(cluster, 'metadata', 'name')]
    .filter((word) => word !== undefined)
    .join(' ');
