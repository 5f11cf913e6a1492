import { fix, removeEntry, replaceValue } from '../../edits.ts';
import { defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { formatDuration } from '../../durations/format.ts';
import { defaultDriftInterval, type RefreshFields } from './refreshFields.ts';
import type { RefreshPlace } from './refreshPlace.ts';
import { captfSource } from './system.ts';

type RefreshRule = Rule<RefreshFields, RefreshPlace>;
type Context = PolicyContext<RefreshFields, RefreshPlace>;

const driftSource = captfSource('api/v1alpha1/common_types.go DriftPolicy');
const usual = formatDuration(defaultDriftInterval.value);

const remove = (context: Context, name: keyof RefreshFields, title: string, preferred: boolean) => {
  const node = context.nodeOf(name);
  return node === undefined ? [] : fix(title, preferred, removeEntry(context.tree, node));
};

const turnedOff = ({ settings }: Context): boolean => {
  const interval = settings['drift.intervalSeconds'];
  return interval.from === 'document' && interval.value === 0;
};

const remediateWithoutChecks: RefreshRule = defineRule({
  slug: 'remediate-without-checks',
  severity: 'warning',
  summary: 'Drift is to be repaired, but drift checks are turned off.',
  explanation:
    '`drift.intervalSeconds: 0` turns drift checks off, so no drift is ever found and `drift.action: Remediate` repairs nothing. Leave the interval out for the default, or write one.',
  cite: driftSource,
  *check(context) {
    const action = context.settings['drift.action'];
    if (action.from !== 'document' || action.value !== 'Remediate') return;
    if (context.policy.facts.role === 'pool' || !turnedOff(context)) return;
    const interval = context.nodeOf('drift.intervalSeconds');
    yield {
      message: `No drift is ever repaired: \`intervalSeconds: 0\` turns the checks off that would find it; leave it out to check every ${usual}, or write a number of seconds`,
      at: context.valueSpanOf('drift.action'),
      fixes: [
        ...remove(
          context,
          'drift.intervalSeconds',
          `Remove intervalSeconds: checks every ${usual}`,
          false,
        ),
        ...(interval === undefined
          ? []
          : fix('Set intervalSeconds to 1800', false, replaceValue(interval, '1800'))),
      ],
    };
  },
});

const machineDriftNotRemediated: RefreshRule = defineRule({
  slug: 'machine-drift-not-remediated',
  severity: 'warning',
  summary: "A machine's drift is only reported: `drift.action` is no field of a machine.",
  explanation:
    'A TerraformMachine is immutable and replaced by a rollout, so its drift policy has no `action`. `kubectl` refuses the key, other clients lose it.',
  cite: captfSource('api/v1alpha1/common_types.go MachineDriftPolicy'),
  *check(context) {
    const { role, isDefaults } = context.policy.facts;
    if (role !== 'machine' || isDefaults) return;
    const node = context.nodeOf('drift.action');
    if (node?.key === undefined) return;
    yield {
      message:
        "A machine's drift is reported and never repaired: `action` is no field here and has no effect; remove it",
      at: node.key,
      unnecessary: true,
      fixes: remove(context, 'drift.action', 'Remove action', true),
    };
  },
});

const poolDriftCannotStop: RefreshRule = defineRule({
  slug: 'pool-drift-cannot-stop',
  severity: 'error',
  summary: "A pool's drift checks cannot be turned off: 0 is refused.",
  explanation:
    "On a TerraformMachinePool `drift.intervalSeconds` must be at least 1. A pool's drift check brings the number of its instances into the plan, so it always runs.",
  cite: captfSource('api/v1alpha1/common_types.go MachinePoolDriftPolicy'),
  *check(context) {
    const { role, isDefaults } = context.policy.facts;
    if (role !== 'pool' || isDefaults || !turnedOff(context)) return;
    yield {
      message: `The API server refuses 0 here: the drift checks of a pool cannot be turned off; leave it out to check every ${usual}, or write at least 1`,
      at: context.valueSpanOf('drift.intervalSeconds'),
      fixes: remove(context, 'drift.intervalSeconds', 'Remove intervalSeconds', false),
    };
  },
});

const healthCheckIgnored: RefreshRule = defineRule({
  slug: 'health-check-ignored',
  severity: 'info',
  summary: 'The health check interval is read only while `annotateMachine` is true.',
  explanation:
    'Without `remediation.annotateMachine: true` CAPTF reads the health of a machine only when it looks for drift. Newer builds also take `annotateMachine` from `spec.defaults.remediation` of the TerraformCluster.',
  cite: captfSource('internal/controllers/shared/effective.go Resolve'),
  *check(context) {
    const { settings, policy } = context;
    const annotate = settings['remediation.annotateMachine'];
    const interval = settings['remediation.healthCheckIntervalSeconds'];
    const { isWhole, isDefaults } = policy.facts;
    if (interval.from !== 'document' || isDefaults) return;
    const isOff = annotate.from === 'document' && !annotate.value;
    if (!isOff && (annotate.from !== 'default' || !isWhole)) return;
    const unless = isOff ? '' : " unless the cluster's `spec.defaults.remediation` sets it";
    yield {
      message: `\`healthCheckIntervalSeconds: ${interval.text}\` has no effect without \`annotateMachine: true\`${unless}: the health is then read with the drift checks only`,
      at: context.keyOf('remediation.healthCheckIntervalSeconds'),
      unnecessary: isOff,
      fixes: remove(
        context,
        'remediation.healthCheckIntervalSeconds',
        'Remove healthCheckIntervalSeconds',
        false,
      ),
    };
  },
});

export const refreshRules: readonly RefreshRule[] = [
  remediateWithoutChecks,
  machineDriftNotRemediated,
  poolDriftCannotStop,
  healthCheckIgnored,
];
