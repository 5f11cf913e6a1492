import { formatDuration } from '../../durations/format.ts';
import { atLeast, type Environment } from '../../environment.ts';
import { defineFamily, type Rule } from '../../family.ts';
import { field, type Values } from '../../field.ts';
import { integer, wholeSeconds } from '../../format.ts';
import type { Schedule } from '../../schedule.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { plural } from '../../summary.ts';
import { ms, seconds, type Ms } from '../../units.ts';
import { capsInside, inWholeSeconds, requeueWaits } from './requeueWaits.ts';
import { kueue, sources } from './system.ts';
import { admissionCheckLive } from './workloadLive.ts';

const before = 'the API server drops it; 3 retries after 60s, 120s and 240s';

const provisioningFields = {
  backoffLimitCount: field(
    integer,
    'backoffLimitCount',
    'How often a request for nodes that failed is made again; 0 for never',
  )
    .since('0.9.0', before)
    .defaultsTo(3, sources.provisioning),
  backoffBaseSeconds: field(wholeSeconds, 'backoffBaseSeconds', 'Wait before the first retry')
    .since('0.9.0', before)
    .defaultsTo(seconds(60), sources.provisioning),
  backoffMaxSeconds: field(wholeSeconds, 'backoffMaxSeconds', 'Longest wait')
    .since('0.9.0', before)
    .defaultsTo(seconds(1800), sources.provisioning),
} as const;

type Fields = typeof provisioningFields;

/** The settings as the version has them: before 0.9 there were none, and the defaults were built in. */
function retriesOf(
  values: Values<Fields>,
  env: Environment,
): { readonly base: Ms; readonly max: Ms; readonly limit: number } {
  return hasSettings(env)
    ? {
        base: values.backoffBaseSeconds,
        max: values.backoffMaxSeconds,
        limit: values.backoffLimitCount,
      }
    : { base: seconds(60), max: seconds(1800), limit: 3 };
}

const hasSettings = (env: Environment): boolean => atLeast(env, kueue, '0.9.0');

const capBelowBase: Rule<Fields> = {
  slug: 'provisioning-cap-below-base',
  severity: 'warning',
  summary: 'The longest wait for nodes is below the first one, so waits do not grow.',
  explanation:
    'The wait doubles from `backoffBaseSeconds` up to `backoffMaxSeconds`. With a maximum below the base it never grows; since 0.15 only the first wait is as long as the base. Watch for it when only one of them is written: the other keeps its default of 60 or 1800.',
  cite: sources.provisioning,
  *check(context) {
    const { settings, env } = context;
    const base = valueOf(settings.backoffBaseSeconds);
    const max = valueOf(settings.backoffMaxSeconds);
    if (base === undefined || max === undefined || max >= base || max <= 0) return;
    if (!hasSettings(env)) return;
    const isMaxWritten = isWritten(settings.backoffMaxSeconds);
    const waits = capsInside(env)
      ? `the first wait is ${formatDuration(base)}, all others are ${formatDuration(max)}`
      : `every wait is ${formatDuration(max)}`;
    yield {
      message: `\`backoffMaxSeconds\` (${formatDuration(max)}${isMaxWritten ? '' : ', the default'}) is below \`backoffBaseSeconds\` (${formatDuration(base)}): ${waits}. Raise the maximum, or lower the base`,
      at: context.valueSpanOf(isMaxWritten ? 'backoffMaxSeconds' : 'backoffBaseSeconds'),
    };
  },
};

/** How often Kueue asks the cluster autoscaler again for nodes. */
export const family = defineFamily({
  id: 'kueue/provisioning-retry',
  system: kueue,
  title: 'Kueue ProvisioningRequest retries',
  summary:
    'A ProvisioningRequest that failed, or whose booking expired before the Workload was admitted, is made again after a wait that doubles. After the last retry the admission check is rejected and the Workload deactivated.',
  formula:
    'wait before retry n = min(backoffBaseSeconds × 2^(n-1), backoffMaxSeconds), in whole seconds; backoffLimitCount retries',
  cite: sources.provisioning,
  sites: [
    {
      group: 'kueue.x-k8s.io',
      kinds: ['ProvisioningRequestConfig'],
      anchor: 'spec.retryStrategy',
      implied: true,
    },
  ],
  fields: provisioningFields,
  schedule: (values, { env }): Schedule<keyof Fields> => {
    const { base, max, limit } = retriesOf(values, env);
    return {
      waits: inWholeSeconds(requeueWaits(env, atLeastZero(base), max)),
      ...(max > 0
        ? { cap: { value: max, origin: { kind: 'field', field: 'backoffMaxSeconds' } } }
        : {}),
      stops: [
        {
          kind: 'retries',
          limit: Math.max(0, limit),
          then: 'the admission check is rejected and the Workload deactivated',
          origin: { kind: 'field', field: 'backoffLimitCount' },
        },
      ],
      resets: [],
      clock: 'after-attempt',
    };
  },
  rules: [capBelowBase],
  *notes() {
    yield {
      text: 'The wait is in the Workload: `requeueAfterSeconds` and `retryCount` of its admission check',
    };
    yield {
      text: 'Nodes that are taken away again (CapacityRevoked) are not asked for anew: the Workload is deactivated at once',
    };
  },
  effect: ({ settings }, name) => {
    const limit = valueOf(settings.backoffLimitCount);
    const time = name === 'backoffLimitCount' ? undefined : valueOf(settings[name]);
    if (name === 'backoffLimitCount') {
      return limit === undefined
        ? undefined
        : `${plural(Math.max(0, limit) + 1, 'request')} in all, then the Workload is deactivated`;
    }
    if (time === undefined) return undefined;
    return name === 'backoffBaseSeconds'
      ? `The first retry waits ${formatDuration(time)}, each further one twice as long`
      : `No retry waits longer than ${formatDuration(time)}`;
  },
  live: admissionCheckLive,
  examples: [
    {
      name: 'the defaults',
      yaml: `apiVersion: kueue.x-k8s.io/v1beta2
kind: ProvisioningRequestConfig
metadata:
  name: gpus
spec:
  provisioningClassName: check-capacity.autoscaling.x-k8s.io
`,
      waits: ['1m', '2m', '4m'],
      ends: 'after 3 retries',
      findings: [],
    },
    {
      name: 'eight retries',
      yaml: `apiVersion: kueue.x-k8s.io/v1beta1
kind: ProvisioningRequestConfig
metadata:
  name: gpus
spec:
  provisioningClassName: queued-provisioning.gke.io
  retryStrategy:
    backoffLimitCount: 8
`,
      waits: ['1m', '2m', '4m', '8m', '16m', '30m', '30m', '30m'],
      ends: 'after 8 retries',
      findings: [],
    },
  ],
});

const atLeastZero = (value: ReturnType<typeof seconds>) => (value < 0 ? ms(0) : value);
