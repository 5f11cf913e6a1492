import { formatDuration } from '../../durations/format.ts';
import { inferred, reported, unknown, type Evidence, type LiveBackoff } from '../../live.ts';
import type { Stop } from '../../schedule.ts';
import { textAt } from '../../source.ts';
import { after, exactly, formatInstant, seconds, type Instant } from '../../units.ts';
import { conditionEvidence, conditionOf, type Condition } from './conditions.ts';
import { countedLimit, jitterOf, retryMax } from './delays.ts';
import { largestLimit } from './historyLimits.ts';
import type { LiveContext } from './liveContext.ts';
import { secondsAt } from './place.ts';
import { evidenceOf, remediationFailures, type RunJob, type Streak } from './runJobs.ts';
import { captfSource } from './system.ts';

const decide = captfSource('internal/controllers/shared/decide.go decide');

/** Retries that end until a person does something: no timer leads on. */
function byPerson(
  text: string,
  reason: string,
  at: Instant | undefined,
  seen: readonly Evidence[],
): LiveBackoff {
  const stop: Stop = {
    kind: 'condition',
    text,
    then: 'no Job starts by itself',
    origin: { kind: 'built-in', name: text, cite: decide },
  };
  return {
    kind: 'gave-up',
    by: reported(stop),
    at: at === undefined ? unknown('the object does not say since when') : reported(at),
    failures: unknown('it counts no failure'),
    reason,
    seen,
  };
}

/** An apply that stopped before it changed anything, and waits for an approval. */
export function awaitsApproval(context: LiveContext, newest: RunJob): LiveBackoff | undefined {
  if (!newest.blocked && !newest.planChanged) return undefined;
  const condition = conditionOf(context.object, 'ApplyJobSucceeded');
  const what = newest.blocked
    ? `Job ${newest.name} stopped before a plan that deletes or replaces resources`
    : `Job ${newest.name} found another plan than the approved one`;
  if (newest.blocked && condition?.message.includes('no plan to approve') === true) {
    return plansAgain(newest, evidenceFor(context, condition));
  }
  const plan = pendingPlan(context);
  const how =
    plan === undefined
      ? 'the message of the condition ApplyJobSucceeded names what to approve'
      : `approve TerraformPlan ${plan}`;
  const held =
    context.ref.kind === 'TerraformMachinePool'
      ? '; a pool goes on with what the cluster exported before, where it can'
      : '';
  return byPerson(
    'an approval is missing',
    `${what} and changed nothing: the apply waits for a person, not a timer, and runs once the plan is approved or the inputs change; ${how}${held}`,
    newest.finishedAt,
    [evidenceOf(newest), ...evidenceFor(context, condition)],
  );
}

/** A blocked apply that left nothing to approve is planned again, without counting a failure. */
function plansAgain(newest: RunJob, seen: readonly Evidence[]): LiveBackoff {
  const wait = exactly(retryMax.value);
  const end = newest.finishedAt;
  return {
    kind: 'waiting',
    retry: unknown('it counts no failure'),
    failures: inferred(0, 'a blocked apply counts no failure'),
    wait: inferred(wait, 'the fixed wait after a block without a plan'),
    lastFailureAt: unknown('a blocked apply counts no failure'),
    next:
      end === undefined
        ? unknown('the Job has no end')
        : inferred(exactly(after(end, retryMax.value)), `the end of Job ${newest.name}`),
    capped: inferred(false, 'the wait does not grow'),
    reason: `Job ${newest.name} stopped before a plan that deletes or replaces resources and left no plan to approve: the apply plans again ${formatDuration(retryMax.value)} after its end`,
    seen: [evidenceOf(newest), ...seen],
  };
}

const pendingPlan = ({ object }: LiveContext): string | undefined =>
  textAt(object, 'status', 'pendingPlanRef', 'name');

const evidenceFor = (
  { ref }: LiveContext,
  condition: Condition | undefined,
): readonly Evidence[] => (condition === undefined ? [] : [conditionEvidence(ref, condition)]);

/** What keeps every apply, destroy and plan from starting, as ApplyJobSucceeded says. */
export function heldByCondition(context: LiveContext): LiveBackoff | undefined {
  const condition = conditionOf(context.object, 'ApplyJobSucceeded');
  const held = condition === undefined ? undefined : heldReasons.get(condition.reason);
  if (condition === undefined || held === undefined) return undefined;
  const again = `CAPTF looks again every ${formatDuration(retryMax.value)} and on every change`;
  const message = condition.message === '' ? '' : ` (${condition.message})`;
  return byPerson(
    held.text,
    `${held.reason}${message}: no Job starts until ${held.until}; ${again}`,
    condition.since,
    [conditionEvidence(context.ref, condition)],
  );
}

type Held = { readonly text: string; readonly reason: string; readonly until: string };

