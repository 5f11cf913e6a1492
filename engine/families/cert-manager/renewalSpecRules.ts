import { fix, insertEntry, removeEntry, replaceText } from '../../edits.ts';
import { parseCron } from '../../cron.ts';
import { atLeast } from '../../environment.ts';
import type { Report } from '../../family.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, itemsOf, nameSpan, type SourceNode } from '../../source.ts';
import { parseGoDuration } from '../../durations/go.ts';
import type { IssuanceContext, IssuanceRule } from './issuanceFields.ts';
import { certManager, sources } from './system.ts';

const knows = ({ env }: IssuanceContext): boolean => atLeast(env, certManager, '1.21.0');

const needsPolicy: IssuanceRule = {
  slug: 'renewal-needs-policy',
  severity: 'error',
  summary: '`renewal` is written without a `policy`.',
  explanation: 'The webhook knows no default for it and refuses the Certificate.',
  cite: sources.renewalWebhook,
  *check(context) {
    const renewal = child(context.node, 'renewal');
    if (!knows(context) || renewal?.kind !== 'map' || !context.policy.facts.whole) return;
    if (renewal.children.size === 0 || renewal.children.has('policy')) return;
    yield {
      message:
        'A renewal without a policy is refused by the webhook: write `policy: RenewBefore` to renew, or `policy: Disabled`',
      at: nameSpan(renewal) ?? context.name,
      fixes: fix(
        'Add policy: RenewBefore',
        true,
        insertEntry(context.tree, renewal, 'policy', 'RenewBefore'),
      ),
    };
  },
};

const windowsWhileDisabled: IssuanceRule = {
  slug: 'windows-while-disabled',
  severity: 'error',
  summary: 'Renewal windows on a Certificate that is never renewed.',
  explanation: 'The webhook refuses `renewal.windows` together with `policy: Disabled`.',
  cite: sources.renewalWebhook,
  *check(context) {
    const windows = context.nodeOf('renewalWindows');
    if (!knows(context) || valueOf(context.settings.renewalPolicy) !== 'Disabled') return;
    if (windows === undefined || itemsOf(windows).length === 0) return;
    yield {
      message:
        'Renewals are disabled, so the webhook refuses windows for them: remove the windows, or write `policy: RenewBefore`',
      at: context.keyOf('renewalWindows'),
      fixes: fix('Remove windows', false, removeEntry(context.tree, windows)),
    };
  },
};

const ignoredRenewBefore: IssuanceRule = {
  slug: 'ignored-renew-before',
  severity: 'warning',
  summary: '`renewBefore` on a Certificate that is never renewed.',
  explanation:
    'With `renewal.policy: Disabled` no renewal time is computed: the certificate expires, whatever `renewBefore` says.',
  cite: sources.renewalTime,
  *check(context) {
    if (!knows(context) || valueOf(context.settings.renewalPolicy) !== 'Disabled') return;
    for (const name of ['renewBefore', 'renewBeforePercentage'] as const) {
      const node = context.nodeOf(name);
      if (!isWritten(context.settings[name]) || node === undefined) continue;
      yield {
        message: `${name} has no effect: \`policy: Disabled\` means that this certificate is never renewed and expires`,
        at: context.keyOf(name),
        unnecessary: true,
        fixes: fix(`Remove ${name}`, false, removeEntry(context.tree, node)),
      };
    }
  },
};

const windowDuration = /^(?:\d+(?:\.\d+)?[smh])+$/;

const renewalWindow: IssuanceRule = {
  slug: 'renewal-window',
  severity: 'error',
  summary: 'A renewal window that the API server or the webhook refuses.',
  explanation:
    'Each window needs a `cron` with five parts and a `windowDuration` in hours, minutes and seconds that is longer than nothing.',
  cite: sources.renewalWebhook,
  *check(context) {
    if (!knows(context) || !context.policy.facts.whole) return;
    for (const item of itemsOf(context.nodeOf('renewalWindows'))) {
      if (item.kind === 'map') yield* windowReports(context, item);
    }
  },
};

function* windowReports(context: IssuanceContext, item: SourceNode): Generator<Report> {
  const at = item.span === undefined ? context.keyOf('renewalWindows') : firstKey(item);
  for (const key of ['cron', 'windowDuration']) {
    if (child(item, key) !== undefined) continue;
    yield {
      message: `A renewal window without ${key} is refused: write one`,
      at: at ?? context.name,
    };
  }
  yield* cronReports(child(item, 'cron'));
  yield* zoneReports(child(item, 'timezone'));
  const length = child(item, 'windowDuration');
  if (length?.kind !== 'scalar' || isRunTimeText(length.text) || length.span === undefined) return;
  const read = parseGoDuration(length.text);
  if (windowDuration.test(length.text) && read.ok && read.value > 0) return;
  const suggestion = read.ok ? undefined : read.suggestion;
  yield {
    message: `windowDuration \`${length.text}\` cannot be used: write hours, minutes and seconds, such as ${suggestion ?? '2h'}`,
    at: length.span,
    fixes:
      suggestion === undefined
        ? []
        : fix(`Write ${suggestion}`, true, replaceText(length, suggestion)),
  };
}

function* cronReports(cron: SourceNode | undefined): Generator<Report> {
  if (cron?.kind !== 'scalar' || isRunTimeText(cron.text) || cron.span === undefined) return;
  // A zone before the fields is read; words such as @daily, which CronJobs know, are not.
  if (/^(?:CRON_)?TZ=/.test(cron.text)) return;
  const read = parseCron(cron.text);
  if (read.ok && !cron.text.startsWith('@')) return;
  const why = read.ok ? `words such as \`${cron.text}\` are not read here` : read.message;
  yield {
    message: `The webhook refuses the cron \`${cron.text}\`: ${why}. Write five fields, such as 0 2 * * 6`,
    at: cron.span,
  };
}

/** Names of the form Area/City that no database of time zones has. */
function* zoneReports(zone: SourceNode | undefined): Generator<Report> {
  if (zone?.kind !== 'scalar' || isRunTimeText(zone.text) || zone.span === undefined) return;
  if (!zone.text.includes('/') || /^(?:posix|right)\//.test(zone.text)) return;
  if (isTimeZone(zone.text)) return;
  yield {
    message: `The webhook refuses the time zone \`${zone.text}\`: there is none of that name. Write one such as Europe/Berlin`,
    at: zone.span,
  };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const firstKey = (item: SourceNode) =>
  item.kind === 'map'
    ? ([...item.children.values()].map(nameSpan).find(Boolean) ?? item.span)
    : item.span;

/** Rules on the `renewal` block of 1.21. */
export const renewalSpecRules: readonly IssuanceRule[] = [
  needsPolicy,
  windowsWhileDisabled,
  ignoredRenewBefore,
  renewalWindow,
];
