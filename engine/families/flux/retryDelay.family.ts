import { knobSites } from '../../containerKnobs.ts';
import { formatDuration } from '../../durations/format.ts';
import { fix, replaceText } from '../../edits.ts';
import {
  defineFamily,
  defineRule,
  type Note,
  type PolicyContext,
  type Rule,
} from '../../family.ts';
import { field } from '../../field.ts';
import { goDuration } from '../../format.ts';
import { itemExponential } from '../../goBackoff.ts';
import { scalarOf } from '../../policyRules.ts';
import { capReachedAt, type Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { minutes, ms, zero } from '../../units.ts';
import { flux2, sources } from './system.ts';

const retryDelayFields = {
  minRetryDelay: field(
    goDuration,
    'args.min-retry-delay',
    'Wait before the first retry of an object',
  ).defaultsTo(ms(750), sources.limiter),
  maxRetryDelay: field(goDuration, 'args.max-retry-delay', 'Longest wait of one object').defaultsTo(
    minutes(15),
    sources.limiter,
  ),
} as const;

type Fields = typeof retryDelayFields;

const rules: readonly Rule<Fields>[] = [
  defineRule({
    slug: 'max-retry-delay-below-min',
    severity: 'warning',
    summary: 'The longest wait is below the first one, so no wait ever grows.',
    explanation:
      'The limiter cuts every wait at `--max-retry-delay`, the first one too. With `--min-retry-delay` above it all waits are the maximum. Watch for it when only one of the two flags is set: the other keeps its default of 750ms or 15m.',
    cite: sources.itemExponential,
    *check(context: PolicyContext<Fields>) {
      const min = valueOf(context.settings.minRetryDelay);
      const max = valueOf(context.settings.maxRetryDelay);
      if (min === undefined || max === undefined || max >= min || max <= 0) return;
      const from = scalarOf(context, 'minRetryDelay');
      const to = scalarOf(context, 'maxRetryDelay');
      const own = to === undefined ? ', its default' : '';
      yield {
        message: `\`--max-retry-delay\` (${formatDuration(max)}${own}) is below \`--min-retry-delay\` (${formatDuration(min)}): every wait is ${formatDuration(max)} and never grows. Raise the maximum, or lower the minimum`,
        at:
          to === undefined
            ? context.valueSpanOf('minRetryDelay')
            : context.valueSpanOf('maxRetryDelay'),
        fixes:
          from === undefined || to === undefined
            ? []
            : fix(
                'Swap the two delays',
                false,
                replaceText(from, to.text),
                replaceText(to, from.text),
              ),
      };
    },
  }),
  defineRule({
    slug: 'no-retry-delay',
    severity: 'warning',
    summary: 'A delay of zero: every retry follows at once, and the wait never grows.',
    explanation:
      'The wait is the minimum times a power of two, and nothing grows out of zero. An object that keeps failing is reconciled without pause: it fetches, builds and calls the API server as fast as the controller can.',
    cite: sources.itemExponential,
    *check(context: PolicyContext<Fields>) {
      const min = valueOf(context.settings.minRetryDelay);
      const max = valueOf(context.settings.maxRetryDelay);
      const noFirst = min !== undefined && min <= 0;
      const noLongest = max !== undefined && max <= 0;
      if (!noFirst && !noLongest) return;
      const name = noFirst ? 'minRetryDelay' : 'maxRetryDelay';
      const usual = noFirst ? '750ms' : '15m';
      const node = scalarOf(context, name);
      yield {
        message: noFirst
          ? `\`--min-retry-delay=${formatDuration(min)}\` makes every retry follow at once, without end: an object that fails keeps the controller busy. Write a first wait, such as the default 750ms`
          : `\`--max-retry-delay=${formatDuration(max ?? zero)}\` cuts every wait to nothing: each retry follows at once, without end, and an object that fails keeps the controller busy. Write a longest wait, such as the default 15m`,
        at: context.valueSpanOf(name),
        fixes: node === undefined ? [] : fix(`Write ${usual}`, false, replaceText(node, usual)),
      };
    },
  }),
];

/** The retry delays of a Flux controller, as its flags set them. */
export const family = defineFamily({
  id: 'flux/retry-delay',
  system: flux2,
  title: 'Retry delays of a Flux controller',
  summary:
    'A Flux controller retries an object whose reconciliation returned an error after a wait that doubles with every failure in a row. The two flags hold for all objects of the controller; the count is kept in its memory.',
  formula:
    'wait after failure n = min(min-retry-delay × 2^(n-1), max-retry-delay), no jitter, no limit on retries',
  cite: sources.limiter,
  sites: knobSites(['args.min-retry-delay', 'args.max-retry-delay']),
  fields: retryDelayFields,
  schedule: ({ minRetryDelay, maxRetryDelay }): Schedule<keyof Fields> => ({
    waits: itemExponential(minRetryDelay, maxRetryDelay),
    ...(minRetryDelay > 0 && maxRetryDelay > 0
      ? { cap: { value: maxRetryDelay, origin: { kind: 'field', field: 'maxRetryDelay' } } }
      : {}),
    stops: [],
    resets: [
      {
        text: 'a reconciliation without an error, or one that asks to be run again after a fixed time',
        origin: { kind: 'built-in', name: 'Forget', cite: sources.results },
      },
      {
        text: 'a restart of the controller: the counts are kept in memory',
        origin: { kind: 'built-in', name: 'the queue in memory', cite: sources.itemExponential },
      },
    ],
    clock: 'after-attempt',
  }),
  rules,
  *notes(): Generator<Note<keyof Fields>> {
    yield {
      text: 'These waits hold for errors, and for the retries of a HelmRelease with `remediation.retries`; `spec.interval` has no part in them',
    };
    yield {
      text: 'They do not hold where the object has a fixed wait of its own: `retryInterval` of a Kustomization or of `strategy: RetryOnFailure`, and 30s (`--requeue-dependency`) while a dependency is not ready',
    };
    yield {
      text: 'A change of the object, of its source, or `flux reconcile` is handled at once; an object that is `Stalled` is not retried at all',
    };
  },
  effect(policy, name) {
    const min = valueOf(policy.settings.minRetryDelay);
    const max = valueOf(policy.settings.maxRetryDelay);
    if (min === undefined || max === undefined || min <= 0 || max <= 0) return undefined;
    switch (name) {
      case 'minRetryDelay':
        return `Retry 1 of an object waits ${formatDuration(min < max ? min : max)}, and every further retry twice as long as the one before`;
      case 'maxRetryDelay': {
        const at = capReachedAt(
          family.schedule({ minRetryDelay: min, maxRetryDelay: max }, policy),
        );
        return at === undefined
          ? undefined
          : `The wait stays at ${formatDuration(max)} from retry ${String(at)}, for ever`;
      }
    }
  },
  examples: [
    {
      name: 'a controller that retries later, and not as rarely',
      yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: helm-controller
  namespace: flux-system
spec:
  template:
    spec:
      containers:
        - name: manager
          image: ghcr.io/fluxcd/helm-controller:v1.6.3
          args:
            - --watch-all-namespaces=true
            - --min-retry-delay=5s
            - --max-retry-delay=5m
`,
      waits: ['5s', '10s', '20s', '40s', '1m20s', '2m40s', '5m', '5m'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'a patch in a kustomization; the other flag keeps its default',
      yaml: `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - gotk-components.yaml
patches:
  - target:
      kind: Deployment
      name: kustomize-controller
    patch: |
      - op: add
        path: /spec/template/spec/containers/0/args/-
        value: --max-retry-delay=1m
`,
      waits: ['750ms', '1.5s', '3s', '6s', '12s', '24s', '48s', '1m'],
      ends: 'never',
      findings: [],
    },
  ],
});
