import { compareVersions, type Environment } from '../../environment.ts';
import type { FactsInput } from '../../family.ts';
import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';
import {
  codesOf,
  describeCodes,
  isEmptySet,
  noExitCodes,
  restartingCodes,
  type ExitCodes,
} from './exitCodes.ts';
import { containerRole, podOwner, type ContainerRole, type PodOwner } from './podSites.ts';
import { hasRestartRules } from './restartGates.ts';

/** What a container is, and who looks after its pod. */
export type RestartPlace = {
  readonly owner: PodOwner;
  readonly role: ContainerRole;
  readonly isWhole: boolean;
  /** Exit codes that restart the container whatever its policy says; none where the version drops the rules. */
  readonly restartsOn: ExitCodes;
  /** Its rules one by one, in words. */
  readonly rules: readonly string[];
  /** A restart of any of its containers has the group of pods created anew, this pod included. */
  readonly isRecreated: boolean;
};

export function restartPlace({ node, root, anchor, env }: FactsInput): RestartPlace {
  const knowsRules = hasRestartRules(env);
  return {
    owner: podOwner(root),
    role: containerRole(node, anchor, env),
    isWhole: child(node, 'image') !== undefined,
    restartsOn: knowsRules ? restartingCodes(node) : noExitCodes,
    rules: knowsRules ? rulesOf(node) : [],
    isRecreated: isRecreated(root, env),
  };
}

const rulesOf = (container: SourceNode | undefined): readonly string[] =>
  itemsOf(child(container, 'restartPolicyRules')).flatMap((rule) => {
    const codes = codesOf(rule);
    if (codes === undefined || isEmptySet(codes)) return [];
    const all = textAt(rule, 'action') === 'RestartAllContainers' ? ' (all containers)' : '';
    return [`${describeCodes(codes)}${all}`];
  });

/** A LeaderWorkerSet leaves a group alone only where it is told to, and before 0.4 where it is told nothing. */
function isRecreated(root: SourceNode, { versions, detected }: Environment): boolean {
  if (textAt(root, 'kind') !== 'LeaderWorkerSet') return false;
  const policy = textAt(root, 'spec', 'leaderWorkerTemplate', 'restartPolicy');
  if (policy !== undefined) return policy.startsWith('RecreateGroup');
  const version = versions.get('leader-worker-set') ?? detected?.get('leader-worker-set');
  return version === undefined || compareVersions(version, '0.4.0') >= 0;
}
