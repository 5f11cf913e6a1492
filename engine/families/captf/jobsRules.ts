import { formatDuration } from '../../durations/format.ts';
import { fix, insertEntry, removeEntry, replaceValue } from '../../edits.ts';
import { defineRule, type PolicyContext, type Report, type Rule } from '../../family.ts';
import type { Fix } from '../../finding.ts';
import { valueOf } from '../../setting.ts';
import { nodeAt } from '../../source.ts';
import { minutes, ms, seconds } from '../../units.ts';
import { countedLimit, defaultFailedLimit, limitOfGrowth, retryMax, spread } from './delays.ts';
import { defaultDeadline, defaultLockTimeout, fittingLock, type JobsFields } from './jobsFields.ts';
import type { Place } from './place.ts';
import { captfSource } from './system.ts';
import { waitsInWords } from './words.ts';

type Context = PolicyContext<JobsFields, Place>;
type JobsRule = Rule<JobsFields, Place>;

const decide = captfSource('internal/controllers/shared/decide.go RetryDelay');
const webhook = captfSource('internal/webhooks/common.go validateJobPolicy');
const longest = formatDuration(retryMax.value);

/** The limit as the author wrote it; nothing where it is a default or not known. */
const writtenLimit = ({ settings }: Context): number | undefined => {
  const setting = settings.failedJobsHistoryLimit;
  return setting.from === 'document' ? setting.value : undefined;
};

const setTo = (
  context: Context,
  name: keyof JobsFields,
  value: string,
  title = `Set ${name} to ${value}`,
): readonly Fix[] => {
  const node = context.nodeOf(name);
  return node === undefined ? [] : fix(title, false, replaceValue(node, value));
};

const firstRetryWaitsLongest: JobsRule = defineRule({
  slug: 'first-retry-waits-longest',
  severity: 'warning',
  summary: 'A history limit of 0 or 1 makes every retry wait 10 minutes, the first one too.',
  explanation:
    '`failedJobsHistoryLimit` looks like housekeeping, but it also says after how many failures in a row the wait jumps to 10 minutes. ' +
    'With 0 or 1 that is the first failure. Write 3 (the default) for 1m, 2m, then 10m, or 5 for 1m, 2m, 4m, 8m, then 10m.',
  cite: decide,
  *check(context) {
    const limit = writtenLimit(context);
    if (limit === undefined || limit > 1) return;
    const usual = defaultFailedLimit.value;
    const counted = limit === 0 ? ' (it counts as 1)' : '';
    yield {
      message:
        `Every retry waits ${longest}, the first one too: with \`failedJobsHistoryLimit: ${String(limit)}\`${counted} the first failure already reaches the limit from which CAPTF waits ${longest}; ` +
        `write ${String(usual)} to wait ${waitsInWords(usual)}`,
      at: context.keyOf('failedJobsHistoryLimit'),
      fixes: [usual, limitOfGrowth].flatMap((better) =>
        setTo(
          context,
          'failedJobsHistoryLimit',
          String(better),
          `Write ${String(better)}: waits of ${waitsInWords(better)}`,
        ),
      ),
    };
  },
});

const limitChangesNoWait: JobsRule = defineRule({
  slug: 'limit-changes-no-wait',
  severity: 'info',
  summary: 'Above 5 the history limit changes no wait any more.',
  explanation:
    'The fifth wait is 10 minutes with every limit from 5 on, so a larger one keeps more failed Jobs (and allows more drift remediations) but retries at the same times.',
  cite: decide,
  *check(context) {
    const limit = writtenLimit(context);
    if (limit === undefined || limit <= limitOfGrowth) return;
    const { remediates } = context.policy.facts;
    const more = remediates ? ` and allows ${String(limit)} failed drift remediations` : '';
    const written = String(limit);
    yield {
      message:
        `The waits are those of ${String(limitOfGrowth)}: ${waitsInWords(limit)}; above that \`failedJobsHistoryLimit: ${written}\` only keeps more failed Jobs${more}, ` +
        `write ${String(limitOfGrowth)} unless you want that`,
      at: context.keyOf('failedJobsHistoryLimit'),
      fixes: setTo(context, 'failedJobsHistoryLimit', String(limitOfGrowth)),
    };
  },
});

