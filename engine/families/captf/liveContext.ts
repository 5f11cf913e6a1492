import type { LiveInput } from '../../live.ts';
import { child, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { parseInstant, type Instant } from '../../units.ts';
import { conditionOf } from './conditions.ts';
import { largestLimit, limitsOf, type Limits } from './historyLimits.ts';
import { retryNotesOf, type RetryNote } from './retryNotes.ts';
import { activeJob, remediationFailures, runJobsOf, streakOf, type RunJob } from './runJobs.ts';

/** What the states of one object are read from. */
export type LiveContext = LiveInput & {
  readonly jobs: readonly RunJob[];
  readonly active: RunJob | undefined;
  readonly limits: Limits;
  readonly notes: ReadonlyMap<string, RetryNote>;
  readonly isDeleting: boolean;
  readonly isPaused: boolean;
  /** An apply failed and is due again: refresh and drift do not run before it. */
  readonly isApplyDue: boolean;
  readonly lastDriftCheck: Instant | undefined;
};

export function liveContext(input: LiveInput): LiveContext {
  const { object } = input;
  const jobs = runJobsOf(input);
  const limits = limitsOf(input);
  const metadata = child(object, 'metadata');
  const isDeleting = textAt(metadata, 'deletionTimestamp') !== undefined;
  const lastDriftCheck = parseInstant(textAt(object, 'status', 'lastDriftCheck'));
  return {
    ...input,
    jobs,
    active: activeJob(jobs),
    limits,
    notes: retryNotesOf(input),
    isDeleting,
    isPaused:
      nodeAt(metadata, ['annotations', 'cluster.x-k8s.io/paused']) !== undefined ||
      conditionOf(object, 'Paused')?.status === 'True',
    isApplyDue: !isDeleting && isApplyDue(object, jobs, limits, lastDriftCheck),
    lastDriftCheck,
  };
}

function isApplyDue(
  object: SourceNode,
  jobs: readonly RunJob[],
  limits: Limits,
  lastDriftCheck: Instant | undefined,
): boolean {
  const { newest } = streakOf(jobs, 'apply');
  if (newest === undefined || newest.ok || newest.blocked || newest.planChanged) return false;
  if (!newest.remediation) return true;
  return (
    conditionOf(object, 'DriftDetected')?.status === 'True' &&
    remediationFailures(jobs, lastDriftCheck) < largestLimit(limits)
  );
}
