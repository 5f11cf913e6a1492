import { formatDuration } from '../../durations/format.ts';
import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import { integer, wholeSeconds } from '../../format.ts';
import type { Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { plural } from '../../summary.ts';
import { ms, seconds } from '../../units.ts';
import { inWholeSeconds, requeueWaits } from './requeueWaits.ts';
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
  schedule: (values, { env }): Schedule<keyof Fields> => ({
    waits: inWholeSeconds(
      requeueWaits(env, atLeastZero(values.backoffBaseSeconds), values.backoffMaxSeconds),
    ),
    ...(values.backoffMaxSeconds > 0
      ? {
          cap: {
            value: values.backoffMaxSeconds,
            origin: { kind: 'field', field: 'backoffMaxSeconds' },
          },
        }
      : {}),
    stops: [
      {
        kind: 'retries',
        limit: Math.max(0, values.backoffLimitCount),
        then: 'the admission check is rejected and the Workload deactivated',
        origin: { kind: 'field', field: 'backoffLimitCount' },
      },
    ],
    resets: [],
    clock: 'after-attempt',
  }),
  rules: [],
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
