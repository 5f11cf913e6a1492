import type { Environment } from '../../environment.ts';
import type { Site } from '../../family.ts';
import { child, textAt, type SourceNode } from '../../source.ts';
import { hasSidecars } from './restartGates.ts';

type Template = { readonly group: string; readonly kinds: readonly string[]; readonly at: string };

/** Where the spec of a pod stands, by kind. */
const templates: readonly Template[] = [
  { group: '', kinds: ['Pod'], at: 'spec' },
  { group: '', kinds: ['ReplicationController'], at: 'spec.template.spec' },
  { group: '', kinds: ['PodTemplate'], at: 'template.spec' },
  {
    group: 'apps',
    kinds: ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'],
    at: 'spec.template.spec',
  },
  { group: 'batch', kinds: ['Job'], at: 'spec.template.spec' },
  { group: 'batch', kinds: ['CronJob'], at: 'spec.jobTemplate.spec.template.spec' },
  {
    group: 'jobset.x-k8s.io',
    kinds: ['JobSet'],
    at: 'spec.replicatedJobs[*].template.spec.template.spec',
  },
  {
    group: 'leaderworkerset.x-k8s.io',
    kinds: ['LeaderWorkerSet'],
    at: 'spec.leaderWorkerTemplate.leaderTemplate.spec',
  },
  {
    group: 'leaderworkerset.x-k8s.io',
    kinds: ['LeaderWorkerSet'],
    at: 'spec.leaderWorkerTemplate.workerTemplate.spec',
  },
  { group: 'argoproj.io', kinds: ['Rollout'], at: 'spec.template.spec' },
];

/** Every container of every pod template, those of `initContainers` included. */
export function containerSites(
  view: (container: SourceNode) => SourceNode | undefined,
): readonly Site[] {
  return templates.flatMap(({ group, kinds, at }) =>
    ['containers', 'initContainers'].map((list) => ({
      group,
      kinds,
      anchor: `${at}.${list}[*]`,
      // Implied: the policy holds for every container, so it has no line of its own.
      implied: true,
      view,
    })),
  );
}

/** A block of every container of every pod template, where it is written. */
export function containerBlockSites(block: string): readonly Site[] {
  return templates.flatMap(({ group, kinds, at }) =>
    ['containers', 'initContainers'].map((list) => ({
      group,
      kinds,
      anchor: `${at}.${list}[*].${block}`,
      // Only written blocks pass the view. Implied all the same: what follows a block such as a probe is told by
      // hover, and no hint stands behind each of them.
      implied: true,
      view: (node) => node,
      needs: [block],
    })),
  );
}

/** Names the policy of a container by the key of one of its settings; none where that is not written. */
export const namedBy =
  (key: string) =>
  (container: SourceNode): SourceNode | undefined => {
    const named = child(container, key);
    if (named === undefined || container.kind !== 'map') return undefined;
    if (named.key === undefined) return container;
    const { kind, path, flow, children, span, via } = container;
    const own = { kind, path, flow, children, key: named.key };
    if (span !== undefined && via === undefined) return { ...own, span };
    return { ...container, ...own };
  };

/** The kinds whose pods a Job counts. */
const jobKinds = new Set(['Job', 'CronJob', 'JobSet']);

/** Who looks after the pods of a manifest: a Job, a controller that wants them to run for ever, or nobody. */
export type PodOwner = 'pod' | 'job' | 'workload';

export function podOwner(root: SourceNode): PodOwner {
  const kind = textAt(root, 'kind') ?? '';
  if (kind === 'Pod' || kind === 'PodTemplate') return 'pod';
  return jobKinds.has(kind) ? 'job' : 'workload';
}

/** What a container is in its pod. */
export type ContainerRole = 'app' | 'init' | 'sidecar';

export function containerRole(
  container: SourceNode | undefined,
  anchor: readonly (string | number)[],
  env: Environment,
): ContainerRole {
  if (!anchor.includes('initContainers')) return 'app';
  // A version without sidecars drops the policy, and what is left is an ordinary init container.
  return textAt(container, 'restartPolicy') === 'Always' && hasSidecars(env) ? 'sidecar' : 'init';
}
