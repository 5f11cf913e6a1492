import { formatDuration } from '../../../durations/format.ts';
import { fix, insertEntry, replaceText } from '../../../edits.ts';
import { defineRule } from '../../../family.ts';
import type { Fix } from '../../../finding.ts';
import { take } from '../../../growth.ts';
import { firstSteps } from '../../../schedule.ts';
import { hours, type Ms } from '../../../units.ts';
import type { Facts } from '../facts.ts';
import type { Fields } from '../fields.ts';
import { wrappedSeconds } from '../formats.ts';
import { backoffOf, isWaitedFor, longestWait } from '../schedule.ts';
import { cite, processNodeRetries } from '../system.ts';
import { behaviourOf, computedWaits, overflowsAt, waited, type Backoff } from '../waits.ts';
import { given, mapOf, ownScalarOf, release, scalarOf, type Context } from './context.ts';
import { knowsCap, removal } from './limits.ts';

const day = hours(24);

/** The waits that are really waited for, and how many retries can start. */
function growing(
  context: Context,
): { readonly backoff: Backoff; readonly retries: number } | undefined {
  const values = given(context);
  const backoff = backoffOf(values);
  if (backoff?.factor === undefined || backoff.factor < 2) return undefined;
  // Most waits stay far below: that is told without a schedule.
  if (longestWait(values) <= day) return undefined;
  if (!isWaitedFor(values, context.policy.facts, behaviourOf(context.env))) return undefined;
  const { bound, schedule } = context;
  if (schedule === undefined || bound === undefined) return undefined;
  const retries = bound.kind === 'bounded' ? bound.retries?.hi : undefined;
  return { backoff, retries: retries ?? Number.POSITIVE_INFINITY };
}

/** The first retry whose wait, from the second on, is longer than a day. */
function beyondADay(context: Context): { readonly retry: number; readonly wait: Ms } | undefined {
  if (context.schedule === undefined) return undefined;
  const { steps } = firstSteps(context.schedule, 70);
  const found = steps.find(({ retry, wait }) => retry > 1 && wait.lo > day);
  return found === undefined ? undefined : { retry: found.retry, wait: found.wait.lo };
}

function tamed(context: Context, backoff: Backoff, retry: number): readonly Fix[] {
  const block = mapOf(context, 'backoff');
  const limit = ownScalarOf(context, 'limit');
  const cap = backoff.base < hours(1) ? '1h' : '24h';
  const inBlock =
    block === undefined || !knowsCap(context) || backoff.cap !== undefined
      ? []
      : fix(`Add cap: ${cap}`, false, insertEntry(context.tree, block, 'cap', cap, 'factor'));
  const lower =
    limit === undefined
      ? []
      : fix(`Lower limit to ${String(retry - 1)}`, false, replaceText(limit, String(retry - 1)));
  return [...inBlock, ...lower];
}

const advice = (context: Context, retry: number): string =>
  knowsCap(context)
    ? `Add \`cap\`, or lower \`limit\` to ${String(retry - 1)}`
    : `Lower \`limit\` to ${String(retry - 1)}`;

/** Growth without a cap: waits that nobody waits for. */
export const waitsBeyondADay = defineRule<Fields, Facts>({
  slug: 'waits-beyond-a-day',
  severity: 'warning',
  summary: 'Waits grow beyond a day before the limit is used up.',
  explanation:
    'Each wait is `factor` times the one before, and nothing caps it. Long before `limit` is used up a single wait takes days, which looks like a workflow that hangs. Add `cap` (3.7 and later) or lower `limit`.',
  cite: processNodeRetries,
  *check(context) {
    const growth = growing(context);
    if (growth === undefined || growth.backoff.cap !== undefined || growth.backoff.base <= 0)
      return;
    const overflow = overflowsAt(growth.backoff);
    if (overflow !== undefined && overflow <= growth.retries) return;
    const long = beyondADay(context);
    if (long === undefined) return;
    yield {
      message: `Retry ${String(long.retry)} waits ${formatDuration(long.wait)}, and each one after it ${String(growth.backoff.factor)} times as long. ${advice(context, long.retry)}`,
      at: context.keyOf('factor'),
      fixes: tamed(context, growth.backoff, long.retry),
    };
  },
});

