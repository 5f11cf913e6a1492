import { field } from '../../field.ts';
import { integer, text } from '../../format.ts';
import { block, durationOrNone, podSeconds, policy, wholeNumber } from './formats.ts';

/** The settings of a `retryStrategy`, with the two deadlines around it. */
export const fields = {
  limit: field(
    wholeNumber,
    'limit',
    'How many retries follow the first run at most; the runs are one more',
  ).unset('retries never run out, and `backoff` is not waited for'),
  retryPolicy: field(
    policy,
    'retryPolicy',
    'Which ends of a run are retried: Failed, Error or both',
  )
    .beside()
    .unset('only runs that end Failed are retried; where an `expression` is written, Error too'),
  expression: field(text, 'expression', 'A condition on the last run; a retry needs it to be true')
    .beside()
    .since('3.2.0', 'it is ignored or refused')
    .unset('no condition'),
  backoff: field(block, 'backoff', 'The waits before retries').unset('no wait before a retry'),
  duration: field(
    durationOrNone,
    'backoff.duration',
    'The wait before retry 1; a bare number counts seconds',
  ).unset('no wait where `backoff` is not written, and an Error where it is'),
  factor: field(
    wholeNumber,
    'backoff.factor',
    'The whole number that each wait is multiplied by to make the next one',
  ).unset('every wait is as long as `duration`'),
  cap: field(durationOrNone, 'backoff.cap', 'The longest single wait')
    .since('3.7.0', 'it is ignored or refused, and waits keep growing')
    .unset('waits keep growing'),
  maxDuration: field(
    durationOrNone,
    'backoff.maxDuration',
    'The time from the start of the first run within which retries must start, run time included',
  ).unset('no time limit'),
  nodeAntiAffinity: field(
    block,
    'affinity.nodeAntiAffinity',
    'Keeps a retry away from the nodes where earlier runs failed',
  )
    .beside()
    .unset('a retry may run on the node where the last run failed'),
  podDeadline: field(
    podSeconds,
    '../activeDeadlineSeconds',
    'How many seconds one pod of the template may run',
  )
    .beside()
    .unset('a run may take as long as it likes'),
  workflowDeadline: field(
    integer,
    '/spec/activeDeadlineSeconds',
    'How many seconds the whole workflow may run',
  )
    .beside()
    .unset('the workflow may take as long as it likes'),
} as const;

export type Fields = typeof fields;
