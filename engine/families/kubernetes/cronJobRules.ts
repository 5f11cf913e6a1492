import { parseCron, periodsOf } from '../../cron.ts';
import { formatDuration } from '../../durations/format.ts';
import { fix, insertEntry, removeEntry, replaceText, replaceValue } from '../../edits.ts';
import { defineRule, type PolicyContext, type Rule } from '../../family.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { valueOf } from '../../setting.ts';
import { child, formatPath, nodeAt } from '../../source.ts';
import { plural } from '../../summary.ts';
import type { Ms, Window } from '../../units.ts';
import type { CronJobFields } from './cronJobFields.ts';
import type { CronJobPlace } from './cronJobPlace.ts';
import { restartBackoff, restartWaits } from './crashLoop.ts';
import { jobWaits } from './podFailures.ts';
import { sources } from './system.ts';
import { zeroDropped, zeroDroppedExplanation } from './zeroDropped.ts';

type Context = PolicyContext<CronJobFields, CronJobPlace>;
type CronRule = Rule<CronJobFields, CronJobPlace>;
const rule = (one: CronRule): CronRule => defineRule(one);

/** The times between runs, where the schedule can be read. */
export function periodsOfText(text: string | undefined): Window<Ms> | undefined {
  const read = text === undefined ? undefined : parseCron(text);
  return read?.ok === true ? periodsOf(read.schedule) : undefined;
}

const setEntry = (context: Context, key: string, value: string) => {
  const { node, tree } = context;
  if (node?.kind !== 'map') return undefined;
  const present = node.children.get(key);
  return present === undefined ? insertEntry(tree, node, key, value) : replaceValue(present, value);
};

const neverRuns = rule({
  slug: 'cron-never-runs',
  severity: 'warning',
  summary: 'A schedule that no day of any year meets.',
  explanation:
    'A day such as the 30th of February never comes, so the CronJob never starts a run, and nothing reports it.',
  cite: sources.cronJob,
  *check(context) {
    const text = valueOf(context.settings.schedule);
    if (text === undefined || !parseCron(text).ok || periodsOfText(text) !== undefined) return;
    yield {
      message: `No day of any year meets \`${text}\`, so no run ever starts: check the day and the month`,
      at: context.valueSpanOf('schedule'),
    };
  },
});

const startDeadline = rule({
  slug: 'cron-start-deadline',
  about: ['startingDeadlineSeconds'],
  severity: 'warning',
  summary: 'A start deadline so short that runs are left out.',
  explanation:
    'A run that cannot start within `startingDeadlineSeconds` of its time is skipped, not made up for. With 0 no run ever starts: the controller looks only after the time has come. Controllers up to 1.20 looked every 10 seconds, newer ones a moment after each time, later under load.',
  cite: sources.cronJob,
  *check(context) {
    const { settings } = context;
    const deadline = valueOf(settings.startingDeadlineSeconds);
    if (settings.startingDeadlineSeconds.from !== 'document' || deadline === undefined) return;
    const node = context.nodeOf('startingDeadlineSeconds');
    const fixes = [
      ...fix(
        'Write startingDeadlineSeconds: 60',
        false,
        setEntry(context, 'startingDeadlineSeconds', '60'),
      ),
      ...fix(
        'Remove startingDeadlineSeconds',
        false,
        node === undefined ? undefined : removeEntry(context.tree, node),
      ),
    ];
    if (deadline === 0) {
      yield {
        severity: 'error',
        message:
          'With 0 no run ever starts: the controller looks after the time has come, and by then it is too late. Write 60, or remove the line',
        at: context.keyOf('startingDeadlineSeconds'),
        fixes,
      };
    } else if (deadline > 0 && deadline < 10_000) {
      yield {
        message: `A run that cannot start within ${formatDuration(deadline)} is skipped and not made up for, which a busy or restarting controller is enough for: write 10 or more`,
        at: context.keyOf('startingDeadlineSeconds'),
        fixes,
      };
    }
  },
});

