import type { Evidence, LiveInput, ResourceRef, ResourceType } from '../../live.ts';
import { child, nodeAt, textAt, type SourceNode } from '../../source.ts';
import type { Ms, Window } from '../../units.ts';
import { countedLimit, defaultFailedLimit, retryDelay } from './delays.ts';
import { captfGroup } from './system.ts';

/** The history limits that may be in force: one where everything is known, several where builds differ. */
export type Limits = {
  readonly values: readonly number[];
  /** Why there are several, or where the one comes from. */
  readonly from: string;
  readonly seen: readonly Evidence[];
};

export const clusterType: ResourceType = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Cluster',
  plural: 'clusters',
};

const highest = 100;

export function limitsOf(input: LiveInput): Limits {
  const { object, ref } = input;
  const path = ['spec', 'jobs', 'failedJobsHistoryLimit'];
  const own = limitAt(object, path);
  if (own !== undefined) return fixed(own, 'set on the object', ref, path);
  const builtIn = defaultFailedLimit.value;
  if (ref.kind === 'TerraformCluster') return { values: [builtIn], from: 'the default', seen: [] };
  const cluster = clusterOf(input);
  if (cluster === undefined) {
    return {
      values: [0, highest],
      from: 'the TerraformCluster that may set `failedJobsHistoryLimit` in `spec.defaults.jobs` is not at hand',
      seen: [],
    };
  }
  const defaultsPath = ['spec', 'defaults', 'jobs', 'failedJobsHistoryLimit'];
  const inherited = limitAt(cluster.node, defaultsPath);
  if (inherited !== undefined) {
    return fixed(inherited, "from the cluster's defaults", cluster.ref, defaultsPath);
  }
  const clusters = limitAt(cluster.node, path);
  if (clusters === undefined || clusters === builtIn) {
    return { values: [builtIn], from: 'the default', seen: [] };
  }
  return {
    values: [builtIn, clusters],
    from: `newer builds take ${String(clusters)} from the cluster's own \`spec.jobs\`, older ones the default ${String(builtIn)}`,
    seen: [{ object: cluster.ref, path: path.join('.'), value: clusters }],
  };
}

const fixed = (
  limit: number,
  from: string,
  object: ResourceRef,
  path: readonly string[],
): Limits => ({ values: [limit], from, seen: [{ object, path: path.join('.'), value: limit }] });

function limitAt(node: SourceNode, path: readonly string[]): number | undefined {
  const found = nodeAt(node, path);
  const value = found?.kind === 'scalar' ? found.value : undefined;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

/** The TerraformCluster whose defaults a machine or pool takes, where it is at hand. */
export function clusterOf({
  object,
  ref,
  view,
}: LiveInput): { readonly node: SourceNode; readonly ref: ResourceRef } | undefined {
  const name = textAt(object, 'metadata', 'labels', 'cluster.x-k8s.io/cluster-name');
  if (name === undefined) return undefined;
  const namespace = ref.namespace === undefined ? {} : { namespace: ref.namespace };
  const owner = view.get({
    apiVersion: `${clusterType.group}/${clusterType.version}`,
    kind: clusterType.kind,
    name,
    ...namespace,
  });
  const infrastructure = child(child(owner, 'spec'), 'infrastructureRef');
  if (owner !== undefined && textAt(infrastructure, 'kind') !== 'TerraformCluster')
    return undefined;
  const found: ResourceRef = {
    apiVersion: `${captfGroup}/v1alpha1`,
    kind: 'TerraformCluster',
    // Without the Cluster at hand the usual case is tried: both have one name.
    name: textAt(infrastructure, 'name') ?? name,
    ...namespace,
  };
  const node = view.get(found);
  return node === undefined ? undefined : { node, ref: found };
}

/** The wait after so many failures under every limit that may be in force. */
export function waitAfter(failures: number, { values }: Limits): Window<Ms> {
  const waits = values.map((limit) => retryDelay(failures, limit)).toSorted((a, b) => a - b);
  const none = retryDelay(failures, highest);
  return { lo: waits[0] ?? none, hi: waits.at(-1) ?? none };
}

/** The largest of the limits that may be in force: reached, it is reached for certain. */
export const largestLimit = ({ values }: Limits): number => countedLimit(Math.max(...values, 0));
