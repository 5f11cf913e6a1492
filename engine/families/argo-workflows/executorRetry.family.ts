import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import { decimal } from '../../format.ts';
import { valueOf } from '../../setting.ts';
import { seconds } from '../../units.ts';
import { loopEffect, loopFields, loopSchedule, noAttemptRule } from './retryLoop.ts';
import { system } from './system.ts';
import { variable, variableSites, variableSources } from './variables.ts';

const prefix = 'EXECUTOR_RETRY_BACKOFF';
const executorRetryFields = {
  ...loopFields(prefix, { duration: seconds(1), factor: 1.6 }),
  jitter: field(
    variable(decimal),
    `env.${prefix}_JITTER`,
    'Share of a wait that chance can add to it',
  ).defaultsTo(0.5, variableSources.retry),
};

/** Retries of the executor inside a step's pod, as its variables set them. */
export const family = defineFamily({
  id: 'argo-workflows/executor-retry',
  system,
  title: 'Retries of the executor',
  summary:
    'The executor in the pod of a step tries again when it cannot report a result or reach an artifact store. Its variables are set on the executor container in the ConfigMap of the controller.',
  formula:
    'wait before retry n = duration × factor^(n-1), plus up to jitter × wait, no cap; steps attempts in all, the first run among them',
  cite: variableSources.retry,
  sites: variableSites(
    ['DURATION', 'FACTOR', 'JITTER', 'STEPS'].map((name) => `${prefix}_${name}`),
  ),
  fields: executorRetryFields,
  schedule: (values) => loopSchedule(values),
  rules: [noAttemptRule<typeof executorRetryFields>('no-executor-attempt', prefix)],
  notes: () => [
    {
      text: 'A value that cannot be read stops the executor at its start, and with it every step',
    },
  ],
  effect: ({ settings }, name) =>
    name === 'jitter'
      ? undefined
      : loopEffect(
          name,
          valueOf(settings.duration),
          valueOf(settings.factor),
          valueOf(settings.steps),
        ),
  examples: [
    {
      name: 'an artifact store that is away for a minute',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: workflow-controller-configmap
data:
  executor: |
    env:
      - name: EXECUTOR_RETRY_BACKOFF_STEPS
        value: "7"
      - name: EXECUTOR_RETRY_BACKOFF_FACTOR
        value: "2"
`,
      waits: ['1s..1.5s', '2s..3s', '4s..6s', '8s..12s', '16s..24s', '32s..48s'],
      ends: 'after 6 retries',
      findings: [],
    },
  ],
});
