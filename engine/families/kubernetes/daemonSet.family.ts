import { fix, insertEntry, removeEntry, replaceValue } from '../../edits.ts';
import {
  defineFamily,
  defineRule,
  type Note,
  type PolicyContext,
  type Rule,
} from '../../family.ts';
import { field } from '../../field.ts';
import { oneOf, wholeSeconds } from '../../format.ts';
import { flowBackoff } from '../../goBackoff.ts';
import { sequence } from '../../growth.ts';
import { scalarOf } from '../../policyRules.ts';
import type { Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { child } from '../../source.ts';
import { exactly, minutes, ms, seconds, zero } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';
import { countOrPercent, isNone } from './countOrPercent.ts';
import { daemonSetLive, longestWait } from './daemonSetLive.ts';
import { bothNone, cannotMove } from './rolloutRules.ts';
import { kubernetes } from './system.ts';
import { workloadPlace, type WorkloadPlace } from './workloadPlace.ts';

const daemonSetFields = {
  minReadySeconds: field(
    wholeSeconds,
    'minReadySeconds',
    'How long a new pod must be ready before it counts as available',
  )
    .beside()
    .within({
      min: ms(0),
      consequence: 'the API server refuses it',
      cite: sources.workloadValidation,
    })
    .defaultsTo(ms(0), sources.workloadDefaults),
  updateStrategy: field(
    oneOf('RollingUpdate', 'OnDelete'),
    'updateStrategy.type',
    'Whether pods are replaced when the template changes',
  )
    .beside()
    .defaultsTo('RollingUpdate', sources.workloadDefaults),
  maxUnavailable: field(
    countOrPercent,
    'updateStrategy.rollingUpdate.maxUnavailable',
    'On how many nodes the pod may be missing during a rollout',
  )
    .beside()
    .defaultsTo('1', sources.workloadDefaults),
  maxSurge: field(
    countOrPercent,
    'updateStrategy.rollingUpdate.maxSurge',
    'On how many nodes a new pod may run beside the old one during a rollout',
  )
    .beside()
    .defaultsTo('0', sources.workloadDefaults),
} as const;

type Fields = typeof daemonSetFields;
type Context = PolicyContext<Fields, WorkloadPlace>;

const rule = (made: Rule<Fields, WorkloadPlace>): Rule<Fields, WorkloadPlace> => defineRule(made);

const rules: readonly Rule<Fields, WorkloadPlace>[] = [
  rule({
    slug: 'daemonset-surge-and-unavailable',
    severity: 'error',
    summary: 'A DaemonSet whose rollout may both add pods and take them away.',
    explanation:
      'A rollout of a DaemonSet either starts the new pod beside the old one (`maxSurge`) or takes the old one away first (`maxUnavailable`). The API server refuses both at once, and `maxUnavailable` is 1 where it is not written: `maxSurge` needs `maxUnavailable: 0` beside it.',
    cite: sources.workloadValidation,
    *check(context: Context) {
      const { settings, tree, policy } = context;
      const { maxSurge, maxUnavailable } = settings;
      if (maxSurge.from !== 'document' || isNone(maxSurge.value)) return;
      if (valueOf(settings.updateStrategy) !== 'RollingUpdate') return;
      const isDefault = maxUnavailable.from === 'default';
      if (isDefault && !policy.facts.isWhole) return;
      const away = valueOf(maxUnavailable);
      if (away === undefined || isNone(away)) return;
      const block = child(child(context.node, 'updateStrategy'), 'rollingUpdate');
      const written = scalarOf(context, 'maxUnavailable');
      const surge = context.nodeOf('maxSurge');
      const none =
        written === undefined
          ? block?.kind === 'map'
            ? insertEntry(tree, block, 'maxUnavailable', '0')
            : undefined
          : replaceValue(written, '0');
      yield {
        message: `The API server refuses \`maxSurge\` (${maxSurge.value}) beside \`maxUnavailable\` (${away}${isDefault ? ', the default' : ''}): one of them must be 0. Write \`maxUnavailable: 0\``,
        at: context.valueSpanOf('maxSurge'),
        fixes: [
          ...fix('Write maxUnavailable: 0', isDefault, none),
          ...(surge === undefined || block?.kind !== 'map' || block.children.size < 2
            ? []
            : fix('Remove maxSurge', false, removeEntry(tree, surge))),
        ],
      };
    },
  }),
  rule({
    ...cannotMove,
    needs: ['maxUnavailable', 'maxSurge'],
    cite: sources.workloadValidation,
    check: (context: Context) =>
      bothNone(
        context.settings.maxUnavailable,
        context.settings.maxSurge,
        scalarOf(context, 'maxSurge'),
        context.valueSpanOf('maxSurge'),
      ),
  }),
];

/** The first replacement does not wait; the back-off of client-go decides about the others. */
const growing = flowBackoff({ base: seconds(1), max: longestWait });

const schedule: Schedule<keyof Fields> = {
  waits: sequence(function* all() {
    yield exactly(zero);
    yield* growing;
  }, 12),
  cap: {
    value: longestWait,
    origin: { kind: 'built-in', name: 'the longest wait', cite: sources.daemonSet },
  },
  stops: [],
  resets: [
    {
      text: 'no failed pod was replaced on that node',
      after: minutes(30),
      origin: { kind: 'built-in', name: 'hasExpired', cite: sources.flowBackoff },
    },
    {
      text: 'a change of the DaemonSet, or a restart of kube-controller-manager',
      origin: { kind: 'built-in', name: 'the key of the back-off', cite: sources.daemonSet },
    },
  ],
  clock: 'fixed-rate',
};

/** How long a DaemonSet waits before it replaces a pod that failed. */
export const family = defineFamily({
  id: 'kubernetes/daemon-set',
  system: kubernetes,
  title: 'DaemonSet pods that failed',
  summary:
    'A pod of a DaemonSet that ends as Failed (evicted, or refused by the kubelet) is deleted and created again on the same node, after waits that double per node. No setting changes them. A container that crashes inside its pod restarts there, after waits of its own.',
  formula:
    'replacement n on a node waits min(1s × 2^(n-2), 15m) since the one before; the first does not wait; no jitter, no limit',
  cite: sources.daemonSet,
  sites: [
    {
      group: 'apps',
      kinds: ['DaemonSet'],
      anchor: 'spec',
      implied: true,
      when: (root) => child(root, 'spec')?.kind === 'map',
    },
  ],
  fields: daemonSetFields,
  facts: workloadPlace,
  schedule: () => schedule,
  rules,
  *notes(): Generator<Note<keyof Fields>> {
    yield {
      text: 'Each replacement leaves the event FailedDaemonPod on the DaemonSet; the waits are kept in the memory of kube-controller-manager',
    };
    yield {
      text: 'Errors of the API server are tried again after 5ms, doubling to 16m40s, without a limit',
    };
  },
  live: daemonSetLive,
  examples: [
    {
      name: 'the waits of every DaemonSet',
      yaml: `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers:
        - name: agent
          image: registry.example/agent:1
`,
      anchor: 'spec',
      waits: [
        ...['0s', '1s', '2s', '4s', '8s', '16s', '32s'],
        ...['1m4s', '2m8s', '4m16s', '8m32s', '15m', '15m'],
      ],
      ends: 'never',
      findings: [],
    },
  ],
});
