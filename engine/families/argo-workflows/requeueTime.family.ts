import { formatDuration } from '../../durations/format.ts';
import { fix, replaceText } from '../../edits.ts';
import { defineFamily, defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { field } from '../../field.ts';
import { goDuration } from '../../format.ts';
import { constant } from '../../growth.ts';
import { scalarOf } from '../../policyRules.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { ms, seconds } from '../../units.ts';
import { system } from './system.ts';
import { variable, variableSites, variableSources } from './variables.ts';

const requeueFields = {
  requeueTime: field(
    variable(goDuration),
    'env.DEFAULT_REQUEUE_TIME',
    'Wait before the controller looks at a workflow again',
  ).defaultsTo(seconds(10), variableSources.requeue),
} as const;

type Fields = typeof requeueFields;

const rules: readonly Rule<Fields>[] = [
  defineRule({
    slug: 'requeue-time-too-short',
    severity: 'warning',
    summary: 'The controller looks at workflows again before it can know of its own changes.',
    explanation:
      "The controller's own view of a workflow lags behind the API server. Below one second it works on an outdated version and does things twice; the maintainers name 1s as the least, 2s for workflows with many short steps, and 30s under load.",
    cite: variableSources.requeue,
    *check(context: PolicyContext<Fields>) {
      const value = valueOf(context.settings.requeueTime);
      if (!isWritten(context.settings.requeueTime) || value === undefined || value >= 1000) return;
      const node = scalarOf(context, 'requeueTime');
      yield {
        message: `\`DEFAULT_REQUEUE_TIME\` of ${formatDuration(value)} makes the controller work on outdated workflows: its view lags behind the API server. Write at least 1s, or the default 10s`,
        at: context.valueSpanOf('requeueTime'),
        fixes: node === undefined ? [] : fix('Write 2s', false, replaceText(node, '2s')),
      };
    },
  }),
];

/** The fixed wait of the controller's workflow queue. */
export const family = defineFamily({
  id: 'argo-workflows/requeue-time',
  system,
  title: 'Wait of the workflow queue',
  summary:
    'The controller puts a workflow back on its queue when one of its pods changes, and looks at it again after a fixed wait. The wait does not grow with failures.',
  formula: 'every wait is DEFAULT_REQUEUE_TIME; no growth, no jitter, no limit',
  cite: variableSources.requeue,
  sites: variableSites(['DEFAULT_REQUEUE_TIME']),
  fields: requeueFields,
  schedule: ({ requeueTime }) => ({
    waits: constant(requeueTime < 0 ? ms(0) : requeueTime),
    stops: [],
    resets: [],
    clock: 'after-attempt',
  }),
  rules,
  notes: () => [
    {
      text: 'The wait before a retry of a template is another one: `retryStrategy.backoff`. It ends no earlier than the next look at the workflow',
    },
  ],
  effect({ settings }) {
    const value = valueOf(settings.requeueTime);
    return value === undefined
      ? undefined
      : `A change of a pod is seen by its workflow up to ${formatDuration(value)} later`;
  },
  examples: [
    {
      name: 'workflows with many short steps',
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
            - name: DEFAULT_REQUEUE_TIME
              value: 2s
`,
      waits: ['2s', '2s', '2s'],
      ends: 'never',
      findings: [],
    },
  ],
});
