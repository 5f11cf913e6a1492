import { formatDuration } from '../../durations/format.ts';
import { fix, replaceText, replaceValue } from '../../edits.ts';
import {
  defineFamily,
  defineRule,
  type Note,
  type Policy,
  type PolicyContext,
  type Site,
} from '../../family.ts';
import { constant, finite } from '../../growth.ts';
import { scalarOf } from '../../policyRules.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import type { Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { minutes, seconds, type Ms } from '../../units.ts';
import { apiVersionOf, keysOfOther, otherVersion, type ApiVersion } from './apiVersion.ts';
import { conditionTimeout, conditionTimeouts } from './conditionTimeouts.ts';
import { healthCheckFields, renamedChecks, type HealthCheckFields } from './healthCheckFields.ts';
import { healthCheckLive } from './healthCheckLive.ts';
import { clusterApi, sources } from './system.ts';

type HealthCheckPlace = { readonly version: ApiVersion | undefined };
type HealthCheckPolicy = Policy<HealthCheckFields, HealthCheckPlace>;
type Context = PolicyContext<HealthCheckFields, HealthCheckPlace>;

const group = 'cluster.x-k8s.io';

/** A health check of its own, and those of classes and topologies, under both names. */
const sites: readonly Site[] = [
  { group, kinds: ['MachineHealthCheck'], anchor: 'spec' },
  ...['healthCheck', 'machineHealthCheck'].flatMap((block) =>
    [
      ['ClusterClass', `spec.controlPlane.${block}`],
      ['ClusterClass', `spec.workers.machineDeployments[*].${block}`],
      ['Cluster', `spec.topology.controlPlane.${block}`],
      ['Cluster', `spec.topology.workers.machineDeployments[*].${block}`],
    ].map(([kind = '', anchor = '']) => ({
      group,
      kinds: [kind],
      anchor,
      needs: ['ealthCheck:', 'ealthCheck"'],
    })),
  ),
];

const shortestStartup = seconds(30);

const startupName = (version: ApiVersion | undefined) =>
  version === 'v1beta1' ? ('nodeStartupTimeout' as const) : ('nodeStartupTimeoutSeconds' as const);

const startupOf = ({ settings, facts }: Pick<HealthCheckPolicy, 'settings' | 'facts'>) =>
  valueOf(settings[startupName(facts.version)]);

const rangeName = (version: ApiVersion | undefined) =>
  version === 'v1beta1' ? ('unhealthyRange' as const) : ('unhealthyInRange' as const);

const unchecked = {
  kind: 'condition',
  text: 'the start of nodes is not checked',
  then: 'a machine without a node stays as it is',
  origin: { kind: 'field', field: 'nodeStartupTimeoutSeconds' },
} as const;

