import { defineFamily } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { ms } from '../../units.ts';
import { loopEffect, loopFields, loopSchedule, noAttemptRule } from './retryLoop.ts';
import { system } from './system.ts';
import { variableSites, variableSources } from './variables.ts';

const prefix = 'RETRY_BACKOFF';
const apiRetryFields = loopFields(prefix, { duration: ms(10), factor: 2 });

/** Retries of single API calls by the controller and the server, as their variables set them. */
export const family = defineFamily({
  id: 'argo-workflows/api-retry',
  system,
  title: 'Retries of API calls',
  summary:
    'The controller, the server and the executor try a call to the Kubernetes API again when it fails with a transient error. This has nothing to do with the retries of a template: it bridges moments, not outages.',
  formula:
    'wait before retry n = duration × factor^(n-1), no jitter, no cap; steps attempts in all, the first run among them',
  cite: variableSources.retry,
  sites: variableSites([`${prefix}_DURATION`, `${prefix}_FACTOR`, `${prefix}_STEPS`]),
  fields: apiRetryFields,
  schedule: (values) => loopSchedule({ ...values, jitter: 0 }),
  rules: [noAttemptRule<typeof apiRetryFields>('no-api-attempt', prefix)],
  notes: () => [
    {
      text: 'A value that cannot be read stops the program at its start, instead of falling back to the default',
    },
  ],
  effect: ({ settings }, name) =>
    loopEffect(name, valueOf(settings.duration), valueOf(settings.factor), valueOf(settings.steps)),
  examples: [
    {
      name: 'a little more patience',
      yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: workflow-controller
spec:
  template:
    spec:
      containers:
        - name: workflow-controller
          image: quay.io/argoproj/workflow-controller:v4.1.2
          env:
            - name: RETRY_BACKOFF_STEPS
              value: "8"
            - name: RETRY_BACKOFF_DURATION
              value: 50ms
`,
      waits: ['50ms', '100ms', '200ms', '400ms', '800ms', '1.6s', '3.2s'],
      ends: 'after 7 retries',
      findings: [],
    },
  ],
});
