import {
  inferred,
  unknown,
  type LiveBackoff,
  type LiveInput,
  type LiveReader,
  type LiveState,
  type ResourceType,
} from '../../live.ts';
import { formatDuration } from '../../durations/format.ts';
import { textAt } from '../../source.ts';
import { formatInstant } from '../../units.ts';
import { conditionEvidence, conditionOf, type Condition } from './conditions.ts';
import { fixedRequeues } from './fixedRequeues.ts';
import { clusterType } from './historyLimits.ts';
import { liveContext, type LiveContext } from './liveContext.ts';
import { eventType } from './retryNotes.ts';
import {
  evidenceOf,
  jobType,
  operations,
  streakOf,
  type Operation,
  type RunJob,
  type Streak,
} from './runJobs.ts';
import {
  atRemediationCap,
  repaired,
  awaitsApproval,
  heldByCondition,
  paused,
  restoreFailed,
} from './stopped.ts';
import { captfGroup } from './system.ts';
import { dueAtOnce, fixedWait, waitingState } from './waitingState.ts';

const kind = (name: string, plural: string): ResourceType => ({
  group: captfGroup,
  version: 'v1alpha1',
  kind: name,
  plural,
});

export const terraformClusterType = kind('TerraformCluster', 'terraformclusters');

/** The kinds whose operations run as Jobs. */
export const workspaceTypes: readonly ResourceType[] = [
  terraformClusterType,
  kind('TerraformMachine', 'terraformmachines'),
  kind('TerraformMachinePool', 'terraformmachinepools'),
];

/** Where each operation of an object stands, from the object, its Jobs and its events. */
export const jobsLive: LiveReader = {
  reads: workspaceTypes,
  alsoNeeds: [jobType, eventType, clusterType, terraformClusterType],
  fromFile: true,
  read: readJobs,
};

function readJobs(input: LiveInput): readonly LiveState[] {
  const context = liveContext(input);
  if (context.jobs.length === 0) return withoutJobs(context);
  const states = operations.flatMap((part): readonly LiveState[] => {
    const state = stateOf(context, part);
    return state === undefined ? [] : [{ part, state }];
  });
  return states.length > 0 ? states : [{ state: nothingYet }];
}

const nothingYet: LiveBackoff = {
  kind: 'idle',
  because: 'not-started',
  reason: 'The object is being deleted and no destroy has run yet',
  seen: [],
};

function stateOf(context: LiveContext, operation: Operation): LiveBackoff | undefined {
  const streak = streakOf(context.jobs, operation);
  const { active, isDeleting } = context;
  if (active?.operation === operation) return attempting(active, streak);
  const { newest } = streak;
  if (isDeleting !== (operation === 'destroy') && operation !== 'restore') return undefined;
  if (operation === 'restore')
    return newest === undefined ? undefined : restoreState(context, newest);
  const lease = leaseWait(context, operation);
  if (lease !== undefined) return lease;
  const isHeldOperation = operation === 'apply' || operation === 'destroy';
  const held = isHeldOperation ? heldByCondition(context) : undefined;
  const gone = operation === 'apply' && newest?.ok !== false ? disappeared(context) : undefined;
  if (newest === undefined || newest.ok) {
    return held ?? gone ?? (newest === undefined ? undefined : idleAfter(operation, newest));
  }
  return failedState(context, streak, newest, held);
}

/** An apply Job that was deleted while it ran left no result: an apply stays due. */
function disappeared({ object, ref }: LiveContext): LiveBackoff | undefined {
  const condition = conditionOf(object, 'ApplyJobSucceeded');
  if (condition?.message.includes('disappeared while it ran') !== true) return undefined;
  return dueAtOnce(
    `${condition.message}: a Job that was deleted counts as no failure, so the apply starts again at once`,
    [conditionEvidence(ref, condition)],
  );
}

function failedState(
  context: LiveContext,
  streak: Streak,
  newest: RunJob,
  held: LiveBackoff | undefined,
): LiveBackoff {
  return (
    paused(context, streak) ??
    awaitsApproval(context, newest) ??
    held ??
    repaired(context, newest) ??
    atRemediationCap(context, newest) ??
    waitingState(context, streak)
  );
}

function attempting(active: RunJob, streak: Streak): LiveBackoff {
  const retry = streak.nextAttempt - 1;
  const failures = streak.counted.length;
  const how =
    retry === 0
      ? `the first ${active.operation} since the last success`
      : `${active.operation} again, after ${String(failures)} counted ${failures === 1 ? 'failure' : 'failures'}`;
  return {
    kind: 'attempting',
    retry:
      retry === 0 ? unknown('the first run is no retry') : inferred(retry, 'its finished Jobs'),
    failures: inferred(failures, 'its finished Jobs'),
    reason: `Job ${active.name} runs: ${how}; \`captf_job_attempts\` will count it as ${String(streak.nextAttempt)}`,
    seen: [evidenceOf(active), ...streak.since.map(evidenceOf)],
  };
}

