import { defineFamily, type Site } from '../../family.ts';
import { child } from '../../source.ts';
import { isTooNew, valueOf } from '../../setting.ts';
import { versionText } from '../../environment.ts';
import { summarise } from '../../summary.ts';
import { jobFields } from './jobFields.ts';
import { jobIndexLive } from './jobIndexLive.ts';
import { jobPlace } from './jobPlace.ts';
import { jobRetries } from './jobRetries.ts';
import { jobSchedule } from './jobSchedule.ts';
import { jobSites } from './jobSites.ts';
import { describeMatch } from './failurePolicy.ts';
import { kubernetes, sources } from './system.ts';

const limit = 'backoffLimitPerIndex';

/** Jobs that give each index a limit of its own; the policy is named by that limit. */
const sites: readonly Site[] = jobSites.map(({ group, kinds, anchor }) => ({
  group,
  kinds,
  anchor,
  needs: [limit],
  view: (node) => {
    const own = child(node, limit);
    if (own?.key === undefined) return own === undefined ? undefined : node;
    return { ...node, key: own.key };
  },
}));

const {
  backoffLimit,
  activeDeadlineSeconds,
  restartPolicy,
  maxFailedIndexes,
  completions,
  parallelism,
  podFailurePolicy,
} = jobFields;

/** The retries of one index of an Indexed Job. */
export const family = defineFamily({
  id: 'kubernetes/job-index',
  system: kubernetes,
  title: 'Job retries per index',
  summary:
    'With `backoffLimitPerIndex` each index of an Indexed Job has retries and waits of its own: an index that fails holds up no other. The count stands in an annotation of the pods, so it outlives the controller.',
  formula:
    'wait before retry n of an index = min(10s × 2^(n-1), 10m), from the end of its failed pod; `backoffLimitPerIndex` retries; ignored failures lengthen the wait and do not count',
  cite: sources.jobIndexes,
  sites,
  fields: {
    backoffLimitPerIndex: { ...jobFields.backoffLimitPerIndex, role: 'formula' },
    backoffLimit: { ...backoffLimit, role: 'beside' },
    restartPolicy,
    activeDeadlineSeconds,
    maxFailedIndexes,
    completions,
    parallelism,
    podFailurePolicy,
  },
  facts: jobPlace,
  schedule: (_values, { settings, facts, env }) => {
    const failsOn = facts.failureRules.flatMap((rule) =>
      rule.action === 'FailIndex' || rule.action === 'FailJob' ? (describeMatch(rule) ?? []) : [],
    );
    return jobSchedule({ ...jobRetries(settings, facts), failsOn }, env, 'index');
  },
  rules: [],
  sentence: ({ settings, env }, schedule) =>
    isTooNew(settings.backoffLimitPerIndex)
      ? `no retries per index, as ${versionText(env, kubernetes)} drops \`${limit}\`; those of the Job: ${summarise(schedule)}`
      : summarise(schedule),
  *notes({ settings, facts }) {
    const tolerated = valueOf(settings.maxFailedIndexes);
    const indexes = valueOf(settings.completions);
    const of = indexes === undefined ? '' : ` of ${String(indexes)}`;
    yield {
      field: 'maxFailedIndexes',
      text:
        tolerated === undefined
          ? `Failed indexes do not stop the others${of}: the Job fails with FailedIndexes when all have ended and one of them failed`
          : `The Job fails when ${String(tolerated + 1)} indexes${of} have failed`,
    };
    if (facts.failureRules.some(({ action }) => action === 'Ignore')) {
      yield {
        field: 'podFailurePolicy',
        text: 'Ignored failures lengthen the wait of their index, although they do not count',
      };
    }
  },
  live: jobIndexLive,
  examples: [
    {
      name: 'three pods for each of ten indexes',
      yaml: `apiVersion: batch/v1
kind: Job
metadata:
  name: shards
spec:
  completionMode: Indexed
  completions: 10
  parallelism: 3
  backoffLimitPerIndex: 2
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: shard
          image: registry.example/shard:1
`,
      waits: ['10s', '20s'],
      ends: 'after 2 retries',
      findings: [],
    },
    {
      name: 'the cap of 10m holds for an index too',
      yaml: `apiVersion: batch/v1
kind: Job
metadata:
  name: shards
spec:
  completionMode: Indexed
  completions: 4
  backoffLimitPerIndex: 9
  maxFailedIndexes: 1
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: shard
          image: registry.example/shard:1
`,
      waits: ['10s', '20s', '40s', '1m20s', '2m40s', '5m20s', '10m', '10m', '10m'],
      ends: 'after 9 retries',
      findings: [],
    },
  ],
});
