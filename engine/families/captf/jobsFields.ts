import { cited, type Citation } from '../../citation.ts';
import { field } from '../../field.ts';
import { integer, wholeSeconds } from '../../format.ts';
import { hours, minutes, ms, seconds } from '../../units.ts';
import { defaultFailedLimit } from './delays.ts';
import { captfSource } from './system.ts';

export const jobPolicySource: Citation = captfSource('api/v1alpha1/common_types.go JobPolicy');

const refused = 'the API server refuses it';

/** How long a Job may run where nobody says otherwise. */
export const defaultDeadline = cited(
  hours(1),
  captfSource('internal/jobs/spec.go DefaultActiveDeadlineSeconds'),
);

/** How long a Job waits for the state lock where nobody says otherwise. */
export const defaultLockTimeout = cited(
  minutes(5),
  captfSource('internal/jobs/spec.go DefaultLockTimeoutSeconds'),
);

const history = { min: 0, max: 100, consequence: refused, cite: jobPolicySource };

export const jobsFields = {
  failedJobsHistoryLimit: field(
    integer,
    'failedJobsHistoryLimit',
    'Failed Jobs to keep per operation; from as many failures in a row on, every wait is 10m',
  )
    .within(history)
    .defaultsTo(defaultFailedLimit.value, defaultFailedLimit.cite),
  activeDeadlineSeconds: field(
    wholeSeconds,
    'activeDeadlineSeconds',
    'How long one Job may run; a Job killed by it counts as a failed one',
  )
    .within({ min: seconds(1), max: hours(24), consequence: refused, cite: jobPolicySource })
    .beside()
    .defaultsTo(defaultDeadline.value, defaultDeadline.cite),
  lockTimeoutSeconds: field(
    wholeSeconds,
    'lockTimeoutSeconds',
    "How long a Job waits for the state's lock before it fails; part of its deadline",
  )
    .within({ min: ms(0), max: hours(1), consequence: refused, cite: jobPolicySource })
    .beside()
    .defaultsTo(defaultLockTimeout.value, defaultLockTimeout.cite),
  successfulJobsHistoryLimit: field(
    integer,
    'successfulJobsHistoryLimit',
    'Succeeded Jobs to keep per operation; retries do not depend on it',
  )
    .within(history)
    .beside()
    .defaultsTo(3, captfSource('internal/jobs/list.go Prune')),
};

export type JobsFields = typeof jobsFields;

/** Fields of a job policy that have nothing to do with retries. */
export const otherJobsFields: readonly string[] = [
  'serviceAccountName',
  'imagePullSecrets',
  'resources',
  'env',
  'securityContext',
  'podSecurityContext',
];

/** Seconds of lock wait that leave at least half of a deadline for the work. */
export const fittingLock = (deadlineSeconds: number): number =>
  Math.min(defaultLockTimeout.value / 1000, Math.floor(deadlineSeconds / 2));
