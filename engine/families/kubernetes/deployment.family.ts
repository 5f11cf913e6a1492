import { formatDuration } from '../../durations/format.ts';
import { defineFamily, type Note, type Policy } from '../../family.ts';
import { constant } from '../../growth.ts';
import { valueOf } from '../../setting.ts';
import { child } from '../../source.ts';
import { plural } from '../../summary.ts';
import { zero } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';
import { deploymentFields, noDeadline, type DeploymentFields } from './deploymentFields.ts';
import { deploymentLive } from './deploymentLive.ts';
import { deploymentRules } from './deploymentRules.ts';
import { kubernetes } from './system.ts';
import { workloadPlace, type WorkloadPlace } from './workloadPlace.ts';

/** How a Deployment goes on when its pods fail, and what its deadline means. */
export const family = defineFamily({
  id: 'kubernetes/deployment',
  system: kubernetes,
  title: 'Deployment rollout',
  summary:
    'A Deployment goes on for ever: a pod that ended is replaced at once, a container that ends is restarted after the waits of its own. `progressDeadlineSeconds` only marks a rollout without progress as failed; nothing is rolled back and nothing stops.',
  formula:
    'failed when now > time of the last progress + progressDeadlineSeconds; progress is a pod created, ready or available, or an old one gone',
  cite: sources.deploymentProgress,
  sites: [
    {
      group: 'apps',
      kinds: ['Deployment'],
      anchor: 'spec',
      implied: true,
      when: (root) => child(root, 'spec')?.kind === 'map',
    },
  ],
  fields: deploymentFields,
  facts: workloadPlace,
  // Without state, so that it is made once for all Deployments.
  schedule: () => schedule,
  rules: deploymentRules,
  notes,
  effect,
  live: deploymentLive,
  examples: [
    {
      name: 'marked as failed after five minutes without progress',
      yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  progressDeadlineSeconds: 300
  minReadySeconds: 10
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example/web:1
`,
      anchor: 'spec',
      waits: ['0s', '0s', '0s'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'a deadline that no pod could meet',
      yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  progressDeadlineSeconds: 30
  minReadySeconds: 30
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: registry.example/web:1
`,
      anchor: 'spec',
      waits: ['0s', '0s'],
      ends: 'never',
      findings: ['kubernetes/deployment-deadline-below-ready'],
    },
  ],
});

const schedule = { waits: constant(zero), stops: [], resets: [], clock: 'after-attempt' } as const;

type DeploymentPolicy = Policy<DeploymentFields, WorkloadPlace>;

function* notes({ settings }: DeploymentPolicy): Generator<Note<keyof DeploymentFields>> {
  const deadline = valueOf(settings.progressDeadlineSeconds);
  if (deadline !== undefined) {
    yield {
      text:
        deadline >= noDeadline
          ? 'There is no deadline: a rollout that hangs is never marked as failed'
          : `After ${formatDuration(deadline)} without progress the condition Progressing turns False (ProgressDeadlineExceeded) and \`kubectl rollout status\` ends with an error; the rollout goes on, and going back is up to you: \`kubectl rollout undo\``,
    };
  }
  if (valueOf(settings.revisionHistoryLimit) === 0) {
    yield {
      text: 'With `revisionHistoryLimit: 0` no old ReplicaSet is kept: there is nothing to go back to',
    };
  }
  if (valueOf(settings.paused) === true) {
    yield {
      text: 'While it is paused no rollout starts and the deadline does not run',
    };
  }
  yield {
    text: 'Pods that cannot be created (a quota, an admission webhook) are tried again after 5ms, doubling to 16m40s; the Deployment itself is tried 15 times (5ms to 1m22s, 2m44s in all) and then again when something changes',
  };
}

function effect({ settings }: DeploymentPolicy, name: keyof DeploymentFields): string | undefined {
  const deadline = valueOf(settings.progressDeadlineSeconds);
  const ready = valueOf(settings.minReadySeconds);
  const kept = valueOf(settings.revisionHistoryLimit);
  switch (name) {
    case 'progressDeadlineSeconds':
      if (deadline === undefined) return undefined;
      return deadline >= noDeadline
        ? 'A rollout is never marked as failed'
        : `A rollout without progress for ${formatDuration(deadline)} is marked as failed, and goes on`;
    case 'minReadySeconds':
      return ready === undefined || ready === zero
        ? 'A new pod is available as soon as it is ready'
        : `A new pod is available once it has been ready for ${formatDuration(ready)} without a break`;
    case 'revisionHistoryLimit':
      if (kept === undefined) return undefined;
      return kept === 0
        ? 'No old ReplicaSet is kept: there is nothing that `kubectl rollout undo` could go back to'
        : `${plural(kept, 'old ReplicaSet is', 'old ReplicaSets are')} kept to go back to`;
    case 'paused':
      return valueOf(settings.paused) === true ? 'No rollout starts' : undefined;
    default:
      return undefined;
  }
}
