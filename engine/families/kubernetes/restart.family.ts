import { formatDuration } from '../../durations/format.ts';
import { atLeast } from '../../environment.ts';
import { defineFamily, type Note, type Policy } from '../../family.ts';
import { finite } from '../../growth.ts';
import type { Schedule, Stop } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { exactly, minutes, ms, zero } from '../../units.ts';
import {
  maxGate,
  maxSetting,
  restartBackoff,
  restartCap,
  restartResets,
  restartSlack,
  restartWaits,
} from './crashLoop.ts';
import { describeCodes, includesCode, isEmptySet, otherCodes } from './exitCodes.ts';
import { ephemeralRestart } from './ephemeralRestart.ts';
import { containerSites, namedBy } from './podSites.ts';
import { restartFields, type RestartFields } from './restartFields.ts';
import { hasRestartRules } from './restartGates.ts';
import { restartLive } from './restartLive.ts';
import { restartPlace, type RestartPlace } from './restartPlace.ts';
import { restartRules } from './restartRules.ts';
import { kubernetes, sources } from './system.ts';

/** CrashLoopBackOff: how the kubelet restarts a container in its pod. */
export const family = defineFamily({
  id: 'kubernetes/container-restart',
  system: kubernetes,
  title: 'Container restarts (CrashLoopBackOff)',
  summary:
    'The kubelet restarts a container that ended, as `restartPolicy` allows: the first time at once, then after waits that double. The waits belong to the container of this pod: a run of more than ten minutes, or a new pod, starts them over.',
  formula:
    'wait before restart n = 0s for n = 1, then min(10s × 2^(n-2), 5m), from the end of the last run; the kubelet looks a little later than that. A node can have another longest wait (`crashLoopBackOff.maxContainerRestartPeriod`)',
  cite: sources.restartWaits,
  sites: containerSites(namedBy('name')),
  fields: restartFields,
  facts: restartPlace,
  schedule: (_values, policy) => restartSchedule(policy),
  rules: restartRules,
  documentRules: [ephemeralRestart],
  notes,
  live: restartLive,
  examples: [
    {
      name: 'a Deployment restarts its containers without end',
      yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  selector:
    matchLabels: { app: shop }
  template:
    metadata:
      labels: { app: shop }
    spec:
      containers:
        - name: shop
          image: registry.example/shop:1
`,
      waits: ['0s', '10s', '20s', '40s', '1m20s', '2m40s', '5m', '5m'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'a pod that is never restarted',
      yaml: `apiVersion: v1
kind: Pod
metadata:
  name: once
spec:
  restartPolicy: Never
  containers:
    - name: once
      image: registry.example/once:1
`,
      waits: [],
      ends: 'after 0 retries',
      findings: [],
    },
    {
      name: 'nodes that restart sooner',
      yaml: `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
    - name: web
      image: registry.example/web:1
`,
      controllers: { 'kubernetes/crashLoopBackOff.maxContainerRestartPeriod': '30s' },
      waits: ['0s', '10s', '20s', '30s', '30s'],
      ends: 'never',
      findings: [],
    },
  ],
});

type RestartPolicy = Policy<RestartFields, RestartPlace>;
type Word = 'Always' | 'OnFailure' | 'Never';

/** The container's own policy, unless the version drops it: init containers had none before sidecars. */
function ownPolicy({ settings, facts, env }: RestartPolicy): Word | undefined {
  if (facts.role === 'init' && !hasRestartRules(env)) return undefined;
  return valueOf(settings.restartPolicy);
}

/** The policy that counts for a container: its own, or the pod's; init containers run until they succeed. */
function effectivePolicy(policy: RestartPolicy): Word {
  const own = ownPolicy(policy);
  if (own !== undefined) return own;
  const pod = valueOf(policy.settings.podRestartPolicy) ?? 'Always';
  return policy.facts.role === 'init' && pod === 'Always' ? 'OnFailure' : pod;
}

function restartSchedule(policy: RestartPolicy): Schedule<keyof RestartFields> {
  const backoff = restartBackoff(policy.env);
  const waits = restartWaits(backoff);
  const stops = stopsOf(policy);
  if (isNeverRestarted(policy)) return { waits, stops, clock: 'after-attempt', resets: [] };
  if (policy.facts.isRecreated) {
    return {
      waits: finite([exactly(zero)]),
      stops: [recreated],
      exhausted: recreated,
      clock: 'after-attempt',
      resets: [],
    };
  }
  return {
    waits,
    stops,
    clock: 'after-attempt',
    cap: restartCap(backoff),
    resets: restartResets,
  };
}

const recreated: Stop<never> = {
  kind: 'condition',
  text: 'the first restart has its LeaderWorkerSet create the whole group anew',
  then: 'the new pod knows nothing of the old one, so the waits never grow',
  origin: { kind: 'built-in', name: 'restartPolicy', cite: sources.groupRestart },
};

const isNeverRestarted = (policy: RestartPolicy): boolean =>
  effectivePolicy(policy) === 'Never' && isEmptySet(policy.facts.restartsOn);

function stopsOf(policy: RestartPolicy): readonly Stop<keyof RestartFields>[] {
  const { settings, facts } = policy;
  const isOwn = ownPolicy(policy) !== undefined;
  const origin = { kind: 'field', field: isOwn ? 'restartPolicy' : 'podRestartPolicy' } as const;
  switch (effectivePolicy(policy)) {
    case 'Always':
      return [];
    case 'OnFailure': {
      const success = {
        kind: 'condition',
        text: 'it ends with exit code 0',
        then: 'it stays ended',
        origin,
      } as const;
      const successes = includesCode(facts.restartsOn, 0) ? [] : [success];
      // Restarts count for a Job only where its pod says OnFailure.
      const counts = facts.owner === 'job' && valueOf(settings.podRestartPolicy) === 'OnFailure';
      if (!counts) return successes;
      return [
        ...successes,
        {
          kind: 'condition',
          text: 'its Job, which counts these restarts, gives up',
          then: 'its pod is deleted',
          origin: { kind: 'built-in', name: 'backoffLimit', cite: sources.jobLimits },
        },
      ];
    }
    case 'Never': {
      if (isEmptySet(facts.restartsOn)) {
        const then = facts.owner === 'job' ? 'its pod fails' : 'it stays ended';
        return [{ kind: 'retries', limit: 0, then, origin }];
      }
      const last = otherCodes(facts.restartsOn);
      if (last === undefined) return [];
      return [
        {
          kind: 'condition',
          text: `it ends with ${describeCodes(last)}`,
          then: 'it stays ended',
          origin: { kind: 'field', field: 'restartPolicyRules' },
        },
      ];
    }
  }
}

function* notes(policy: RestartPolicy): Generator<Note<keyof RestartFields>> {
  const { env, facts } = policy;
  const backoff = restartBackoff(env);
  const effective = effectivePolicy(policy);
  if (isNeverRestarted(policy)) {
    if (facts.owner === 'job') {
      yield { text: 'A failed pod is made up for by the Job, as its own retries allow' };
    }
    return;
  }
  if (facts.role === 'sidecar') {
    yield {
      text: 'It is a sidecar: an init container that runs beside the others and is restarted for as long as the pod lives',
    };
  } else if (facts.role === 'init') {
    yield { text: 'The other containers start only when this init container has succeeded' };
  }
  if (effective === 'Always' && facts.role === 'app' && !facts.isRecreated) {
    yield {
      text: 'Ending with exit code 0 is no success here: it is restarted all the same, after the same waits',
    };
  }
  if (facts.isRecreated) {
    yield {
      text: 'Any restart of a container has the whole group deleted and created anew, at once and without end: CrashLoopBackOff never grows here, and only the time that pods need to start slows it down',
    };
    return;
  }
  if (facts.rules.length > 0) {
    yield {
      field: 'restartPolicyRules',
      text: `Restarted after ${facts.rules.join(', ')} whatever restartPolicy says; a failing liveness probe ignores these rules`,
    };
  }
  const slack = restartSlack(env, backoff.max).hi;
  yield {
    text: `A restart begins up to ${formatDuration(slack)} later than its wait says, as the kubelet looks only now and then`,
  };
  yield { text: capNote(policy) };
}

function capNote({ env }: RestartPolicy): string {
  const { max, maxSetBy } = restartBackoff(env);
  switch (maxSetBy) {
    case 'node':
      return `The nodes' \`${maxSetting}\` makes ${formatDuration(max)} the longest wait; a node without it waits up to 5m`;
    case 'gate':
      return 'The gate ReduceDefaultCrashLoopBackOffDecay starts the waits at 1s and ends them at 1m on these nodes';
    case 'default':
      return `A node can have another longest wait: \`${maxSetting}\` (1s to 5m) in its kubelet configuration, from 1.35 on; older kubelets always go up to ${formatDuration(minutes(5))}`;
    case 'built-in':
      return atLeast(env, kubernetes, '1.32.0')
        ? `The gate ${maxGate}, on by default from 1.35, lets a node set another longest wait than ${formatDuration(max)}`
        : `The longest wait is the same on every node: ${formatDuration(ms(max))}`;
  }
}
