import { formatDuration } from '../../durations/format.ts';
import { fix, insertEntry, replaceText } from '../../edits.ts';
import { atLeast } from '../../environment.ts';
import {
  defineFamily,
  defineRule,
  type Note,
  type Policy,
  type PolicyContext,
  type Rule,
} from '../../family.ts';
import { field } from '../../field.ts';
import { wholeSeconds } from '../../format.ts';
import { itemExponential } from '../../goBackoff.ts';
import { scalarOf } from '../../policyRules.ts';
import { capReachedAt, type Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { minutes, seconds } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';
import { configurationSites } from './embeddedConfig.ts';
import { schedulerLive } from './schedulerLive.ts';
import { kubernetes } from './system.ts';

const refused = 'kube-scheduler does not start';

const schedulerFields = {
  podInitialBackoffSeconds: field(
    wholeSeconds,
    'podInitialBackoffSeconds',
    'Wait after the first attempt that found no node for a pod',
  )
    .within({ min: seconds(1), consequence: refused, cite: sources.schedulerValidation })
    .defaultsTo(seconds(1), sources.schedulerDefaults),
  podMaxBackoffSeconds: field(wholeSeconds, 'podMaxBackoffSeconds', 'Longest wait of a pod')
    .within({ min: seconds(1), consequence: refused, cite: sources.schedulerValidation })
    .defaultsTo(seconds(10), sources.schedulerDefaults),
} as const;

type Fields = typeof schedulerFields;

const unschedulableFlush = minutes(5);

const rules: readonly Rule<Fields>[] = [
  defineRule({
    slug: 'scheduler-backoff-reversed',
    severity: 'error',
    summary: 'The longest wait of the scheduler is shorter than the first one: it does not start.',
    explanation:
      'kube-scheduler checks its configuration when it starts, defaults filled in, and ends with an error where `podMaxBackoffSeconds` is below `podInitialBackoffSeconds`. Watch for it when only one of the two is written: the other keeps its default of 1 or 10.',
    cite: sources.schedulerValidation,
    *check(context: PolicyContext<Fields>) {
      const { settings, tree, node } = context;
      const initial = valueOf(settings.podInitialBackoffSeconds);
      const max = valueOf(settings.podMaxBackoffSeconds);
      if (initial === undefined || max === undefined || max >= initial) return;
      const isDefault = settings.podMaxBackoffSeconds.from === 'default';
      const wanted = String(initial / 1000);
      const longest = scalarOf(context, 'podMaxBackoffSeconds');
      const raise =
        longest === undefined
          ? node?.kind === 'map'
            ? insertEntry(tree, node, 'podMaxBackoffSeconds', wanted, 'podInitialBackoffSeconds')
            : undefined
          : replaceText(longest, wanted);
      yield {
        message: `kube-scheduler does not start: \`podMaxBackoffSeconds\` (${formatDuration(max)}${isDefault ? ', the default' : ''}) is below \`podInitialBackoffSeconds\` (${formatDuration(initial)}). Write at least ${wanted}`,
        at: context.valueSpanOf(isDefault ? 'podInitialBackoffSeconds' : 'podMaxBackoffSeconds'),
        fixes: fix(`Write podMaxBackoffSeconds: ${wanted}`, false, raise),
      };
    },
  }),
];

/** How long the scheduler leaves a pod alone after it found no node for it. */
export const family = defineFamily({
  id: 'kubernetes/scheduler',
  system: kubernetes,
  title: 'Scheduler back-off of a pod',
  summary:
    'A pod that no node fits is tried again after a wait that doubles with every failed attempt. The wait is the least it waits: a pod without a fitting node also needs a change in the cluster that may help, or 5 minutes without one, before it is tried again.',
  formula:
    'wait after failed attempt n = min(podInitialBackoffSeconds × 2^(n-1), podMaxBackoffSeconds), no jitter, no limit',
  cite: sources.schedulerQueue,
  sites: configurationSites('kubescheduler.config.k8s.io', ['KubeSchedulerConfiguration']),
  fields: schedulerFields,
  schedule: ({ podInitialBackoffSeconds, podMaxBackoffSeconds }): Schedule<keyof Fields> => ({
    waits: itemExponential(podInitialBackoffSeconds, podMaxBackoffSeconds),
    cap: {
      value: podMaxBackoffSeconds,
      origin: { kind: 'field', field: 'podMaxBackoffSeconds' },
    },
    stops: [],
    resets: [
      {
        text: 'the pod is scheduled, or deleted',
        origin: { kind: 'built-in', name: 'the queue', cite: sources.schedulerQueue },
      },
      {
        text: 'a restart of kube-scheduler, or another one taking the lead: the counts are kept in memory',
        origin: { kind: 'built-in', name: 'the queue in memory', cite: sources.schedulerQueue },
      },
    ],
    clock: 'after-attempt',
  }),
  rules,
  notes,
  effect: ({ settings }, name) => {
    const initial = valueOf(settings.podInitialBackoffSeconds);
    const max = valueOf(settings.podMaxBackoffSeconds);
    if (initial === undefined || max === undefined || max < initial) return undefined;
    if (name === 'podInitialBackoffSeconds') {
      return `A pod waits ${formatDuration(initial)} after its first failed attempt, and twice as long after each further one`;
    }
    const at = capReachedAt({ ...endless, waits: itemExponential(initial, max), cap: capOf(max) });
    return at === undefined
      ? undefined
      : `From failed attempt ${String(at)} on a pod waits ${formatDuration(max)}`;
  },
  live: schedulerLive,
  examples: [
    {
      name: 'the defaults',
      yaml: `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
`,
      waits: ['1s', '2s', '4s', '8s', '10s', '10s', '10s', '10s'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'a slower scheduler, from a ConfigMap',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: batch-scheduler
data:
  config.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    podInitialBackoffSeconds: 5
    podMaxBackoffSeconds: 60
`,
      waits: ['5s', '10s', '20s', '40s', '1m', '1m'],
      ends: 'never',
      findings: [],
    },
  ],
});

const endless = { stops: [], resets: [], clock: 'after-attempt' } as const;

const capOf = (value: ReturnType<typeof seconds>) =>
  ({ value, origin: { kind: 'field', field: 'podMaxBackoffSeconds' } }) as const;

function* notes({ env }: Policy<Fields>): Generator<Note<keyof Fields>> {
  yield {
    text: `An attempt that found no node is followed by the next one only when something in the cluster changes that may help, or after ${formatDuration(unschedulableFlush)} without; the back-off is the least that lies between the two`,
  };
  if (atLeast(env, kubernetes, '1.33.0') && env.gates.get('SchedulerPopFromBackoffQ') !== false) {
    yield {
      text: 'Waits end on whole seconds, so up to 1s early, and a pod in back-off is taken at once when no other pod is waiting (SchedulerPopFromBackoffQ, since 1.33)',
    };
  }
  yield atLeast(env, kubernetes, '1.34.0')
    ? {
        text: 'Attempts that ended in an error are counted apart from those that found no node; before 1.34 both counted together',
      }
    : {
        text: 'All attempts count, also those that ended in an error; since 1.34 these are counted apart',
      };
}
