import type { FactsInput } from '../../family.ts';
import { knows } from '../../environment.ts';
import { child, itemsOf, textAt } from '../../source.ts';
import { isWholePod, jobOwner, podSpecOf, type JobOwner } from './jobSites.ts';
import { readFailurePolicy, type FailureRule } from './failurePolicy.ts';
import { jobFields } from './jobFields.ts';
import { kubernetes } from './system.ts';

/** What a JobSpec's surroundings and its pod template say. */
export type JobPlace = {
  readonly owner: JobOwner;
  /** Set where the manifest is more than a patch: what it does not write is really absent. */
  readonly isWhole: boolean;
  readonly failureRules: readonly FailureRule[];
  readonly containers: readonly string[];
  readonly initContainers: readonly string[];
  /** Init containers with `restartPolicy: Always`, which run beside the others. */
  readonly sidecars: readonly string[];
  /** Whether every container has a restart policy of its own that restarts it in its pod when it fails. */
  readonly restartsItself: boolean;
};

// Before, the API server drops the restart policy of a container, or of an init container.
const ownPolicies = { version: '1.35.0', gate: 'ContainerRestartRules' };
const sidecars = { version: '1.29.0', gate: 'SidecarContainers' };

export function jobPlace({ node, root, env }: Pick<FactsInput, 'node' | 'root' | 'env'>): JobPlace {
  const podSpec = podSpecOf(node);
  const containers = itemsOf(child(podSpec, 'containers'));
  const init = itemsOf(child(podSpec, 'initContainers'));
  const isSidecar = (container: (typeof init)[number]): boolean =>
    textAt(container, 'restartPolicy') === 'Always';
  return {
    owner: jobOwner(root),
    isWhole: isWholePod(podSpec),
    failureRules: knows(env, kubernetes, jobFields.podFailurePolicy.since)
      ? readFailurePolicy(child(node, 'podFailurePolicy'))
      : [],
    containers: namesOf(containers),
    restartsItself:
      knows(env, kubernetes, ownPolicies) &&
      containers.length > 0 &&
      containers.every((one) =>
        ['OnFailure', 'Always'].includes(textAt(one, 'restartPolicy') ?? ''),
      ),
    initContainers: namesOf(init),
    sidecars: knows(env, kubernetes, sidecars) ? namesOf(init.filter(isSidecar)) : [],
  };
}

const namesOf = (containers: readonly Parameters<typeof textAt>[0][]): readonly string[] =>
  containers.flatMap((container) => textAt(container, 'name') ?? []);
