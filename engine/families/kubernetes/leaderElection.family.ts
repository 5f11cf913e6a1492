import { formatDuration, writeGoDuration } from '../../durations/format.ts';
import { fix, insertEntry, replaceText } from '../../edits.ts';
import {
  defineFamily,
  defineRule,
  type Note,
  type Policy,
  type PolicyContext,
  type Rule,
} from '../../family.ts';
import { field } from '../../field.ts';
import type { Fix } from '../../finding.ts';
import { boolean, goDuration } from '../../format.ts';
import { constant } from '../../growth.ts';
import { scalarOf } from '../../policyRules.ts';
import { bound, type Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { plural } from '../../summary.ts';
import { ms, seconds, type Ms } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';
import { certManagerBlock, leaderElectionSites } from './leaderElectionSites.ts';
import { kubernetes } from './system.ts';

const negative = {
  min: ms(0),
  consequence: 'the process ends when it starts',
  cite: sources.leaderElector,
};
const besideCertManager = `../${certManagerBlock}`;

const leaderFields = {
  leaseDuration: field(
    goDuration,
    'leaseDuration',
    'How long the others wait, after the last renewal they saw, before one of them takes the lead',
  )
    .beside()
    .within(negative)
    .otherwise(besideCertManager, seconds(60), sources.certManagerLeader)
    .defaultsTo(seconds(15), sources.leaderDefaults),
  renewDeadline: field(
    goDuration,
    'renewDeadline',
    'How long the leader tries to renew its lease before it gives up',
  )
    .within(negative)
    .otherwise(besideCertManager, seconds(40), sources.certManagerLeader)
    .defaultsTo(seconds(10), sources.leaderDefaults),
  retryPeriod: field(goDuration, 'retryPeriod', 'Time between two tries to get or renew the lease')
    .within(negative)
    .otherwise(besideCertManager, seconds(15), sources.certManagerLeader)
    .defaultsTo(seconds(2), sources.leaderDefaults),
  leaderElect: field(boolean, 'leaderElect', 'Whether the processes elect a leader at all')
    .beside()
    .unset('the component decides; mostly they do'),
  enabled: field(boolean, 'enabled', 'Whether the processes elect a leader at all (cert-manager)')
    .beside()
    .unset('they do'),
} as const;

type Fields = typeof leaderFields;
type Name = 'leaseDuration' | 'renewDeadline' | 'retryPeriod';

/** How much longer than the period a candidate may wait: `wait.Jitter` with this factor. */
const jitterFactor = 1.2;

const usual = {
  leaseDuration: [15, 60],
  renewDeadline: [10, 40],
  retryPeriod: [2, 15],
} as const satisfies Record<Name, readonly [number, number]>;

/** A time as the process takes it: a duration of 0 counts as not written. */
function timeOf({ settings, anchor }: Placed, name: Name): Ms | undefined {
  const value = valueOf(settings[name]);
  if (value === undefined || value < 0) return undefined;
  const [ofComponents, ofCertManager] = usual[name];
  const isCertManager = anchor.at(-1) === certManagerBlock;
  return value > 0 ? value : seconds(isCertManager ? ofCertManager : ofComponents);
}

type Placed = Pick<Policy<Fields>, 'settings' | 'anchor'>;

const isOff = ({ settings }: Pick<Policy<Fields>, 'settings'>): boolean =>
  valueOf(settings.leaderElect) === false || valueOf(settings.enabled) === false;

const rules: readonly Rule<Fields>[] = [
  defineRule({
    slug: 'lease-too-short',
    severity: 'error',
    summary: 'The lease is not longer than the time in which the leader may renew it.',
    explanation:
      'A leader that cannot renew its lease must have given up before another one may take it, or there would be two. The process checks this when it starts, and ends with an error where `leaseDuration` is not longer than `renewDeadline`. The defaults are 15s and 10s.',
    cite: sources.leaderElector,
    *check(context: PolicyContext<Fields>) {
      const lease = timeOf(context.policy, 'leaseDuration');
      const renew = timeOf(context.policy, 'renewDeadline');
      if (lease === undefined || renew === undefined || lease > renew) return;
      if (isOff(context.policy)) return;
      const name =
        scalarOf(context, 'leaseDuration') === undefined ? 'renewDeadline' : 'leaseDuration';
      yield {
        message: `The process ends when it starts: \`leaseDuration\` (${told(context, 'leaseDuration', lease)}) must be longer than \`renewDeadline\` (${told(context, 'renewDeadline', renew)}). Write ${writeGoDuration(ms(renew * 1.5))} or more`,
        at: context.valueSpanOf(name),
        fixes: write(context, 'leaseDuration', ms(renew * 1.5)),
      };
    },
  }),
  defineRule({
    slug: 'renew-deadline-too-short',
    severity: 'error',
    summary: 'The leader has no time for a second try before it gives up.',
    explanation:
      'The process checks when it starts that `renewDeadline` is longer than 1.2 times `retryPeriod`, and ends with an error where it is not. Where the deadline holds only one or two tries, one slow answer of the API server costs the lead. The defaults are 10s and 2s.',
    cite: sources.leaderElector,
    *check(context: PolicyContext<Fields>) {
      const renew = timeOf(context.policy, 'renewDeadline');
      const retry = timeOf(context.policy, 'retryPeriod');
      if (renew === undefined || retry === undefined || isOff(context.policy)) return;
      // Whole nanoseconds, cut, as `time.Duration(JitterFactor * float64(RetryPeriod))` has them.
      const least = Math.trunc(jitterFactor * Math.round(retry * 1e6)) / 1e6;
      if (renew > least) return;
      const name =
        scalarOf(context, 'renewDeadline') === undefined ? 'retryPeriod' : 'renewDeadline';
      yield {
        message: `The process ends when it starts: \`renewDeadline\` (${told(context, 'renewDeadline', renew)}) must be longer than 1.2 times \`retryPeriod\` (${told(context, 'retryPeriod', retry)}), which is ${formatDuration(ms(least))}. Shorten the period or raise the deadline`,
        at: context.valueSpanOf(name),
        fixes: write(context, 'retryPeriod', ms(Math.max(1, Math.trunc(renew / 5)))),
      };
    },
  }),
];

const told = (context: PolicyContext<Fields>, name: Name, value: Ms): string =>
  context.settings[name].from === 'document' && valueOf(context.settings[name]) === value
    ? formatDuration(value)
    : `${formatDuration(value)}, the default`;

function write(context: PolicyContext<Fields>, name: Name, value: Ms): readonly Fix[] {
  const text = writeGoDuration(value);
  const node = scalarOf(context, name);
  if (node !== undefined) return fix(`Write ${name}: ${text}`, false, replaceText(node, text));
  // Flags are no map to add an entry to.
  const { node: block, tree } = context;
  const isFlags = context.policy.site.view !== undefined;
  return block?.kind !== 'map' || isFlags
    ? []
    : fix(`Write ${name}: ${text}`, false, insertEntry(tree, block, name, text));
}

/** Who leads among the processes of a component, and how fast another takes over. */
export const family = defineFamily({
  id: 'kubernetes/leader-election',
  system: kubernetes,
  title: 'Leader election',
  summary:
    'Of several processes one leads: it renews a lease every `retryPeriod`. A leader that cannot renew it tries again until `renewDeadline` has passed, then gives up and its process ends; another takes the lease once `leaseDuration` has passed since the last renewal it saw.',
  formula:
    'the leader renews every retryPeriod and gives up renewDeadline after the first failed try; the others try every retryPeriod × (1 to 2.2)',
  cite: sources.leaderElector,
  sites: leaderElectionSites,
  fields: leaderFields,
  schedule: ({ renewDeadline, retryPeriod }, policy): Schedule<keyof Fields> => {
    const retry = timeOf(policy, 'retryPeriod') ?? retryPeriod;
    return {
      waits: constant(retry > 0 ? retry : ms(1)),
      stops: [
        {
          kind: 'elapsed',
          limit: timeOf(policy, 'renewDeadline') ?? renewDeadline,
          edge: 'excluded',
          then: 'the leader gives up and its process ends',
          origin: { kind: 'field', field: 'renewDeadline' },
        },
      ],
      resets: [
        {
          text: 'a renewal that succeeds',
          origin: { kind: 'built-in', name: 'renew', cite: sources.leaderElector },
        },
      ],
      clock: 'fixed-rate',
    };
  },
  rules,
  notes,
  effect: (policy, name) => {
    const lease = timeOf(policy, 'leaseDuration');
    const renew = timeOf(policy, 'renewDeadline');
    const retry = timeOf(policy, 'retryPeriod');
    switch (name) {
      case 'leaseDuration':
        return lease === undefined
          ? undefined
          : `When the leader vanishes, nothing leads for ${formatDuration(lease)} or a little more`;
      case 'renewDeadline': {
        if (renew === undefined || retry === undefined) return undefined;
        const end = bound(family.schedule(noneElse(renew, retry), policy));
        const retries = end.kind === 'bounded' ? (end.retries?.hi ?? 0) : 0;
        return `A leader that cannot reach the API server tries ${plural(retries + 1, 'time')} and gives up after ${formatDuration(renew)}`;
      }
      case 'retryPeriod':
        return retry === undefined
          ? undefined
          : `The leader renews every ${formatDuration(retry)}; the others try every ${formatDuration(retry)} to ${formatDuration(ms(retry * (1 + jitterFactor)))}`;
      default:
        return isOff(policy) ? 'Every process works; the times above have no effect' : undefined;
    }
  },
  examples: [
    {
      name: 'the defaults, written out',
      yaml: `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: true
  leaseDuration: 15s
  renewDeadline: 10s
  retryPeriod: 2s
`,
      waits: ['2s', '2s', '2s', '2s'],
      ends: 'after 4 retries, by renewDeadline',
      findings: [],
    },
    {
      name: 'a lease as long as its renewal',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: kueue-manager-config
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    leaderElection:
      leaderElect: true
      leaseDuration: 30s
      renewDeadline: 30s
      retryPeriod: 5s
`,
      waits: ['5s', '5s', '5s', '5s', '5s'],
      ends: 'after 5 retries, by renewDeadline',
      findings: ['kubernetes/lease-too-short'],
    },
  ],
});

const noneElse = (renewDeadline: Ms, retryPeriod: Ms) =>
  ({
    leaseDuration: undefined,
    renewDeadline,
    retryPeriod,
    leaderElect: undefined,
    enabled: undefined,
  }) as const;

function* notes(policy: Policy<Fields>): Generator<Note<keyof Fields>> {
  if (isOff(policy)) {
    yield {
      text: 'Leader election is off: every process works, and these times have no effect',
    };
    return;
  }
  const lease = timeOf(policy, 'leaseDuration');
  const retry = timeOf(policy, 'retryPeriod');
  if (lease === undefined || retry === undefined) return;
  yield {
    text: `A process that ends in good order may release the lease; one that vanishes leaves it, and another takes over ${formatDuration(lease)} after the last renewal it saw, at its next try within ${formatDuration(ms(retry * (1 + jitterFactor)))}`,
  };
}
