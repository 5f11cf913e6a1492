import { formatDuration } from '../../durations/format.ts';
import { defineFamily, type Note, type Policy } from '../../family.ts';
import { field } from '../../field.ts';
import { oneOf, wholeSeconds } from '../../format.ts';
import { constant } from '../../growth.ts';
import { valueOf } from '../../setting.ts';
import { child } from '../../source.ts';
import { ms, zero } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';
import { countOrPercent } from './countOrPercent.ts';
import { kubernetes } from './system.ts';

const statefulSetFields = {
  podManagementPolicy: field(
    oneOf('OrderedReady', 'Parallel'),
    'podManagementPolicy',
    'Whether a pod waits until the ones before it are ready',
  )
    .beside()
    .defaultsTo('OrderedReady', sources.workloadDefaults),
  minReadySeconds: field(
    wholeSeconds,
    'minReadySeconds',
    'How long a new pod must be ready before it counts as available',
  )
    .beside()
    .within({
      min: ms(0),
      consequence: 'the API server refuses it',
      cite: sources.workloadValidation,
    })
    .defaultsTo(ms(0), sources.workloadDefaults),
  maxUnavailable: field(
    countOrPercent,
    'updateStrategy.rollingUpdate.maxUnavailable',
    'How many pods may be missing during a rolling update',
  )
    .beside()
    .unset('one pod at a time'),
} as const;

type Fields = typeof statefulSetFields;

/** How a StatefulSet goes on when a pod fails. */
export const family = defineFamily({
  id: 'kubernetes/stateful-set',
  system: kubernetes,
  title: 'StatefulSet pods',
  summary:
    'A StatefulSet replaces a pod that ended at once, under the same name, without a wait and without a limit. With OrderedReady it stops at the first pod that is not ready and touches no other until that one is.',
  formula: 'no wait and no limit; containers restart inside their pod after waits of their own',
  cite: sources.statefulSet,
  sites: [
    {
      group: 'apps',
      kinds: ['StatefulSet'],
      anchor: 'spec',
      implied: true,
      when: (root) => child(root, 'spec')?.kind === 'map',
    },
  ],
  fields: statefulSetFields,
  schedule: () => schedule,
  rules: [],
  notes,
  effect: ({ settings }, name) => {
    const ready = valueOf(settings.minReadySeconds);
    switch (name) {
      case 'podManagementPolicy':
        return valueOf(settings.podManagementPolicy) === 'Parallel'
          ? 'Pods are created and deleted without waiting for each other'
          : 'A pod that does not get ready keeps all later ones from starting';
      case 'minReadySeconds':
        return ready === undefined || ready === zero
          ? 'The next pod follows as soon as one is ready'
          : `The next pod follows once one has been ready for ${formatDuration(ready)}`;
      default:
        return undefined;
    }
  },
  examples: [
    {
      name: 'pods one after another',
      yaml: `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
spec:
  serviceName: db
  replicas: 3
  minReadySeconds: 10
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
        - name: db
          image: registry.example/db:1
`,
      anchor: 'spec',
      waits: ['0s', '0s', '0s'],
      ends: 'never',
      findings: [],
    },
  ],
});

const schedule = { waits: constant(zero), stops: [], resets: [], clock: 'after-attempt' } as const;

function* notes({ settings }: Policy<Fields>): Generator<Note<keyof Fields>> {
  if (valueOf(settings.podManagementPolicy) !== 'Parallel') {
    yield {
      text: 'A rolling update stops at a pod that does not get ready, and stays there: setting the template back is not enough, the broken pod must be deleted by hand too',
    };
  }
  if (settings.maxUnavailable.from === 'document') {
    yield {
      field: 'maxUnavailable',
      text: 'It has an effect only where the feature gate MaxUnavailableStatefulSet is on; otherwise pods are replaced one at a time',
    };
  }
  yield {
    text: 'Errors of the API server are tried again after 5ms, doubling to 16m40s, without a limit',
  };
}
