import { formatDuration, formatWindow } from '../../durations/format.ts';
import type { Environment } from '../../environment.ts';
import { inferred, unknown, type LiveBackoff, type LiveInput } from '../../live.ts';
import { child, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import type { Instant, Ms, Window } from '../../units.ts';
import { evidenceAt, latest, wholeSecond } from '../../liveFacts.ts';
import { failuresText, knownFailures, toleratedText, type Told } from './jobTold.ts';
import { podFailureCap, podFailureWindow } from './podFailures.ts';
import { finishOf, hasFailed, phaseOf } from './podLive.ts';

/** What the pods at hand say of the failures since the last success. */
type Row = {
  /** The ends of those that failed since. */
  readonly ends: readonly Instant[];
  readonly hasSucceeded: boolean;
  /** Failures of which the pods are gone: some of them may belong to the row. */
  readonly hidden: number;
};

/** A Job whose next pod is due, and when it starts as far as its pods tell. */
export function waitingState(
  input: LiveInput,
  told: Told,
  pods: readonly SourceNode[],
): LiveBackoff {
  const { env, object, ref } = input;
  const seen = [...told.seen, ...evidenceAt(ref, object, ['status', 'startTime'])];
  const row = rowOf(object, told, pods);
  const { ends, hidden } = row;
  const failures = Math.max(told.failed + told.ignored, ends.length);
  const retry = inferred(failures, told.isReported ? '`status.failed`' : 'its pods');
  const known = knownFailures(told, failures);
  if (row.hasSucceeded && ends.length === 0 && hidden === 0) {
    return {
      kind: 'attempting',
      retry,
      failures: known,
      reason: `The next pod starts now: a pod succeeded after the last failure${toleratedText(told)}`,
      seen,
    };
  }
  const last = latest(ends);
  const wait = waitOf(row, env);
  const from = originOf(row, told);
  const cap = podFailureCap(env).value;
  return {
    kind: 'waiting',
    retry,
    failures: known,
    wait: inferred(
      wait,
      `${from}; less after a restart of kube-controller-manager, which keeps the count in memory`,
    ),
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
        : `${failuresText(told, failures)}, the next one starts ${formatWindow(wait)} after the last failure${toleratedText(told)}; a pod that succeeds resets the wait`,
    seen,
  };
}

function rowOf(object: SourceNode, told: Told, pods: readonly SourceNode[]): Row {
  const onlyWhenGone =
    textAt(object, 'spec', 'podReplacementPolicy') === 'Failed' ||
    child(child(object, 'spec'), 'podFailurePolicy') !== undefined;
  const success = latest(
    pods.filter((pod) => phaseOf(pod) === 'Succeeded').flatMap((pod) => finishOf(pod) ?? []),
  );
  const failed = pods
    .filter((pod) => hasFailed(pod, onlyWhenGone))
    .flatMap((pod) => finishOf(pod) ?? []);
  return {
    ends: failed.filter((end) => success === undefined || end > success),
    hasSucceeded: success !== undefined,
    hidden: Math.max(0, told.failed + told.ignored - failed.length),
  };
}

/** Between the failures that are seen and all there may have been since the last success. */
function waitOf({ ends, hidden }: Row, env: Environment): Window<Ms> {
  const fewest = podFailureWindow(Math.max(1, ends.length), env);
  const most = podFailureWindow(Math.max(1, ends.length + hidden), env);
  return { lo: fewest.lo, hi: most.hi };
}

function originOf({ ends, hidden }: Row, told: Told): string {
  if (ends.length === 0) {
    return `\`status.failed\` is ${String(told.failed)}; the pods themselves were not seen`;
  }
  const gone =
    hidden === 0
      ? ''
      : `, and ${plural(hidden, 'pod')} that ${hidden === 1 ? 'is' : 'are'} gone and may have failed since`;
  return `${plural(ends.length, 'failed pod')} since the last success${gone}`;
}
