import { fix, removeEntry, renameKey, replaceText, replaceValue } from '../../edits.ts';
import { formatDuration } from '../../durations/format.ts';
import { atLeast, versionOf } from '../../environment.ts';
import type { Report } from '../../family.ts';
import type { Fix } from '../../finding.ts';
import { isWritten, valueOf, type Setting } from '../../setting.ts';
import { minutes, ms, type Ms } from '../../units.ts';
import { keyFor, writtenValue, type IssuanceContext, type IssuanceRule } from './issuanceFields.ts';
import { goText } from './plannedRenewal.ts';
import { isReversed, shareOf } from './renewal.ts';
import { certManager, sources } from './system.ts';

/** The shortest `renewBefore` that the webhook accepts. */
const minimumRenewBefore = minutes(5);

const exceedsDuration: IssuanceRule = {
  slug: 'renew-before-exceeds-duration',
  severity: 'error',
  summary: 'Renewal would start before the certificate is issued.',
  explanation:
    'The webhook refuses a Certificate whose `renewBefore` is not shorter than its `duration` (90 days where none is written).',
  cite: sources.webhook,
  *check(context) {
    const { settings, policy } = context;
    const renewBefore = writtenValue(settings.renewBefore);
    const lifetime = valueOf(settings.duration);
    if (renewBefore === undefined || lifetime === undefined || renewBefore < lifetime) return;
    if (!policy.facts.whole && !isWritten(settings.duration)) return;
    const third = ms(Math.floor(lifetime / 3000) * 1000);
    const whose = isWritten(settings.duration)
      ? `the lifetime of ${textOf(settings.duration)}`
      : `the default lifetime of ${formatDuration(lifetime)}`;
    yield {
      message: `A renewBefore of ${textOf(settings.renewBefore)} is not shorter than ${whose}, so the webhook refuses the Certificate: write less, such as ${goText(third)}`,
      at: context.valueSpanOf('renewBefore'),
      fixes: setRenewBefore(context, third),
    };
  },
};

const bothWritten: IssuanceRule = {
  slug: 'both-renew-before',
  severity: 'error',
  summary: 'Both `renewBefore` and `renewBeforePercentage` are written.',
  explanation: 'They exclude each other: the webhook refuses a Certificate that has both.',
  cite: sources.webhook,
  *check(context) {
    const { settings, env, tree } = context;
    if (!isWritten(settings.renewBefore) || !isWritten(settings.renewBeforePercentage)) return;
    if (!atLeast(env, certManager, '1.16.0')) return;
    const fixes = (['renewBeforePercentage', 'renewBefore'] as const).flatMap((name) => {
      const node = context.nodeOf(name);
      return node === undefined
        ? []
        : fix(`Remove ${keyFor(context, name)}`, false, removeEntry(tree, node));
    });
    yield {
      message:
        'renewBefore and renewBeforePercentage exclude each other, so the webhook refuses the Certificate: keep one of them',
      at: context.keyOf('renewBeforePercentage'),
      related: [{ at: context.keyOf('renewBefore'), message: 'The other one' }],
      fixes,
    };
  },
};

const percentageRange: IssuanceRule = {
  slug: 'percentage-out-of-range',
  severity: 'error',
  summary: 'A percentage that leaves no time before or after the renewal.',
  explanation:
    'Only 1 to 99 makes sense. The webhook refuses other values, but it looks at the percentage only where `duration` or `renewBefore` is written too; without them the value is ignored in silence.',
  cite: sources.webhook,
  *check(context) {
    const percentage = writtenValue(context.settings.renewBeforePercentage);
    if (percentage === undefined || (percentage >= 1 && percentage <= 99)) return;
    if (!atLeast(context.env, certManager, '1.16.0')) return;
    const node = context.nodeOf('renewBeforePercentage');
    const isChecked = webhookLooks(context);
    const then = isChecked
      ? 'the webhook refuses the Certificate'
      : 'it is ignored, and renewal starts when a third of the lifetime is left';
    yield {
      message: `renewBeforePercentage ${String(percentage)} is outside 1 to 99: ${then}. Write 33 for about a third`,
      at: context.valueSpanOf('renewBeforePercentage'),
      severity: isChecked ? 'error' : 'warning',
      fixes: node?.kind === 'scalar' ? fix('Write 33', false, replaceText(node, '33')) : [],
    };
  },
};

