import { knows, type Environment } from '../../environment.ts';
import type { FactsInput } from '../../family.ts';
import { bound } from '../../schedule.ts';
import { child, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { seconds, type Ms } from '../../units.ts';
import { numberAt } from '../../liveFacts.ts';
import { jobFields, noLimit } from './jobFields.ts';
import { jobSchedule, startsOf, type JobRetries } from './jobSchedule.ts';
import { isWholePod, podSpecOf } from './jobSites.ts';
import { kubernetes } from './system.ts';

/** How long a failing run of a CronJob goes on, where its template says so. */
export type RunLength = {
  readonly retries: number;
  /** Waits before the retries, run time aside; at most the deadline. */
  readonly lasts: Ms;
  readonly limitIsWritten: boolean;
  readonly isInPlace: boolean;
};

/** What the job template of a CronJob says about a run. */
export type CronJobPlace = {
  readonly run?: RunLength;
  readonly hasDeadline: boolean;
  readonly ttl?: Ms;
};

export function cronJobPlace({ node, env }: Pick<FactsInput, 'node' | 'env'>): CronJobPlace {
  const job = nodeAt(node, ['jobTemplate', 'spec']);
  const run = runLength(job, env);
  const ttl = numberAt(job, 'ttlSecondsAfterFinished');
  return {
    hasDeadline: child(job, 'activeDeadlineSeconds') !== undefined,
    ...(run === undefined ? {} : { run }),
    ...(ttl === undefined ? {} : { ttl: seconds(ttl) }),
  };
}

/** Nothing where the template is a patch, or leaves something to run time. */
function runLength(job: SourceNode | undefined, env: Environment): RunLength | undefined {
  if (!isWholePod(podSpecOf(job))) return undefined;
  const written = child(job, 'backoffLimit');
  const backoffLimit = written === undefined ? 6 : numberAt(job, 'backoffLimit');
  const restartPolicy = textAt(podSpecOf(job), 'restartPolicy');
  const deadline = numberAt(job, 'activeDeadlineSeconds');
  const isUnknown = deadline === undefined && child(job, 'activeDeadlineSeconds') !== undefined;
  if (backoffLimit === undefined || backoffLimit < 0 || backoffLimit >= noLimit || isUnknown)
    return undefined;
  const manager = textAt(job, 'managedBy');
  const isManaged = manager !== undefined && manager !== 'kubernetes.io/job-controller';
  if (isManaged && knows(env, kubernetes, jobFields.managedBy.since)) return undefined;
  if (restartPolicy !== 'Never' && restartPolicy !== 'OnFailure') return undefined;
  const hasLimitPerIndex = child(job, 'backoffLimitPerIndex') !== undefined;
  if (hasLimitPerIndex && knows(env, kubernetes, jobFields.backoffLimitPerIndex.since)) {
    return undefined;
  }
  const retries: JobRetries = {
    backoffLimit,
    restartPolicy,
    deadline: deadline === undefined ? undefined : seconds(deadline),
    failsOn: [],
    perIndex: 'none',
    atOnce: Math.max(
      1,
      Math.min(numberAt(job, 'parallelism') ?? 1, numberAt(job, 'completions') ?? Infinity),
    ),
  };
  const schedule = jobSchedule(retries, env);
  const end = bound(schedule);
  if (end.kind !== 'bounded') return undefined;
  return {
    retries: startsOf(retries),
    lasts: end.by.kind === 'elapsed' ? end.by.limit : end.lasts.lo,
    limitIsWritten: written !== undefined,
    isInPlace: restartPolicy === 'OnFailure',
  };
}