const remediationSource = captfSource('internal/controllers/shared/decide.go decide');
// The manager's --drift-default-interval: an interval above it was made longer on purpose.
const usualDriftInterval = minutes(30);

const limitCapsRemediation: JobsRule = defineRule({
  slug: 'limit-caps-remediation',
  severity: 'info',
  summary: 'The history limit is also the number of drift remediations before CAPTF gives up.',
  explanation:
    'With `drift.action: Remediate` CAPTF applies against drift only while fewer than `failedJobsHistoryLimit` applies failed since the last successful drift check. ' +
    'Then the drift stays pending until the next check succeeds.',
  cite: remediationSource,
  *check(context) {
    const limit = writtenLimit(context);
    const { remediates } = context.policy.facts;
    // A limit that is too large for the waits is told what it does here by the rule above.
    if (limit === undefined || limit > limitOfGrowth) return;
    if (!remediates || waitsLongForCheck(context, limit)) return;
    yield {
      message: `After ${failedRemediations(limit)} none runs again until a drift check succeeds: \`failedJobsHistoryLimit\` is that limit too`,
      at: context.keyOf('failedJobsHistoryLimit'),
      related: actionOf(context),
    };
  },
});

const remediationWaitsForCheck: JobsRule = defineRule({
  slug: 'remediation-waits-for-check',
  severity: 'warning',
  summary: 'Few drift remediations and rare drift checks: a failed repair stays broken for long.',
  explanation:
    'Once as many remediations failed as `failedJobsHistoryLimit` says, CAPTF waits for the next successful drift check, which comes one `drift.intervalSeconds` (plus up to a tenth) after the last. ' +
    'Raise the limit or check more often.',
  cite: remediationSource,
  *check(context) {
    const limit = writtenLimit(context);
    const { driftInterval } = context.policy.facts;
    if (limit === undefined || driftInterval === undefined) return;
    if (!waitsLongForCheck(context, limit)) return;
    const latest = formatDuration(spread(driftInterval).hi);
    yield {
      message: `After ${failedRemediations(limit)} the drift stays until the next drift check, up to ${latest} after the last one: raise \`failedJobsHistoryLimit\` or lower \`drift.intervalSeconds\``,
      at: context.keyOf('failedJobsHistoryLimit'),
      related: actionOf(context),
      fixes: setTo(context, 'failedJobsHistoryLimit', String(defaultFailedLimit.value)),
    };
  },
});

const failedRemediations = (limit: number): string => {
  const count = countedLimit(limit);
  return count === 1 ? '1 failed drift remediation' : `${String(count)} failed drift remediations`;
};

function waitsLongForCheck({ policy }: Context, limit: number): boolean {
  const { remediates, driftInterval } = policy.facts;
  return (
    remediates && limit < defaultFailedLimit.value && (driftInterval ?? ms(0)) > usualDriftInterval
  );
}

function actionOf({ parents }: Context): NonNullable<Report['related']> {
  const action = nodeAt(parents[0], ['drift', 'action']);
  const at = action?.span;
  return at === undefined ? [] : [{ at, message: 'This makes CAPTF repair drift by itself' }];
}

