import { inferred, reported, type Evidence, type Known, type LiveInput } from '../../live.ts';
import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { instant, type Instant } from '../../units.ts';
import { evidenceAt, numberAt, timeAt } from '../../liveFacts.ts';
import { readFailurePolicy, verdictOnPod } from './failurePolicy.ts';
import { noLimit } from './jobFields.ts';
import { phaseOf } from './podLive.ts';

/** What a Job's own object says, and what its pods add to it. */
export type Told = {
  /** Failed pods that count against the limit. */
  readonly failed: number;
  /** Whether `status.failed` alone says so. */
  readonly isReported: boolean;
  /** Failed pods at hand that a rule of `podFailurePolicy` ignores: they lengthen the wait all the same. */
  readonly ignored: number;
  readonly active: number;
  readonly limit: number;
  readonly isInPlace: boolean;
  /** Whether each index counts its failures, and waits, on its own. */
  readonly isPerIndex: boolean;
  /** When `activeDeadlineSeconds` ends the Job. */
  readonly deadline: Instant | undefined;
  readonly seen: readonly Evidence[];
};

export function tell({ object, ref }: LiveInput, pods: readonly SourceNode[]): Told {
  const perIndex = numberAt(object, 'spec', 'backoffLimitPerIndex') !== undefined;
  const rules = readFailurePolicy(nodeAt(object, ['spec', 'podFailurePolicy']));
  const failedPods = pods.filter((pod) => phaseOf(pod) === 'Failed');
  const ignored = failedPods.filter((pod) => verdictOnPod(rules, pod) === 'Ignore').length;
  const status = numberAt(object, 'status', 'failed') ?? 0;
  // Failed pods wait here for `status.failed` to take them up.
  const uncounted = itemsOf(nodeAt(object, ['status', 'uncountedTerminatedPods', 'failed'])).length;
  // Up to 1.26 the Job's own count is written only when the wait is over.
  const failed = Math.max(status + uncounted, failedPods.length - ignored);
  const isInPlace = textAt(object, 'spec', 'template', 'spec', 'restartPolicy') === 'OnFailure';
  return {
    failed,
    isReported: failed === status && ignored === 0,
    ignored,
    active: numberAt(object, 'status', 'active') ?? 0,
    limit: numberAt(object, 'spec', 'backoffLimit') ?? (perIndex ? noLimit : 6),
    isInPlace,
    isPerIndex: perIndex && !isInPlace,
    deadline: deadlineOf(object),
    seen: [
      ...evidenceAt(ref, object, ['status', 'failed']),
      ...evidenceAt(ref, object, ['status', 'uncountedTerminatedPods', 'failed']),
      ...evidenceAt(ref, object, ['status', 'active']),
      ...evidenceAt(ref, object, ['spec', 'backoffLimit']),
    ],
  };
}

function deadlineOf(object: SourceNode): Instant | undefined {
  const start = timeAt(object, 'status', 'startTime');
  const length = numberAt(object, 'spec', 'activeDeadlineSeconds');
  return start === undefined || length === undefined ? undefined : instant(start + length * 1000);
}

/** How many failures there were, and how that is known. */
export const knownFailures = (told: Told, failures = told.failed): Known<number> =>
  told.isReported && failures === told.failed
    ? reported(failures)
    : inferred(failures, failures === told.failed ? 'its status and its pods' : 'its pods');

/** `3 pods failed, 2 of which podFailurePolicy ignores`. */
export function failuresText({ ignored }: Told, failures: number): string {
  const of = ignored === 0 ? '' : `, ${String(ignored)} of which \`podFailurePolicy\` ignores`;
  return `${plural(failures, 'pod')} failed${of}`;
}

export function toleratedText({ failed, limit }: Told): string {
  if (limit >= noLimit) return '';
  const left = Math.max(0, limit - failed);
  return left === 0
    ? '; the next failure fails the Job'
    : `; ${plural(left, 'further failure')} ${left === 1 ? 'is' : 'are'} made up for`;
}

/** The indexes in a text such as `1,3-5,7`, counted. */
export function countIndexes(text: string | undefined): number {
  let count = 0;
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part.trim());
    if (match === null) continue;
    count += match[2] === undefined ? 1 : Math.max(0, Number(match[2]) - Number(match[1]) + 1);
  }
  return count;
}

/** The failed indexes that a Job tolerates, and those it has. */
export function failedIndexes(object: SourceNode): {
  readonly tolerated: number | undefined;
  readonly failed: number;
} {
  return {
    tolerated: numberAt(object, 'spec', 'maxFailedIndexes'),
    failed: countIndexes(textAt(child(object, 'status'), 'failedIndexes')),
  };
}