const outlasts = rule({
  slug: 'cron-retries-outlast-period',
  severity: 'warning',
  summary: 'Retries of one run that last longer than the time to the next one.',
  explanation:
    'The waits before the retries of a Job add up. With `concurrencyPolicy: Replace` the next run deletes a Job that still retries, so it never fails for good; with `Allow` several runs retry at the same time.',
  cite: sources.cronJob,
  *check(context) {
    const { settings, policy } = context;
    const { run } = policy.facts;
    const periods = periodsOfText(valueOf(settings.schedule));
    const concurrency = valueOf(settings.concurrencyPolicy);
    if (run === undefined || periods === undefined || run.lasts < periods.lo) return;
    const lasts = formatDuration(run.lasts);
    const next = formatDuration(periods.lo);
    const isWritten = settings.concurrencyPolicy.from === 'document';
    const at = context.keyOf(isWritten ? 'concurrencyPolicy' : 'schedule');
    const forbid = fix(
      'Write concurrencyPolicy: Forbid',
      false,
      setEntry(context, 'concurrencyPolicy', 'Forbid'),
    );
    if (concurrency === 'Replace') {
      yield {
        message: `A failing run is deleted by the next one after ${next}, before its ${plural(run.retries, 'retry', 'retries')} are used up (${lasts} of waiting): it never counts as failed. ${lowerTo(context, periods.lo)}, or write \`Forbid\``,
        at,
        fixes: forbid,
      };
    } else if (concurrency === 'Allow' && run.limitIsWritten) {
      const together = Math.floor(run.lasts / periods.lo) + 1;
      yield {
        severity: 'info',
        message: `When runs fail, up to ${String(together)} of them retry at the same time: the retries of one take ${lasts}, and the next run starts after ${next}. ${lowerTo(context, periods.lo)}, or write \`concurrencyPolicy: Forbid\``,
        at,
        fixes: forbid,
      };
    }
  },
});

function lowerTo({ env, policy }: Context, period: Ms): string {
  let total = 0;
  let fitting = 0;
  const waits =
    policy.facts.run?.isInPlace === true ? restartWaits(restartBackoff(env)) : jobWaits(env);
  for (const { lo } of waits) {
    total += lo;
    if (total >= period || fitting > 1000) break;
    fitting += 1;
  }
  return `Lower \`backoffLimit\` to ${String(fitting)} at most`;
}

const noHistory = rule({
  slug: 'cron-no-failed-history',
  about: ['failedJobsHistoryLimit'],
  severity: 'info',
  summary: 'A CronJob that keeps no failed run.',
  explanation:
    'With `failedJobsHistoryLimit: 0` a run is deleted, with its pods and logs, as soon as it has failed: nothing shows that runs fail.',
  cite: sources.cronJob,
  *check(context) {
    const { settings } = context;
    if (settings.failedJobsHistoryLimit.from !== 'document') return;
    if (settings.failedJobsHistoryLimit.value !== 0) return;
    yield {
      message:
        'A failed run is deleted at once with its logs, so nothing shows that runs fail: keep at least 1',
      at: context.valueSpanOf('failedJobsHistoryLimit'),
      fixes: fix(
        'Write failedJobsHistoryLimit: 1',
        false,
        setEntry(context, 'failedJobsHistoryLimit', '1'),
      ),
    };
  },
});

// The Jobs of a CronJob get eleven more characters, and names of Jobs end at 63.
const longestName = 52;

const longName = rule({
  slug: 'cron-name-too-long',
  severity: 'error',
  summary: 'A CronJob whose Jobs would have names that are too long.',
  explanation:
    'The controller adds 11 characters for the name of each Job, so the API server accepts at most 52 for a CronJob.',
  cite: sources.cronJobValidation,
  *check({ root }) {
    const name = nodeAt(root, ['metadata', 'name']);
    if (name?.kind !== 'scalar' || name.span === undefined) return;
    if (name.text.length <= longestName || isRunTimeText(name.text)) return;
    yield {
      message: `The name has ${String(name.text.length)} characters, and the API server accepts ${String(longestName)} for a CronJob, as each run adds 11: shorten it`,
      at: name.span,
    };
  },
});

