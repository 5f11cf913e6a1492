import { formatDuration } from '../../durations/format.ts';
import { fix, removeEntry, replaceText } from '../../edits.ts';
import { defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { scalarOf } from '../../policyRules.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { seconds, zero } from '../../units.ts';
import { hasBucket, sources } from './system.ts';
import type { workQueueFields } from './workQueue.family.ts';

type Fields = typeof workQueueFields;
type Context = PolicyContext<Fields>;

export const workQueueRules: readonly Rule<Fields>[] = [
  defineRule({
    slug: 'bucket-not-used',
    severity: 'info',
    summary: 'A bucket is configured for a queue that has none.',
    explanation:
      'Since controller-runtime 0.23 the priority queue is the default (0.20 to 0.22 have it on request), and it comes with the limiter per object alone. The bucket of 10 retries a second that older versions share between all objects is gone: nothing smooths a storm of many objects any more. Leave the settings out, or give the controller a `RateLimiter` that has a bucket.',
    cite: sources.queueDefault,
    *check(context: Context) {
      if (hasBucket(context.env)) return;
      const names = bucketNames.filter((name) => isWritten(context.settings[name]));
      const [first] = names;
      if (first === undefined) return;
      const edits = names.map((name) => {
        const node = context.nodeOf(name);
        return node === undefined ? undefined : removeEntry(context.tree, node);
      });
      yield {
        message: `\`${first}\` is not used when the priority queue is enabled (default in current controller-runtime): since 0.23 only the wait per object counts, however many objects fail together. Leave it out, or set a \`RateLimiter\` with a bucket in the controller`,
        at: context.keyOf(first),
        unnecessary: true,
        fixes: fix(`Remove ${names.join(' and ')}`, false, ...edits),
      };
    },
  }),
  defineRule({
    slug: 'cap-not-hard',
    severity: 'info',
    summary: 'A shared bucket makes waits longer than the maximum.',
    explanation:
      'A queue with both limiters takes the longer of two waits: the one of the object, which ends at the maximum, and the one for a token of the bucket that all objects share, which has no end. When more objects fail than the bucket has tokens, each waits for its turn: 72,000 retries at 10 a second take two hours, whatever the maximum. Wrap the limiter in `WithMaxWaitRateLimiter` for a hard maximum.',
    cite: sources.bucket,
    *check(context: Context) {
      const bucket = describedBucket(context);
      const max = valueOf(context.settings.maxDelay);
      if (bucket === undefined || max === undefined || max <= 0) return;
      yield {
        message: `\`maxDelay: ${formatDuration(max)}\` caps only the per-item delay; the shared bucket (${bucket.words}) can add more under load${bucket.example}. Expect longer waits when many objects fail together`,
        at: context.keyOf('maxDelay'),
      };
    },
  }),
  defineRule({
    slug: 'max-below-base',
    severity: 'warning',
    summary: 'The maximum is below the first wait, so no wait ever grows.',
    explanation:
      'The limiter cuts every wait at the maximum, the first one too. With a base above the maximum all waits are the maximum, and the base says nothing.',
    cite: sources.itemExponential,
    *check(context: Context) {
      const base = valueOf(context.settings.baseDelay);
      const max = valueOf(context.settings.maxDelay);
      if (base === undefined || max === undefined || max >= base || max <= 0) return;
      const from = scalarOf(context, 'baseDelay');
      const to = scalarOf(context, 'maxDelay');
      yield {
        message: `\`maxDelay\` (${formatDuration(max)}) is below \`baseDelay\` (${formatDuration(base)}): every wait is ${formatDuration(max)} and never grows. Swap the two, or raise \`maxDelay\``,
        at: context.valueSpanOf('maxDelay'),
        fixes:
          from === undefined || to === undefined
            ? []
            : fix(
                'Swap baseDelay and maxDelay',
                false,
                replaceText(from, to.text),
                replaceText(to, from.text),
              ),
      };
    },
  }),
  defineRule({
    slug: 'no-wait',
    severity: 'warning',
    summary: 'A wait of zero: every retry follows at once, and the wait never grows.',
    explanation:
      'The wait is the base times a power of two. Nothing grows out of zero: an object that keeps failing is reconciled without pause, keeps a worker busy and sends a request to the API server each time.',
    cite: sources.itemExponential,
    *check(context: Context) {
      const base = valueOf(context.settings.baseDelay);
      const max = valueOf(context.settings.maxDelay);
      const noFirst = base !== undefined && base <= 0;
      const noLongest = max !== undefined && max <= 0;
      if (!noFirst && !noLongest) return;
      const name = noFirst ? 'baseDelay' : 'maxDelay';
      const usual = noFirst ? '5ms' : '1000s';
      const node = scalarOf(context, name);
      yield {
        message: noFirst
          ? `\`baseDelay: ${formatDuration(base)}\` makes every retry follow at once, without end: an object that fails keeps a worker busy. Write a first wait, such as 5ms`
          : `\`maxDelay: ${formatDuration(max ?? zero)}\` cuts every wait to nothing: each retry follows at once, without end, and an object that fails keeps a worker busy. Write a longest wait, such as 1000s`,
        at: context.valueSpanOf(name),
        fixes: node === undefined ? [] : fix(`Write ${usual}`, false, replaceText(node, usual)),
      };
    },
  }),
];

const bucketNames = ['bucketQPS', 'bucketBurst'] as const;

/** The bucket that is in force: the queue's own where it has one, or that of a queue of client-go. */
export function bucketOf({
  settings,
  env,
}: Pick<Context, 'settings' | 'env'>):
  { readonly qps: number; readonly burst: number } | undefined {
  const own = hasBucket(env) ? valueOf(settings.bucketQPS) : undefined;
  const qps = own ?? valueOf(settings.qps);
  const burst = own === undefined ? valueOf(settings.burst) : valueOf(settings.bucketBurst);
  if (qps === undefined || burst === undefined || qps <= 0 || burst < 1) return undefined;
  return { qps, burst };
}

type Described = { readonly words: string; readonly example: string };

/** The bucket in words, with what it does to many objects. */
function describedBucket(context: Context): Described | undefined {
  const bucket = bucketOf(context);
  if (bucket === undefined) return undefined;
  const { qps, burst } = bucket;
  const many = burst >= 1000 ? burst * 10 : 1000;
  const wait = formatDuration(seconds(Math.round((many - burst) / qps)));
  const count = many.toLocaleString('en-US');
  return {
    words: `${String(qps)} qps, burst ${String(burst)}`,
    example: `: of ${count} objects that fail together the last waits ${wait}`,
  };
}
