import { field } from '../../field.ts';
import { anything, integer, wholeSeconds } from '../../format.ts';
import { ms, seconds, type Ms } from '../../units.ts';
import { sources } from './system.ts';

const refused = 'the API server refuses it';
const cite = sources.probeValidation;
const span = { min: ms(0), max: seconds(2_147_483_647), consequence: refused, cite };
const count = { min: 0, max: 2_147_483_647, consequence: refused, cite };

/** What the API server puts in where a probe says nothing, or 0. */
export const probeDefaults = {
  periodSeconds: seconds(10),
  timeoutSeconds: seconds(1),
  failureThreshold: 3,
  successThreshold: 1,
} as const;

export const probeFields = {
  initialDelaySeconds: field(
    wholeSeconds,
    'initialDelaySeconds',
    'Time from the start of the container in which it is not probed',
  )
    .beside()
    .within(span)
    .defaultsTo(ms(0), sources.probeDefaults),
  periodSeconds: field(wholeSeconds, 'periodSeconds', 'Time from one probe to the next')
    .within(span)
    .defaultsTo(probeDefaults.periodSeconds, sources.probeDefaults),
  timeoutSeconds: field(
    wholeSeconds,
    'timeoutSeconds',
    'Time after which a probe without an answer counts as failed',
  )
    .within(span)
    .defaultsTo(probeDefaults.timeoutSeconds, sources.probeDefaults),
  failureThreshold: field(
    integer,
    'failureThreshold',
    'Failures in a row after which the container counts as failed',
  )
    .within(count)
    .defaultsTo(probeDefaults.failureThreshold, sources.probeDefaults),
  successThreshold: field(
    integer,
    'successThreshold',
    'Successes in a row after which it counts as well again',
  )
    .beside()
    .within(count)
    .defaultsTo(probeDefaults.successThreshold, sources.probeDefaults),
  terminationGracePeriodSeconds: field(
    wholeSeconds,
    'terminationGracePeriodSeconds',
    'Time that a container has to stop when this probe fails',
  )
    .beside()
    .within({ min: seconds(1), consequence: refused, cite })
    .unset("the pod's own, 30s where it has none"),
  httpGet: field(anything, 'httpGet', 'A request that must be answered with 200 to 399')
    .beside()
    .unset('another kind of probe'),
  exec: field(anything, 'exec', 'A command that must end with exit code 0')
    .beside()
    .unset('another kind of probe'),
};

export type ProbeFields = typeof probeFields;

/** 0 is read as the default, with no word about it. */
export const orDefault = <T extends Ms | number>(value: T, fallback: T): T =>
  Number(value) === 0 ? fallback : value;
