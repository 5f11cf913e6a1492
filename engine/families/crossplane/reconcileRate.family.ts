import { knobSites, knobsNamed } from '../../containerKnobs.ts';
import { atLeast } from '../../environment.ts';
import { defineFamily, type Note } from '../../family.ts';
import { field } from '../../field.ts';
import { integerOrText } from '../../format.ts';
import { itemExponential } from '../../goBackoff.ts';
import type { Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { seconds } from '../../units.ts';
import { rateMeaning } from './rateRules.ts';
import { rateGone, sources, system } from './system.ts';

const rateFields = {
  rate: field(
    integerOrText,
    'args.max-reconcile-rate',
    'How much the program reconciles; a rate in older versions, workers in newer ones',
  )
    .beside()
    .unset("the program's default"),
} as const;

export type RateFields = typeof rateFields;

const longestWait = seconds(60);

/** The queue of Crossplane and its providers, where their one flag is set. */
export const family = defineFamily({
  id: 'crossplane/reconcile-rate',
  system,
  title: 'Queue of Crossplane and its providers',
  summary:
    'Crossplane and its providers try an object again when its reconcile returned an error, after a wait that doubles from 1s to 1m. `--max-reconcile-rate` does not change these waits; it limits how much happens at once.',
  formula: 'wait after failure n = min(1s × 2^(n-1), 60s), no jitter, no limit on retries',
  cite: sources.limiter,
  sites: [
    ...knobSites(['args.max-reconcile-rate']),
    {
      group: 'pkg.crossplane.io',
      kinds: ['DeploymentRuntimeConfig'],
      anchor: 'spec.deploymentTemplate.spec.template.spec.containers[*]',
      needs: ['max-reconcile-rate'],
      view: knobsNamed(['args.max-reconcile-rate']),
    },
  ],
  fields: rateFields,
  schedule: (): Schedule<keyof typeof rateFields> => ({
    waits: itemExponential(seconds(1), longestWait),
    cap: {
      value: longestWait,
      origin: { kind: 'built-in', name: 'the longest wait', cite: sources.limiter },
    },
    stops: [],
    resets: [
      {
        text: 'a reconcile without an error, or a restart of the program',
        origin: { kind: 'built-in', name: 'Forget', cite: sources.results },
      },
    ],
    clock: 'after-attempt',
  }),
  rules: [rateMeaning],
  *notes({ settings, env }): Generator<Note<keyof typeof rateFields>> {
    const rate = valueOf(settings.rate);
    if (rate === undefined) return;
    yield {
      field: 'rate',
      text: atLeast(env, system, rateGone)
        ? `${String(rate)} objects of a kind are reconciled at the same time; before Crossplane ${rateGone} it was also a rate of ${String(rate)} a second over all objects`
        : `${String(rate)} reconciles a second over all objects, and as many at the same time; since Crossplane ${rateGone} it is only the latter`,
    };
    yield {
      text: 'Providers that are built with Upjet wait on their own as well while Terraform runs',
    };
  },
  examples: [
    {
      name: 'a provider with many objects',
      yaml: `apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata:
  name: busy
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
            - name: package-runtime
              args: [--max-reconcile-rate=200]
`,
      waits: ['1s', '2s', '4s', '8s', '16s', '32s', '1m', '1m'],
      ends: 'never',
      findings: [],
    },
  ],
});
