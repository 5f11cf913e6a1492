import { formatDuration } from '../../../durations/format.ts';
import { fix, replaceText } from '../../../edits.ts';
import { defineRule } from '../../../family.ts';
import { firstSteps } from '../../../schedule.ts';
import { plural } from '../../../summary.ts';
import { ms, nanoseconds, zero, type Ms } from '../../../units.ts';
import type { Facts } from '../facts.ts';
import type { Fields } from '../fields.ts';
import { runsPod } from '../manifest.ts';
import { backoffOf, isWaitedFor, longestWait } from '../schedule.ts';
import { cite, processNodeRetries } from '../system.ts';
import { behaviourOf, computedWaits } from '../waits.ts';
import { given, ownScalarOf, scalarOf, type Context } from './context.ts';

/** A limit this high says "as often as fits", so that a time limit below it is meant. */
const highLimit = 20;

/** `maxDuration` ends the retries before `limit` does. */
export const maxDurationCutsRetries = defineRule<Fields, Facts>({
  slug: 'max-duration-cuts-retries',
  about: ['maxDuration'],
  severity: 'warning',
  summary: '`maxDuration` leaves no room for all the retries that `limit` allows.',
  explanation:
    '`maxDuration` is no cap on one wait: it counts from the start of the first run, and a retry whose wait would end after it is not started. Run time counts too, so with runs that take long even fewer retries fit. Raise `maxDuration`, or cap single waits with `cap`.',
  cite: processNodeRetries,
  *check(context) {
    const values = given(context);
    const { limit, maxDuration } = values;
    if (limit === undefined || maxDuration === undefined || maxDuration === null) return;
    if (limit * longestWait(values) < maxDuration) return;
    const { bound, schedule } = context;
    if (bound?.kind !== 'bounded' || bound.retries === undefined || schedule === undefined) return;
    if (bound.by.origin.kind !== 'field' || bound.by.origin.field !== 'maxDuration') return;
    const kept = bound.retries.hi;
    const next = nextWait(context, kept + 1);
    if (kept >= limit || next === undefined) return;
    const at = `${formatDuration(ms(bound.lasts.hi + next))} after the first run began`;
    const opening =
      kept === 0
        ? `No retry can start: the wait of ${formatDuration(next)} ends after the ${formatDuration(maxDuration)} of \`maxDuration\``
        : `Only ${String(kept)} of ${plural(limit, 'retry', 'retries')} can start: retry ${String(kept + 1)} would wait ${formatDuration(next)}, until ${at}, and \`maxDuration\` ends at ${formatDuration(maxDuration)}`;
    const needed = totalOf(context, limit);
    const node = ownScalarOf(context, 'limit');
    const lost = limit - kept;
    yield {
      message: `${opening}; ${limit === 1 ? 'it needs' : `all ${String(limit)} need`} ${formatDuration(needed)} of waiting. Raise \`maxDuration\`${kept === 0 ? '' : `, or lower \`limit\` to ${String(kept)}`}`,
      at: context.keyOf('maxDuration'),
      severity: kept > 0 && (lost === 1 || limit >= highLimit) ? 'info' : 'warning',
      related: [{ at: context.keyOf('limit'), message: `${String(lost)} of these do not fit` }],
      fixes:
        node === undefined || kept === 0
          ? []
          : fix(`Lower limit to ${String(kept)}`, false, replaceText(node, String(kept))),
    };
  },
});

/** The workflow's own deadline ends the retries before `limit` does. */
export const workflowDeadlineCutsRetries = defineRule<Fields, Facts>({
  slug: 'workflow-deadline-cuts-retries',
  needs: ['activeDeadlineSeconds'],
  severity: 'info',
  summary: "The workflow's `activeDeadlineSeconds` leaves no room for all the retries.",
  explanation:
    'When the workflow reaches its deadline no further retry is started, and pods that run are ended. What ran before this template, and every run of it, counts too, so even fewer retries fit. Raise the deadline, or cap single waits with `cap`.',
  cite: processNodeRetries,
  *check(context) {
    const values = given(context);
    const { limit } = values;
    const { workflowDeadline } = context.policy.facts;
    if (limit === undefined || workflowDeadline === undefined) return;
    if (limit * longestWait(values) < workflowDeadline) return;
    const { bound, schedule } = context;
    if (bound?.kind !== 'bounded' || bound.retries === undefined || schedule === undefined) return;
    if (bound.by.kind !== 'elapsed' || bound.by.origin.kind !== 'built-in') return;
    const kept = bound.retries.hi;
    const next = nextWait(context, kept + 1);
    if (kept >= limit || next === undefined || next === 0) return;
    const ends = formatDuration(workflowDeadline);
    const opening =
      kept === 0
        ? `No retry can start: the wait of ${formatDuration(next)} ends after the workflow does, which has ${ends} (\`activeDeadlineSeconds\`)`
        : `Only ${String(kept)} of ${plural(limit, 'retry', 'retries')} can start: retry ${String(kept + 1)} would wait ${formatDuration(next)}, until ${formatDuration(ms(bound.lasts.hi + next))} after the first run began, and the workflow has ${ends} (\`activeDeadlineSeconds\`)`;
    const node = ownScalarOf(context, 'limit');
    const deadline = context.nodeOf('workflowDeadline')?.key;
    yield {
      message: `${opening}. Raise that${kept === 0 ? '' : `, or lower \`limit\` to ${String(kept)}`}`,
      at: context.keyOf('limit'),
      severity: kept === 0 ? 'warning' : 'info',
      related: deadline === undefined ? [] : [{ at: deadline, message: 'Ends the workflow' }],
      fixes:
        node === undefined || kept === 0
          ? []
          : fix(`Lower limit to ${String(kept)}`, false, replaceText(node, String(kept))),
    };
  },
});

/** The waits as the backoff gives them, with the time limit left aside. */
function waitsOf(context: Context): readonly bigint[] {
  const backoff = backoffOf(given(context));
  return backoff === undefined ? [] : computedWaits(backoff, behaviourOf(context.env));
}

function nextWait(context: Context, retry: number): Ms | undefined {
  const waits = waitsOf(context);
  const wait = waits[Math.min(retry, waits.length) - 1];
  return wait === undefined || wait < 0n ? undefined : nanoseconds(wait);
}

function totalOf(context: Context, limit: number): Ms {
  const waits = waitsOf(context);
  const last = waits.at(-1) ?? 0n;
  const positive = (wait: bigint) => (wait < 0n ? 0n : wait);
  const listed = waits.slice(0, limit).reduce((sum, wait) => sum + positive(wait), 0n);
  const rest = BigInt(Math.max(0, limit - waits.length)) * positive(last);
  return nanoseconds(listed + rest);
}

/** A pod's own deadline that retries never get. */
export const deadlineOnlyFirstRun = defineRule<Fields, Facts>({
  slug: 'deadline-only-first-run',
  about: ['maxDuration'],
  severity: 'warning',
  summary: '`maxDuration` ends retries before `activeDeadlineSeconds` would.',
  explanation:
    'The first run has all of `activeDeadlineSeconds`. Every retry is ended at the latest when `maxDuration` after the start of the first run has passed, so it has only what is left of it.',
  cite: cite(
    'workflow/controller/workflowpod.go getDeadline; workflow/controller/operator.go processNodeRetries',
  ),
  *check(context) {
    const { facts } = context.policy;
    const { maxDuration } = given(context);
    if (facts.podDeadline === undefined || maxDuration === undefined || maxDuration === null)
      return;
    if (facts.level === 'template' && !runsPod(facts.body)) return;
    if (context.schedule === undefined || context.settings.podDeadline.from !== 'document') return;
    const [first] = firstSteps(context.schedule, 1).steps;
    if (first === undefined) return;
    const left = ms(maxDuration - first.wait.lo);
    if (facts.podDeadline <= left) return;
    const node = scalarOf(context, 'podDeadline');
    const whole = Math.floor(left / 1000);
    const waited = isWaitedFor(given(context), facts, behaviourOf(context.env))
      ? first.wait.lo
      : zero;
    yield {
      message: `Only the first run may take ${formatDuration(facts.podDeadline)}: retries end ${formatDuration(maxDuration)} after the first run began, so retry 1${waited === 0 ? '' : `, after its wait of ${formatDuration(waited)},`} has at most ${formatDuration(left)}. Raise \`maxDuration\`, or lower this`,
      at: context.keyOf('podDeadline'),
      related: [{ at: context.keyOf('maxDuration'), message: 'Ends every retry' }],
      fixes:
        node === undefined || whole < 1
          ? []
          : fix(`Write ${String(whole)}`, false, replaceText(node, String(whole))),
    };
  },
});