/** A wait that does not fit 64 bits of nanoseconds. */
export const waitOverflows = defineRule<Fields, Facts>({
  slug: 'wait-overflows',
  severity: 'warning',
  summary: 'A wait grows beyond what 64 bits of nanoseconds hold.',
  explanation:
    'The controller counts waits in nanoseconds. Where the product no longer fits, releases from 3.6.18, 3.7.9 and 4.0.1 on wait about 292 years; older ones wrap around to a wait that is negative or 0, so that retries follow each other at once, and `cap` does not help because it only cuts what is too long.',
  cite: cite('workflow/controller/operator.go processNodeRetries; pull request 15277'),
  *check(context) {
    const growth = growing(context);
    if (growth === undefined) return;
    const { backoff, retries } = growth;
    const overflow = overflowsAt(backoff);
    if (overflow === undefined || overflow > retries) return;
    const behaviour = behaviourOf(context.env);
    if (backoff.cap !== undefined && behaviour.saturates) return;
    const waits = computedWaits(backoff, behaviour);
    const wait = waited(waits[overflow - 1] ?? waits.at(-1) ?? 0n);
    const then =
      wait === 0
        ? 'wraps around, so that retries follow each other at once'
        : behaviour.saturates
          ? `is cut to ${formatDuration(wait)}`
          : `wraps around to ${formatDuration(wait)}`;
    const long = backoff.cap === undefined ? beyondADay(context) : undefined;
    const last = long?.retry ?? overflow;
    const opening =
      backoff.cap !== undefined
        ? `\`cap\` does not help from retry ${String(overflow)} on: in ${release(context)} the wait`
        : long === undefined
          ? `The wait before retry ${String(overflow)}`
          : `Retry ${String(long.retry)} waits ${formatDuration(long.wait)}, and the wait before retry ${String(overflow)}`;
    const change =
      backoff.cap === undefined ? advice(context, last) : `Lower \`limit\` to ${String(last - 1)}`;
    yield {
      message: `${opening} overflows 64-bit nanoseconds and ${then}. ${change}`,
      at: context.keyOf('factor'),
      fixes: tamed(context, backoff, last),
    };
  },
});

/** `duration: "-5"`. */
export const negativeDuration = defineRule<Fields, Facts>({
  slug: 'negative-duration',
  about: ['duration', 'maxDuration', 'cap'],
  severity: 'warning',
  summary: 'A negative `duration` is read, and gives no wait or an endless one.',
  explanation:
    'A minus is valid in a duration. Without `factor` the wait lies in the past and the retry starts at once. With `factor`, releases that check for overflow take the product for too large and wait about 292 years.',
  cite: processNodeRetries,
  *check(context) {
    const duration = given(context).duration ?? undefined;
    if (duration === undefined || duration >= 0 || context.schedule === undefined) return;
    const node = scalarOf(context, 'duration');
    if (node !== undefined && wrappedSeconds(node) !== undefined) return;
    const [first] = take(context.schedule.waits, 1);
    const positive = node?.text.replace(/^-/, '') ?? '';
    const wait =
      first === undefined || first.lo === 0
        ? 'no wait at all'
        : `a wait of ${formatDuration(first.lo)}`;
    yield {
      message: `A negative \`duration\` gives ${wait}. Write ${positive}`,
      at: context.valueSpanOf('duration'),
      fixes: node === undefined ? [] : fix(`Write ${positive}`, true, replaceText(node, positive)),
    };
  },
});

/** `factor: 0`. */
export const factorBelowOne = defineRule<Fields, Facts>({
  slug: 'factor-below-one',
  about: ['factor'],
  severity: 'warning',
  summary: 'A `factor` of 0 or less is ignored: every wait is as long as `duration`.',
  explanation:
    'The controller multiplies only by a factor above 0. To keep the wait constant leave `factor` out; to let it grow write 2.',
  cite: processNodeRetries,
  *check(context) {
    const { factor } = given(context);
    const duration = given(context).duration ?? undefined;
    const node = scalarOf(context, 'factor');
    if (factor === undefined || factor > 0 || node === undefined) return;
    const wait = duration === undefined ? 'the same' : formatDuration(duration);
    yield {
      message: `Waits do not change: \`factor: ${String(factor)}\` is ignored and every wait is ${wait}. Write 2 to double them, or remove it`,
      at: context.valueSpanOf('factor'),
      unnecessary: true,
      fixes: [...fix('Write 2', false, replaceText(node, '2')), ...removal(context, 'factor')],
    };
  },
});

