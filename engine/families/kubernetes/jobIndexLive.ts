import {
  inferred,
  reported,
  unknown,
  type LiveInput,
  type LiveReader,
  type LiveState,
} from '../../live.ts';
import type { Stop } from '../../schedule.ts';
import { nodeAt, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { exactly } from '../../units.ts';
import { readFailurePolicy, verdictOnPod } from './failurePolicy.ts';
import { beforeDeadline, endingState } from './jobEnding.ts';
import { jobType } from './jobLive.ts';
import { failedIndexes, tell } from './jobTold.ts';
import { evidenceAt, numberAt, conditionOf, wholeSecond } from '../../liveFacts.ts';
import { podFailureCap, podFailureWait } from './podFailures.ts';
import { finishOf, phaseOf, podRef, podsOf, podType } from './podLive.ts';

const indexKey = 'batch.kubernetes.io/job-completion-index';
const countedKey = 'batch.kubernetes.io/job-index-failure-count';
const ignoredKey = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** The indexes of a Job whose newest pod failed, read from the annotations of the pods. */
export const jobIndexLive: LiveReader = {
  reads: [jobType],
  alsoNeeds: [podType],
  fromFile: true,
  read: (input) => {
    const { object } = input;
    const limit = numberAt(object, 'spec', 'backoffLimitPerIndex');
    if (limit === undefined || doesNotGoOn(object)) return [];
    const pods = podsOf(input);
    const told = tell(input, pods);
    if (endingState(input, told) !== undefined) return [];
    const rules = readFailurePolicy(nodeAt(object, ['spec', 'podFailurePolicy']));
    return newestByIndex(pods).flatMap(([index, pod]) =>
      indexState(input, { index, pod, limit, verdict: verdictOnPod(rules, pod) }).map(
        ({ part, state }) => ({
          ...(part === undefined ? {} : { part }),
          state: beforeDeadline(input, told, state),
        }),
      ),
    );
  },
};

/** A Job that is over or held back, or that another controller runs. */
function doesNotGoOn(object: SourceNode): boolean {
  const manager = textAt(object, 'spec', 'managedBy');
  if (manager !== undefined && manager !== 'kubernetes.io/job-controller') return true;
  return ['Complete', 'SuccessCriteriaMet', 'Failed', 'FailureTarget', 'Suspended'].some(
    (type) => conditionOf(object, type, 'True') !== undefined,
  );
}

function newestByIndex(pods: readonly SourceNode[]): readonly (readonly [string, SourceNode])[] {
  const newest = new Map<string, SourceNode>();
  for (const pod of pods) {
    const index =
      textAt(pod, 'metadata', 'annotations', indexKey) ??
      textAt(pod, 'metadata', 'labels', indexKey);
    if (index === undefined) continue;
    const known = newest.get(index);
    const isNewer =
      known === undefined ||
      (textAt(pod, 'metadata', 'creationTimestamp') ?? '') >=
        (textAt(known, 'metadata', 'creationTimestamp') ?? '');
    if (isNewer) newest.set(index, pod);
  }
  return [...newest].toSorted(([a], [b]) => Number(a) - Number(b));
}

const countIn = (pod: SourceNode, key: string): number => {
  const text = textAt(pod, 'metadata', 'annotations', key) ?? '0';
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
};

type IndexPod = {
  readonly index: string;
  /** The newest one of the index. */
  readonly pod: SourceNode;
  readonly limit: number;
  /** What `podFailurePolicy` does about it, if it failed. */
  readonly verdict: string;
};

function indexState(
  { env, object }: LiveInput,
  { index, pod, limit, verdict }: IndexPod,
): readonly LiveState[] {
  const counted = countIn(pod, countedKey);
  const ignored = countIn(pod, ignoredKey);
  const part = `index ${index}`;
  const ref = podRef(pod);
  const seen = [
    ...evidenceAt(ref, pod, ['metadata', 'annotations', countedKey]),
    ...evidenceAt(ref, pod, ['metadata', 'annotations', ignoredKey]),
    ...evidenceAt(ref, pod, ['status', 'phase']),
  ];
  const failures = counted + ignored;
  if (phaseOf(pod) === 'Failed') {
    const end = finishOf(pod);
    const isOver = verdict === 'Count' && counted >= limit;
    const isFailedAtOnce = verdict === 'FailIndex' || verdict === 'FailJob';
    if (isOver || isFailedAtOnce) {
      return [
        {
          part,
          state: {
            kind: 'gave-up',
            by: isFailedAtOnce
              ? inferred(byRule(verdict), 'the exit codes and conditions of its last pod')
              : inferred(
                  {
                    kind: 'retries',
                    limit,
                    then: 'the index fails',
                    origin: { kind: 'field', field: 'backoffLimitPerIndex' },
                  },
                  'the annotation of its last pod',
                ),
            at:
              end === undefined
                ? unknown('the end of the last pod is not known')
                : inferred(end, 'the end of its last pod'),
            failures: inferred(counted + 1, 'the annotation of its last pod, and that pod'),
            reason: isFailedAtOnce
              ? `A \`${verdict}\` rule ended ${verdict === 'FailJob' ? 'the Job' : 'the index'} at once${verdict === 'FailJob' ? '' : othersText(object)}`
              : `The index used up its ${plural(limit, 'retry', 'retries')}${othersText(object)}`,
            seen,
          },
        },
      ];
    }
    const cap = podFailureCap(env).value;
    const wait = podFailureWait(failures + 1, cap);
    return [
      {
        part,
        state: {
          kind: 'waiting',
          retry: inferred(counted + 1, 'the annotation of its last pod'),
          failures: inferred(failures + 1, 'the annotations of its last pod, and that pod'),
          wait: inferred(exactly(wait), 'the failures of this index'),
          lastFailureAt:
            end === undefined
              ? unknown('the end of the last pod is not known')
              : inferred(end, 'the end of its last pod'),
          next:
            end === undefined
              ? unknown('the end of the last pod is not known')
              : inferred(
                  wholeSecond(end, wait, wait),
                  'the end of its last pod and the failures of this index',
                ),
          capped: inferred(wait >= cap, 'the failures of this index'),
          reason: `The index failed ${plural(failures + 1, 'time')} and waits for its next pod; a restart of the controller does not reset this wait`,
          seen,
        },
      },
    ];
  }
  if (failures === 0) return [];
  return [
    {
      part,
      state: {
        kind: 'attempting',
        retry: reported(counted),
        failures: reported(failures),
        reason: `A pod of the index runs after ${plural(failures, 'failure')}, ${String(counted)} of ${plural(limit, 'retry', 'retries')} used`,
        seen,
      },
    },
  ];
}

const byRule = (verdict: string): Stop => ({
  kind: 'condition',
  text: `a pod met a ${verdict} rule`,
  then: verdict === 'FailJob' ? 'the Job fails at once' : 'the index fails at once',
  origin: { kind: 'field', field: 'podFailurePolicy' },
});

/** What a failed index means for the others. */
function othersText(object: SourceNode): string {
  const { tolerated } = failedIndexes(object);
  if (tolerated === 0) return '; the Job fails with it, as `maxFailedIndexes` is 0';
  const until =
    tolerated === undefined
      ? ''
      : ` until ${plural(tolerated + 1, 'index has', 'indexes have')} failed`;
  return `; the other indexes go on${until}`;
}