const timeZone = rule({
  slug: 'cron-time-zone',
  about: ['timeZone'],
  severity: 'error',
  summary: 'A time zone that the API server refuses.',
  explanation:
    '`timeZone` is a name of the IANA database, such as `Europe/Berlin` or `Etc/UTC`. The empty text and `Local` are refused.',
  cite: sources.cronJobValidation,
  *check(context) {
    const { settings } = context;
    if (settings.timeZone.from !== 'document') return;
    const zone = settings.timeZone.value;
    if (zone !== '' && zone.toLowerCase() !== 'local') return;
    const node = context.nodeOf('timeZone');
    const written = zone === '' ? 'An empty time zone' : `\`${zone}\``;
    yield {
      message: `${written} is refused by the API server: write a name such as \`Etc/UTC\`, or remove the line for the zone of the controller`,
      at: context.valueSpanOf('timeZone'),
      fixes: [
        ...fix(
          'Write Etc/UTC',
          false,
          node?.kind === 'scalar' ? replaceText(node, 'Etc/UTC') : undefined,
        ),
        ...fix(
          'Remove timeZone',
          false,
          node === undefined ? undefined : removeEntry(context.tree, node),
        ),
      ],
    };
  },
});

const cronKeys = [
  'concurrencyPolicy',
  'startingDeadlineSeconds',
  'successfulJobsHistoryLimit',
  'failedJobsHistoryLimit',
  'timeZone',
] as const;

const misplaced = rule({
  slug: 'cron-field-misplaced',
  severity: 'warning',
  summary: 'A setting of a CronJob inside its job template.',
  explanation:
    'Settings such as `concurrencyPolicy` belong into the `spec` of the CronJob. In the job template they are dropped, or refused by a strict client, and the default applies.',
  cite: sources.cronJob,
  *check({ node, root, tree, policy }) {
    const template = child(node, 'jobTemplate');
    for (const place of [root, template, child(template, 'spec')]) {
      if (place?.kind !== 'map' || place === node) continue;
      for (const key of cronKeys) {
        const found = place.children.get(key);
        if (found?.key === undefined || found.via !== undefined) continue;
        const isThere = child(node, key) !== undefined;
        const right = formatPath(policy.anchor);
        const value =
          found.span === undefined ? undefined : tree.text?.slice(found.span.start, found.span.end);
        yield {
          message: `\`${key}\` has no effect here: it belongs to \`${right}\` of the CronJob, ${isThere ? 'and the one written there applies' : 'and is missing there'}`,
          at: found.key,
          unnecessary: true,
          fixes:
            isThere || node?.kind !== 'map' || found.kind !== 'scalar' || value === undefined
              ? fix(`Remove ${key}`, false, removeEntry(tree, found))
              : fix(
                  `Move ${key} to ${right}`,
                  true,
                  removeEntry(tree, found),
                  insertEntry(tree, node, key, value),
                ),
        };
      }
    }
  },
});

const templateZero = rule({
  slug: 'template-zero-dropped',
  about: ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'],
  severity: 'info',
  summary: 'A value of a Helm template that disappears when it is 0.',
  explanation: zeroDroppedExplanation,
  cite: sources.helm,
  *check({ settings, tree }) {
    for (const name of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const) {
      const fallback = name === 'failedJobsHistoryLimit' ? '1' : '3';
      yield* zeroDropped(tree, name, settings[name], `the default ${fallback} applies`);
    }
  },
});

/** The rules about CronJobs. */
export const cronJobRules: readonly CronRule[] = [
  neverRuns,
  startDeadline,
  outlasts,
  noHistory,
  longName,
  timeZone,
  misplaced,
  templateZero,
];
