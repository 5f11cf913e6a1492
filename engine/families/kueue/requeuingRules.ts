import { formatDuration } from '../../durations/format.ts';
import {
  fix,
  insertEntry,
  removeEntry,
  renameKey,
  replaceText,
  replaceValue,
} from '../../edits.ts';
import { defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { nearest } from '../../format.ts';
import { scalarOf } from '../../policyRules.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { valueOf } from '../../setting.ts';
import { child, nameSpan, type SourceNode } from '../../source.ts';
import { zero } from '../../units.ts';
import { capsInside, hasBounds } from './requeueWaits.ts';
import type { RequeuingFields, RequeuingPlace } from './requeuingFields.ts';
import { sources } from './system.ts';

type Context = PolicyContext<RequeuingFields, RequeuingPlace>;
type RequeuingRule = Rule<RequeuingFields, RequeuingPlace>;

const rule = (made: RequeuingRule): RequeuingRule => defineRule(made);

const keys = ['timeout', 'recoveryTimeout', 'blockAdmission', 'requeuingStrategy'] as const;
const strategyKeys = [
  'timestamp',
  'backoffLimitCount',
  'backoffBaseSeconds',
  'backoffMaxSeconds',
] as const;

/** The rules about `waitForPodsReady`. */
export const requeuingRules: readonly RequeuingRule[] = [
  rule({
    slug: 'pods-ready-off',
    severity: 'warning',
    summary: 'Settings of `waitForPodsReady` that have no effect, because it is off.',
    explanation:
      'With `config.kueue.x-k8s.io/v1beta1` Kueue waits for pods only where `enable: true` is written; without it no Workload is evicted for pods that do not get ready, and none is put back. With v1beta2 there is no such key.',
    cite: sources.defaults,
    *check(context: Context) {
      const { node, settings, tree, policy } = context;
      if (policy.facts.version !== 'v1beta1' || node?.kind !== 'map') return;
      if (settings.enable.from !== 'unset' || node.children.size === 0) return;
      yield {
        message:
          'This has no effect: with v1beta1 Kueue waits for pods only where `enable: true` is written beside it',
        at: context.name,
        fixes: fix('Write enable: true', false, insertEntry(tree, node, 'enable', 'true')),
      };
    },
  }),
  rule({
    slug: 'unknown-setting',
    severity: 'error',
    summary: 'A key that Kueue does not know: it does not start.',
    explanation:
      'Kueue reads its configuration strictly and ends with an error at a key that it does not know, such as `enable` with v1beta2, where the block alone switches it on.',
    cite: sources.strict,
    *check(context: Context) {
      const { node, tree, policy } = context;
      const { version } = policy.facts;
      if (version === undefined) return;
      const own = version === 'v1beta1' ? [...keys, 'enable'] : keys;
      const blocks: readonly (readonly [SourceNode | undefined, readonly string[]])[] = [
        [node, own],
        [child(node, 'requeuingStrategy'), strategyKeys],
      ];
      for (const [block, known] of blocks) {
        if (block?.kind !== 'map') continue;
        for (const [key, entry] of block.children) {
          const at = nameSpan(entry);
          if (known.includes(key) || entry.via !== undefined || at === undefined) continue;
          if (isRunTimeText(key)) continue;
          const meant = nearest(key, known);
          const why =
            key === 'enable' ? 'the block alone switches it on' : `known are ${known.join(', ')}`;
          yield {
            message: `Kueue does not start: ${version} knows no \`${key}\` here, ${why}`,
            at,
            fixes:
              meant === undefined || block.children.has(meant)
                ? fix(`Remove ${key}`, false, removeEntry(tree, entry))
                : fix(`Rename to ${meant}`, true, renameKey(entry, meant)),
          };
        }
      }
    },
  }),
  rule({
    slug: 'requeue-cap-below-base',
    severity: 'warning',
    summary: 'The longest wait is below the first one, so waits do not grow.',
    explanation:
      'The wait doubles from `backoffBaseSeconds` up to `backoffMaxSeconds`. With a maximum below the base it never grows; since 0.15 only the first wait is as long as the base, before that all are the maximum. Watch for it when only one of them is written: the other keeps its default of 60 or 3600.',
    cite: sources.requeue,
    *check(context: Context) {
      const { settings, env } = context;
      const base = valueOf(settings.backoffBaseSeconds);
      const max = valueOf(settings.backoffMaxSeconds);
      if (base === undefined || max === undefined || max >= base || max <= 0) return;
      if (!hasBounds(env)) return;
      const from = scalarOf(context, 'backoffBaseSeconds');
      const to = scalarOf(context, 'backoffMaxSeconds');
      const first = capsInside(env)
        ? `the first wait is ${formatDuration(base)}, all others`
        : 'every wait is';
      const rest = capsInside(env) ? ` are ${formatDuration(max)}` : ` ${formatDuration(max)}`;
      const own = to === undefined ? ', the default' : '';
      yield {
        message: `\`backoffMaxSeconds\` (${formatDuration(max)}${own}) is below \`backoffBaseSeconds\` (${formatDuration(base)}): ${first}${rest}. Raise the maximum, or lower the base`,
        at: context.valueSpanOf(to === undefined ? 'backoffBaseSeconds' : 'backoffMaxSeconds'),
        fixes:
          from === undefined || to === undefined
            ? []
            : fix('Swap the two', false, replaceText(from, to.text), replaceText(to, from.text)),
      };
    },
  }),
  rule({
    slug: 'requeue-without-wait',
    severity: 'warning',
    summary: 'A base of 0: a Workload whose pods do not get ready is put back at once.',
    explanation:
      'Nothing grows out of 0: every wait is 0. The Workload is back at the head of its queue at once, where it may keep others from being admitted.',
    cite: sources.requeue,
    *check(context: Context) {
      const written = scalarOf(context, 'backoffBaseSeconds');
      if (!hasBounds(context.env)) return;
      if (valueOf(context.settings.backoffBaseSeconds) !== zero || written === undefined) return;
      yield {
        message:
          'A Workload whose pods do not get ready is put back at once, every time: 0 never grows. Write a first wait, such as the default 60',
        at: context.valueSpanOf('backoffBaseSeconds'),
        fixes: fix('Write 60', false, replaceValue(written, '60')),
      };
    },
  }),
];
