import { formatDuration } from '../../durations/format.ts';
import { atLeast } from '../../environment.ts';
import { defineFamily, type FactsInput, type Note, type Policy, type Site } from '../../family.ts';
import { finite } from '../../growth.ts';
import { capReachedAt, type Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { child, textAt, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';
import { requeueWaits, capsInside, hasBounds } from './requeueWaits.ts';
import { requeuingFields, type RequeuingFields, type RequeuingPlace } from './requeuingFields.ts';
import { requeuingRules } from './requeuingRules.ts';
import { kueue, sources } from './system.ts';
import { workloadLive } from './workloadLive.ts';

const group = 'config.kueue.x-k8s.io';
const block = 'waitForPodsReady';

const sites: readonly Site[] = [
  // From 0.19 on v1beta2 is on without the block.
  { group, kinds: ['Configuration'], anchor: block, implied: true, when: isOfV1beta2 },
  { group, kinds: ['Configuration'], anchor: block, when: (root) => !isOfV1beta2(root) },
  {
    group: '',
    kinds: ['ConfigMap'],
    anchor: `data.*>${block}`,
    needs: [group],
    implied: true,
    when: (root) => holdsOnly(root),
  },
  {
    group: '',
    kinds: ['ConfigMap'],
    anchor: `data.*>${block}`,
    needs: [group],
    when: (root) => !holdsOnly(root) && entriesOf(root).some(isConfiguration),
  },
  {
    group: 'helm.toolkit.fluxcd.io',
    kinds: ['HelmRelease'],
    anchor: `spec.values.managerConfig.controllerManagerConfigYaml>${block}`,
    needs: ['controllerManagerConfigYaml'],
  },
];

function isOfV1beta2(root: SourceNode): boolean {
  return textAt(root, 'apiVersion') === `${group}/v1beta2`;
}

function entriesOf(root: SourceNode): readonly SourceNode[] {
  const data = child(root, 'data');
  return data?.kind === 'map' ? [...data.children.values()] : [];
}

/** A ConfigMap with a configuration of v1beta2 and nothing else, as Kueue is installed with. */
function holdsOnly(root: SourceNode): boolean {
  const [only, ...others] = entriesOf(root);
  if (only?.kind !== 'scalar' || others.length > 0) return false;
  return (
    only.text.includes(`apiVersion: ${group}/v1beta2`) &&
    /^kind: Configuration\s*$/m.test(only.text)
  );
}

function isConfiguration(entry: SourceNode): boolean {
  return entry.kind === 'scalar' && entry.text.includes(`${group}/`) && entry.text.includes(block);
}

type RequeuingPolicy = Policy<RequeuingFields, RequeuingPlace>;

const off = {
  kind: 'condition',
  text: '`waitForPodsReady` is off',
  then: 'no Workload is evicted for pods that are not ready',
  origin: { kind: 'field', field: 'enable' },
} as const;

/** What Kueue does with a Workload whose pods do not get ready. */
export const family = defineFamily({
  id: 'kueue/requeuing',
  system: kueue,
  title: 'Kueue requeuing',
  summary:
    'A Workload whose pods are not all ready within `timeout` is evicted, and put back into its queue after a wait that doubles each time. After `backoffLimitCount` such returns the next eviction deactivates it; without that limit it goes on for ever.',
  formula:
    'wait before return n = min(backoffBaseSeconds × 2^(n-1), backoffMaxSeconds), plus up to 0.01%; deactivated at eviction backoffLimitCount + 1',
  cite: sources.requeue,
  sites,
  fields: requeuingFields,
  facts: ({ node, parents, env }: FactsInput): RequeuingPlace => {
    const version = textAt(parents[0], 'apiVersion')?.split('/')[1];
    const gate = textAt(parents[0], 'featureGates', 'DisableWaitForPodsReady');
    return {
      version: version === 'v1beta1' || version === 'v1beta2' ? version : undefined,
      isWritten: node !== undefined && !(node.kind === 'scalar' && node.value === null),
      isDisabled: gate === 'true' || env.gates.get('DisableWaitForPodsReady') === true,
    };
  },
  schedule: (values, policy): Schedule<keyof RequeuingFields> => {
    const { env } = policy;
    const { backoffLimitCount: limit, backoffBaseSeconds: base, backoffMaxSeconds: max } = values;
    if (isOff(policy)) {
      return {
        waits: finite([]),
        stops: [off],
        exhausted: off,
        resets: [],
        clock: 'after-attempt',
      };
    }
    return {
      waits: requeueWaits(env, base, max),
      ...(hasBounds(env) && max > 0
        ? { cap: { value: max, origin: { kind: 'field', field: 'backoffMaxSeconds' } } }
        : {}),
      stops:
        limit === undefined
          ? []
          : [
              {
                kind: 'retries',
                limit,
                then: 'the Workload is deactivated',
                origin: { kind: 'field', field: 'backoffLimitCount' },
              },
            ],
      resets: [
        {
          text: 'the Workload is deactivated and activated again; pods that got ready reset nothing',
          origin: { kind: 'built-in', name: 'requeueState', cite: sources.requeue },
        },
      ],
      clock: 'after-attempt',
    };
  },
  rules: requeuingRules,
  notes,
  effect,
  live: workloadLive,
  examples: [
    {
      name: 'the defaults, five times',
      yaml: `apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
waitForPodsReady:
  timeout: 10m
  requeuingStrategy:
    backoffLimitCount: 5
`,
      waits: ['1m..1m0.006s', '2m..2m0.012s', '4m..4m0.024s', '8m..8m0.048s', '16m..16m0.096s'],
      ends: 'after 5 retries',
      findings: [],
    },
    {
      name: 'from the ConfigMap, without end',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: kueue-manager-config
  namespace: kueue-system
data:
  controller_manager_config.yaml: |
    apiVersion: config.kueue.x-k8s.io/v1beta1
    kind: Configuration
    waitForPodsReady:
      enable: true
      requeuingStrategy:
        backoffBaseSeconds: 10
        backoffMaxSeconds: 120
`,
      waits: ['10s..10.001s', '20s..20.002s', '40s..40.004s', '1m20s..1m20.008s', '2m..2m0.012s'],
      ends: 'never',
      findings: [],
    },
  ],
});

function isOff({
  settings,
  facts,
  env,
}: Pick<RequeuingPolicy, 'settings' | 'facts' | 'env'>): boolean {
  if (facts.version !== 'v1beta1') {
    return !facts.isWritten && (facts.isDisabled || !atLeast(env, kueue, '0.19.0'));
  }
  return settings.enable.from === 'unset' || valueOf(settings.enable) === false;
}

function* notes(policy: RequeuingPolicy): Generator<Note<keyof RequeuingFields>> {
  const { facts, settings, env } = policy;
  if (isOff(policy)) {
    yield {
      text:
        facts.version === 'v1beta1'
          ? 'With v1beta1 it is off unless `enable: true` is written: no Workload is evicted or put back'
          : 'It is off without the block (on from 0.19, unless the gate DisableWaitForPodsReady is on): no Workload is evicted or put back',
    };
    return;
  }
  if (!facts.isWritten) {
    yield {
      text: 'From 0.19 on v1beta2 waits for pods without the block too: a Workload whose pods are not all ready 30m after its admission is evicted',
    };
  }
  if (facts.version === 'v1beta1') {
    yield {
      text: 'On the way to v1beta2: `enable` goes, `timeout` becomes 30m where it is not written (5m here), and `blockAdmission` false (true here)',
    };
  }
  if (settings.backoffLimitCount.from === 'unset') {
    yield {
      text: 'Without `backoffLimitCount` a Workload that can never get ready is admitted, evicted and put back for ever',
    };
  }
  if (hasBounds(env) && !capsInside(env)) {
    yield {
      text: 'Before 0.15 the maximum cuts every wait, the first one and the random part too',
    };
  }
  yield {
    text: 'The end of the wait is in the Workload: `status.requeueState.requeueAt`. An admission check may move it later, never earlier',
  };
}

function effect(policy: RequeuingPolicy, name: keyof RequeuingFields): string | undefined {
  const { settings, env } = policy;
  if (isOff(policy)) return name === 'enable' ? 'Kueue does not wait for pods' : undefined;
  const limit = valueOf(settings.backoffLimitCount);
  const base = valueOf(settings.backoffBaseSeconds);
  const max = valueOf(settings.backoffMaxSeconds);
  const timeout = valueOf(settings.timeout);
  switch (name) {
    case 'backoffLimitCount':
      return limit === undefined
        ? undefined
        : `${plural(limit, 'return')} to the queue: the pods get ${plural(limit + 1, 'chance')} in all, then the Workload is deactivated`;
    case 'backoffBaseSeconds':
      return base === undefined || !hasBounds(env)
        ? undefined
        : `The first return waits ${formatDuration(base)}, each further one twice as long`;
    case 'backoffMaxSeconds': {
      if (base === undefined || max === undefined || !hasBounds(env)) return undefined;
      if (max <= 0) {
        return capsInside(env) ? 'Waits have no maximum' : 'Every wait is cut to nothing';
      }
      const at = capReachedAt({
        waits: requeueWaits(env, base, max),
        cap: { value: max, origin: { kind: 'field', field: 'backoffMaxSeconds' } },
        stops: [],
        resets: [],
        clock: 'after-attempt',
      });
      return at === undefined
        ? undefined
        : `From return ${String(at)} on the wait is ${formatDuration(max)}`;
    }
    case 'timestamp':
      return valueOf(settings.timestamp) === 'Creation'
        ? 'A Workload that is put back keeps its place in the queue'
        : 'A Workload that is put back stands behind those that were there when it was evicted';
    case 'timeout':
      return timeout === undefined
        ? undefined
        : `A Workload whose pods are not all ready ${formatDuration(timeout)} after its admission is evicted`;
    case 'blockAdmission':
      return valueOf(settings.blockAdmission) === true
        ? 'No other Workload is admitted while an admitted one is not ready: one that cannot start holds up all others for the whole timeout'
        : undefined;
    default:
      return undefined;
  }
}