const lockFillsDeadline: JobsRule = defineRule({
  slug: 'lock-fills-deadline',
  severity: 'error',
  summary:
    "The wait for the state's lock can use up a Job's whole deadline: the webhook refuses it.",
  explanation:
    '`lockTimeoutSeconds` must be below `activeDeadlineSeconds`. A policy that writes only one of them is checked against the default of the other: 300 for the lock, 3600 for the deadline. ' +
    'The webhook looks at one policy at a time, so a value that the cluster gives to its machines does not help.',
  cite: webhook,
  *check(context) {
    const { settings, policy } = context;
    const lock = settings.lockTimeoutSeconds;
    const deadline = settings.activeDeadlineSeconds;
    const isLockAbsent = lock.from === 'default' && policy.facts.isWhole;
    const isDeadlineAbsent = deadline.from === 'default' && policy.facts.isWhole;
    if (lock.from === 'document' && deadline.from === 'document') {
      if (lock.value < deadline.value) return;
      yield {
        message: `The webhook refuses this policy: waiting ${formatDuration(lock.value)} for the state's lock can use up the whole deadline of ${formatDuration(deadline.value)}; write less than ${deadline.text} here, or a larger \`activeDeadlineSeconds\``,
        at: context.valueSpanOf('lockTimeoutSeconds'),
        fixes: [
          ...lowerLock(context, Number(deadline.text)),
          ...(lock.value < defaultDeadline.value
            ? setTo(context, 'activeDeadlineSeconds', '3600')
            : []),
        ],
      };
    } else if (deadline.from === 'document' && isLockAbsent) {
      if (deadline.value > defaultLockTimeout.value) return;
      yield {
        message: `The webhook refuses this policy: without \`lockTimeoutSeconds\` a Job may wait ${formatDuration(defaultLockTimeout.value)} for the state's lock, which uses up this deadline of ${formatDuration(deadline.value)}; write more than 300, or a smaller \`lockTimeoutSeconds\` beside it`,
        at: context.valueSpanOf('activeDeadlineSeconds'),
        fixes: [
          ...setTo(context, 'activeDeadlineSeconds', '3600'),
          ...addLock(context, Number(deadline.text)),
        ],
      };
    } else if (lock.from === 'document' && isDeadlineAbsent) {
      if (lock.value < defaultDeadline.value) return;
      yield {
        message: `The webhook refuses this policy: waiting ${formatDuration(lock.value)} for the state's lock can use up the default deadline of ${formatDuration(defaultDeadline.value)}; write less than 3600, or a larger \`activeDeadlineSeconds\` beside it`,
        at: context.valueSpanOf('lockTimeoutSeconds'),
        fixes: setTo(context, 'lockTimeoutSeconds', '300'),
      };
    }
  },
});

const lowerLock = (context: Context, deadline: number): readonly Fix[] =>
  setTo(context, 'lockTimeoutSeconds', String(fittingLock(deadline)));

function addLock(context: Context, deadline: number): readonly Fix[] {
  const { node, tree } = context;
  if (node?.kind !== 'map') return [];
  const value = String(fittingLock(deadline));
  const edit = insertEntry(tree, node, 'lockTimeoutSeconds', value, 'activeDeadlineSeconds');
  return fix(`Add lockTimeoutSeconds: ${value}`, false, edit);
}

const deadlineCutsOperations: JobsRule = defineRule({
  slug: 'deadline-cuts-operations',
  severity: 'info',
  summary: 'A deadline of ten minutes or less: an operation that needs longer never succeeds.',
  explanation:
    'A Job that its deadline kills counts as a failure, even when it reports that it was interrupted. ' +
    'An apply that needs longer than the deadline is therefore started again and again, every 10 minutes in the end, and never gets to its end. Clouds often need more than ten minutes for a cluster.',
  cite: captfSource('internal/controllers/shared/bookkeeping.go countFailures'),
  *check(context) {
    const deadline = context.settings.activeDeadlineSeconds;
    const lock = valueOf(context.settings.lockTimeoutSeconds);
    if (deadline.from !== 'document' || deadline.value > seconds(600)) return;
    if (lock === undefined || lock >= deadline.value) return;
    const share = lock > 0 ? `, up to ${formatDuration(lock)} of it waiting for the lock` : '';
    yield {
      message: `A Job is killed after ${formatDuration(deadline.value)}${share}, and counts as failed: an operation that needs longer is repeated every ${longest} and never succeeds; raise it unless every operation is that quick`,
      at: context.valueSpanOf('activeDeadlineSeconds'),
      fixes: setTo(context, 'activeDeadlineSeconds', '3600'),
    };
  },
});

