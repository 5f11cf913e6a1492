import { atLeast, versionOf, type Environment } from '../../environment.ts';
import { fix, replaceText } from '../../edits.ts';
import {
  defineFamily,
  defineRule,
  type Note,
  type Policy,
  type PolicyContext,
  type Rule,
} from '../../family.ts';
import { field } from '../../field.ts';
import { oneOf } from '../../format.ts';
import { constant, finite } from '../../growth.ts';
import { scalarOf } from '../../policyRules.ts';
import type { Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { zero } from '../../units.ts';
import { leaderWorkerSet, sources } from './system.ts';

const restartFields = {
  restartPolicy: field(
    oneOf('RecreateGroupOnPodRestart', 'RecreateGroupAfterStart', 'None', 'Default'),
    'restartPolicy',
    'What becomes of a group when a container restarts or a pod is lost',
  ).unset('RecreateGroupOnPodRestart (before 0.4: Default, which leaves the group alone)'),
} as const;

type Fields = typeof restartFields;

/** The policy that holds, the default of the version included. */
function policyOf({ settings, env }: Pick<Policy<Fields>, 'settings' | 'env'>): string | undefined {
  const { restartPolicy } = settings;
  if (restartPolicy.from !== 'unset') return valueOf(restartPolicy);
  return atLeast(env, leaderWorkerSet, '0.4.0') ? 'RecreateGroupOnPodRestart' : 'Default';
}

const leavesAlone = (policy: string | undefined): boolean =>
  policy === 'None' || policy === 'Default';

const rules: readonly Rule<Fields>[] = [
  defineRule({
    slug: 'deprecated-default',
    severity: 'info',
    summary: '`Default` is not the default: it is an old name of `None`.',
    explanation:
      'Since 0.4 a group is created anew by default; `restartPolicy: Default` still means that it is left alone, and the webhook rewrites it to `None`. The name misleads, so write what it means.',
    cite: sources.defaults,
    *check(context: PolicyContext<Fields>) {
      const written = scalarOf(context, 'restartPolicy');
      if (valueOf(context.settings.restartPolicy) !== 'Default' || written === undefined) return;
      if (!atLeast(context.env, leaderWorkerSet, '0.4.0')) return;
      yield {
        message:
          '`Default` is not the default: it is deprecated and means `None`, so a group is left alone when one of its pods restarts. Write `None`',
        at: context.valueSpanOf('restartPolicy'),
        fixes: fix('Write None', true, replaceText(written, 'None')),
      };
    },
  }),
  defineRule({
    slug: 'restart-policy-version',
    severity: 'error',
    summary: 'A restart policy that this version does not know.',
    explanation:
      '`None` came with 0.4 and `RecreateGroupAfterStart` with 0.9. Older versions refuse the object.',
    cite: sources.restart,
    *check(context: PolicyContext<Fields>) {
      const written = scalarOf(context, 'restartPolicy');
      const value = valueOf(context.settings.restartPolicy);
      const since =
        value === 'RecreateGroupAfterStart' ? '0.9.0' : value === 'None' ? '0.4.0' : undefined;
      if (written === undefined || value === undefined || since === undefined) return;
      if (atLeast(context.env, leaderWorkerSet, since)) return;
      const instead = value === 'None' ? 'Default' : 'RecreateGroupOnPodRestart';
      yield {
        message: `LeaderWorkerSet ${stated(context.env)} refuses \`${value}\`: it came with ${since}. Write \`${instead}\` until then`,
        at: context.valueSpanOf('restartPolicy'),
        fixes: fix(`Write ${instead}`, false, replaceText(written, instead)),
      };
    },
  }),
];

const stated = (env: Environment): string => versionOf(env, leaderWorkerSet).version;

const aloneStop = {
  kind: 'condition',
  text: 'the group is left alone',
  then: 'only the container or pod that failed starts again',
  origin: { kind: 'field', field: 'restartPolicy' },
} as const;

/** What a LeaderWorkerSet does with a group whose pod failed. */
export const family = defineFamily({
  id: 'leader-worker-set/restart',
  system: leaderWorkerSet,
  title: 'LeaderWorkerSet group restarts',
  summary:
    'When a container of a group restarts, or a pod of it is lost, the whole group is deleted and created anew, at once and without a limit. The new pods know nothing of the old ones, so the waits before restarts of a crashing container start over each time.',
  formula:
    'no wait and no limit; with None the pods restart on their own, as those of a StatefulSet',
  cite: sources.restart,
  sites: [
    {
      group: 'leaderworkerset.x-k8s.io',
      kinds: ['LeaderWorkerSet'],
      anchor: 'spec.leaderWorkerTemplate',
      implied: true,
    },
  ],
  fields: restartFields,
  schedule: (_values, policy): Schedule<keyof Fields> =>
    leavesAlone(policyOf(policy))
      ? {
          waits: finite([]),
          stops: [aloneStop],
          exhausted: aloneStop,
          resets: [],
          clock: 'after-attempt',
        }
      : { waits: constant(zero), stops: [], resets: [], clock: 'after-attempt' },
  rules,
  *notes(policy): Generator<Note<keyof Fields>> {
    const value = policyOf(policy);
    if (leavesAlone(value)) {
      yield {
        text: 'A container that crashes restarts in its pod, after waits that grow; the other pods of the group are not touched',
      };
    } else {
      yield {
        text: 'A container that crashes at its start has its group created again and again without a pause: the pods are new, so CrashLoopBackOff never grows. Only the time that pods need to start slows it down',
      };
    }
    yield {
      text: 'Each time the event RecreateGroup is on the LeaderWorkerSet; its status counts nothing',
    };
  },
  effect: (policy) => {
    switch (policyOf(policy)) {
      case 'RecreateGroupOnPodRestart':
        return 'Any restart in a group deletes its leader, and with it the whole group, which is created anew at once';
      case 'RecreateGroupAfterStart':
        return 'A restart in a group creates the group anew, but not while one of its pods is still Pending';
      case 'None':
      case 'Default':
        return 'A pod that fails is replaced alone; the rest of its group goes on';
      default:
        return undefined;
    }
  },
  examples: [
    {
      name: 'the whole group, without end',
      yaml: `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: model
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 4
    workerTemplate:
      spec:
        containers:
          - name: server
            image: registry.example/server:1
`,
      anchor: 'spec.leaderWorkerTemplate',
      waits: ['0s', '0s', '0s'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'left alone',
      yaml: `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: model
spec:
  leaderWorkerTemplate:
    restartPolicy: None
    size: 4
    workerTemplate:
      spec:
        containers:
          - name: server
            image: registry.example/server:1
`,
      anchor: 'spec.leaderWorkerTemplate',
      waits: [],
      ends: 'the group is left alone',
      findings: [],
    },
  ],
});
