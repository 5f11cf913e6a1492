import { atLeast } from '../../environment.ts';
import { inferred, unknown, type Known, type LiveBackoff, type LiveInput } from '../../live.ts';
import type { Stop } from '../../schedule.ts';
import { plural } from '../../summary.ts';
import { formatInstant, ms, type Instant } from '../../units.ts';
import { evidenceAt, numberAt } from '../../liveFacts.ts';
import { failedIndexes, failuresText, knownFailures, toleratedText, type Told } from './jobTold.ts';
import { kubernetes } from './system.ts';

/** Said where the Job as a whole has no wait. */
export const eachIndex = 'each index waits on its own';

type Over = {
  readonly by: Stop;
  readonly at: Known<Instant>;
  readonly failures: number;
  readonly reason: string;
};

/** A Job that starts no further pod, although no condition says so yet. */
export const overState = (told: Told, { by, at, failures, reason }: Over): LiveBackoff => ({
  kind: 'gave-up',
  by: inferred(by, 'its limits and its status'),
  at,
  failures: knownFailures(told, failures),
  reason: `${reason}. Nothing retries it; a new Job starts over`,
  seen: told.seen,
});

/**
 * A limit that is passed before the condition is written, which takes a second.
 *
 * Up to 1.26 the Job waited once more before it looked at its limit.
 */
export function endingState(input: LiveInput, told: Told): LiveBackoff | undefined {
  const { object, env, now } = input;
  if (told.deadline !== undefined && now >= told.deadline) {
    return overState(told, {
      by: deadlineStop(input),
      at: inferred(told.deadline, '`status.startTime` and `activeDeadlineSeconds`'),
      failures: told.failed,
      reason: `The deadline was over at ${formatInstant(told.deadline)}: running pods are stopped and the Job is about to be marked as failed with DeadlineExceeded`,
    });
  }
  const about = 'no other starts, and the Job is marked as failed about a second later';
  if (!told.isInPlace && told.failed > told.limit && atLeast(env, kubernetes, '1.27.0')) {
    return overState(told, {
      by: {
        kind: 'retries',
        limit: told.limit,
        then: 'the Job fails',
        origin: { kind: 'field', field: 'backoffLimit' },
      },
      at: unknown('the condition is not written yet'),
      failures: told.failed,
      reason: `${plural(told.failed, 'pod')} failed, more than \`backoffLimit: ${String(told.limit)}\` allows: ${about}`,
    });
  }
  const { tolerated, failed } = failedIndexes(object);
  if (tolerated === undefined || failed <= tolerated) return undefined;
  return overState(told, {
    by: {
      kind: 'condition',
      text: `${plural(tolerated + 1, 'index has', 'indexes have')} failed`,
      then: 'the Job fails',
      origin: { kind: 'field', field: 'maxFailedIndexes' },
    },
    at: unknown('the condition is not written yet'),
    failures: told.failed,
    reason: `${plural(failed, 'index', 'indexes')} failed, more than \`maxFailedIndexes: ${String(tolerated)}\` allows: ${about}`,
  });
}

const deadlineStop = ({ object }: LiveInput): Stop => ({
  kind: 'elapsed',
  limit: ms((numberAt(object, 'spec', 'activeDeadlineSeconds') ?? 0) * 1000),
  edge: 'excluded',
  then: 'the Job fails with DeadlineExceeded',
  origin: { kind: 'field', field: 'activeDeadlineSeconds' },
});

/** A wait beside the deadline of the Job, which may end first. */
export function beforeDeadline(input: LiveInput, told: Told, state: LiveBackoff): LiveBackoff {
  const { deadline } = told;
  if (deadline === undefined || state.kind !== 'waiting') return state;
  const at = formatInstant(deadline);
  const next = state.next.how === 'unknown' ? undefined : state.next.value;
  if (next === undefined || next.lo < deadline) {
    const first = next !== undefined && next.hi < deadline ? '' : ' and may come first';
    return { ...state, reason: `${state.reason}; the deadline is at ${at}${first}` };
  }
  return overState(told, {
    by: deadlineStop(input),
    at: inferred(deadline, '`status.startTime` and `activeDeadlineSeconds`'),
    failures: state.failures.how === 'unknown' ? told.failed : state.failures.value,
    reason: `The deadline at ${at} comes before the wait is over: no other pod starts, and the Job fails then with DeadlineExceeded`,
  });
}

/** A Job whose indexes wait: which of them is next, the pods of the indexes tell. */
export function perIndexState(input: LiveInput, told: Told): LiveBackoff {
  const { object, ref } = input;
  const failures = told.failed + told.ignored;
  const { tolerated, failed } = failedIndexes(object);
  const left =
    tolerated === undefined
      ? ''
      : `; ${String(failed)} of ${plural(tolerated, 'failed index', 'failed indexes')} tolerated so far`;
  return {
    kind: 'waiting',
    retry: inferred(failures, 'the failures of all indexes'),
    failures: knownFailures(told, failures),
    wait: unknown(eachIndex),
    lastFailureAt: unknown(eachIndex),
    next: unknown(eachIndex),
    capped: unknown(eachIndex),
    reason: `${failuresText(told, failures)} over all indexes; ${eachIndex}, and the one whose wait ends first gets the next pod${toleratedText(told)}${left}`,
    seen: [
      ...told.seen,
      ...evidenceAt(ref, object, ['status', 'failedIndexes']),
      ...evidenceAt(ref, object, ['spec', 'maxFailedIndexes']),
    ],
  };
}
