import { knobSites } from '../../containerKnobs.ts';
import { atLeast } from '../../environment.ts';
import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import { boolean } from '../../format.ts';
import { itemExponential } from '../../goBackoff.ts';
import { constant, sequence } from '../../growth.ts';
import type { Waits } from '../../schedule.ts';
import { nodeAt, type MapNode, type ScalarNode, type SourceNode } from '../../source.ts';
import { ms, seconds } from '../../units.ts';
import { clusterApi, sources } from './system.ts';

const gate = 'ReconcilerRateLimiting';

/** The version from which the gate brings a limiter of its own, and is on by default. */
const limiterSince = '1.13.0';

const base = ms(5);
const longest = seconds(1000);
const least = seconds(1);

/** The queue of Cluster API's controllers, where their feature gate for it is written. */
export const family = defineFamily({
  id: 'cluster-api/rate-limiting',
  system: clusterApi,
  title: 'Queue of Cluster API controllers',
  summary:
    'A controller of Cluster API tries an object again when its reconcile returned an error, after a wait that grows with every failure in a row. The feature gate `ReconcilerRateLimiting` keeps at least a second between two attempts at one object.',
  formula: `on, since ${limiterSince}: wait after failure n = min(1s + 5ms × 2^(n-1), 1000s); on, in 1.12: 1s each time; off: min(5ms × 2^(n-1), 1000s)`,
  cite: sources.rateLimiter,
  sites: knobSites(['args.feature-gates'], [gate]).map((site) => ({
    ...site,
    view: (container, root) => gateIn(site.view?.(container, root)),
  })),
  fields: {
    isOn: field(boolean, gate, 'Whether at least 1s passes between two attempts').required(
      'without the gate the default of the version holds',
    ),
  },
  schedule: ({ isOn }, { env }) => ({
    waits: isOn ? limited(atLeast(env, clusterApi, limiterSince)) : itemExponential(base, longest),
    ...(isOn && !atLeast(env, clusterApi, limiterSince)
      ? {}
      : {
          cap: {
            value: longest,
            origin: { kind: 'built-in', name: 'the longest wait', cite: sources.rateLimiter },
          },
        }),
    stops: [],
    resets: [
      {
        text: 'a reconcile without an error, or a restart of the controller',
        origin: { kind: 'built-in', name: 'ActualForget', cite: sources.rateLimiter },
      },
    ],
    clock: 'after-attempt',
  }),
  rules: [],
  examples: [
    {
      name: 'at least a second between two attempts',
      yaml: managerWith('true'),
      waits: ['1.005s', '1.01s', '1.02s', '1.04s', '1.08s', '1.16s', '1.32s', '1.64s'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'the same in 1.12, where the wait starts anew each time',
      yaml: managerWith('true'),
      versions: { 'cluster-api': '1.12.0' },
      waits: ['1s', '1s', '1s'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'off',
      yaml: managerWith('false'),
      waits: ['5ms', '10ms', '20ms', '40ms'],
      ends: 'never',
      findings: [],
    },
  ],
});

/** In 1.12 the limiter forgets an object as soon as the gate puts it off, so each wait is the least one. */
function limited(hasLimiter: boolean): Waits {
  if (!hasLimiter) return constant(least);
  const growing = itemExponential(base, longest);
  const cut = (wait: number) => ms(Math.min(least + wait, longest));
  return sequence(function* added() {
    for (const { lo, hi } of growing) yield { lo: cut(lo), hi: cut(hi) };
  }, growing.constantFrom);
}

/** `--feature-gates=A=true,ReconcilerRateLimiting=true` as a block with that gate. */
function gateIn(knobs: SourceNode | undefined): MapNode | undefined {
  const flag = nodeAt(knobs, ['args', 'feature-gates']);
  if (knobs?.kind !== 'map' || flag?.kind !== 'scalar') return undefined;
  const text = new RegExp(`(?:^|,)\\s*${gate}=([^,]*)`).exec(flag.text)?.[1]?.trim();
  if (text === undefined) return undefined;
  const isWord = text === 'true' || text === 'false';
  const node: ScalarNode = {
    ...flag,
    text,
    value: isWord ? text === 'true' : text,
    style: 'plain',
    // The span is that of all gates.
    rough: true,
  };
  return { ...knobs, children: new Map<string, SourceNode>([[gate, node]]) };
}

function managerWith(value: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: capi-controller-manager
spec:
  template:
    spec:
      containers:
        - name: manager
          image: registry.k8s.io/cluster-api/cluster-api-controller:v1.13.0
          args:
            - --leader-elect
            - --feature-gates=ClusterTopology=true,${gate}=${value}
`;
}
