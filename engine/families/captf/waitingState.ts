import { formatDuration, formatWindow } from '../../durations/format.ts';
import {
  inferred,
  reported,
  unknown,
  type Evidence,
  type Known,
  type LiveBackoff,
} from '../../live.ts';
import { plural } from '../../summary.ts';
import {
  after,
  between,
  exactly,
  formatInstant,
  zero,
  type Instant,
  type Ms,
  type Window,
} from '../../units.ts';
import { retryMax } from './delays.ts';
import { largestLimit, waitAfter } from './historyLimits.ts';
import type { LiveContext } from './liveContext.ts';
import { evidenceOf, type RunJob, type Streak } from './runJobs.ts';

/** An operation that failed, or was interrupted, and starts again by itself. */
export function waitingState(context: LiveContext, streak: Streak): LiveBackoff {
  const { counted, since, nextAttempt } = streak;
  const failures = counted.length;
  const retry = inferred(
    nextAttempt - 1,
    `${plural(nextAttempt - 1, 'failed or interrupted Job')} of ${streak.operation} since its last success`,
  );
  const wait = waitOf(context, streak);
  const next = nextOf(context, streak, wait);
  const last = counted[0]?.finishedAt ?? streak.newest?.finishedAt;
  return {
    kind: 'waiting',
    retry,
    failures: inferred(failures, failuresFrom(context, streak)),
    wait,
    lastFailureAt: last === undefined ? unknown('the Job has no end') : reported(last),
    next,
    capped: cappedOf(wait),
    reason: reasonOf(context, streak, wait, next),
    seen: [
      ...since.map(evidenceOf),
      ...sequenceOf(streak.newest),
      ...(failures > 0 ? context.limits.seen : []),
      ...noteEvidence(context, counted[0]),
    ],
  };
}

function failuresFrom({ limits }: LiveContext, { counted, since, operation }: Streak): string {
  const base = `failed Jobs of ${operation} since its last success`;
  const unread = since.filter(({ isUnread }) => isUnread).length;
  if (unread > 0) {
    return `${base}; CAPTF has not read the newest one yet, which does not count if it was interrupted or blocked`;
  }
  return counted.length >= largestLimit(limits)
    ? `${base}; at least as many, CAPTF keeps no more`
    : base;
}

function waitOf(context: LiveContext, { counted }: Streak): Known<Window<Ms>> {
  const failures = counted.length;
  if (failures === 0) return inferred(exactly(zero), 'an interrupted Job is made up for at once');
  const note = noteOf(context, counted[0]);
  if (note !== undefined) return reported(exactly(note.backoff));
  return inferred(
    waitAfter(failures, context.limits),
    `${plural(failures, 'counted failure')}; \`failedJobsHistoryLimit\`: ${context.limits.from}`,
  );
}

function noteOf({ notes }: LiveContext, job: RunJob | undefined) {
  const says = job === undefined ? undefined : notes.get(job.name)?.says;
  return says?.kind === 'waits' ? says : undefined;
}

function noteEvidence({ notes }: LiveContext, job: RunJob | undefined): readonly Evidence[] {
  const note = job === undefined ? undefined : notes.get(job.name);
  return note === undefined ? [] : [{ object: note.event, path: 'note', value: note.text }];
}

function nextOf(
  context: LiveContext,
  { counted, newest }: Streak,
  wait: Known<Window<Ms>>,
): Known<Window<Instant>> {
  const note = noteOf(context, counted[0]);
  if (note !== undefined) return reported(exactly(note.notBefore));
  const from = counted[0] ?? newest;
  if (from?.finishedAt === undefined) return unknown('the Job has no end');
  if (wait.how === 'unknown') return wait;
  return inferred(
    between(after(from.finishedAt, wait.value.lo), after(from.finishedAt, wait.value.hi)),
    counted.length === 0
      ? `the end of Job ${from.name}`
      : `the end of Job ${from.name} and the wait after ${plural(counted.length, 'failure')}`,
  );
}

