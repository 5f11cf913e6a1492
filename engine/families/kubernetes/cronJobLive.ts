import {
  inferred,
  reported,
  unknown,
  type LiveBackoff,
  type LiveInput,
  type LiveReader,
} from '../../live.ts';
import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { instant, type Instant, type Ms, type Window } from '../../units.ts';
import { periodsOfText } from './cronJobRules.ts';
import { jobType } from './jobLive.ts';
import { evidenceAt, timeAt, conditionOf } from '../../liveFacts.ts';

/** Whether the last runs of a CronJob failed, and when the next one can start. */
export const cronJobLive: LiveReader = {
  reads: [{ group: 'batch', version: 'v1', kind: 'CronJob', plural: 'cronjobs' }],
  alsoNeeds: [jobType],
  read: (input) =>
    textAt(input.object, 'spec', 'schedule') === undefined ? [] : [{ state: cronState(input) }],
};

function cronState(input: LiveInput): LiveBackoff {
  const { object, ref, view } = input;
  const seen = [
    ...evidenceAt(ref, object, ['status', 'lastScheduleTime']),
    ...evidenceAt(ref, object, ['status', 'lastSuccessfulTime']),
    ...evidenceAt(ref, object, ['spec', 'suspend']),
  ];
  const last = timeAt(object, 'status', 'lastScheduleTime');
  const success = timeAt(object, 'status', 'lastSuccessfulTime');
  if (textAt(object, 'spec', 'suspend') === 'true') {
    return {
      kind: 'idle',
      because: 'not-started',
      reason: 'It is suspended: no run starts until it is resumed',
      seen,
    };
  }
  const active = itemsOf(child(child(object, 'status'), 'active')).length;
  if (active > 0) {
    return {
      kind: 'idle',
      because: 'healthy',
      reason: `${plural(active, 'run')} ${active === 1 ? 'goes' : 'go'} on; retries are those of the Job`,
      seen,
    };
  }
  const failed = failedInARow([...view.related(ref, jobType)]);
  if (last === undefined || failed.length === 0) {
    const isLate = last !== undefined && (success === undefined || success < last);
    return {
      kind: 'idle',
      because: last === undefined ? 'not-started' : 'healthy',
      reason:
        last === undefined
          ? 'No run has started yet'
          : isLate
            ? 'No run goes on, and the last one is not known to have succeeded'
            : 'The last run succeeded',
      seen,
    };
  }
  const periods = periodsOfText(textAt(object, 'spec', 'schedule'));
  const [newest] = failed;
  const end =
    newest === undefined
      ? undefined
      : timeAt(conditionOf(newest, 'Failed', 'True'), 'lastTransitionTime');
  return {
    kind: 'waiting',
    retry: inferred(failed.length, 'the failed Jobs that are kept'),
    failures: inferred(
      failed.length,
      'the failed Jobs that are kept, of which there may have been more',
    ),
    wait:
      periods === undefined
        ? unknown('the schedule cannot be read')
        : inferred(periods, '`spec.schedule`'),
    lastFailureAt: end === undefined ? unknown('the failed Job has no time') : reported(end),
    next: nextRun(last, periods),
    capped: unknown('a schedule has no cap'),
    reason: `The last ${failed.length === 1 ? 'run' : plural(failed.length, 'run')} failed; a CronJob does not repeat a run, the next one of the schedule comes instead`,
    seen,
  };
}

const nextRun = (last: Instant, periods: Window<Ms> | undefined) =>
  periods === undefined
    ? unknown('the schedule cannot be read')
    : inferred(
        { lo: instant(last + periods.lo), hi: instant(last + periods.hi) },
        '`status.lastScheduleTime` and the times between runs of the schedule',
      );

/** The failed Jobs since the last one that succeeded, newest first. */
function failedInARow(jobs: readonly SourceNode[]): readonly SourceNode[] {
  const newestFirst = jobs.toSorted((a, b) =>
    (textAt(b, 'metadata', 'creationTimestamp') ?? '').localeCompare(
      textAt(a, 'metadata', 'creationTimestamp') ?? '',
    ),
  );
  const failed: SourceNode[] = [];
  for (const job of newestFirst) {
    if (conditionOf(job, 'Complete', 'True') !== undefined) break;
    if (conditionOf(job, 'Failed', 'True') !== undefined) failed.push(job);
  }
  return failed;
}
