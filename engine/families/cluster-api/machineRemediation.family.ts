import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import type { Format } from '../../format.ts';
import { constant } from '../../growth.ts';
import { valueOf } from '../../setting.ts';
import { zero } from '../../units.ts';
import { clusterApi, sources } from './system.ts';

/** A whole number, or a share such as `20%`. */
const countOrShare: Format<string> = {
  name: 'integer, or a string such as "20%"',
  samples: ['1', '"20%"'],
  write: (value) => value,
  read: (node) => {
    const fits =
      node.kind === 'scalar' &&
      (typeof node.value === 'number' ? Number.isInteger(node.value) : /^\d+%$/.test(node.text));
    return fits
      ? { ok: true, value: node.text }
      : {
          ok: false,
          problem: {
            code: 'wrong-type',
            message: 'the webhook refuses this: write a whole number, or a share such as "20%"',
          },
        };
  },
};

/** How many unhealthy machines a MachineDeployment replaces at a time. */
export const family = defineFamily({
  id: 'cluster-api/machine-remediation',
  system: clusterApi,
  title: 'Remediation of worker machines',
  summary:
    'A MachineSet replaces a machine that its health check calls unhealthy at once, again and again, without a wait and without a limit. `maxInFlight` only says how many at a time.',
  formula: 'no wait and no limit; at most maxInFlight machines are replaced at the same time',
  cite: sources.machineSet,
  sites: [
    { group: 'cluster.x-k8s.io', kinds: ['MachineDeployment'], anchor: 'spec.remediation' },
    {
      group: 'cluster.x-k8s.io',
      kinds: ['MachineDeployment'],
      anchor: 'spec.strategy.remediation',
    },
  ],
  fields: {
    maxInFlight: field(
      countOrShare,
      'maxInFlight',
      'How many unhealthy machines are replaced at the same time',
    )
      .beside()
      .unset('all of them at once'),
  },
  schedule: () => ({ waits: constant(zero), stops: [], resets: [], clock: 'after-attempt' }),
  rules: [],
  effect: ({ settings }) => {
    const most = valueOf(settings.maxInFlight);
    return most === undefined
      ? undefined
      : `At most ${most} unhealthy machines are replaced at the same time; the others wait for them`;
  },
  examples: [
    {
      name: 'one in five at a time',
      yaml: `apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata:
  name: workers
spec:
  remediation:
    maxInFlight: 20%
`,
      waits: ['0s', '0s'],
      ends: 'never',
      findings: [],
    },
  ],
});
