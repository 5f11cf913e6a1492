import {
  inferred,
  reported,
  unknown,
  type LiveInput,
  type LiveReader,
  type LiveState,
} from '../../live.ts';
import { textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { exactly } from '../../units.ts';
import { jobType } from './jobLive.ts';
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
  read: (input) => {
    const limit = numberAt(input.object, 'spec', 'backoffLimitPerIndex');
    const isOver =
      conditionOf(input.object, 'Complete', 'True') ?? conditionOf(input.object, 'Failed', 'True');
    if (limit === undefined || isOver !== undefined) return [];
    return newestByIndex(podsOf(input)).flatMap(([index, pod]) =>
      indexState(input, index, pod, limit),
    );
  },
};

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

function indexState(
  { env }: LiveInput,
  index: string,
  pod: SourceNode,
  limit: number,
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
    if (counted >= limit) {
      return [
        {
          part,
          state: {
            kind: 'gave-up',
            by: inferred(
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
            reason: `The index used up its ${plural(limit, 'retry', 'retries')}; the other indexes go on`,
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
