import { field } from '../../field.ts';
import { boolean, goDuration, integer, oneOf, wholeSeconds } from '../../format.ts';
import { ms, seconds } from '../../units.ts';
import { sources } from './system.ts';

const refused = { consequence: 'Kueue does not start', cite: sources.validation };

/** The settings of `waitForPodsReady`. */
export const requeuingFields = {
  backoffLimitCount: field(
    integer,
    'requeuingStrategy.backoffLimitCount',
    'How often a Workload is put back into its queue before it is deactivated',
  )
    .within({ ...refused, min: 0 })
    .unset('a Workload is put back without end'),
  backoffBaseSeconds: field(
    wholeSeconds,
    'requeuingStrategy.backoffBaseSeconds',
    'Wait before a Workload is put back for the first time',
  )
    .within({ ...refused, min: ms(0) })
    .since('0.7.0', 'Kueue does not start; waits grow from 1s')
    .defaultsTo(seconds(60), sources.defaults),
  backoffMaxSeconds: field(
    wholeSeconds,
    'requeuingStrategy.backoffMaxSeconds',
    'Longest wait of a Workload',
  )
    .within({ ...refused, min: ms(0) })
    .since('0.7.0', 'Kueue does not start; waits have no maximum')
    .defaultsTo(seconds(3600), sources.defaults),
  timestamp: field(
    oneOf('Eviction', 'Creation'),
    'requeuingStrategy.timestamp',
    'Which time orders the Workloads of a queue that were evicted',
  )
    .beside()
    .defaultsTo('Eviction', sources.defaults),
  timeout: field(
    goDuration,
    'timeout',
    'How long the pods of an admitted Workload may take until all are ready',
  )
    .beside()
    .within({ ...refused, min: ms(0) })
    .unset('5m with v1beta1, 30m with v1beta2'),
  recoveryTimeout: field(
    goDuration,
    'recoveryTimeout',
    'How long a pod that was ready may be missing; 0s switches the check off',
  )
    .beside()
    .within({ ...refused, min: ms(0) })
    .unset('as long as `timeout` (before 0.19 with v1beta2: not checked)'),
  blockAdmission: field(
    boolean,
    'blockAdmission',
    'Whether all others wait until the admitted Workloads are ready',
  )
    .beside()
    .unset('true with v1beta1, false with v1beta2'),
  enable: field(boolean, 'enable', 'Whether Kueue waits for pods at all; only in v1beta1')
    .beside()
    .unset('off with v1beta1; v1beta2 knows no such key and is on'),
} as const;

export type RequeuingFields = typeof requeuingFields;

/** What the configuration around `waitForPodsReady` says. */
export type RequeuingPlace = {
  /** Undefined where the values of a chart do not say it. */
  readonly version: 'v1beta1' | 'v1beta2' | undefined;
  readonly isWritten: boolean;
  /** Whether the gate that stands for what was before 0.19 is on: without the block nothing is waited for. */
  readonly isDisabled: boolean;
};
