import { atLeast, type Environment } from '../../environment.ts';
import type { FactsInput } from '../../family.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { jobset } from './system.ts';

/** What a rule of a failure policy can do. */
export const actions = [
  'FailJobSet',
  'RestartJobSet',
  'RestartJobSetAndIgnoreMaxRestarts',
  'RestartJob',
  'RestartJobAndIgnoreMaxRestarts',
] as const;

export type Action = (typeof actions)[number];

/** Why a Job can fail, as its condition Failed says. */
export const reasons = [
  'BackoffLimitExceeded',
  'DeadlineExceeded',
  'FailedIndexes',
  'MaxFailedIndexesExceeded',
  'PodFailurePolicy',
] as const;

/** One rule of a failure policy, as far as it can be read. */
export type FailureRule = {
  readonly index: number;
  /** Absent where it is unreadable or filled in at run time. */
  readonly action?: Action;
  readonly byReason: boolean;
  readonly byMessage: boolean;
  readonly byJob: boolean;
};

/** Nodes of a rule, for findings; plain data does not hold them. */
export const rulesIn = (policy: SourceNode | undefined): readonly SourceNode[] =>
  itemsOf(child(policy, 'rules'));

/** Whether the version knows rules at all; an older one drops them. */
export const knowsRules = (env: Environment): boolean => atLeast(env, jobset, '0.6.0');

export function readRules(
  policy: SourceNode | undefined,
  env: Environment,
): readonly FailureRule[] {
  if (!knowsRules(env)) return [];
  const knowsMessages = atLeast(env, jobset, '0.10.0');
  return rulesIn(policy).map((rule, index) => {
    const action = actions.find((one) => one === textAt(rule, 'action'));
    return {
      index,
      ...(action === undefined ? {} : { action }),
      byReason: isFilter(child(rule, 'onJobFailureReasons')),
      byMessage: knowsMessages && isFilter(child(rule, 'onJobFailureMessagePatterns')),
      byJob: isFilter(child(rule, 'targetReplicatedJobs')),
    };
  });
}

/** An empty list lets everything through; a text is filled in at run time. */
const isFilter = (node: SourceNode | undefined): boolean =>
  node !== undefined && !(node.kind === 'list' && node.items.length === 0) && !isEmpty(node);

const isEmpty = (node: SourceNode): boolean => node.kind === 'scalar' && node.value === null;

/** Whether a rule takes every failure that reaches it. */
export const takesAll = ({ byReason, byMessage, byJob }: FailureRule): boolean =>
  !byReason && !byMessage && !byJob;

/** What happens to a failure that no rule with a filter takes; unknown where that rule is unreadable. */
export function usualAction(rules: readonly FailureRule[]): Action | undefined {
  const last = rules.find(takesAll);
  return last === undefined ? 'RestartJobSet' : last.action;
}

export const ignoresLimit = (action: Action | undefined): boolean =>
  action?.endsWith('AndIgnoreMaxRestarts') === true;

/** The Jobs of the set, as far as their retries matter here. */
export type ReplicatedJob = {
  readonly name: string;
  readonly backoffLimit?: number;
  readonly isNever: boolean;
};

export type JobSetPlace = {
  readonly isWritten: boolean;
  /** Set where the manifest is more than a patch. */
  readonly isWhole: boolean;
  readonly rules: readonly FailureRule[];
  readonly jobs: readonly ReplicatedJob[];
};

export function jobSetPlace({
  node,
  root,
  env,
}: Pick<FactsInput, 'node' | 'root' | 'env'>): JobSetPlace {
  const jobs = itemsOf(nodeAt(root, ['spec', 'replicatedJobs']));
  const containers = ['template', 'spec', 'template', 'spec', 'containers'];
  return {
    isWritten: node !== undefined && !isEmpty(node),
    isWhole: jobs.some((job) => itemsOf(nodeAt(job, containers)).length > 0),
    rules: readRules(node, env),
    jobs: jobs.flatMap((job) => {
      const name = textAt(job, 'name');
      if (name === undefined || isRunTimeText(name)) return [];
      const limit = nodeAt(job, ['template', 'spec', 'backoffLimit']);
      const value = limit?.kind === 'scalar' && typeof limit.value === 'number' ? limit.value : 6;
      const isUnknown = limit !== undefined && value === 6 && textAt(limit) !== '6';
      return [
        {
          name,
          ...(isUnknown ? {} : { backoffLimit: value }),
          isNever: textAt(job, 'template', 'spec', 'template', 'spec', 'restartPolicy') === 'Never',
        },
      ];
    }),
  };
}
