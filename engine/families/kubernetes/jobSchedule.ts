import type { Environment } from '../../environment.ts';
import type { Reset, Schedule, Stop } from '../../schedule.ts';
import type { Ms } from '../../units.ts';
import { restartBackoff, restartCap, restartResets, restartWaits } from './crashLoop.ts';
import { noLimit } from './jobFields.ts';
import { jobWaits, podFailureCapOf } from './podFailures.ts';
import { sources } from './system.ts';

/** What the schedule of a Job depends on. */
export type JobRetries = {
  readonly backoffLimit: number;
  readonly restartPolicy: 'Never' | 'OnFailure';
  readonly deadline: Ms | undefined;
  /** Texts such as `exit code 42`: failures that end the Job at once. */
  readonly failsOn: readonly string[];
  /** Set where each index has a limit of its own. */
  readonly perIndex: boolean;
};

type Name = 'backoffLimit' | 'activeDeadlineSeconds' | 'podFailurePolicy' | 'backoffLimitPerIndex';

/** The waits before each further attempt of a Job whose pod fails at once, and what ends them. */
export function jobSchedule(retries: JobRetries, env: Environment): Schedule<Name> {
  const { restartPolicy } = retries;
  const stops = [...limitStop(retries), ...deadlineStop(retries), ...policyStop(retries)];
  if (restartPolicy === 'OnFailure') {
    const backoff = restartBackoff(env);
    return {
      waits: restartWaits(backoff),
      cap: restartCap(backoff),
      stops,
      resets: restartResets,
      clock: 'after-attempt',
    };
  }
  return {
    waits: jobWaits(env),
    cap: podFailureCapOf(env),
    stops,
    resets: podFailureResets,
    clock: 'after-attempt',
  };
}

/** How many retries start: with OnFailure the last of them is stopped as soon as it has started. */
export const startsOf = ({ restartPolicy, backoffLimit }: JobRetries): number =>
  restartPolicy === 'OnFailure' ? Math.max(1, backoffLimit) : backoffLimit;

function limitStop(retries: JobRetries): readonly Stop<Name>[] {
  if (retries.backoffLimit >= noLimit) return retries.perIndex ? [indexesStop] : [];
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

const policyStop = ({ failsOn }: JobRetries): readonly Stop<Name>[] =>
  failsOn.length === 0
    ? []
    : [
        {
          kind: 'condition',
          text: `a pod fails with ${failsOn.join(' or ')}`,
          then: 'the Job fails at once',
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
