import { cited } from '../../citation.ts';
import { field } from '../../field.ts';
import { boolean, integer, oneOf, wholeSeconds } from '../../format.ts';
import { hours, minutes, ms, seconds } from '../../units.ts';
import { captfSource } from './system.ts';

const types = (name: string) => captfSource(`api/v1alpha1/common_types.go ${name}`);
const pool = captfSource('api/v1alpha1/terraformmachinepool_types.go TerraformMachinePoolSpec');
const effective = (name: string) => captfSource(`internal/controllers/shared/effective.go ${name}`);

const refused = 'the API server refuses it';

/** How often a pool's members are looked up where nobody says otherwise. */
export const defaultMembershipRefresh = cited(
  minutes(1),
  effective('DefaultMembershipRefreshInterval'),
);

/** How often health is read with `annotateMachine` where nobody says otherwise. */
export const defaultHealthCheck = cited(minutes(5), effective('DefaultHealthCheckInterval'));

/** How often drift is looked for where neither the object nor the manager's flag says otherwise. */
export const defaultDriftInterval = cited(minutes(30), types('DriftPolicy'));

export const refreshFields = {
  membershipRefreshIntervalSeconds: field(
    wholeSeconds,
    '../membershipRefreshIntervalSeconds',
    "How often a pool's members are looked up",
  )
    .within({ min: seconds(15), max: hours(24), consequence: refused, cite: pool })
    .defaultsTo(defaultMembershipRefresh.value, defaultMembershipRefresh.cite),
  'remediation.annotateMachine': field(
    boolean,
    '../remediation.annotateMachine',
    'Whether an unhealthy machine is handed to Cluster API for replacement',
  ).defaultsTo(false, types('MachineRemediation')),
  'remediation.healthCheckIntervalSeconds': field(
    wholeSeconds,
    '../remediation.healthCheckIntervalSeconds',
    'How often the health of a provisioned machine is read while `annotateMachine` is true',
  )
    .within({
      min: seconds(60),
      max: hours(24),
      consequence: refused,
      cite: types('MachineRemediation'),
    })
    .defaultsTo(defaultHealthCheck.value, defaultHealthCheck.cite),
  'remediation.unhealthyThreshold': field(
    integer,
    '../remediation.unhealthyThreshold',
    'Unhealthy readings in a row before the machine is handed over',
  )
    .within({ min: 1, max: 100, consequence: refused, cite: types('MachineRemediation') })
    .beside()
    .defaultsTo(3, types('MachineRemediation')),
  'drift.intervalSeconds': field(
    wholeSeconds,
    '../drift.intervalSeconds',
    'How often drift is looked for; each check reads the health too',
  )
    .within({ min: ms(0), consequence: refused, cite: types('DriftPolicy') })
    .beside()
    .defaultsTo(defaultDriftInterval.value, defaultDriftInterval.cite),
  'drift.action': field(
    oneOf('Report', 'Remediate'),
    '../drift.action',
    'What happens when drift is found: a condition, or an apply of the current inputs',
  )
    .beside()
    .defaultsTo('Report', types('DriftPolicy')),
};

export type RefreshFields = typeof refreshFields;
