import { formatDuration } from '../../durations/format.ts';
import { defineFamily, type Note, type Policy } from '../../family.ts';
import { field } from '../../field.ts';
import { decimal, goDuration } from '../../format.ts';
import { itemExponential } from '../../goBackoff.ts';
import { capReachedAt, type Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { namesLimiter } from './configMap.ts';
import { queueNotes, queueResets } from './queueNotes.ts';
import { bucketGone, controllerRuntime, hasBucket, sources } from './system.ts';
import { bucketOf, workQueueRules } from './workQueueRules.ts';

export const workQueueFields = {
  baseDelay: field(goDuration, 'baseDelay', 'Wait before the first retry of an object').required(
    'without `baseDelay` there is no limiter',
  ),
  maxDelay: field(goDuration, 'maxDelay', 'Longest wait of one object').required(
    'without `maxDelay` there is no limiter',
  ),
  bucketQPS: field(decimal, 'bucketQPS', 'Retries a second of all objects together')
    .beside()
    .unset('no bucket of its own'),
  bucketBurst: field(decimal, 'bucketBurst', 'Retries that the bucket lets pass at once')
    .beside()
    .unset('no bucket of its own'),
  qps: field(decimal, 'qps', 'Retries a second of all objects together, on a client-go queue')
    .beside()
    .unset('no bucket of its own'),
  burst: field(decimal, 'burst', 'Retries that the bucket lets pass at once, on a client-go queue')
    .beside()
    .unset('no bucket of its own'),
} as const;

/** The limiter of a controller's work queue, as a program's ConfigMap names it. */
export const family = defineFamily({
  id: 'controller-runtime/work-queue',
  system: controllerRuntime,
  title: 'Work queue with exponential waits',
  summary:
    'A controller puts an object whose reconcile returned an error back on its queue, after a wait that doubles with every failure in a row. The count is kept per object, in memory, and forgotten after a reconcile without an error.',
  formula:
    'wait after failure n = min(baseDelay × 2^(n-1), maxDelay), no jitter, no limit on retries; where all objects share a bucket, the longer of that and the wait for a token',
  cite: sources.itemExponential,
  sites: [
    {
      group: '',
      kinds: ['ConfigMap'],
      anchor: 'data',
      when: (root) => namesLimiter(root, ['baseDelay', 'maxDelay']),
      needs: ['baseDelay'],
    },
  ],
  fields: workQueueFields,
  schedule: ({ baseDelay, maxDelay }): Schedule<keyof typeof workQueueFields> => ({
    waits: itemExponential(baseDelay, maxDelay),
    ...(baseDelay > 0 && maxDelay > 0
      ? { cap: { value: maxDelay, origin: { kind: 'field', field: 'maxDelay' } } }
      : {}),
    stops: [],
    resets: queueResets,
    clock: 'after-attempt',
  }),
  rules: workQueueRules,
  notes,
  effect: (policy, name) => effectOf(policy, name),
  bucket: bucketOf,
  examples: [
    {
      name: 'the default limiter, written out',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: manager-tuning
data:
  baseDelay: 5ms
  maxDelay: 1000s
`,
      waits: ['5ms', '10ms', '20ms', '40ms', '80ms', '160ms', '320ms', '640ms', '1.28s'],
      ends: 'never',
      findings: [],
    },
    {
      name: 'a bucket that the priority queue does not have',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: manager-tuning
data:
  baseDelay: 1s
  maxDelay: 1m
  bucketQPS: "10"
  bucketBurst: "100"
`,
      waits: ['1s', '2s', '4s', '8s', '16s', '32s', '1m', '1m'],
      ends: 'never',
      findings: ['controller-runtime/bucket-not-used'],
    },
    {
      name: 'the same before 0.23, where the bucket can add to the maximum',
      yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: manager-tuning
data:
  baseDelay: 1s
  maxDelay: 1m
  bucketQPS: "10"
  bucketBurst: "100"
`,
      versions: { 'controller-runtime': '0.19.0' },
      waits: ['1s', '2s', '4s', '8s', '16s', '32s', '1m', '1m'],
      ends: 'never',
      findings: ['controller-runtime/cap-not-hard'],
    },
  ],
});

type Fields = typeof workQueueFields;

function* notes(policy: Policy<Fields>): Generator<Note<keyof Fields>> {
  yield* queueNotes;
  yield hasBucket(policy.env)
    ? {
        text: `Before ${bucketGone} a queue without settings of its own has 5ms doubling to 16m40s and a bucket of 10 retries a second, 100 at once, that all objects share`,
      }
    : {
        text: `Since ${bucketGone} a queue without settings of its own has 5ms doubling to 16m40s and no bucket: objects that fail together retry together`,
      };
}

function effectOf(policy: Policy<Fields>, name: keyof Fields): string | undefined {
  const base = valueOf(policy.settings.baseDelay);
  const max = valueOf(policy.settings.maxDelay);
  const qps = valueOf(policy.settings.bucketQPS) ?? valueOf(policy.settings.qps);
  const burst = valueOf(policy.settings.bucketBurst) ?? valueOf(policy.settings.burst);
  if (base === undefined || max === undefined || base <= 0) return undefined;
  switch (name) {
    case 'baseDelay':
      return `Retry 1 of an object waits ${formatDuration(base < max ? base : max)}, and every further retry twice as long as the one before`;
    case 'maxDelay': {
      const at = capReachedAt(
        family.schedule({ ...noBucket, baseDelay: base, maxDelay: max }, policy),
      );
      return at === undefined
        ? undefined
        : `The wait stays at ${formatDuration(max)} from retry ${String(at)}, for ever`;
    }
    case 'bucketQPS':
    case 'qps':
      return qps === undefined
        ? undefined
        : `All objects together retry ${String(qps)} times a second once the burst is used up`;
    case 'bucketBurst':
    case 'burst':
      return burst === undefined
        ? undefined
        : `The first ${String(burst)} retries need not wait for the bucket`;
  }
}

const noBucket = {
  bucketQPS: undefined,
  bucketBurst: undefined,
  qps: undefined,
  burst: undefined,
};
