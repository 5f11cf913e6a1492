import { knobSites } from '../../containerKnobs.ts';
import { formatDuration } from '../../durations/format.ts';
import { defineFamily, type Note, type Policy } from '../../family.ts';
import type { Schedule } from '../../schedule.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { ms } from '../../units.ts';
import { knobFacts, knobSources, type KnobFacts } from './knobs.ts';
import { queueWaits } from './queueWaits.ts';
import { system } from './system.ts';
import {
  bucketIn,
  inForce,
  limiterIn,
  workQueueFields,
  type WorkQueueField,
  type WorkQueueFields,
} from './workQueueFields.ts';
import { workQueueRules } from './workQueueRules.ts';

/** The queues of the application controller, as its variables and flags set them. */
export const family = defineFamily({
  id: 'argo-cd/work-queue',
  system,
  title: 'Application controller work queue',
  summary:
    'The application controller puts an Application on its queue whenever something about it changes, and waits a little before it handles it. The wait can be made to grow for Applications that are queued over and over; by default it does not.',
  formula:
    'cooldown 0: every wait is the base. Otherwise wait n = min(base × factor^(n-1), maximum), and the base again once an Application was not queued for as long as the cooldown; where a bucket is set, the longer of that and the wait for a token',
  cite: knobSources.limiter,
  sites: knobSites(
    Object.values(workQueueFields).map(({ path }) => path),
    ['WORKQUEUE_', '--wq-'],
  ),
  fields: workQueueFields,
  facts: knobFacts,
  schedule: (values, { settings }): Schedule<WorkQueueField> => {
    const limiter = {
      base: values.baseDelayFlag ?? values.baseDelay,
      max: values.maxDelayFlag ?? values.maxDelay,
      factor: values.factorFlag ?? values.factor,
      cooldown: values.cooldownFlag ?? values.cooldown,
    };
    const grows = limiter.cooldown > limiter.base;
    return {
      waits: queueWaits(limiter),
      ...(grows
        ? {
            cap: {
              value: limiter.max,
              origin: { kind: 'field', field: inForce(settings, 'maxDelay') },
            },
          }
        : {}),
      stops: [],
      resets: [
        {
          text: 'the Application is not queued for as long as the cooldown',
          after: limiter.cooldown,
          origin: { kind: 'field', field: inForce(settings, 'cooldown') },
        },
        {
          text: 'a restart of the controller: the counts are kept in memory',
          origin: { kind: 'built-in', name: 'the queue in memory', cite: knobSources.limiter },
        },
      ],
      clock: 'after-attempt',
    };
  },
  rules: workQueueRules,
  notes,
  effect: (policy, name) => effectOf(policy, name),
  bucket: ({ settings }) => bucketIn(settings),
  examples: [
    {
      name: 'waits that grow',
      yaml: `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: argocd-application-controller
spec:
  template:
    spec:
      containers:
        - name: argocd-application-controller
          image: quay.io/argoproj/argocd:v3.5.1
          args: [/usr/local/bin/argocd-application-controller]
          env:
            - name: WORKQUEUE_FAILURE_COOLDOWN_NS
              value: "10000000000"
            - name: WORKQUEUE_BASE_DELAY_NS
              value: "100000000"
            - name: WORKQUEUE_BACKOFF_FACTOR
              value: "2"
            - name: WORKQUEUE_MAX_DELAY_NS
              value: "3000000000"
`,
      waits: ['100ms', '200ms', '400ms', '800ms', '1.6s', '3s', '3s'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'the default turns growth off',
      yaml: `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: argocd-application-controller
spec:
  template:
    spec:
      containers:
        - name: argocd-application-controller
          image: quay.io/argoproj/argocd:v3.5.1
          env:
            - name: WORKQUEUE_MAX_DELAY_NS
              value: "3000000000"
`,
      waits: ['1ms', '1ms', '1ms'],
      ends: 'never',
      findings: ['argo-cd/no-growth-without-cooldown'],
    },
  ],
});

type QueuePolicy = Policy<WorkQueueFields, KnobFacts>;

function* notes({ settings }: QueuePolicy): Generator<Note<WorkQueueField>> {
  yield {
    text: 'Not only failures count: every change that queues the Application takes the next wait. A refresh that Argo CD plans itself, such as the next sync retry or self-heal, keeps its own time',
  };
  yield {
    text: 'The retries of a sync are another policy: `spec.syncPolicy.retry` of the Application',
  };
  const qps = valueOf(settings.bucketQpsFlag) ?? valueOf(settings.bucketQps);
  const size = valueOf(settings.bucketSizeFlag) ?? valueOf(settings.bucketSize);
  if (qps !== undefined && size !== undefined) {
    yield {
      field: inForce(settings, 'bucketQps'),
      text: `All Applications share a bucket of ${String(qps)} a second, ${String(size)} at once: with 5,000 of them queued together the last waits ${formatDuration(lastOf(5000, qps, size))}, whatever the longest wait says`,
    };
  }
}

const lastOf = (count: number, qps: number, burst: number) =>
  ms((Math.max(0, count - burst) / qps) * 1000);

function effectOf({ settings }: QueuePolicy, name: WorkQueueField): string | undefined {
  const limiter = limiterIn(settings);
  if (limiter === undefined || !isWritten(settings[name])) return undefined;
  const { base, max, factor, cooldown } = limiter;
  const grows = cooldown > base;
  switch (name) {
    case 'cooldown':
    case 'cooldownFlag':
      return grows
        ? `Waits grow until an Application was not queued for ${formatDuration(cooldown)}`
        : `Waits do not grow: each is ${formatDuration(base)}`;
    case 'baseDelay':
    case 'baseDelayFlag':
      return grows
        ? `The first wait of an Application is ${formatDuration(base)}`
        : `Every wait is ${formatDuration(base)}`;
    case 'maxDelay':
    case 'maxDelayFlag':
      return grows ? `No wait is longer than ${formatDuration(max)}` : undefined;
    case 'factor':
    case 'factorFlag':
      return grows ? `Each wait is ${String(factor)} times the one before` : undefined;
    default:
      return undefined;
  }
}
