import { knobSites } from '../../containerKnobs.ts';
import { formatDuration } from '../../durations/format.ts';
import { fix, replaceText } from '../../edits.ts';
import { defineFamily, defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { field } from '../../field.ts';
import { integerOrText } from '../../format.ts';
import { itemExponential } from '../../goBackoff.ts';
import { scalarOf } from '../../policyRules.ts';
import { bound, type Schedule } from '../../schedule.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { plural } from '../../summary.ts';
import { ms, seconds } from '../../units.ts';
import { cite, system } from './system.ts';

const sources = {
  retries: cite('pkg/controller/controller.go processNextItem'),
  flag: cite('cmd/controller/main.go bindControllerFlags'),
  limiter: {
    system: 'client-go',
    versions: '0.20 to 0.36',
    source: 'util/workqueue/default_rate_limiters.go DefaultTypedControllerRateLimiter',
  },
} as const;

const unsealFields = {
  retries: field(
    integerOrText,
    'args.max-unseal-retries',
    'Retries of a SealedSecret that could not be unsealed',
  ).defaultsTo(5, sources.flag),
} as const;

type Fields = typeof unsealFields;

const longestWait = seconds(1000);
// Shorter than any outage: a key that is being replaced, or an API server that restarts.
const tooShort = seconds(10);

const rules: readonly Rule<Fields>[] = [
  defineRule({
    slug: 'retries-end-at-once',
    severity: 'warning',
    summary: 'All retries are over within seconds.',
    explanation:
      'The waits start at 5ms and double, so the first ten retries together take about five seconds. After the last one the SealedSecret stays as it is until it changes or the controller restarts. 15 retries take 2m43s, 18 about 22 minutes.',
    cite: sources.retries,
    *check(context: PolicyContext<Fields>) {
      const retries = valueOf(context.settings.retries);
      const end = context.bound;
      if (!isWritten(context.settings.retries) || retries === undefined) return;
      if (end?.kind !== 'bounded' || end.lasts.hi >= tooShort) return;
      const node = scalarOf(context, 'retries');
      const after =
        retries > 0
          ? `All ${plural(retries, 'retry', 'retries')} are over after ${formatDuration(end.lasts.hi)}`
          : 'There is no retry';
      yield {
        message: `${after}: a SealedSecret that cannot be unsealed then waits for a change or a restart of the controller. Write 15 for retries over 2m43s`,
        at: context.valueSpanOf('retries'),
        fixes: node === undefined ? [] : fix('Write 15', false, replaceText(node, '15')),
      };
    },
  }),
];

/** How often the controller tries to unseal again, as its flag sets it. */
export const family = defineFamily({
  id: 'sealed-secrets/unseal',
  system,
  title: 'Unseal retries',
  summary:
    'The controller tries a SealedSecret again when it could not unseal it, after a wait that starts at 5ms and doubles. After the last retry it leaves the SealedSecret alone until something changes.',
  formula:
    'wait after failure n = min(5ms × 2^(n-1), 1000s), no jitter; max-unseal-retries retries, one attempt more',
  cite: sources.retries,
  sites: knobSites(['args.max-unseal-retries']),
  fields: unsealFields,
  schedule: ({ retries }): Schedule<keyof Fields> => ({
    waits: itemExponential(ms(5), longestWait),
    cap: {
      value: longestWait,
      origin: { kind: 'built-in', name: 'the longest wait', cite: sources.limiter },
    },
    stops: [
      {
        kind: 'retries',
        limit: Math.max(0, retries),
        then: 'the SealedSecret is left alone until it changes',
        origin: { kind: 'field', field: 'retries' },
      },
    ],
    resets: [
      {
        text: 'a change of the SealedSecret, or a restart of the controller',
        origin: { kind: 'built-in', name: 'Forget', cite: sources.retries },
      },
    ],
    clock: 'after-attempt',
  }),
  rules,
  notes: () => [
    {
      text: 'All SealedSecrets share a bucket of 10 retries a second, 100 at once, so that many failures wait longer',
    },
    { text: 'An error on an immutable Secret is not retried' },
  ],
  effect(policy) {
    const retries = valueOf(policy.settings.retries);
    if (retries === undefined) return undefined;
    const end = bound(family.schedule({ retries }, policy));
    return end.kind === 'bounded'
      ? `${plural(Math.max(0, retries), 'retry', 'retries')} within ${formatDuration(end.lasts.hi)}`
      : undefined;
  },
  examples: [
    {
      name: 'retries that outlast a short outage',
      yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: sealed-secrets-controller
  namespace: kube-system
spec:
  template:
    spec:
      containers:
        - name: sealed-secrets-controller
          image: docker.io/bitnami/sealed-secrets-controller:0.36.6
          args: [--max-unseal-retries, "15"]
`,
      waits: ['5ms', '10ms', '20ms', '40ms', '80ms', '160ms', '320ms', '640ms', '1.28s'],
      ends: 'after 15 retries',
      findings: [],
    },
  ],
});
