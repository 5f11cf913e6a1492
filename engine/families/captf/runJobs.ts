import type { Evidence, LiveInput, ResourceRef, ResourceType } from '../../live.ts';
import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { formatInstant, parseInstant, type Instant } from '../../units.ts';

export const operations = ['apply', 'destroy', 'plan', 'refresh', 'drift', 'restore'] as const;
export type Operation = (typeof operations)[number];

/** One Job of an object, as the controller's bookkeeping sees it. */
export type RunJob = {
  readonly name: string;
  readonly operation: Operation;
  readonly ref: ResourceRef;
  readonly outcome: 'running' | 'succeeded' | 'failed';
  /** Succeeded, and not a plan that nobody can read. */
  readonly ok: boolean;
  readonly finishedAt?: Instant;
  readonly createdAt?: Instant;
  readonly onDeadline: boolean;
  /** Stopped from outside, not by its deadline. */
  readonly interrupted: boolean;
  readonly blocked: boolean;
  readonly planChanged: boolean;
  /** Repairs drift, and so stays under the remediation cap. */
  readonly remediation: boolean;
  /** Set while the controller has not read the Job's result yet: it may turn out not to count. */
  readonly isUnread: boolean;
  /** The number in its name: one above the highest kept one, no count of retries. */
  readonly sequence?: string;
  readonly serial?: string;
};

export const jobType: ResourceType = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs' };

const label = (name: string) => `captf.infrastructure.cluster.x-k8s.io/${name}`;
const longestLabel = 63;

/** All Jobs that CAPTF ran for the object, newest first. */
export function runJobsOf({ object, ref, view }: LiveInput): readonly RunJob[] {
  const jobs: RunJob[] = [];
  const lastRun = child(child(object, 'status'), 'lastRun');
  for (const node of view.related(ref, jobType)) {
    const operation = operationOf(node);
    if (operation === undefined || !belongsTo(node, object, ref)) continue;
    jobs.push(readJob(node, operation, lastRun));
  }
  return jobs.toSorted(newestFirst);
}

const operationOf = (node: SourceNode): Operation | undefined => {
  const text = textAt(node, 'metadata', 'labels', label('op'));
  return operations.find((operation) => operation === text);
};

/** A Job of an earlier object of that name carries the same labels, but another owner. */
function belongsTo(node: SourceNode, object: SourceNode, ref: ResourceRef): boolean {
  const kind = textAt(node, 'metadata', 'labels', label('owner-kind'));
  const name = textAt(node, 'metadata', 'labels', label('owner-name'));
  if (kind !== undefined && kind !== ref.kind) return false;
  const isPlain = ref.name !== undefined && ref.name.length <= longestLabel;
  if (isPlain && name !== undefined && name !== ref.name) return false;
  const uid = textAt(object, 'metadata', 'uid');
  const owners = itemsOf(nodeAt(node, ['metadata', 'ownerReferences']));
  const controller = owners.find((owner) => textAt(owner, 'controller') === 'true');
  const owner = textAt(controller, 'uid');
  return uid === undefined || owner === undefined || owner === uid;
}

function readJob(node: SourceNode, operation: Operation, lastRun: SourceNode | undefined): RunJob {
  const name = textAt(node, 'metadata', 'name') ?? '';
  const namespace = textAt(node, 'metadata', 'namespace');
  const isMarked = (key: string) =>
    textAt(node, 'metadata', 'annotations', `captf.io/${key}`) === 'true';
  const end = endOf(node);
  const onDeadline = end?.type === 'Failed' && end.reason === 'DeadlineExceeded';
  const failed = end?.type === 'Failed';
  const isRead = isMarked('bookkept');
  // Until the mark is set, what its pod said stands only in the status of its owner.
  const kind =
    !isRead && failed && textAt(lastRun, 'job') === name
      ? textAt(lastRun, 'error', 'kind')
      : undefined;
  const isApply = operation === 'apply';
  const sequence = textAt(node, 'metadata', 'labels', label('attempt'));
  const serial = textAt(node, 'metadata', 'annotations', 'captf.io/restore-serial');
  const createdAt = parseInstant(textAt(node, 'metadata', 'creationTimestamp'));
  const finishedAt =
    end === undefined
      ? undefined
      : (end.at ?? parseInstant(textAt(node, 'status', 'completionTime')) ?? createdAt);
  return {
    name,
    operation,
    ref: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      name,
      ...(namespace === undefined ? {} : { namespace }),
    },
    outcome: end === undefined ? 'running' : failed ? 'failed' : 'succeeded',
    ok: end?.type === 'Complete' && !isMarked('plan-unreadable'),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(createdAt === undefined ? {} : { createdAt }),
    onDeadline,
    interrupted: !onDeadline && (isMarked('interrupted') || kind === 'interrupted'),
    blocked: failed && (isMarked('destructive-plan-blocked') || (isApply && kind === 'blocked')),
    planChanged: failed && (isMarked('plan-changed') || (isApply && kind === 'plan-changed')),
    remediation: isMarked('drift-remediation'),
    isUnread: failed && !isRead && textAt(lastRun, 'job') !== name,
    ...(sequence === undefined ? {} : { sequence }),
    ...(serial === undefined ? {} : { serial }),
  };
}