/** When a machine counts as unhealthy, and is replaced by what owns it. */
export const family = defineFamily({
  id: 'cluster-api/health-check',
  system: clusterApi,
  title: 'Machine health check',
  summary:
    'A machine is unhealthy when its node is not there within the startup timeout, is deleted, or has one of the conditions for as long as they say. What owns it then replaces it: a MachineSet at once and without a limit, a control plane as its own remediation says.',
  formula:
    'a machine whose node never comes is replaced every nodeStartupTimeout; no wait and no limit beyond that, except those of a control plane',
  cite: sources.healthCheck,
  sites,
  fields: healthCheckFields,
  facts: ({ root }): HealthCheckPlace => ({ version: apiVersionOf(root) }),
  schedule: (_values, policy) => replacements(startupOf(policy) ?? minutes(10)),
  rules: [
    defineRule({
      slug: 'startup-timeout-too-short',
      severity: 'error',
      summary: 'A startup timeout below 30s, which the webhook refuses.',
      explanation:
        'A node needs time to come up; the webhook refuses a timeout of less than 30s. `0` switches the check off.',
      cite: sources.healthCheckWebhook,
      *check(context: Context) {
        const name = startupName(context.policy.facts.version);
        const setting = context.settings[name];
        const node = scalarOf(context, name);
        if (setting.from !== 'document' || node === undefined) return;
        if (setting.value <= 0 || setting.value >= shortestStartup) return;
        const text = name === 'nodeStartupTimeout' ? '10m' : '600';
        yield {
          message: `The webhook refuses a startup timeout of ${formatDuration(setting.value)}: it is at least 30s, or 0 for none. Most providers need minutes`,
          at: context.valueSpanOf(name),
          fixes: fix(
            `Write ${text}`,
            false,
            name === 'nodeStartupTimeout' ? replaceText(node, text) : replaceValue(node, text),
          ),
        };
      },
    }),
    defineRule({
      slug: 'unhealthy-range',
      severity: 'error',
      summary: 'A range of unhealthy machines that cannot be read, or that holds no number.',
      explanation:
        'A range is written as `[1-3]`, in brackets and without blanks: remediation goes on while at least 1 and at most 3 machines are unhealthy. The API server refuses other texts, and a range whose end is below its start holds no number, so no machine is ever remediated.',
      cite: sources.healthCheckTypes,
      *check(context: Context) {
        const name = rangeName(context.policy.facts.version);
        const node = scalarOf(context, name);
        const setting = context.settings[name];
        if (node === undefined || setting.from !== 'document' || isRunTimeText(setting.value))
          return;
        const [, from = '', to = ''] = /^\[([0-9]+)-([0-9]+)\]$/.exec(setting.value) ?? [];
        if (from === '') {
          const [low, high] = setting.value.match(/\d+/g) ?? [];
          const meant =
            low !== undefined && high !== undefined && Number(low) <= Number(high)
              ? `[${low}-${high}]`
              : undefined;
          yield {
            message: `The API server refuses the range \`${setting.value}\`: write it as \`[1-3]\`, in brackets and without blanks`,
            at: context.valueSpanOf(name),
            fixes:
              meant === undefined
                ? []
                : fix(`Write "${meant}"`, true, replaceValue(node, `"${meant}"`)),
          };
        } else if (Number(from) > Number(to)) {
          yield {
            message: `No machine is ever remediated: no number is at least ${from} and at most ${to}. Write \`[${to}-${from}]\``,
            at: context.valueSpanOf(name),
            fixes: fix(`Write [${to}-${from}]`, true, replaceText(node, `[${to}-${from}]`)),
          };
        }
      },
    }),
    defineRule({
      ...conditionTimeout,
      cite: sources.healthCheckTypes,
      check: (context: Context) => conditionTimeouts(context.node, context.policy.facts.version),
    }),
    defineRule({
      ...otherVersion,
      cite: sources.healthCheckTypes,
      check: (context: Context) =>
        keysOfOther(context, context.policy.facts.version, renamedChecks),
    }),
  ],
  notes,
  effect: (policy, name) => {
    const { settings, facts } = policy;
    const startup = startupOf(policy);
    switch (name) {
      case startupName(facts.version):
        if (startup === undefined) return undefined;
        return startup <= 0
          ? 'A machine whose node never comes stays as it is'
          : `A machine without a node is unhealthy ${formatDuration(startup)} after it was made, and its replacement gets as long again`;
      case 'maxUnhealthy':
      case 'unhealthyLessThanOrEqualTo': {
        const most = valueOf(settings[name]);
        return most === undefined
          ? undefined
          : `With more than ${most} unhealthy machines none is remediated until some of them recover`;
      }
      default:
        return undefined;
    }
  },
  live: healthCheckLive,
  examples: [
    {
      name: 'workers that get ten minutes',
      yaml: `apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata:
  name: workers
spec:
  clusterName: prod
  selector: {matchLabels: {pool: workers}}
  checks:
    unhealthyNodeConditions:
      - {type: Ready, status: Unknown, timeoutSeconds: 300}
  remediation:
    triggerIf:
      unhealthyLessThanOrEqualTo: 40%
`,
      waits: ['10m', '10m', '10m'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'in the words of v1beta1, without a limit on the start',
      yaml: `apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineHealthCheck
metadata:
  name: workers
spec:
  clusterName: prod
  selector: {matchLabels: {pool: workers}}
  nodeStartupTimeout: 0s
  maxUnhealthy: 40%
  unhealthyConditions:
    - {type: Ready, status: Unknown, timeout: 5m}
`,
      waits: [],
      ends: 'the start of nodes is not checked',
      findings: [],
    },
  ],
});

/** How often a machine is replaced whose node never comes. */
function replacements(startup: Ms): Schedule<keyof HealthCheckFields> {
  return startup > 0
    ? { waits: constant(startup), stops: [], resets: [], clock: 'after-attempt' }
    : {
        waits: finite([]),
        stops: [unchecked],
        exhausted: unchecked,
        resets: [],
        clock: 'after-attempt',
      };
}

function* notes({ settings, facts }: HealthCheckPolicy): Generator<Note<keyof HealthCheckFields>> {
  yield {
    text: 'A MachineSet replaces unhealthy machines at once, again and again; a KubeadmControlPlane has `maxRetry` and a retry period of its own',
  };
  const most =
    facts.version === 'v1beta1' ? settings.maxUnhealthy : settings.unhealthyLessThanOrEqualTo;
  if (most.from === 'unset' && settings[rangeName(facts.version)].from === 'unset') {
    yield {
      text: 'Nothing holds remediation back when many machines fail together: a network that is down has all of them replaced',
    };
  }
}
