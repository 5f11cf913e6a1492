import { field } from '../../field.ts';
import {
  anything,
  boolean,
  integer,
  oneOf,
  text,
  wholeSeconds,
  type Format,
} from '../../format.ts';
import { ms, seconds } from '../../units.ts';
import { restartWords } from './restartFields.ts';
import { sources } from './system.ts';

const refused = 'the API server refuses it';
const int32 = 2_147_483_647;

const count = { min: 0, max: int32, consequence: refused, cite: sources.jobValidation };
const notNegative = { min: ms(0), consequence: refused, cite: sources.jobValidation };

/** From this limit on a Job has none: it is the largest number the field can hold. */
export const noLimit = int32;

// `Always` is what pods have and Jobs refuse: a rule explains it, with both ways out.
const jobRestartPolicy: Format<'Never' | 'OnFailure' | 'Always'> = {
  ...restartWords,
  name: 'Never or OnFailure',
  samples: ['Never', 'OnFailure'],
  values: ['Never', 'OnFailure'],
};

export const jobFields = {
  backoffLimit: field(
    integer,
    'backoffLimit',
    'Failed pods that the Job makes up for before it fails',
  )
    .within(count)
    .otherwise('backoffLimitPerIndex', noLimit, sources.jobDefaults)
    .defaultsTo(6, sources.jobDefaults),
  restartPolicy: field(
    jobRestartPolicy,
    'template.spec.restartPolicy',
    'Whether a failed container is restarted in its pod, or a new pod takes its place',
  )
    // The webhook of JobSet writes what the API server asks for.
    .otherwise('/spec/replicatedJobs', 'OnFailure', sources.jobSet)
    .unset('Always, which the API server refuses for a Job'),
  activeDeadlineSeconds: field(
    wholeSeconds,
    'activeDeadlineSeconds',
    'How long the Job may run in all, waits and retries included',
  )
    .within(notNegative)
    .unset('no limit in time'),
  backoffLimitPerIndex: field(
    integer,
    'backoffLimitPerIndex',
    'Failed pods that each index makes up for before the index fails',
  )
    .beside()
    .within(count)
    .since('1.29.0', 'it is dropped, and only backoffLimit counts', 'JobBackoffLimitPerIndex')
    .unset('failures are counted over the whole Job'),
  maxFailedIndexes: field(
    integer,
    'maxFailedIndexes',
    'Failed indexes the Job tolerates; one more fails it',
  )
    .beside()
    .within(count)
    .since('1.29.0', 'it is dropped, and only backoffLimit counts', 'JobBackoffLimitPerIndex')
    .unset('the Job goes on until every index has succeeded or failed'),
  completionMode: field(
    oneOf('NonIndexed', 'Indexed'),
    'completionMode',
    'Whether each completion has an index of its own',
  )
    .beside()
    .defaultsTo('NonIndexed', sources.jobDefaults),
  completions: field(integer, 'completions', 'Pods that must succeed')
    .beside()
    .within(count)
    .unset('1, or as many as `parallelism` asks for'),
  parallelism: field(integer, 'parallelism', 'Pods that run at the same time')
    .beside()
    .within(count)
    .defaultsTo(1, sources.jobDefaults),
  podReplacementPolicy: field(
    oneOf('TerminatingOrFailed', 'Failed'),
    'podReplacementPolicy',
    'Whether a pod that is being deleted is replaced at once, or only when it is gone',
  )
    .beside()
    .since('1.29.0', 'it is dropped', 'JobPodReplacementPolicy')
    .otherwise('podFailurePolicy', 'Failed', sources.jobDefaults)
    .defaultsTo('TerminatingOrFailed', sources.jobDefaults),
  podFailurePolicy: field(
    anything,
    'podFailurePolicy',
    'Which failures end the Job at once, and which do not count; the first rule that matches decides',
  )
    .beside()
    .since('1.26.0', 'it is dropped, and every failure counts', 'JobPodFailurePolicy')
    .unset('every failed pod counts'),
  successPolicy: field(
    anything,
    'successPolicy',
    'When an Indexed Job has succeeded before all of its indexes have',
  )
    .beside()
    .since('1.31.0', 'it is dropped, and every index must succeed', 'JobSuccessPolicy')
    .unset('every completion must succeed'),
  ttlSecondsAfterFinished: field(
    wholeSeconds,
    'ttlSecondsAfterFinished',
    'How long the finished Job and its pods are kept',
  )
    .beside()
    .within(notNegative)
    .unset('the finished Job is never deleted by itself'),
  suspend: field(boolean, 'suspend', 'Whether the Job is held back; resuming restarts its deadline')
    .beside()
    .defaultsTo(false, sources.jobDefaults),
  managedBy: field(text, 'managedBy', 'The controller that runs the Job')
    .beside()
    .since('1.32.0', 'it is dropped', 'JobManagedBy')
    .unset('the built-in Job controller'),
  podDeadline: field(
    wholeSeconds,
    'template.spec.activeDeadlineSeconds',
    'How long one pod of the Job may run; a pod that takes longer fails and counts',
  )
    .beside()
    .within({ ...notNegative, min: seconds(1) })
    .unset('no limit for a single pod'),
};

export type JobFields = typeof jobFields;