const percentageRefused: IssuanceRule = {
  slug: 'percentage-refused',
  severity: 'error',
  summary: 'A good percentage that a fault of the webhook refuses.',
  explanation:
    'The webhook measures the part of the lifetime *before* the renewal instead of the one after it, and refuses less than 5 minutes of it. Before 1.21 it also overflowed on long lifetimes. Writing the same time as `renewBefore` avoids both.',
  cite: sources.webhook,
  *check(context) {
    const { settings, env } = context;
    const percentage = writtenValue(settings.renewBeforePercentage);
    const lifetime = writtenValue(settings.duration);
    if (percentage === undefined || lifetime === undefined) return;
    if (percentage < 1 || percentage > 99 || isWritten(settings.renewBefore)) return;
    if (!atLeast(env, certManager, '1.16.0')) return;
    const measured = shareOf(lifetime, 100 - percentage, env);
    if (measured >= minimumRenewBefore && measured < lifetime) return;
    const { version } = versionOf(env, certManager);
    const wanted = ms((lifetime * percentage) / 100);
    const rest = ms((lifetime * (100 - percentage)) / 100);
    const why =
      measured === rest
        ? `measures the ${formatDuration(rest)} before the renewal instead of the ${formatDuration(wanted)} after it, and refuses less than ${formatDuration(minimumRenewBefore)}`
        : `overflows on ${String(percentage)}% of ${textOf(settings.duration)}, and refuses the Certificate`;
    yield {
      message: `The webhook of cert-manager ${version} ${why}: write \`${keyFor(context, 'renewBefore')}: ${goText(wanted)}\` instead`,
      at: context.keyOf('renewBeforePercentage'),
      fixes: percentageToDuration(context, wanted),
    };
  },
};

const percentageReversed: IssuanceRule = {
  slug: 'percentage-reversed',
  severity: 'warning',
  summary: 'cert-manager 1.16.0 to 1.16.2 reads the percentage the wrong way round.',
  explanation:
    'These versions renew after `renewBeforePercentage` of the lifetime instead of that much before its end (fixed in 1.16.3 and 1.17.0). Writing the time as `renewBefore` means the same in all versions.',
  cite: sources.reversed,
  *check(context) {
    const { settings, env, policy } = context;
    const percentage = writtenValue(settings.renewBeforePercentage);
    if (percentage === undefined || percentage < 1 || percentage > 99) return;
    if (!isReversed(env) || percentage === 50 || isWritten(settings.renewBefore)) return;
    const { version } = versionOf(env, certManager);
    const lifetime =
      isWritten(settings.duration) || policy.facts.whole ? valueOf(settings.duration) : undefined;
    const fixes =
      lifetime === undefined
        ? []
        : percentageToDuration(context, ms((lifetime * percentage) / 100));
    yield {
      message: `cert-manager ${version} reads this the wrong way round: renewal starts when ${String(100 - percentage)}% of the lifetime is left, not ${String(percentage)}%. Write ${keyFor(context, 'renewBefore')}, or run 1.16.3`,
      at: context.keyOf('renewBeforePercentage'),
      fixes,
    };
  },
};

const textOf = (setting: Setting<Ms>): string => ('text' in setting ? (setting.text ?? '') : '');

/** The webhook checks renewal settings only where one of these two is written. */
const webhookLooks = ({ settings }: IssuanceContext): boolean =>
  isWritten(settings.duration) || isWritten(settings.renewBefore);

/** Writes `renewBefore` in place of the percentage. */
function percentageToDuration(context: IssuanceContext, value: Ms): readonly Fix[] {
  const node = context.nodeOf('renewBeforePercentage');
  if (node === undefined) return [];
  const key = keyFor(context, 'renewBefore');
  const text = goText(value);
  const valueEdit =
    node.kind === 'scalar' && node.inner !== undefined
      ? replaceText(node, text)
      : replaceValue(node, text);
  return fix(`Write ${key}: ${text}`, false, renameKey(node, key), valueEdit);
}

/** Gives `renewBefore` another value where it is written. */
function setRenewBefore(context: IssuanceContext, value: Ms): Report['fixes'] & object {
  const node = context.nodeOf('renewBefore');
  const text = goText(value);
  return node?.kind === 'scalar' ? fix(`Write ${text}`, false, replaceText(node, text)) : [];
}

/** Rules on how `renewBefore`, its percentage and `duration` fit together. */
export const renewBeforeRules: readonly IssuanceRule[] = [
  exceedsDuration,
  bothWritten,
  percentageRange,
  percentageRefused,
  percentageReversed,
];
