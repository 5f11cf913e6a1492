import { formatDuration } from '../../durations/format.ts';
import { fix, replaceText } from '../../edits.ts';
import { defineFamily, defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { field } from '../../field.ts';
import { goDuration, integerOrText } from '../../format.ts';
import { fastSlow } from '../../goBackoff.ts';
import { scalarOf } from '../../policyRules.ts';
import type { Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { namesLimiter } from './configMap.ts';
import { queueNotes, queueResets } from './queueNotes.ts';
import { controllerRuntime, sources } from './system.ts';

const fastSlowFields = {
  fastDelay: field(goDuration, 'fastDelay', 'Wait before each of the first retries').required(
    'without `fastDelay` there is no limiter',
  ),
  slowDelay: field(goDuration, 'slowDelay', 'Wait before every later retry').required(
    'without `slowDelay` there is no limiter',
  ),
  maxFastAttempts: field(integerOrText, 'maxFastAttempts', 'How many retries are fast').required(
    'without `maxFastAttempts` there is no limiter',
  ),
} as const;

type Fields = typeof fastSlowFields;

const rules: readonly Rule<Fields>[] = [
  defineRule({
    slug: 'fast-slower-than-slow',
    severity: 'warning',
    summary: 'The fast wait is longer than the slow one.',
    explanation:
      'The first retries of an object take `fastDelay`, all later ones `slowDelay`. With the two the wrong way round an object that keeps failing is retried more often the longer it fails.',
    cite: sources.fastSlow,
    *check(context: PolicyContext<Fields>) {
      const fast = valueOf(context.settings.fastDelay);
      const slow = valueOf(context.settings.slowDelay);
      const turn = valueOf(context.settings.maxFastAttempts);
      if (fast === undefined || slow === undefined || turn === undefined || fast <= slow) return;
      if (turn < 1) return;
      const from = scalarOf(context, 'fastDelay');
      const to = scalarOf(context, 'slowDelay');
      yield {
        message: `The first ${String(turn)} retries wait ${formatDuration(fast)}, all later ones only ${formatDuration(slow)}: an object that keeps failing is retried more often. Swap \`fastDelay\` and \`slowDelay\``,
        at: context.valueSpanOf('fastDelay'),
        fixes:
          from === undefined || to === undefined
            ? []
            : fix(
                'Swap fastDelay and slowDelay',
                false,
                replaceText(from, to.text),
                replaceText(to, from.text),
              ),
      };
    },
  }),
];

/** The fast-slow limiter of client-go, as a program's ConfigMap names it. */
export const family = defineFamily({
  id: 'controller-runtime/fast-slow-queue',
  system: controllerRuntime,
  title: 'Work queue with fast, then slow waits',
  summary:
    'A controller puts an object whose reconcile returned an error back on its queue: a few times after a short wait, from then on after a long one. The count is kept per object, in memory, and forgotten after a reconcile without an error.',
  formula:
    'wait after failure n = fastDelay while n ≤ maxFastAttempts, slowDelay after that; no jitter, no limit on retries',
  cite: sources.fastSlow,
  sites: [
    {
      group: '',
      kinds: ['ConfigMap'],
      anchor: 'data',
      when: (root) => namesLimiter(root, ['fastDelay', 'slowDelay'], ['maxFastAttempts']),
      needs: ['fastDelay'],
    },
  ],
  fields: fastSlowFields,
  schedule: ({ fastDelay, slowDelay, maxFastAttempts }): Schedule<keyof Fields> => ({
    waits: fastSlow(fastDelay, slowDelay, maxFastAttempts),
    ...(slowDelay > fastDelay
      ? { cap: { value: slowDelay, origin: { kind: 'field', field: 'slowDelay' } } }
      : {}),
    stops: [],
    resets: queueResets,
    clock: 'after-attempt',
  }),
  rules,
  notes: () => queueNotes,
  examples: [
    {
      name: 'three quick retries, then one every ten seconds',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: agent-tuning
data:
  fastDelay: 200ms
  slowDelay: 10s
  maxFastAttempts: "3"
`,
      waits: ['200ms', '200ms', '200ms', '10s', '10s'],
      ends: 'never',
      findings: [],
    },
  ],
});
