import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import { oneOf, text } from '../../format.ts';
import { exponential } from '../../growth.ts';
import type { Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { minutes, seconds } from '../../units.ts';
import { imagePullLive } from './imagePullLive.ts';
import { containerSites, namedBy, podOwner } from './podSites.ts';
import { kubernetes, sources } from './system.ts';

/** The waits of a kubelet between failed pulls of one image for one pod. */
export const pullWaits = { base: seconds(10), factor: 2, cap: minutes(5) } as const;

const pulls: Schedule<'imagePullPolicy'> = {
  waits: exponential(pullWaits),
  cap: {
    value: pullWaits.cap,
    origin: { kind: 'built-in', name: 'the longest wait', cite: sources.imagePull },
  },
  stops: [],
  resets: [
    {
      text: 'no failed pull of this image for this pod',
      after: minutes(10),
      origin: { kind: 'built-in', name: 'the kubelet', cite: sources.imagePull },
    },
    {
      text: 'a new pod takes its place, or the kubelet restarts',
      origin: { kind: 'built-in', name: 'the kubelet', cite: sources.imagePull },
    },
  ],
  clock: 'after-attempt',
};

const noPulls: Schedule<'imagePullPolicy'> = {
  waits: pulls.waits,
  stops: [
    {
      kind: 'retries',
      limit: 0,
      then: 'nothing is pulled (ErrImageNeverPull where the node lacks the image)',
      origin: { kind: 'field', field: 'imagePullPolicy' },
    },
  ],
  resets: [],
  clock: 'after-attempt',
};

/** ImagePullBackOff: how the kubelet repeats a pull that failed. */
export const family = defineFamily({
  id: 'kubernetes/image-pull',
  system: kubernetes,
  title: 'Image pulls (ImagePullBackOff)',
  summary:
    'The kubelet repeats a failed pull of an image without end, after waits that double. The container has not started meanwhile, so nothing counts as a failure or a restart.',
  formula:
    'wait before pull n+1 = min(10s × 2^(n-1), 5m), from the end of the last failed pull, per pod and image; no setting changes it',
  cite: sources.imagePull,
  sites: containerSites(namedBy('image')),
  fields: {
    image: field(text, 'image', 'The image that is pulled').beside().unset('the workload names it'),
    imagePullPolicy: field(
      oneOf('Always', 'IfNotPresent', 'Never'),
      'imagePullPolicy',
      'Whether the image is pulled when the node has it',
    ).unset('Always for the tag latest or none, IfNotPresent for any other'),
  },
  facts: ({ root }) => ({ owner: podOwner(root) }),
  // The same for every container, so made once.
  schedule: ({ imagePullPolicy }) => (imagePullPolicy === 'Never' ? noPulls : pulls),
  rules: [],
  *notes({ facts, settings }) {
    if (valueOf(settings.imagePullPolicy) === 'Never') return;
    yield {
      text:
        facts.owner === 'job'
          ? 'A pod whose image cannot be pulled never fails: `backoffLimit` does not count it, only `activeDeadlineSeconds` ends such a Job'
          : 'A pull that cannot succeed, of a tag that does not exist say, is repeated until the pod is deleted',
    };
  },
  live: imagePullLive,
  examples: [
    {
      name: 'every container has it',
      yaml: `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
    - name: web
      image: registry.example/web:1
`,
      waits: ['10s', '20s', '40s', '1m20s', '2m40s', '5m', '5m', '5m'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'an image that must be on the node',
      yaml: `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
    - name: web
      image: registry.example/web:1
      imagePullPolicy: Never
`,
      waits: [],
      ends: 'after 0 retries',
      findings: [],
    },
  ],
});