const heldReasons: ReadonlyMap<string, Held> = new Map([
  [
    'PlanAwaitingApproval',
    {
      text: 'an approval is missing',
      reason: 'The plan of the change waits for a person',
      until: 'the plan is approved or the inputs change',
    },
  ],
  [
    'JobPolicyInvalid',
    {
      text: 'the job policy is invalid',
      reason: 'The lock wait is not below the deadline once the defaults are merged in',
      until: '`lockTimeoutSeconds` or `activeDeadlineSeconds` is changed',
    },
  ],
  [
    'InputsTooLarge',
    {
      text: 'the inputs are too large',
      reason: 'The inputs do not fit into a Secret',
      until: 'they are smaller',
    },
  ],
  [
    'IdentityNotAllowed',
    {
      text: 'the identity is not allowed',
      reason: 'The TerraformClusterIdentity does not allow this namespace',
      until: 'it does',
    },
  ],
]);

/** A paused object keeps its counts but starts nothing. */
export function paused(context: LiveContext, streak: Streak): LiveBackoff | undefined {
  if (!context.isPaused) return undefined;
  const failures = streak.counted.length;
  const state = byPerson(
    'the object is paused',
    `Paused: no Job starts until the pause ends; ${String(failures)} counted ${failures === 1 ? 'failure' : 'failures'} of ${streak.operation} and the wait after ${failures === 1 ? 'it' : 'them'} stay as they are`,
    undefined,
    streak.since.map(evidenceOf),
  );
  return state.kind === 'gave-up'
    ? { ...state, failures: inferred(failures, 'its finished Jobs') }
    : state;
}

/** Drift remediations that failed as often as the history limit allows. */
export function atRemediationCap(context: LiveContext, newest: RunJob): LiveBackoff | undefined {
  const { jobs, lastDriftCheck, limits, notes, ref } = context;
  if (!newest.remediation || newest.ok) return undefined;
  const failures = remediationFailures(jobs, lastDriftCheck);
  const note = notes.get(newest.name);
  const isSaid = note?.says.kind === 'remediation-cap';
  if (!isSaid && failures < largestLimit(limits)) return undefined;
  const limit = isSaid ? Math.max(failures, 1) : countedLimit(limits.values[0] ?? failures);
  const stop: Stop = {
    kind: 'retries',
    limit,
    then: 'the drift stays until a drift check succeeds',
    origin: { kind: 'field', field: 'failedJobsHistoryLimit' },
  };
  const check = nextDriftCheck(context);
  return {
    kind: 'gave-up',
    by: isSaid ? reported(stop) : inferred(stop, limits.from),
    at:
      newest.finishedAt === undefined ? unknown('the Job has no end') : reported(newest.finishedAt),
    failures: inferred(failures, 'failed applies since the last successful drift check'),
    reason: `${String(failures)} drift ${failures === 1 ? 'remediation' : 'remediations'} failed since the last successful drift check: none runs again until a drift check succeeds, which starts the count anew${check}`,
    seen: [
      ...jobs
        .filter(({ operation, outcome }) => operation === 'apply' && outcome === 'failed')
        .slice(0, failures)
        .map(evidenceOf),
      ...limits.seen,
      ...(note === undefined ? [] : [{ object: note.event, path: 'note', value: note.text }]),
      ...(lastDriftCheck === undefined
        ? []
        : [{ object: ref, path: 'status.lastDriftCheck', value: formatInstant(lastDriftCheck) }]),
    ],
  };
}

/** A repair that failed is not repeated once a drift check finds nothing any more. */
export function repaired({ object, ref }: LiveContext, newest: RunJob): LiveBackoff | undefined {
  const drift = newest.remediation ? conditionOf(object, 'DriftDetected') : undefined;
  if (drift === undefined || drift.status === 'True') return undefined;
  return {
    kind: 'idle',
    because: 'healthy',
    reason: `Job ${newest.name} failed to repair drift, but none is detected now: it is not repeated`,
    seen: [evidenceOf(newest), conditionEvidence(ref, drift)],
  };
}

/** When the next drift check is due, where the object itself says how often. */
function nextDriftCheck({ object, lastDriftCheck }: LiveContext): string {
  const interval = secondsAt(object, 'spec', 'drift', 'intervalSeconds');
  if (interval === undefined || lastDriftCheck === undefined) return '';
  if (interval === 0) return '; `drift.intervalSeconds: 0` turns drift checks off';
  const jitter = jitterOf(textAt(object, 'metadata', 'uid') ?? '', interval);
  const due = after(after(lastDriftCheck, interval), jitter);
  return `; the next check is due at ${formatInstant(wholeSecond(due))}`;
}

const wholeSecond = (at: Instant): Instant => after(at, seconds(Math.round(at / 1000) - at / 1000));

/** A restore that failed is not tried again for the same serial. */
export function restoreFailed(context: LiveContext, newest: RunJob): LiveBackoff {
  const serial = newest.serial === undefined ? 'the same serial' : `serial ${newest.serial}`;
  const seen = [evidenceOf(newest)];
  const last = textAt(context.object, 'status', 'lastRestoredSerial');
  if (last !== undefined) {
    seen.push({ object: context.ref, path: 'status.lastRestoredSerial', value: last });
  }
  return byPerson(
    'a restore is tried once per serial',
    `Job ${newest.name} failed to restore ${serial}, and a failed restore is never retried: set \`captf.io/restore-state\` to another serial, or remove it, wait until \`status.lastRestoredSerial\` is gone, and set it again`,
    newest.finishedAt,
    seen,
  );
}
