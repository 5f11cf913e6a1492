import { formatDuration } from '../../durations/format.ts';
import { defineFamily, type Note, type Policy } from '../../family.ts';
import { constant, exponential, take } from '../../growth.ts';
import type { Schedule, Stop } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { plural } from '../../summary.ts';
import { addMs, seconds, zero, type Ms } from '../../units.ts';
import { failurePolicyFields, type FailurePolicyFields } from './failurePolicyFields.ts';
import { failurePolicyRules } from './failurePolicyRules.ts';
import { ignoresLimit, jobSetPlace, usualAction, type JobSetPlace } from './failureRules.ts';
import { jobSetLive, noPolicy } from './jobSetLive.ts';
import { jobset, sources } from './system.ts';

type JobSetPolicy = Policy<FailurePolicyFields, JobSetPlace>;

/** What a JobSet does when one of its Jobs has failed. */
export const family = defineFamily({
  id: 'jobset/failure-policy',
  system: jobset,
  title: 'JobSet restarts',
  summary:
    'When a Job of the set has failed, after all retries of its own, a JobSet creates all its Jobs again, at once and up to `maxRestarts` times. Without a failure policy the first failed Job fails the JobSet.',
  formula:
    'no wait between restarts; the JobSet fails at the failure after restart maxRestarts, so there are maxRestarts + 1 runs',
  cite: sources.apply,
  sites: [
    {
      group: 'jobset.x-k8s.io',
      kinds: ['JobSet'],
      anchor: 'spec.failurePolicy',
      implied: true,
    },
  ],
  fields: failurePolicyFields,
  closed: { alsoKnown: [] },
  meantBy: (key) =>
    /^(backoffLimit|maxRetries|retries|restarts|maxRestart)$/i.test(key)
      ? 'maxRestarts'
      : undefined,
  facts: jobSetPlace,
  schedule: ({ maxRestarts }, { facts }): Schedule<keyof FailurePolicyFields> => ({
    waits: constant(zero),
    stops: stopsOf(facts, maxRestarts),
    resets: [],
    clock: 'after-attempt',
  }),
  rules: failurePolicyRules,
  notes,
  effect,
  live: jobSetLive,
  examples: [
    {
      name: 'three restarts of two Jobs',
      yaml: `apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: training
spec:
  failurePolicy:
    maxRestarts: 3
  replicatedJobs:
    - name: workers
      replicas: 2
      template:
        spec:
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: worker
                  image: registry.example/worker:1
`,
      anchor: 'spec.failurePolicy',
      waits: ['0s', '0s', '0s'],
      ends: 'after 3 retries',
      findings: [],
    },
    {
      name: 'maintenance does not count',
      yaml: `apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: training
spec:
  failurePolicy:
    maxRestarts: 2
    rules:
      - name: maintenance
        action: RestartJobSetAndIgnoreMaxRestarts
        onJobFailureReasons: [PodFailurePolicy]
  replicatedJobs:
    - name: workers
      template:
        spec:
          backoffLimit: 0
          podFailurePolicy:
            rules:
              - action: FailJob
                onPodConditions: [{type: DisruptionTarget}]
          template:
            spec:
              restartPolicy: Never
              containers:
                - name: worker
                  image: registry.example/worker:1
`,
      anchor: 'spec.failurePolicy',
      waits: ['0s', '0s'],
      ends: 'after 2 retries',
      findings: [],
    },
  ],
});

/** What ends the restarts for a failure that no rule of its own takes. */
function stopsOf(
  { isWritten, rules }: JobSetPlace,
  maxRestarts: number,
): readonly Stop<keyof FailurePolicyFields>[] {
  const then = 'the JobSet fails';
  if (!isWritten) return [{ kind: 'retries', limit: 0, then, origin: noPolicy }];
  const action = usualAction(rules);
  if (ignoresLimit(action)) return [];
  const field = action === 'FailJobSet' ? 'rules' : 'maxRestarts';
  const limit = action === 'FailJobSet' ? 0 : Math.max(0, maxRestarts);
  return [{ kind: 'retries', limit, then, origin: { kind: 'field', field } }];
}

function* notes({ settings, facts }: JobSetPolicy): Generator<Note<keyof FailurePolicyFields>> {
  const { isWritten, jobs, rules } = facts;
  if (!isWritten) {
    yield {
      text: 'There is no failure policy, so the first Job that fails ends the JobSet; it cannot be added later, the field is immutable',
    };
  }
  const restarts = isWritten ? Math.max(0, valueOf(settings.maxRestarts) ?? 0) : 0;
  if (rules.length > 0) {
    yield {
      text: 'The numbers are those of failures that no rule with a condition takes; of the rules the first that matches decides',
    };
  }
  if (valueOf(settings.restartStrategy) === 'InPlaceRestart') {
    yield {
      text: 'With InPlaceRestart JobSet sets the `backoffLimit` of its Jobs to 2147483647, whatever is written there: only `maxRestarts` limits the restarts',
    };
    return;
  }
  for (const { name, backoffLimit, isNever } of jobs.slice(0, 3)) {
    if (backoffLimit === undefined || backoffLimit < 0 || backoffLimit > 1000) continue;
    const runs = restarts + 1;
    if (isNever) {
      const pods = plural(runs * (backoffLimit + 1), 'pod');
      yield {
        text: `Every run of \`${name}\` is a new Job with ${plural(backoffLimit, 'retry', 'retries')} of its own: at most ${pods} of it in ${plural(runs, 'run')}${jobWaiting(runs, backoffLimit)}`,
      };
    } else {
      yield {
        text: `Every run of \`${name}\` is a new Job whose containers restart in their pods (${plural(backoffLimit, 'time', 'times')} before it fails, counted over all its pods)`,
      };
    }
  }
}

/** What the Jobs wait before pods, where no version of Kubernetes cuts the waits. */
function jobWaiting(runs: number, backoffLimit: number): string {
  if (backoffLimit < 1 || backoffLimit > 6) return '';
  const waits = take(exponential({ base: seconds(10), factor: 2 }), backoffLimit);
  const each = waits.reduce<Ms>((sum, { lo }) => addMs(sum, lo), zero);
  let all: Ms = zero;
  for (let run = 0; run < Math.min(runs, 1000); run += 1) all = addMs(all, each);
  return runs > 1000 ? '' : `, with ${formatDuration(all)} of waiting before its pods`;
}

function effect(
  { settings, facts }: JobSetPolicy,
  name: keyof FailurePolicyFields,
): string | undefined {
  switch (name) {
    case 'maxRestarts': {
      const value = valueOf(settings.maxRestarts);
      if (value === undefined) return undefined;
      return value <= 0
        ? 'The first Job that fails ends the JobSet'
        : `The Jobs are created again ${plural(value, 'time')}; the failure after that ends the JobSet`;
    }
    case 'restartStrategy': {
      const value = valueOf(settings.restartStrategy);
      if (value === 'BlockingRecreate') {
        return 'No Job is created again before all Jobs and pods of the run before are gone';
      }
      return value === 'InPlaceRestart'
        ? 'Healthy pods restart where they are; only failed ones are created again'
        : 'Each Job is created again as soon as its predecessor and its pods are gone';
    }
    case 'rules': {
      const action = usualAction(facts.rules);
      return action === undefined
        ? undefined
        : `A failure that no rule with a condition takes: ${action}`;
    }
  }
}
