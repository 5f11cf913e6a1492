import {
  inferred,
  reported,
  unknown,
  type Known,
  type LiveBackoff,
  type LiveInput,
  type LiveReader,
  type LiveState,
} from '../../live.ts';
import type { Stop } from '../../schedule.ts';
import { child, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { seconds } from '../../units.ts';
import { noLimit } from './jobFields.ts';
import { jobOwnerOf } from './jobOwner.ts';
import { evidenceAt, numberAt, timeAt, conditionOf } from '../../liveFacts.ts';
import { beforeDeadline, eachIndex, endingState, overState, perIndexState } from './jobEnding.ts';
import { knownFailures, tell, toleratedText, type Told } from './jobTold.ts';
import { waitingState } from './jobWaiting.ts';
import { phaseOf, podsOf, podType, restartsOf, stuckReason } from './podLive.ts';
import { crashLoopStates } from './restartLive.ts';

export const jobType = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs' } as const;

/** Where a Job stands between its pods. */
export const jobLive: LiveReader = {
  reads: [jobType],
  alsoNeeds: [podType],
  fromFile: true,
  read: (input) => {
    if (child(input.object, 'spec') === undefined && child(input.object, 'status') === undefined) {
      return [];
    }
    return [{ state: jobState(input) } satisfies LiveState];
  },
};

function jobState(input: LiveInput): LiveBackoff {
  const { object } = input;
  const pods = podsOf(input);
  const told = tell(input, pods);
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
  return endingState(input, told) ?? beforeDeadline(input, told, goingOn(input, told, pods));
}

/** A Job that no condition ends yet. */
function goingOn(input: LiveInput, told: Told, pods: readonly SourceNode[]): LiveBackoff {
  const { object } = input;
  const stuck = pods.map(stuckReason).find((reason) => reason !== undefined);
  if (stuck !== undefined) return stuckState(told, stuck);
  if (told.isInPlace) return inPlaceState(input, told, pods);
  if (told.active > 0 && !areOver(pods)) return runningState(input, told);
  const terminating = numberAt(object, 'status', 'terminating') ?? 0;
  if (terminating > 0 && textAt(object, 'spec', 'podReplacementPolicy') === 'Failed') {
    return {
      kind: 'attempting',
      retry: inferred(told.failed, '`status.failed`'),
      failures: knownFailures(told),
      reason: `The next pod starts when ${plural(terminating, 'pod')} that ${terminating === 1 ? 'is' : 'are'} being deleted ${terminating === 1 ? 'has' : 'have'} ended`,
      seen: told.seen,
    };
  }
  if (told.failed + told.ignored > 0) {
    return told.isPerIndex ? perIndexState(input, told) : waitingState(input, told, pods);
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
    failures: knownFailures(told),
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

function stuckState(told: Told, reason: string): LiveBackoff {
  const end =
    told.deadline === undefined
      ? 'nothing ends it, as `activeDeadlineSeconds` is not set'
      : `only the deadline ends it`;
  const used =
    told.limit >= noLimit
      ? ''
      : `, ${String(told.failed)} of ${plural(told.limit, 'retry', 'retries')} used`;
  return {
    kind: 'attempting',
    retry: inferred(told.failed, '`status.failed`'),
    failures: knownFailures(told),
    reason: `A pod is Pending with ${reason}${used}: such a pod never fails, so ${end}`,
    seen: told.seen,
  };
}

function runningState(input: LiveInput, told: Told): LiveBackoff {
  const failures = told.failed + told.ignored;
  const running = `${plural(told.active, 'pod')} of the Job ${told.active === 1 ? 'runs' : 'run'}`;
  if (failures === 0) {
    return {
      kind: 'idle',
      because: 'healthy',
      reason: `${running}, none has failed`,
      seen: told.seen,
    };
  }
  const ignored =
    told.ignored === 0 ? '' : `, ${String(told.ignored)} of which \`podFailurePolicy\` ignores`;
  const onItsOwn = told.isPerIndex ? `; ${eachIndex}` : '';
  return {
    kind: 'attempting',
    retry: inferred(failures, '`status.failed`'),
    failures: knownFailures(told, failures),
    reason: `${running} after ${plural(failures, 'failure')}${ignored}${toleratedText(told)}${onItsOwn}`,
    seen: [...told.seen, ...evidenceAt(input.ref, input.object, ['status', 'startTime'])],
  };
}

function inPlaceState(input: LiveInput, told: Told, pods: readonly SourceNode[]): LiveBackoff {
  const current = pods.filter((pod) => ['Running', 'Pending'].includes(phaseOf(pod)));
  const restarts = current.reduce((sum, pod) => sum + restartsOf(pod), 0);
  const limit = Math.max(1, told.limit);
  if (restarts >= limit) {
    return overState(told, {
      by: {
        kind: 'retries',
        limit,
        then: 'the Job fails',
        origin: { kind: 'field', field: 'backoffLimit' },
      },
      at: unknown('the restarts do not say when'),
      failures: restarts,
      reason: `The containers of the Job were restarted ${plural(restarts, 'time')}, as often as \`backoffLimit: ${String(told.limit)}\` allows: their pods are stopped and the Job is about to be marked as failed`,
    });
  }
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
