import { formatDuration } from '../../durations/format.ts';
import { fix, removeItem, replaceText } from '../../edits.ts';
import { itemPathOf } from '../../containerKnobs.ts';
import { defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { fieldName } from '../../field.ts';
import type { Fix } from '../../finding.ts';
import { scalarOf } from '../../policyRules.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { nodeAt } from '../../source.ts';
import { ms, toNanoseconds, type Ms } from '../../units.ts';
import { knobSources, type KnobFacts } from './knobs.ts';
import { queueWaits } from './queueWaits.ts';
import {
  inForce,
  limiterIn,
  workQueueFields,
  type WorkQueueField,
  type WorkQueueFields,
} from './workQueueFields.ts';

type Context = PolicyContext<WorkQueueFields, KnobFacts>;

export const workQueueRules: readonly Rule<WorkQueueFields, KnobFacts>[] = [
  defineRule({
    slug: 'no-growth-without-cooldown',
    severity: 'warning',
    summary: 'The longest wait or the factor is set, and the cooldown that turns growth on is not.',
    explanation:
      'The limiter starts over whenever an Application was not queued for as long as the cooldown. The cooldown is 0 by default, and then it starts over each time: every wait is the base, and neither the maximum nor the factor is ever used. Set `WORKQUEUE_FAILURE_COOLDOWN_NS` to more than the longest wait.',
    cite: knobSources.limiter,
    *check(context: Context) {
      const limiter = limiterIn(context.settings);
      if (limiter === undefined || limiter.cooldown > 0) return;
      const isStated = isWritten(context.settings[inForce(context.settings, 'cooldown')]);
      if (!isStated && !context.policy.facts.whole) return;
      for (const knob of ['maxDelay', 'factor'] as const) {
        const name = inForce(context.settings, knob);
        if (!isWritten(context.settings[name])) continue;
        yield {
          message: `\`${written(name)}\` has no effect while the cooldown is 0: every wait is ${formatDuration(limiter.base)} and never grows. Set \`WORKQUEUE_FAILURE_COOLDOWN_NS\` to more than the longest wait, such as "${counted(ms(limiter.max * 2))}" (${formatDuration(ms(limiter.max * 2))})`,
          at: context.keyOf(name),
          unnecessary: true,
          fixes: removal(context, name),
        };
      }
    },
  }),
  defineRule({
    slug: 'cooldown-restarts-waits',
    severity: 'warning',
    summary: 'A wait lasts as long as the cooldown, so the waits start over before the maximum.',
    explanation:
      'The cooldown counts from the moment an Application was last queued, and the wait itself is part of it. A wait that is no shorter than the cooldown makes the next one the base again. Choose a cooldown well above the longest wait; the time a refresh takes counts too.',
    cite: knobSources.limiter,
    *check(context: Context) {
      const limiter = limiterIn(context.settings);
      if (limiter === undefined || limiter.cooldown <= 0 || limiter.factor <= 1) return;
      const { base, max, cooldown } = limiter;
      if (max < base || max < cooldown) return;
      const longest = longestWait(limiter);
      const name = inForce(context.settings, 'cooldown');
      const enough = ms(max * 2);
      const text = name === 'cooldown' ? counted(enough) : formatDuration(enough);
      const node = scalarOf(context, name);
      yield {
        message: `A wait of ${formatDuration(longest)} outlasts the cooldown of ${formatDuration(cooldown)}, and the next one is ${formatDuration(base)} again: the waits never stay at ${formatDuration(max)}. Set a cooldown above the longest wait, such as ${formatDuration(enough)}`,
        at: context.valueSpanOf(name),
        fixes: node === undefined ? [] : fix(`Write ${text}`, false, replaceText(node, text)),
      };
    },
  }),
  defineRule({
    slug: 'max-delay-below-base',
    severity: 'warning',
    summary: 'The longest wait is below the first one, so no wait ever grows.',
    explanation:
      'The limiter cuts every wait at the maximum, the first one too. With a base above it the base and the factor say nothing. Watch for it when only one of the two is set: the other keeps its default of 1ms or 1s.',
    cite: knobSources.limiter,
    *check(context: Context) {
      const limiter = limiterIn(context.settings);
      if (limiter === undefined || limiter.cooldown <= limiter.base) return;
      const { base, max } = limiter;
      if (max >= base) return;
      const name = inForce(context.settings, 'maxDelay');
      const isStated = isWritten(context.settings[name]);
      if (!isStated && !context.policy.facts.whole) return;
      const own = isStated ? '' : ', the default';
      yield {
        message: `The longest wait (${formatDuration(max)}${own}) is below the first one (${formatDuration(base)}): every wait is ${formatDuration(max)} and never grows. Raise \`WORKQUEUE_MAX_DELAY_NS\`, or lower the first wait`,
        at: isStated
          ? context.valueSpanOf(name)
          : context.valueSpanOf(inForce(context.settings, 'baseDelay')),
      };
    },
  }),
  defineRule({
    slug: 'nanoseconds-too-few',
    severity: 'warning',
    summary: 'A number that counts nanoseconds and was probably meant as something longer.',
    explanation:
      'The variables that end in `_NS` count nanoseconds: a millisecond is 1000000, a second 1000000000. A value below a microsecond is no wait at all.',
    cite: knobSources.environment,
    *check(context: Context) {
      for (const name of ['baseDelay', 'cooldown'] as const) {
        const setting = context.settings[name];
        const value = valueOf(setting);
        if (!isWritten(setting) || value === undefined || value <= 0 || value >= 0.001) continue;
        const node = scalarOf(context, name);
        const amount = Number(toNanoseconds(value));
        const inSeconds = counted(ms(amount * 1000));
        const inMilliseconds = counted(ms(amount));
        yield {
          message: `\`${written(name)}\` counts nanoseconds, and ${formatDuration(value)} is no wait at all. For ${String(amount)}s write "${inSeconds}", for ${String(amount)}ms "${inMilliseconds}"`,
          at: context.valueSpanOf(name),
          fixes:
            node === undefined
              ? []
              : [
                  ...fix(`Write ${inSeconds}`, false, replaceText(node, inSeconds)),
                  ...fix(`Write ${inMilliseconds}`, false, replaceText(node, inMilliseconds)),
                ],
        };
      }
    },
  }),
  defineRule({
    slug: 'factor-shrinks',
    severity: 'warning',
    summary: 'A factor below 1 makes the waits shorter and shorter.',
    explanation:
      'Each wait is the one before times the factor. Below 1 an Application that is queued over and over is handled more and more often, down to no wait at all.',
    cite: knobSources.limiter,
    *check(context: Context) {
      const limiter = limiterIn(context.settings);
      if (limiter === undefined || limiter.cooldown <= limiter.base || limiter.factor >= 1) return;
      const name = inForce(context.settings, 'factor');
      const node = scalarOf(context, name);
      yield {
        message: `A factor of ${String(limiter.factor)} makes each wait shorter than the one before: ${formatDuration(limiter.base)}, then ${formatDuration(ms(limiter.base * limiter.factor))}. Write a factor above 1, such as the default 1.5`,
        at: context.valueSpanOf(name),
        fixes: node === undefined ? [] : fix('Write 1.5', false, replaceText(node, '1.5')),
      };
    },
  }),
  defineRule({
    slug: 'bucket-size-without-qps',
    severity: 'info',
    summary: 'A burst is set for a bucket that is off.',
    explanation:
      'The bucket that all Applications share is off until `WORKQUEUE_BUCKET_QPS` is set: its rate is the largest number there is, and any burst fits.',
    cite: knobSources.limiterDefaults,
    *check(context: Context) {
      const { settings } = context;
      if (!context.policy.facts.whole) return;
      if (isWritten(settings.bucketQps) || isWritten(settings.bucketQpsFlag)) return;
      const name = inForce(settings, 'bucketSize');
      if (!isWritten(settings[name])) return;
      yield {
        message: `\`${written(name)}\` has no effect without \`WORKQUEUE_BUCKET_QPS\`: the bucket is off. Set both, or leave this out`,
        at: context.keyOf(name),
        unnecessary: true,
        fixes: removal(context, name),
      };
    },
  }),
];

/** How the author wrote a knob: `WORKQUEUE_MAX_DELAY_NS`, `--wq-maxdelay-ns`. */
const written = (name: WorkQueueField): string => {
  const { path } = workQueueFields[name];
  return path.startsWith('args.') ? `--${fieldName(path)}` : fieldName(path);
};

const counted = (value: Ms): string => String(toNanoseconds(value));

function longestWait(limiter: Parameters<typeof queueWaits>[0]): Ms {
  let longest = limiter.base;
  for (const { lo } of queueWaits(limiter)) {
    if (lo < longest) break;
    longest = lo;
    if (lo >= limiter.cooldown) break;
  }
  return longest;
}

/** Removes the argument or the variable, where it stands in a list with others. */
function removal(context: Context, name: WorkQueueField): readonly Fix[] {
  const node = context.nodeOf(name);
  const item = node === undefined ? undefined : nodeAt(context.root, itemPathOf(node));
  const list = item === undefined ? undefined : nodeAt(context.root, item.path.slice(0, -1));
  if (item === undefined || list === undefined) return [];
  return fix(`Remove ${written(name)}`, false, removeItem(context.tree, list, item));
}
