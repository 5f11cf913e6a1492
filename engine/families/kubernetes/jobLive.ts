import { formatDuration, formatWindow } from '../../durations/format.ts';
import {
  inferred,
  reported,
  unknown,
  type Evidence,
  type Known,
  type LiveBackoff,
  type LiveInput,
  type LiveReader,
  type LiveState,
} from '../../live.ts';
import type { Stop } from '../../schedule.ts';
import { child, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { instant, seconds, type Instant } from '../../units.ts';
import { noLimit } from './jobFields.ts';
import { jobOwnerOf } from './jobOwner.ts';
import { evidenceAt, latest, numberAt, timeAt, conditionOf, wholeSecond } from '../../liveFacts.ts';
import { podFailureCap, podFailureWindow } from './podFailures.ts';
import {
  finishOf,
  hasFailed,
  phaseOf,
  podsOf,
  podType,
  restartsOf,
  stuckReason,
} from './podLive.ts';
import { crashLoopStates } from './restartLive.ts';

export const jobType = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs' } as const;

/** Where a Job stands between its pods. */
export const jobLive: LiveReader = {
  reads: [jobType],
  alsoNeeds: [podType],
  read: (input) => {
    if (child(input.object, 'spec') === undefined && child(input.object, 'status') === undefined) {
      return [];
    }
    return [{ state: jobState(input) } satisfies LiveState];
  },
};

/** What a Job's own object says. */
type Told = {
  readonly failed: number;
  readonly active: number;
  readonly limit: number;
  readonly isInPlace: boolean;
  readonly seen: readonly Evidence[];
};

function tell({ object, ref }: LiveInput): Told {
  const perIndex = numberAt(object, 'spec', 'backoffLimitPerIndex') !== undefined;
  return {
    failed: numberAt(object, 'status', 'failed') ?? 0,
    active: numberAt(object, 'status', 'active') ?? 0,
    limit: numberAt(object, 'spec', 'backoffLimit') ?? (perIndex ? noLimit : 6),
    isInPlace: textAt(object, 'spec', 'template', 'spec', 'restartPolicy') === 'OnFailure',
    seen: [
      ...evidenceAt(ref, object, ['status', 'failed']),
      ...evidenceAt(ref, object, ['status', 'active']),
      ...evidenceAt(ref, object, ['spec', 'backoffLimit']),
    ],
  };
}

function jobState(input: LiveInput): LiveBackoff {
  const { object } = input;
  const told = tell(input);
  const manager = textAt(object, 'spec', 'managedBy');
  if (manager !== undefined && manager !== 'kubernetes.io/job-controller') {
    return {
      kind: 'idle',
      because: 'not-started',
      reason: `${manager} runs this Job, and how it retries is not known`,
      seen: told.seen,
    };
  }
  const ended = endedState(input, told);
  if (ended !== undefined) return ended;
  if (conditionOf(object, 'Suspended', 'True') !== undefined) {
    return {
      kind: 'idle',
      because: 'not-started',
      reason: 'The Job is suspended: it starts, and its deadline begins anew, when it is resumed',
      seen: told.seen,
    };
  }
  const pods = podsOf(input);
  const stuck = pods.map(stuckReason).find((reason) => reason !== undefined);
  if (stuck !== undefined) return stuckState(input, told, stuck);
  if (told.isInPlace) return inPlaceState(input, told, pods);
  if (told.active > 0 && !areOver(pods)) return runningState(input, told);
  const terminating = numberAt(object, 'status', 'terminating') ?? 0;
  if (terminating > 0 && textAt(object, 'spec', 'podReplacementPolicy') === 'Failed') {
    return {
      kind: 'attempting',
      retry: inferred(told.failed, '`status.failed`'),
      failures: reported(told.failed),
      reason: `The next pod starts when ${plural(terminating, 'pod')} that ${terminating === 1 ? 'is' : 'are'} being deleted ${terminating === 1 ? 'has' : 'have'} ended`,
      seen: told.seen,
    };
  }
  const failed = pods.filter((pod) => phaseOf(pod) === 'Failed').length;
  // Up to 1.26 the Job's own count is written only when the wait is over.
  if (told.failed > 0 || (told.active > 0 && failed > 0)) {
    return waitingState(input, { ...told, failed: Math.max(told.failed, failed) }, pods);
  }
  return {
    kind: 'idle',
    because: 'not-started',
    reason: 'No pod of the Job has failed, and none runs',
    seen: told.seen,
  };
}

/** Whether all pods at hand have ended, whatever the Job still counts as active. */
const areOver = (pods: readonly SourceNode[]): boolean =>
  pods.length > 0 && pods.every((pod) => ['Failed', 'Succeeded'].includes(phaseOf(pod)));

function endedState(input: LiveInput, told: Told): LiveBackoff | undefined {
  const { object } = input;
  const success =
    conditionOf(object, 'Complete', 'True') ?? conditionOf(object, 'SuccessCriteriaMet', 'True');
  if (success !== undefined) {
    return { kind: 'idle', because: 'finished', reason: 'The Job succeeded', seen: told.seen };
  }
  const failure =
    conditionOf(object, 'Failed', 'True') ?? conditionOf(object, 'FailureTarget', 'True');
  if (failure === undefined) return undefined;
  const reason = textAt(failure, 'reason') ?? '';
  const at = timeAt(failure, 'lastTransitionTime');
  const message = textAt(failure, 'message');
  const owner = jobOwnerOf(object);
  return {
    kind: 'gave-up',
    by: stopOf(reason, told, object),
    at: at === undefined ? unknown('the condition has no time') : reported(at),
    failures: reported(told.failed),
    reason: `The Job failed${reason === '' ? '' : ` with ${reason}`}${message === undefined ? '' : `: ${message}`}. ${owner?.afterFailure ?? 'Nothing retries it; a new Job starts over'}`,
    ...(owner === undefined ? {} : { owner: owner.name }),
    seen: told.seen,
  };
}

/** The stop that a reason names. */
function stopOf(reason: string, told: Told, object: SourceNode): Known<Stop> {
  const deadline = numberAt(object, 'spec', 'activeDeadlineSeconds');
  const field = (name: string) => ({ kind: 'field', field: name }) as const;
  switch (reason) {
    case 'BackoffLimitExceeded':
      return reported({
        kind: 'retries',
        limit: told.limit,
        then: 'the Job fails',
        origin: field('backoffLimit'),
      });
    case 'DeadlineExceeded':
      return reported({
        kind: 'elapsed',
        limit: seconds(deadline ?? 0),
        edge: 'excluded',
        then: 'the Job fails with DeadlineExceeded',
        origin: field('activeDeadlineSeconds'),
      });
    case 'PodFailurePolicy':
      return reported({
        kind: 'condition',
        text: 'a pod met a FailJob rule',
        then: 'the Job fails at once',
        origin: field('podFailurePolicy'),
      });
    case 'MaxFailedIndexesExceeded':
      return reported({
        kind: 'condition',
        text: 'more indexes failed than maxFailedIndexes allows',
        then: 'the Job fails',
        origin: field('maxFailedIndexes'),
      });
    case 'FailedIndexes':
      return reported({
        kind: 'condition',
        text: 'some indexes used up their retries',
        then: 'the Job fails',
        origin: field('backoffLimitPerIndex'),
      });
    default:
      return unknown(reason === '' ? 'the condition has no reason' : `the reason is ${reason}`);
  }
}

function stuckState(input: LiveInput, told: Told, reason: string): LiveBackoff {
  const deadline = deadlineOf(input.object);
  const end =
    deadline === undefined
      ? 'nothing ends it, as `activeDeadlineSeconds` is not set'
      : `only the deadline ends it`;
  const used =
    told.limit >= noLimit
      ? ''
      : `, ${String(told.failed)} of ${plural(told.limit, 'retry', 'retries')} used`;
  return {
    kind: 'attempting',
    retry: inferred(told.failed, '`status.failed`'),
    failures: reported(told.failed),
    reason: `A pod is Pending with ${reason}${used}: such a pod never fails, so ${end}`,
    seen: told.seen,
  };
}

function deadlineOf(object: SourceNode): Instant | undefined {
  const start = timeAt(object, 'status', 'startTime');
  const length = numberAt(object, 'spec', 'activeDeadlineSeconds');
  return start === undefined || length === undefined ? undefined : instant(start + length * 1000);
}

function runningState(input: LiveInput, told: Told): LiveBackoff {
  if (told.failed === 0) {
    return {
      kind: 'idle',
      because: 'healthy',
      reason: `${plural(told.active, 'pod')} of the Job ${told.active === 1 ? 'runs' : 'run'}, none has failed`,
      seen: told.seen,
    };
  }
  return {
    kind: 'attempting',
    retry: inferred(told.failed, '`status.failed`'),
    failures: reported(told.failed),
    reason: `${plural(told.active, 'pod')} of the Job ${told.active === 1 ? 'runs' : 'run'} after ${plural(told.failed, 'failure')}${toleratedText(told)}`,
    seen: [...told.seen, ...evidenceAt(input.ref, input.object, ['status', 'startTime'])],
  };
}

function toleratedText({ failed, limit }: Told): string {
  if (limit >= noLimit) return '';
  const left = Math.max(0, limit - failed);
  return left === 0
    ? '; the next failure fails the Job'
    : `; ${plural(left, 'further failure')} ${left === 1 ? 'is' : 'are'} made up for`;
}

function waitingState(input: LiveInput, told: Told, pods: readonly SourceNode[]): LiveBackoff {
  const { env, object, ref } = input;
  const cap = podFailureCap(env).value;
  const isTold = told.failed === numberAt(object, 'status', 'failed');
  const onlyWhenGone =
    textAt(object, 'spec', 'podReplacementPolicy') === 'Failed' ||
    child(child(object, 'spec'), 'podFailurePolicy') !== undefined;
  const success = latest(
    pods.filter((pod) => phaseOf(pod) === 'Succeeded').flatMap((pod) => finishOf(pod) ?? []),
  );
  const ends = pods
    .filter((pod) => hasFailed(pod, onlyWhenGone))
    .flatMap((pod) => finishOf(pod) ?? [])
    .filter((end) => success === undefined || end > success);
  const last = latest(ends);
  const inARow = ends.length > 0 ? ends.length : told.failed;
  const wait = podFailureWindow(inARow, env);
  const from =
    ends.length > 0
      ? `${plural(ends.length, 'failed pod')} since the last success`
      : `\`status.failed\` is ${String(told.failed)}; the pods themselves were not seen`;
  const atLeast =
    'less after a restart of kube-controller-manager, which keeps the count in memory';
  return {
    kind: 'waiting',
    retry: inferred(told.failed, isTold ? '`status.failed`' : 'its pods'),
    failures: isTold ? reported(told.failed) : inferred(told.failed, 'its pods'),
    wait: inferred(wait, `${from}; ${atLeast}`),
    lastFailureAt:
      last === undefined
        ? unknown('the failed pods were not seen')
        : inferred(last, 'the end of the last failed pod'),
    next:
      last === undefined
        ? unknown('the end of the last failed pod was not seen')
        : inferred(
            wholeSecond(last, wait.lo, wait.hi),
            `the end of the last failed pod and ${from}`,
          ),
    capped: inferred(wait.hi >= cap, `the cap is ${formatDuration(cap)}`),
    reason:
      told.failed > told.limit
        ? `${plural(told.failed, 'pod')} failed, more than \`backoffLimit: ${String(told.limit)}\` allows: no other starts, and the Job is marked as failed ${formatWindow(wait)} after the last failure`
        : `${plural(told.failed, 'pod')} failed, the next one starts ${formatWindow(wait)} after the last failure${toleratedText(told)}; a pod that succeeds resets the wait`,
    seen: [...told.seen, ...evidenceAt(ref, object, ['status', 'startTime'])],
  };
}

function inPlaceState(input: LiveInput, told: Told, pods: readonly SourceNode[]): LiveBackoff {
  const current = pods.filter((pod) => ['Running', 'Pending'].includes(phaseOf(pod)));
  const restarts = current.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const limit = Math.max(1, told.limit);
  const loops = current.flatMap((pod) => crashLoopStates({ ...input, object: pod }));
  const waiting = loops.map(({ state }) => state).find(({ kind }) => kind === 'waiting');
  const budget =
    limit >= noLimit ? '' : `; the Job fails at ${plural(limit, 'restart')} of all containers`;
  if (waiting?.kind === 'waiting') {
    return {
      ...waiting,
      failures: inferred(restarts, 'the restarts of all containers of its pods'),
      reason: `${waiting.reason}${budget}`,
      seen: [...told.seen, ...waiting.seen],
    };
  }
  if (restarts === 0 && told.failed === 0) {
    const isSeen = told.active > 0 || current.length > 0;
    return {
      kind: 'idle',
      because: isSeen ? 'healthy' : 'not-started',
      reason: isSeen ? 'No container of the Job was restarted' : 'No pod of the Job runs',
      seen: told.seen,
    };
  }
  return {
    kind: 'attempting',
    retry: inferred(restarts, 'the restarts of all containers of its pods'),
    failures: inferred(restarts, 'the restarts of all containers of its pods'),
    reason: `The containers of the Job were restarted ${plural(restarts, 'time')}${budget}`,
    seen: told.seen,
  };
}