type End = { readonly type: string; readonly reason?: string; readonly at?: Instant };

function endOf(node: SourceNode): End | undefined {
  for (const condition of itemsOf(nodeAt(node, ['status', 'conditions']))) {
    const type = textAt(condition, 'type');
    if (textAt(condition, 'status') !== 'True') continue;
    if (type !== 'Complete' && type !== 'Failed') continue;
    const reason = textAt(condition, 'reason');
    const at = parseInstant(textAt(condition, 'lastTransitionTime'));
    return {
      type,
      ...(reason === undefined ? {} : { reason }),
      ...(at === undefined ? {} : { at }),
    };
  }
  return undefined;
}

function newestFirst(a: RunJob, b: RunJob): number {
  const later = (b.finishedAt ?? b.createdAt ?? 0) - (a.finishedAt ?? a.createdAt ?? 0);
  if (later !== 0) return later;
  return a.name < b.name ? 1 : a.name > b.name ? -1 : 0;
}

/** Whether a finished Job lengthens the wait. */
export const counts = (job: RunJob): boolean =>
  !job.ok && !job.interrupted && !job.blocked && !job.planChanged;

/** The finished Jobs of one operation since its last success, newest first. */
export type Streak = {
  readonly operation: Operation;
  /** The newest finished Job, of whatever outcome. */
  readonly newest: RunJob | undefined;
  readonly since: readonly RunJob[];
  readonly counted: readonly RunJob[];
  /** What `captf_job_attempts` will record for the next Job; interrupted ones count here. */
  readonly nextAttempt: number;
};

export function streakOf(jobs: readonly RunJob[], operation: Operation): Streak {
  const finished = jobs.filter((job) => job.operation === operation && job.outcome !== 'running');
  const success = finished.findIndex(({ ok }) => ok);
  const since = success === -1 ? finished : finished.slice(0, success);
  return {
    operation,
    newest: finished[0],
    since,
    counted: since.filter(counts),
    nextAttempt: 1 + since.filter(({ blocked, planChanged }) => !blocked && !planChanged).length,
  };
}

/** The failed applies since the last successful drift check: what the remediation cap counts. */
export function remediationFailures(
  jobs: readonly RunJob[],
  lastCheck: Instant | undefined,
): number {
  let failures = 0;
  for (const job of jobs) {
    if (job.operation !== 'apply' || job.outcome === 'running') continue;
    if (job.blocked || job.planChanged) continue;
    if (job.ok || (lastCheck !== undefined && (job.finishedAt ?? 0) <= lastCheck)) break;
    failures += 1;
  }
  return failures;
}

/** The newest Job that runs, if any: nothing else is decided while it does. */
export const activeJob = (jobs: readonly RunJob[]): RunJob | undefined =>
  jobs.find(({ outcome }) => outcome === 'running');

/** What a Job shows: when it ended and how. */
export function evidenceOf(job: RunJob): Evidence {
  const how = job.onDeadline
    ? 'DeadlineExceeded'
    : job.interrupted
      ? 'interrupted'
      : job.blocked
        ? 'blocked'
        : job.planChanged
          ? 'plan changed'
          : job.outcome;
  const at = job.finishedAt === undefined ? '' : ` ${formatInstant(job.finishedAt)}`;
  return { object: job.ref, path: 'status.conditions', value: `${how}${at}` };
}
