import { atLeast, versionOf, type Environment } from '../../environment.ts';
import { formatDuration } from '../../durations/format.ts';
import { fix, insertEntry, removeEntry } from '../../edits.ts';
import { defineFamily, type FactsInput, type Site } from '../../family.ts';
import { field } from '../../field.ts';
import { goDuration } from '../../format.ts';
import { valueOf } from '../../setting.ts';
import { child, nameSpan, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { minutes, seconds } from '../../units.ts';
import {
  maxGate,
  maxIsSettable,
  reduceGate,
  restartBackoffOf,
  restartCap,
  restartResets,
  restartWaits,
} from './crashLoop.ts';
import { kubeletMisspelled } from './kubeletNames.ts';
import { kubernetes, sources } from './system.ts';

const fields = {
  maxContainerRestartPeriod: field(
    goDuration,
    'maxContainerRestartPeriod',
    'The longest wait between restarts of a container on this node',
  )
    .within({
      min: seconds(1),
      max: minutes(5),
      consequence: 'so the kubelet, which takes 1s to 5m, does not start',
      cite: sources.kubeletValidation,
    })
    .unset('5m, or 1m where only ReduceDefaultCrashLoopBackOffDecay is on'),
};

const group = 'kubelet.config.k8s.io';
const block = 'crashLoopBackOff';

/** The key under which kubeadm keeps the configuration of its kubelets. */
const kubeadmKey = 'kubelet';

const isConfiguration = (entry: SourceNode | undefined): boolean =>
  entry?.kind === 'scalar' &&
  entry.text.includes(`${group}/`) &&
  /^kind: KubeletConfiguration\s*$/m.test(entry.text);

/** A document of its own, the ConfigMap of kubeadm, or another ConfigMap that writes the block. */
const sites: readonly Site[] = [
  { group, kinds: ['KubeletConfiguration'], anchor: block, implied: true },
  {
    group: '',
    kinds: ['ConfigMap'],
    anchor: `data.${kubeadmKey}>${block}`,
    implied: true,
    needs: [group],
    when: (root) => isConfiguration(nodeAt(root, ['data', kubeadmKey])),
  },
  {
    group: '',
    kinds: ['ConfigMap'],
    anchor: `data.*>${block}`,
    needs: [group],
    when: (root) => {
      const data = child(root, 'data');
      return data?.kind === 'map' && [...data.children.values()].some(isConfiguration);
    },
    view: (node, root) => {
      const [, key] = node.path;
      const isOther = key !== kubeadmKey && isConfiguration(nodeAt(root, node.path.slice(0, 2)));
      return isOther ? node : undefined;
    },
  },
];

/** The gates of the environment with those that the kubelet's own file turns on and off. */
function withOwnGates(env: Environment, root: SourceNode): Environment {
  const own = [maxGate, reduceGate].flatMap((gate) => {
    const text = textAt(root, 'featureGates', gate);
    return text === 'true' || text === 'false' ? [[gate, text === 'true'] as const] : [];
  });
  return own.length === 0 ? env : { ...env, gates: new Map([...env.gates, ...own]) };
}

/** The setting of a node for the longest wait of CrashLoopBackOff. */
export const family = defineFamily({
  id: 'kubernetes/kubelet-restart',
  system: kubernetes,
  title: 'Container restarts of a node',
  summary:
    "A kubelet's configuration decides how long the containers of its node wait at most in CrashLoopBackOff. The first restart stays immediate; a shorter maximum shortens the first waits too.",
  formula:
    'wait before restart n = 0s for n = 1, then min(base × 2^(n-2), maxContainerRestartPeriod), where base is 10s, or the maximum if that is less (1s with ReduceDefaultCrashLoopBackOffDecay)',
  cite: sources.restartBounds,
  sites,
  fields,
  closed: { alsoKnown: [] },
  // Its name while it was designed.
  meantBy: (key) => (/^maximumBackOff/i.test(key) ? 'maxContainerRestartPeriod' : undefined),
  documentRules: [kubeletMisspelled],
  facts: ({ parents, root, env }: FactsInput) => ({ env: withOwnGates(env, parents[0] ?? root) }),
  schedule: ({ maxContainerRestartPeriod }, { facts }) => {
    const backoff = restartBackoffOf(facts.env, maxContainerRestartPeriod);
    return {
      waits: restartWaits(backoff),
      cap:
        backoff.maxSetBy === 'node'
          ? { value: backoff.max, origin: { kind: 'field', field: 'maxContainerRestartPeriod' } }
          : restartCap(backoff),
      stops: [],
      resets: restartResets,
      clock: 'after-attempt',
    };
  },
  rules: [
    {
      slug: 'kubelet-restart-gate',
      severity: 'error',
      summary: 'A longest wait that this kubelet does not take.',
      explanation:
        '`crashLoopBackOff.maxContainerRestartPeriod` belongs to the gate KubeletCrashLoopBackOffMax: off by default from 1.32 to 1.34, on from 1.35. A kubelet that has the gate off refuses the setting and does not start.',
      cite: sources.kubeletValidation,
      *check({ settings, policy, keyOf, nodeOf, tree }) {
        const { env } = policy.facts;
        if (settings.maxContainerRestartPeriod.from !== 'document' || maxIsSettable(env)) return;
        const { version } = versionOf(env, kubernetes);
        const node = nodeOf('maxContainerRestartPeriod');
        const way = atLeast(env, kubernetes, '1.32.0')
          ? `turn on the gate ${maxGate}, or remove the line`
          : 'remove the line, 1.32 is the first version that has it';
        yield {
          message: `A kubelet of ${version} does not start with this setting: ${way}`,
          at: keyOf('maxContainerRestartPeriod'),
          fixes: fix(
            'Remove maxContainerRestartPeriod',
            false,
            node === undefined ? undefined : removeEntry(tree, node),
          ),
        };
      },
    },
    {
      slug: 'kubelet-reduced-wait-undone',
      severity: 'warning',
      summary: 'The gate for shorter waits, undone by a default.',
      explanation:
        'ReduceDefaultCrashLoopBackOffDecay alone ends the waits at 1m. Where KubeletCrashLoopBackOffMax is on too (the default from 1.35), `maxContainerRestartPeriod` is in force with its default of 5m, and the waits start at 1s but grow to 5m.',
      cite: sources.restartBounds,
      *check({ settings, policy, parents, tree }) {
        const root = parents[0];
        const { env } = policy.facts;
        const gate = nodeAt(root, ['featureGates', reduceGate]);
        if (gate === undefined || textAt(root, 'featureGates', reduceGate) !== 'true') return;
        if (settings.maxContainerRestartPeriod.from !== 'unset' || !maxIsSettable(env)) return;
        const at = nameSpan(gate);
        if (at === undefined) return;
        yield {
          message:
            'The waits start at 1s but still grow to 5m, not 1m: the default of `crashLoopBackOff.maxContainerRestartPeriod` wins. Set it to 60s',
          at,
          fixes:
            root?.kind === 'map' && !root.children.has('crashLoopBackOff')
              ? fix(
                  'Add maxContainerRestartPeriod: 60s',
                  false,
                  insertEntry(
                    tree,
                    root,
                    'crashLoopBackOff',
                    '{ maxContainerRestartPeriod: 60s }',
                    'featureGates',
                  ),
                )
              : [],
        };
      },
    },
  ],
  *notes({ settings, facts }) {
    const value = valueOf(settings.maxContainerRestartPeriod);
    if (value !== undefined && value < 10_000) {
      yield {
        field: 'maxContainerRestartPeriod',
        text: `The first wait after the immediate restart is ${formatDuration(value)} too, not 10s`,
      };
    }
    yield {
      text: maxIsSettable(facts.env)
        ? 'Image pulls keep their own waits of up to 5m'
        : 'Up to 1.34 the gate KubeletCrashLoopBackOffMax must be on for the setting to be taken',
    };
  },
  examples: [
    {
      name: 'a node that restarts containers sooner',
      yaml: `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
crashLoopBackOff:
  maxContainerRestartPeriod: 100s
`,
      waits: ['0s', '10s', '20s', '40s', '1m20s', '1m40s', '1m40s', '1m40s'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'less than the ordinary first wait',
      yaml: `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
crashLoopBackOff:
  maxContainerRestartPeriod: 2s
`,
      waits: ['0s', '2s', '2s', '2s'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'both gates on, and a maximum of its own',
      yaml: `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
featureGates:
  ReduceDefaultCrashLoopBackOffDecay: true
crashLoopBackOff:
  maxContainerRestartPeriod: 60s
`,
      waits: ['0s', '1s', '2s', '4s', '8s', '16s', '32s', '1m'],
      ends: 'never',
      findings: [],
    },
  ],
});