/** `cap` below `duration`. */
export const capBelowDuration = defineRule<Fields, Facts>({
  slug: 'cap-below-duration',
  about: ['cap'],
  severity: 'warning',
  summary: '`cap` is shorter than `duration`, so every wait is the cap.',
  explanation:
    'The cap cuts the first wait already: `duration` and `factor` change nothing. Raise `cap`, or lower `duration` to the wait you want first.',
  cite: processNodeRetries,
  *check(context) {
    const { cap } = given(context);
    const duration = given(context).duration ?? undefined;
    if (cap === undefined || cap === null || duration === undefined || cap >= duration) return;
    const each = cap <= 0 ? 'there is no wait at all' : `every wait is ${formatDuration(cap)}`;
    yield {
      message: `\`cap\` is below \`duration\`, so ${each} and ${formatDuration(duration)} is never waited for. Raise \`cap\` or lower \`duration\``,
      at: context.keyOf('cap'),
      related: [{ at: context.keyOf('duration'), message: 'The wait that is cut' }],
      fixes: removal(context, 'cap'),
    };
  },
});

/** `cap` over waits that do not grow. */
export const capWithoutGrowth = defineRule<Fields, Facts>({
  slug: 'cap-without-growth',
  about: ['cap'],
  severity: 'hint',
  summary: '`cap` has nothing to cut: waits do not grow.',
  explanation: 'Without a `factor` of 2 or more every wait is as long as `duration`.',
  cite: processNodeRetries,
  *check(context) {
    const { settings } = context;
    const { cap, factor } = given(context);
    const duration = given(context).duration ?? undefined;
    if (cap === undefined || cap === null || duration === undefined || cap < duration) return;
    const isConstant = settings.factor.from === 'unset' || (factor !== undefined && factor < 2);
    if (!isConstant) return;
    yield {
      message: `\`cap\` changes nothing: without a \`factor\` of 2 or more every wait is ${formatDuration(duration)}`,
      at: context.keyOf('cap'),
      unnecessary: true,
      fixes: removal(context, 'cap'),
    };
  },
});

/** `"10"` is ten seconds. */
export const bareSeconds = defineRule<Fields, Facts>({
  slug: 'bare-seconds',
  about: ['duration', 'maxDuration', 'cap'],
  severity: 'info',
  summary: 'A duration without a unit counts seconds.',
  explanation:
    'Argo Workflows reads `"10"` as ten seconds, where most systems refuse a number without a unit and some take it for nanoseconds. With the unit nobody has to know.',
  cite: cite('pkg/apis/workflow/v1alpha1/utils.go ParseStringToDuration'),
  *check(context) {
    for (const name of ['duration', 'cap', 'maxDuration'] as const) {
      const setting = context.settings[name];
      const node = scalarOf(context, name);
      if (setting.from !== 'document' || node === undefined) continue;
      const wrapped = wrappedSeconds(node);
      if (wrapped !== undefined) {
        const becomes = wrapped < 0 ? `less than 0: no wait` : formatDuration(wrapped);
        yield {
          message: `"${node.text}" seconds do not fit 64 bits of nanoseconds and wrap around to ${becomes}. Write a smaller number`,
          at: context.valueSpanOf(name),
          severity: 'warning',
        };
        continue;
      }
      if (!/^[1-9]\d*$/.test(node.text)) continue;
      yield {
        message: `"${node.text}" means ${formatDuration(setting.value ?? day)}: a number without a unit counts seconds. Write ${node.text}s to say so`,
        at: context.keyOf(name),
        fixes: fix(`Write ${node.text}s`, true, replaceText(node, `${node.text}s`)),
      };
    }
  },
});
