import type { Environment } from '../../environment.ts';
import type { Reset, Schedule, Stop } from '../../schedule.ts';
import { plural } from '../../summary.ts';
import type { Ms } from '../../units.ts';
import { restartBackoff, restartCap, restartResets, restartWaits } from './crashLoop.ts';
import { exitCodeText } from './failurePolicy.ts';
import { noLimit } from './jobFields.ts';
import { jobWaits, podFailureCapOf } from './podFailures.ts';
import { sharedFailures, sharedRestarts, sharedWaits, type Shared } from './jobTogether.ts';
import { sources } from './system.ts';

/** What the schedule of a Job depends on. */
export type JobRetries = {
  readonly backoffLimit: number;
  readonly restartPolicy: 'Never' | 'OnFailure';
  /** Set where the containers are restarted in their pods by policies of their own, which no limit counts. */
  readonly restartsItself?: boolean;
  readonly deadline: Ms | undefined;
  /** Texts such as `exit code 42`: failures that end the Job at once. */
  readonly failsOn: readonly string[];
  /** The retries that each index has of its own; `none` where failures are counted over the whole Job. */
  readonly perIndex: number | 'unknown' | 'none';
  /** The exit codes that count, where `podFailurePolicy` ignores all others; absent: nearly all count. */
  readonly countsOnly?: readonly number[];
  /** Pods that run at one time. */
  readonly atOnce: number;
  /** Failed indexes that the Job tolerates; all of them where it is not set. */
  readonly maxFailedIndexes?: number;
};

type Name =
  | 'backoffLimit'
  | 'activeDeadlineSeconds'
  | 'podFailurePolicy'
  | 'backoffLimitPerIndex'
  | 'maxFailedIndexes';

/** Whose end is told: the Job's, or that of one of its indexes. */
export type JobView = 'job' | 'index';

/** The waits before each further attempt of a Job whose pod fails at once, and what ends them. */
export function jobSchedule(
  retries: JobRetries,
  env: Environment,
  view: JobView = 'job',
): Schedule<Name> {
  const stops = [
    ...limitStops(retries, view),
    ...deadlineStop(retries),
    ...policyStop(retries, view),
  ];
  const shared = sharedBy(retries);
  if (retries.restartPolicy === 'OnFailure' || retries.restartsItself === true) {
    const backoff = restartBackoff(env);
    const waits = restartWaits(backoff);
    return {
      waits,
      ...(shared === undefined ? {} : { together: sharedRestarts(shared, waits) }),
      cap: restartCap(backoff),
      stops,
      resets: restartResets,
      clock: 'after-attempt',
    };
  }
  const waits = jobWaits(env);
  return {
    waits: shared === undefined ? waits : sharedWaits(waits, shared, env),
    ...(shared === undefined ? {} : { together: sharedFailures(shared, waits, env) }),
    cap: podFailureCapOf(env),
    stops,
    // The failures of an index stand in its pods, and a success ends the index.
    resets: retries.perIndex === 'none' ? podFailureResets : [],
    clock: 'after-attempt',
  };
}

/** Several pods that use up one limit together. */
function sharedBy(retries: JobRetries): Shared | undefined {
  const { atOnce } = retries;
  const limit = startsOf(retries);
  if (atOnce < 2 || retries.countsOnly !== undefined || countsByIndex(retries) || limit >= noLimit)
    return undefined;
  return { atOnce, limit };
}

/** Whether each index counts its failures, and waits, on its own: only pods that fail are counted so. */
export const countsByIndex = ({ perIndex, restartPolicy }: JobRetries): boolean =>
  perIndex !== 'none' && restartPolicy === 'Never';

/** How many retries start: with OnFailure the last of them is stopped as soon as it has started. */
export function startsOf(retries: JobRetries): number {
  const { restartPolicy, backoffLimit, perIndex } = retries;
  if (restartPolicy === 'OnFailure') return Math.max(1, backoffLimit);
  return typeof perIndex === 'number' ? Math.min(perIndex, backoffLimit) : backoffLimit;
}

