import { knobSites, knobsNamed } from '../../containerKnobs.ts';
import type { Site } from '../../family.ts';
import type { Format } from '../../format.ts';
import { cite } from './system.ts';

/** Where the variables of the controller and the executor are read. */
export const variableSources = {
  retry: cite('util/retry/retry.go DefaultRetry, ExecutorRetry'),
  loop: cite('util/wait/backoff.go Backoff'),
  requeue: cite('workflow/controller/rate_limiters.go GetRequeueTime'),
  environment: cite('util/env/env.go LookupEnvDurationOr, LookupEnvIntOr, LookupEnvFloatOr'),
} as const;

/** A format as an environment variable has it: always a string in the manifest. */
export const variable = <T>(inner: Format<T>): Format<T> => ({
  ...inner,
  name: `${inner.name}, as a string`,
  read: (node) => {
    if (node.kind !== 'scalar' || typeof node.value === 'string') return inner.read(node);
    return {
      ok: false,
      problem: {
        code: 'wrong-type',
        message: `the ${typeof node.value} ${node.text} is refused here: a variable is a string, write "${node.text}"`,
        suggestion: node.text,
        style: 'quoted',
      },
    };
  },
});

/** Containers that set one of the variables, and the executor's container in the controller's ConfigMap. */
export function variableSites(names: readonly string[]): readonly Site[] {
  const knobs = names.map((name) => `env.${name}`);
  const executor = (anchor: string): Site => ({
    group: '',
    kinds: ['ConfigMap'],
    anchor,
    view: knobsNamed(knobs),
    needs: names,
  });
  return [...knobSites(knobs), executor('data.executor>'), executor('data.config>executor')];
}