const idleAfter = (operation: Operation, newest: RunJob): LiveBackoff => ({
  kind: 'idle',
  because: operation === 'destroy' || operation === 'plan' ? 'finished' : 'healthy',
  reason: `The last ${operation} succeeded${newest.finishedAt === undefined ? '' : ` at ${formatInstant(newest.finishedAt)}`}: the next failure counts as the first`,
  seen: [evidenceOf(newest)],
});

function restoreState(context: LiveContext, newest: RunJob): LiveBackoff {
  if (!newest.ok) return restoreFailed(context, newest);
  return {
    kind: 'idle',
    because: 'finished',
    reason: `Job ${newest.name} restored the state`,
    seen: [evidenceOf(newest)],
  };
}

const leaseReasons: ReadonlyMap<string, keyof typeof fixedRequeues> = new Map([
  ['WaitingForRunLease', 'gate'],
  ['WaitingForClusterOperation', 'gate'],
  ['WaitingForMachineOperations', 'gate'],
  ['WaitingForJobSlot', 'jobSlot'],
]);

function leaseWait(context: LiveContext, operation: Operation): LiveBackoff | undefined {
  const condition = leaseCondition(context, operation);
  const requeue = condition === undefined ? undefined : leaseReasons.get(condition.reason);
  if (condition === undefined || requeue === undefined) return undefined;
  const { every } = fixedRequeues[requeue];
  const message = condition.message === '' ? '' : ` (${condition.message})`;
  return fixedWait(
    every.value,
    `The ${operation} is due and waits${message}: ${condition.reason} is no failure and no backoff, CAPTF looks again every ${formatDuration(every.value)} and starts the Job when it is free`,
    [conditionEvidence(context.ref, condition)],
  );
}

/** The condition that would say that an operation waits for a lease; refresh and drift share one. */
function leaseCondition({ object }: LiveContext, operation: Operation): Condition | undefined {
  switch (operation) {
    case 'apply':
    case 'destroy':
      return conditionOf(object, 'ApplyJobSucceeded');
    case 'restore':
      return conditionOf(object, 'RestoreJobSucceeded');
    case 'refresh':
    case 'drift': {
      const condition = conditionOf(object, 'DriftJobSucceeded');
      const isRefresh = condition?.message.includes('refresh') === true;
      return isRefresh === (operation === 'refresh') ? condition : undefined;
    }
    case 'plan':
      return undefined;
  }
}

const failedReasons: ReadonlySet<string> = new Set([
  'ApplyFailed',
  'DestroyFailed',
  'JobDeadlineExceeded',
  'ImageInvalid',
  'ImagePullFailed',
  'DestructivePlanBlocked',
  'PlanChanged',
]);

/** What the object alone says, where none of its Jobs is to be seen. */
function withoutJobs(context: LiveContext): readonly LiveState[] {
  const { object, ref, isDeleting } = context;
  const running = textAt(object, 'status', 'activeJob', 'name');
  if (running !== undefined) {
    const part = textAt(object, 'status', 'activeJob', 'operation');
    const state: LiveBackoff = {
      kind: 'attempting',
      retry: unknown('its Jobs are not at hand'),
      failures: unknown('its Jobs are not at hand'),
      reason: `Job ${running} runs; how many failed before it only the Jobs tell`,
      seen: [{ object: ref, path: 'status.activeJob.name', value: running }],
    };
    return [part === undefined ? { state } : { part, state }];
  }
  const part = isDeleting ? 'destroy' : 'apply';
  const waits = leaseWait(context, part) ?? heldByCondition(context) ?? disappeared(context);
  if (waits !== undefined) return [{ part, state: waits }];
  return [{ state: fromCondition(context, conditionOf(object, 'ApplyJobSucceeded')) }];
}

function fromCondition(context: LiveContext, condition: Condition | undefined): LiveBackoff {
  const { object, ref } = context;
  const lastRun = textAt(object, 'status', 'lastRun', 'job');
  if (
    condition?.status !== 'True' &&
    (failedReasons.has(condition?.reason ?? '') || lastRun !== undefined)
  ) {
    return {
      kind: 'unseen',
      why: 'absent',
      detail: `Its last Job was ${lastRun ?? 'a failed one'}, but the Jobs that the waits are counted from are not at hand`,
    };
  }
  if (condition?.status === 'True') {
    return {
      kind: 'idle',
      because: 'healthy',
      reason: 'The last Job succeeded',
      seen: [conditionEvidence(ref, condition)],
    };
  }
  return {
    kind: 'idle',
    because: 'not-started',
    reason: 'No operation has run yet',
    seen: condition === undefined ? [] : [conditionEvidence(ref, condition)],
  };
}
