import { formatDuration } from '../../durations/format.ts';
import { parseGoDuration } from '../../durations/go.ts';
import {
  inferred,
  reported,
  unknown,
  type Evidence,
  type LiveBackoff,
  type LiveInput,
  type LiveReader,
  type LiveState,
} from '../../live.ts';
import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { between, exactly, zero, type Instant, type Ms, type Window } from '../../units.ts';
import { quietTime, restartBackoff, restartSlack, restartWait } from './crashLoop.ts';
import { includesCode, restartingCodes } from './exitCodes.ts';
import { evidenceAt, numberAt, timeAt, wholeSecond } from '../../liveFacts.ts';
import { containerStatuses, podRef, podType } from './podLive.ts';

/** Containers that wait in CrashLoopBackOff, or whose restart is about to come. */
export const restartLive: LiveReader = {
  reads: [podType],
  alsoNeeds: [],
  read: (input) => crashLoopStates(input),
};

/** One state per container of a pod. */
export function crashLoopStates(input: LiveInput): readonly LiveState[] {
  return containerStatuses(input.object).map(({ status, path }) => ({
    part: textAt(status, 'name') ?? String(path.at(-1) ?? ''),
    state: containerState(input, status, path),
  }));
}

type Path = readonly (string | number)[];

function containerState(input: LiveInput, status: SourceNode, path: Path): LiveBackoff {
  const { object } = input;
  const ref = podRef(object);
  if (textAt(object, 'metadata', 'deletionTimestamp') !== undefined) {
    return {
      kind: 'idle',
      because: 'finished',
      reason: 'Its pod is being deleted: nothing in it is restarted',
      seen: evidenceAt(ref, object, ['metadata', 'deletionTimestamp']),
    };
  }
  const restarts = numberAt(status, 'restartCount') ?? 0;
  const seen = [
    ...evidenceAt(ref, object, [...path, 'restartCount']),
    ...evidenceAt(ref, object, [...path, 'state', 'waiting', 'message']),
    ...evidenceAt(ref, object, [...path, 'lastState', 'terminated', 'finishedAt']),
    ...evidenceAt(ref, object, [...path, 'lastState', 'terminated', 'exitCode']),
  ];
  if (textAt(status, 'state', 'waiting', 'reason') === 'CrashLoopBackOff') {
    return crashLoop(input, status, restarts, seen);
  }
  if (nodeAt(status, ['state', 'terminated']) !== undefined) {
    return endedContainer(input, status, restarts, [
      ...seen,
      ...evidenceAt(ref, object, [...path, 'state', 'terminated', 'exitCode']),
      ...evidenceAt(ref, object, [...path, 'state', 'terminated', 'startedAt']),
      ...evidenceAt(ref, object, [...path, 'state', 'terminated', 'finishedAt']),
    ]);
  }
  if (nodeAt(status, ['state', 'running']) !== undefined) {
    if (restarts === 0) {
      return { kind: 'idle', because: 'healthy', reason: 'It runs and was never restarted', seen };
    }
    const since = timeAt(status, 'state', 'running', 'startedAt');
    const isQuiet = since !== undefined && input.now - since > 600_000;
    return isQuiet
      ? {
          kind: 'idle',
          because: 'healthy',
          reason: `It was restarted ${plural(restarts, 'time')} and has run for more than 10m since: the next restart would be immediate`,
          seen,
        }
      : {
          kind: 'attempting',
          retry: reported(restarts),
          failures: reported(restarts),
          reason: `It runs after ${plural(restarts, 'restart')}; once it has run for 10m the waits start over`,
          seen,
        };
  }
  return {
    kind: 'idle',
    because: 'not-started',
    reason: 'It has not started, so there is nothing to restart',
    seen,
  };
}

/** `back-off 2m40s restarting failed container=app pod=…`: the whole wait, not what is left of it. */
const backOffMessage = /^back-off (\S+) restarting failed container=/;

export function waitInMessage(message: string | undefined): Ms | undefined {
  const text = backOffMessage.exec(message ?? '')?.[1];
  const read = text === undefined ? undefined : parseGoDuration(text);
  return read?.ok === true ? read.value : undefined;
}