type Mistaken = 'limit' | 'wait' | 'pod' | 'ttl';

/** Keys that other systems' policies have, by what their authors hope for. */
const mistaken: ReadonlyMap<string, Mistaken> = new Map([
  ...named('limit', 'backoffLimit', 'backoffLimitPerIndex', 'maxFailedIndexes', 'retries'),
  ...named('limit', 'maxRetries', 'retryLimit', 'maxAttempts', 'attempts', 'limit', 'maxRetry'),
  ...named('wait', 'backoff', 'backoffSeconds', 'retryInterval', 'retryIntervalSeconds'),
  ...named('wait', 'retryDelay', 'retryPeriodSeconds', 'retryStrategy', 'retryPolicy', 'retry'),
  ...named('pod', 'restartPolicy', 'podFailurePolicy', 'podReplacementPolicy', 'completions'),
  ...named('pod', 'parallelism', 'completionMode', 'suspend', 'template'),
  ...named('ttl', 'ttlSecondsAfterFinished'),
]);

function named(
  what: Mistaken,
  ...keys: readonly string[]
): readonly (readonly [string, Mistaken])[] {
  return keys.map((key) => [key, what] as const);
}

/** The keys that `controller-owns-retries` speaks about. */
export const mistakenKeys: readonly string[] = [...mistaken.keys()];

const controllerOwnsRetries: JobsRule = defineRule({
  slug: 'controller-owns-retries',
  severity: 'warning',
  summary: 'A key that would limit or shape retries elsewhere: CAPTF has none.',
  explanation:
    'CAPTF creates every Job with `backoffLimit: 0` and starts the next one itself, without end. Nothing limits the number of retries and only `failedJobsHistoryLimit` shapes their waits. ' +
    'The API server drops keys it does not know, and `kubectl` refuses the manifest.',
  cite: captfSource('internal/jobs/spec.go Build'),
  *check(context) {
    const { node, settings, tree } = context;
    if (node?.kind !== 'map') return;
    for (const [key, entry] of node.children) {
      const what = mistaken.get(key);
      if (what === undefined || entry.key === undefined || entry.via !== undefined) continue;
      const limit = valueOf(settings.failedJobsHistoryLimit);
      const waits = limit === undefined ? 'growing waits' : `waits of ${waitsInWords(limit)}`;
      const written = entry.kind === 'scalar' ? `${key}: ${entry.text}` : key;
      yield {
        message: `\`${written}\` ${mistakenText(what, waits)}; remove it`,
        at: entry.key,
        unnecessary: true,
        fixes: fix(`Remove ${key}`, true, removeEntry(tree, entry)),
      };
    }
  },
});

function mistakenText(what: Mistaken, waits: string): string {
  switch (what) {
    case 'limit':
      return `limits nothing, it is no field here: CAPTF's Jobs never restart their pod, and CAPTF itself repeats a failed operation without end, after ${waits}`;
    case 'wait':
      return `sets no wait, it is no field here: only \`failedJobsHistoryLimit\` shapes the retries, here ${waits}`;
    case 'pod':
      return `has no effect, it is no field here: every Job of CAPTF runs one pod once, and CAPTF itself repeats a failed operation after ${waits}`;
    case 'ttl':
      return 'has no effect, it is no field here: CAPTF deletes finished Jobs itself and keeps as many as `failedJobsHistoryLimit` and `successfulJobsHistoryLimit` say';
  }
}

export const jobsRules: readonly JobsRule[] = [
  lockFillsDeadline,
  firstRetryWaitsLongest,
  limitChangesNoWait,
  limitCapsRemediation,
  remediationWaitsForCheck,
  deadlineCutsOperations,
  controllerOwnsRetries,
];
