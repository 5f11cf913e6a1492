import { field } from '../../field.ts';
import { anything, goDuration, text, wholeSeconds, type Format } from '../../format.ts';
import { minutes, ms } from '../../units.ts';
import type { Renamed } from './apiVersion.ts';
import { sources } from './system.ts';

/** A whole number, or a share such as `40%`. */
const countOrShare: Format<string> = {
  name: 'integer, or a string such as "40%"',
  samples: ['1', '"40%"', '"100%"'],
  write: (value) => value,
  read: (node) => {
    const fits =
      node.kind === 'scalar' &&
      (typeof node.value === 'number' ? Number.isInteger(node.value) : /^-?\d+%$/.test(node.text));
    return fits
      ? { ok: true, value: node.text }
      : {
          ok: false,
          problem: {
            code: 'wrong-type',
            message: 'the webhook refuses this: write a whole number, or a share such as "40%"',
          },
        };
  },
};

const startup = 'How long a machine may take until its node is there; 0 for as long as it likes';
const most = 'With more unhealthy machines than this, none is remediated';
const range = 'With fewer or more unhealthy machines than this, none is remediated';
const bounds = {
  min: ms(0),
  consequence: 'the API server refuses it',
  cite: sources.healthCheckTypes,
};

/** The settings of a health check, in the words of v1beta2 and of v1beta1. */
export const healthCheckFields = {
  nodeStartupTimeoutSeconds: field(wholeSeconds, 'checks.nodeStartupTimeoutSeconds', startup)
    .beside()
    .within(bounds)
    .defaultsTo(minutes(10), sources.healthCheckTypes),
  nodeStartupTimeout: field(goDuration, 'nodeStartupTimeout', `${startup} (v1beta1)`)
    .beside()
    .within(bounds)
    .defaultsTo(minutes(10), sources.healthCheckTypes),
  unhealthyNodeConditions: field(
    anything,
    'checks.unhealthyNodeConditions',
    'Conditions of a node, and for how long, that make its machine unhealthy',
  )
    .beside()
    .unset('no condition of a node makes a machine unhealthy'),
  unhealthyConditions: field(
    anything,
    'unhealthyConditions',
    'Conditions of a node, and for how long, that make its machine unhealthy (v1beta1)',
  )
    .beside()
    .unset('no condition of a node makes a machine unhealthy'),
  unhealthyLessThanOrEqualTo: field(
    countOrShare,
    'remediation.triggerIf.unhealthyLessThanOrEqualTo',
    most,
  )
    .beside()
    .unset('machines are remediated however many are unhealthy'),
  maxUnhealthy: field(countOrShare, 'maxUnhealthy', `${most} (v1beta1)`)
    .beside()
    .unset('machines are remediated however many are unhealthy'),
  unhealthyInRange: field(text, 'remediation.triggerIf.unhealthyInRange', range)
    .beside()
    .unset('no range'),
  unhealthyRange: field(text, 'unhealthyRange', `${range} (v1beta1)`).beside().unset('no range'),
} as const;

export type HealthCheckFields = typeof healthCheckFields;

export const renamedChecks: readonly Renamed[] = [
  { v1beta1: 'nodeStartupTimeout', v1beta2: 'checks.nodeStartupTimeoutSeconds' },
  { v1beta1: 'unhealthyConditions', v1beta2: 'checks.unhealthyNodeConditions' },
  { v1beta1: 'maxUnhealthy', v1beta2: 'remediation.triggerIf.unhealthyLessThanOrEqualTo' },
  { v1beta1: 'unhealthyRange', v1beta2: 'remediation.triggerIf.unhealthyInRange' },
];