function crashLoop(
  input: LiveInput,
  status: SourceNode,
  restarts: number,
  seen: readonly Evidence[],
): LiveBackoff {
  const backoff = restartBackoff(input.env);
  const told = waitInMessage(textAt(status, 'state', 'waiting', 'message'));
  const wait = told ?? restartWait(backoff, restarts);
  const window = between(told ?? restartWait(backoff, Math.min(restarts, 1)), wait);
  const last = timeAt(status, 'lastState', 'terminated', 'finishedAt');
  const code = numberAt(status, 'lastState', 'terminated', 'exitCode');
  const why = textAt(status, 'lastState', 'terminated', 'reason');
  const slack = restartSlack(input.env, wait);
  const ended =
    code === undefined
      ? 'It ended'
      : `It ended with exit code ${String(code)}${why === undefined ? '' : ` (${why})`}`;
  return {
    kind: 'waiting',
    retry: inferred(restarts + 1, '`restartCount`'),
    failures: inferred(restarts + 1, '`restartCount` and the run that just ended'),
    wait:
      told === undefined
        ? inferred(
            window,
            '`restartCount`, at most: it is less where the container once ran for 10m or the kubelet restarted',
          )
        : reported(exactly(told)),
    lastFailureAt:
      last === undefined ? unknown('the end of the last run is not in the status') : reported(last),
    next: nextOf(last, window, slack.hi, told !== undefined),
    capped: inferred(wait >= backoff.max, `the longest wait is ${formatDuration(backoff.max)}`),
    reason: `${ended}, and the kubelet waits ${formatDuration(wait)} before restart ${String(restarts + 1)}; a run of more than 10m or a new pod resets the wait`,
    seen,
  };
}

function nextOf(last: Instant | undefined, wait: Window<Ms>, slack: Ms, isTold: boolean) {
  if (last === undefined) return unknown('the end of the last run is not in the status');
  const from = isTold
    ? 'the end of the last run and the wait in the message'
    : 'the end of the last run and `restartCount`';
  return inferred(
    wholeSecond(last, wait.lo, wait.hi + slack),
    `${from}; the kubelet looks only every few seconds`,
  );
}

/** The moment between the end of a run and the kubelet's next look. */
function endedContainer(
  input: LiveInput,
  status: SourceNode,
  restarts: number,
  seen: readonly Evidence[],
): LiveBackoff {
  const { object, env } = input;
  const code = numberAt(status, 'state', 'terminated', 'exitCode');
  const isOver = code === undefined || !isRestarted(object, textAt(status, 'name'), code);
  const phase = textAt(object, 'status', 'phase');
  if (isOver || phase === 'Failed' || phase === 'Succeeded') {
    return {
      kind: 'idle',
      because: 'finished',
      reason: `It ended${code === undefined ? '' : ` with exit code ${String(code)}`} and is not restarted in this pod`,
      seen,
    };
  }
  const backoff = restartBackoff(env);
  const last = timeAt(status, 'state', 'terminated', 'finishedAt');
  const start = timeAt(status, 'state', 'terminated', 'startedAt');
  const isReset = start !== undefined && last !== undefined && last - start > quietTime;
  const most = isReset ? zero : restartWait(backoff, restarts);
  const when = most === 0 ? 'at once' : `after at most ${formatDuration(most)}`;
  const rest = isReset
    ? `It ran for more than 10m and ended with exit code ${String(code)}: the waits start over, and it is restarted at once`
    : `It ended with exit code ${String(code)} and is restarted ${when}; a run of more than 10m resets the wait`;
  const from = isReset ? 'a run of more than 10m' : '`restartCount`';
  return {
    kind: 'waiting',
    retry: inferred(restarts + 1, '`restartCount`'),
    failures: inferred(restarts + 1, '`restartCount` and the run that just ended'),
    wait: inferred(
      between(zero, most),
      most === 0 ? from : `${from}, at most: a kubelet that was restarted does not wait`,
    ),
    lastFailureAt:
      last === undefined ? unknown('the end of the run is not in the status') : reported(last),
    next: nextOf(last, between(zero, most), restartSlack(env, most).hi, false),
    capped: inferred(most >= backoff.max, from),
    reason: rest,
    seen,
  };
}

/** Whether a container is restarted after an exit code: by its own rules and policy, or by the pod's. */
function isRestarted(pod: SourceNode, name: string | undefined, code: number): boolean {
  const spec = child(pod, 'spec');
  const find = (list: string): SourceNode | undefined =>
    itemsOf(child(spec, list)).find((one) => textAt(one, 'name') === name);
  const init = find('initContainers');
  const container = find('containers') ?? init;
  const own = textAt(container, 'restartPolicy');
  if (own !== undefined) {
    return includesCode(restartingCodes(container), code) || restartsBy(own, code);
  }
  const policy = textAt(spec, 'restartPolicy') ?? 'Always';
  // An init container has done its work once it succeeds.
  return restartsBy(container === init && policy === 'Always' ? 'OnFailure' : policy, code);
}

const restartsBy = (policy: string, code: number): boolean =>
  policy === 'Always' || (policy === 'OnFailure' && code !== 0);