function cappedOf(wait: Known<Window<Ms>>): Known<boolean> {
  if (wait.how === 'unknown') return wait;
  const { lo, hi } = wait.value;
  if (lo < retryMax.value && hi >= retryMax.value) return unknown('the history limit is not known');
  return inferred(lo >= retryMax.value, 'the wait');
}

const sequenceOf = (job: RunJob | undefined): readonly Evidence[] =>
  job?.sequence === undefined
    ? []
    : [
        {
          object: job.ref,
          path: 'metadata.labels["captf.infrastructure.cluster.x-k8s.io/attempt"]',
          value: job.sequence,
        },
      ];

/** Why it waits, what ends the wait, what resets it. */
function reasonOf(
  context: LiveContext,
  { counted, newest, nextAttempt, operation }: Streak,
  wait: Known<Window<Ms>>,
  next: Known<Window<Instant>>,
): string {
  const parts: string[] = [];
  const last = counted[0];
  const failures = counted.length;
  const waited = wait.how === 'unknown' ? '' : ` ${formatWindow(wait.value)}`;
  if (last === undefined) {
    parts.push(
      `Job ${newest?.name ?? ''} was interrupted, which counts as no failure: ${operation} starts again at once`,
    );
  } else {
    const how = last.onDeadline ? 'was killed by its deadline' : 'failed';
    const row = failures === 1 ? '' : `, the ${ordinal(failures)} failure in a row`;
    parts.push(`Job ${last.name} ${how}${row}: ${operation} waits${waited} from its end`);
    if (newest !== undefined && newest !== last) {
      const due = next.how === 'unknown' ? undefined : next.value.hi;
      const past =
        due !== undefined && due <= (newest.finishedAt ?? due)
          ? `, and as that wait was over at ${formatInstant(due)} it starts again at once`
          : '';
      parts.push(`Job ${newest.name} ${uncountedText(newest)} since and lengthens nothing${past}`);
    }
  }
  parts.push(
    `\`captf_job_attempts\` will count the next Job as ${String(nextAttempt)}`,
    `a success of ${operation} resets the count, nothing skips the wait`,
  );
  if (newest?.remediation === true) {
    const most = largestLimit(context.limits);
    parts.push(
      `it repairs drift, and after ${plural(most, 'failed repair')} since the last drift check none runs any more`,
    );
  }
  const { active, isApplyDue } = context;
  if (active !== undefined)
    parts.push(`nothing starts before the running ${active.operation} Job ends`);
  if (isApplyDue && (operation === 'refresh' || operation === 'drift')) {
    parts.push('it does not run while the failed apply is due');
  }
  if (last !== undefined && failures >= largestLimit(context.limits)) {
    parts.push('there may have been more failures than the Jobs that are kept');
  }
  return parts.join('; ');
}

const uncountedText = (job: RunJob): string => (job.interrupted ? 'was interrupted' : 'stopped');

function ordinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13;
  const suffix = teen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${String(count)}${suffix}`;
}

/** An operation that is due with no wait before it. */
export function dueAtOnce(reason: string, seen: readonly Evidence[]): LiveBackoff {
  return {
    kind: 'waiting',
    retry: unknown('no Job is left to count'),
    failures: unknown('no Job is left to count'),
    wait: inferred(exactly(zero), 'it counts no failure'),
    lastFailureAt: unknown('no Job is left to tell'),
    next: unknown('at once'),
    capped: inferred(false, 'there is no wait'),
    reason,
    seen,
  };
}

/** A wait that is no backoff: CAPTF looks again at a fixed interval. */
export function fixedWait(every: Ms, reason: string, seen: readonly Evidence[]): LiveBackoff {
  return {
    kind: 'waiting',
    retry: unknown('it is no retry: no Job has started'),
    failures: unknown('it counts no failure'),
    wait: inferred(exactly(every), `CAPTF looks again every ${formatDuration(every)}`),
    lastFailureAt: unknown('it counts no failure'),
    next: unknown('it starts as soon as what it waits for is free'),
    capped: inferred(false, 'the wait does not grow'),
    reason,
    seen,
  };
}