function limitStops(retries: JobRetries, view: JobView): readonly Stop<Name>[] {
  if (countsByIndex(retries)) return indexStops(retries, view);
  if (retries.backoffLimit >= noLimit) return [];
  if (retries.countsOnly !== undefined) return countedStop(retries, retries.countsOnly);
  const isInPlace = retries.restartPolicy === 'OnFailure';
  return [
    {
      kind: 'retries',
      limit: startsOf(retries),
      then: isInPlace
        ? 'the last restart is stopped as it begins and the Job fails'
        : 'the Job fails',
      origin: { kind: 'field', field: 'backoffLimit' },
    },
  ];
}

/** A limit for a few exit codes: any number of other failures goes before it. */
const countedStop = (
  { backoffLimit }: JobRetries,
  codes: readonly number[],
): readonly Stop<Name>[] =>
  codes.length === 0
    ? []
    : [
        {
          kind: 'condition',
          text: `${plural(backoffLimit + 1, 'pod has', 'pods have')} failed with ${exitCodeText(codes)}`,
          then: 'the Job fails',
          origin: { kind: 'field', field: 'backoffLimit' },
        },
      ];

/** The ends of one index, and those of the whole Job that come before. */
function indexStops(retries: JobRetries, view: JobView): readonly Stop<Name>[] {
  const { perIndex, backoffLimit, maxFailedIndexes } = retries;
  const stops: Stop<Name>[] = [];
  if (typeof perIndex !== 'number') stops.push(indexesStop);
  else {
    stops.push({
      kind: 'retries',
      limit: perIndex,
      then:
        view === 'index'
          ? 'the index fails'
          : 'the index fails, and the Job does when the other indexes have ended',
      origin: { kind: 'field', field: 'backoffLimitPerIndex' },
    });
  }
  if (backoffLimit < noLimit) {
    const origin = { kind: 'field', field: 'backoffLimit' } as const;
    if (typeof perIndex === 'number' && backoffLimit < perIndex) {
      stops.push({ kind: 'retries', limit: backoffLimit, then: 'the Job fails', origin });
    }
    stops.push({
      kind: 'condition',
      text: `${plural(backoffLimit + 1, 'pod has', 'pods have')} failed over all indexes`,
      then: 'the Job fails',
      origin,
    });
  }
  if (maxFailedIndexes !== undefined) {
    stops.push({
      kind: 'condition',
      text: `${plural(maxFailedIndexes + 1, 'index has', 'indexes have')} failed`,
      then: 'the Job fails',
      origin: { kind: 'field', field: 'maxFailedIndexes' },
    });
  }
  return stops;
}

const indexesStop: Stop<Name> = {
  kind: 'condition',
  text: 'every index has succeeded or used up its own retries',
  then: 'the Job ends',
  origin: { kind: 'field', field: 'backoffLimitPerIndex' },
};

const deadlineStop = ({ deadline }: JobRetries): readonly Stop<Name>[] =>
  deadline === undefined
    ? []
    : [
        {
          kind: 'elapsed',
          limit: deadline,
          edge: 'excluded',
          then: 'the Job fails with DeadlineExceeded',
          origin: { kind: 'field', field: 'activeDeadlineSeconds' },
        },
      ];

const policyStop = ({ failsOn }: JobRetries, view: JobView): readonly Stop<Name>[] =>
  failsOn.length === 0
    ? []
    : [
        {
          kind: 'condition',
          text: `a pod fails with ${failsOn.join(' or ')}`,
          then: view === 'index' ? 'the index or the Job fails at once' : 'the Job fails at once',
          origin: { kind: 'field', field: 'podFailurePolicy' },
        },
      ];

const podFailureResets: readonly Reset<never>[] = [
  {
    text: 'a pod of the Job succeeds',
    origin: { kind: 'built-in', name: 'a success', cite: sources.jobIgnored },
  },
  {
    text: 'kube-controller-manager restarts',
    origin: { kind: 'built-in', name: 'the count in memory', cite: sources.jobIgnored },
  },
];
