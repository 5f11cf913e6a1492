import { formatDuration } from '../../../durations/format.ts';
import { evaluateRetryExpression } from '../../../expression/evaluate.ts';
import {
  inferred,
  reported,
  unknown,
  type Evidence,
  type Known,
  type LiveBackoff,
  type LiveInput,
} from '../../../live.ts';
import { plural } from '../../../summary.ts';
import {
  after,
  exactly,
  formatInstant,
  ms,
  zero,
  type Instant,
  type Ms,
  type Window,
} from '../../../units.ts';
import { atLeast } from '../../../environment.ts';
import { backoffOf, fails, isWaitedFor, of } from '../schedule.ts';
import { system } from '../system.ts';
import { behaviourOf, computedWaits, waited } from '../waits.ts';
import { waitInMessage } from './humanized.ts';
import type { RetryNode, Run } from './nodes.ts';
import type { Found } from './strategyAt.ts';
import { isTransient } from './transient.ts';
import { isSuspended, workflowStop, type Ending } from './workflowStop.ts';

type KnownStrategy = Found & { readonly kind: 'known' };

/** A node whose last run has failed and that has not ended: it waits, or is about to end. */
export function afterFailure(
  input: LiveInput,
  node: RetryNode,
  last: Run,
  found: Found,
  seen: readonly Evidence[],
): LiveBackoff {
  if (found.kind === 'unknown') {
    const stopped = workflowStop(input, node, undefined);
    if (stopped !== undefined) return gaveUp(node, stopped, seen);
    return whileSuspended(input, byMessage(node, last, found.why, seen, input.now));
  }
  const wait = waitAfter(input, node, found);
  const due = last.finishedAt === undefined ? undefined : after(last.finishedAt, wait);
  const ending = workflowStop(input, node, due) ?? endOf(input, node, last, found, wait);
  if (ending !== undefined) return gaveUp(node, ending, seen);
  return whileSuspended(input, waitingFor(input, node, last, found, wait, seen));
}

const gaveUp = (node: RetryNode, ending: Ending, seen: readonly Evidence[]): LiveBackoff => ({
  kind: 'gave-up',
  by: inferred(ending.by, ending.from),
  at:
    ending.at === undefined ? unknown('no time is told for it') : inferred(ending.at, ending.from),
  failures: failuresOf(node),
  reason: ending.reason,
  seen,
});

/** A suspended workflow is not looked at: what would start by now starts once it is resumed. */
function whileSuspended({ object }: LiveInput, state: LiveBackoff): LiveBackoff {
  if (state.kind !== 'waiting' || !isSuspended(object)) return state;
  return {
    ...state,
    next: unknown('the workflow is suspended'),
    reason: `The workflow is suspended: nothing starts until it is resumed (\`argo resume\`). ${state.reason}`,
  };
}

/** What the controller computes before it decides whether to wait at all. */
function computedAfter({ env }: LiveInput, node: RetryNode, { values }: KnownStrategy): Ms {
  const backoff = backoffOf(values);
  if (backoff === undefined) return zero;
  const waits = computedWaits(backoff, behaviourOf(env));
  return waited(waits[Math.min(node.runs.length, waits.length) - 1] ?? 0n);
}

/** The wait before the retry that comes next; zero where the controller takes none. */
function waitAfter(input: LiveInput, node: RetryNode, found: KnownStrategy): Ms {
  const { values, limitIsText } = found;
  const behaviour = behaviourOf(input.env);
  if (!isWaitedFor(values, { limitIsText }, behaviour)) return zero;
  const isUsedUp = values.limit !== undefined && node.runs.length > values.limit;
  if (isUsedUp && behaviour.waitsWhen === 'with-limit') return zero;
  return computedAfter(input, node, found);
}

const failuresOf = (node: RetryNode): Known<number> =>
  inferred(
    node.runs.length,
    `${plural(node.runs.length, 'run')} under the node, none of which succeeded`,
  );

/** What keeps the next retry from starting, in the order in which the controller looks at it. */
function endOf(
  input: LiveInput,
  node: RetryNode,
  last: Run,
  found: KnownStrategy,
  wait: Ms,
): Ending | undefined {
  const { values } = found;
  const count = node.runs.length;
  const first = node.runs[0]?.startedAt;
  const due = last.finishedAt === undefined ? undefined : after(last.finishedAt, wait);
  const window = values.maxDuration ?? undefined;
  const wouldEnd =
    last.finishedAt === undefined
      ? undefined
      : after(last.finishedAt, computedAfter(input, node, found));
  if (window !== undefined && first !== undefined && wouldEnd !== undefined) {
    const end = after(first, window);
    if (wouldEnd > end) {
      return {
        by: {
          kind: 'elapsed',
          limit: window,
          edge: 'included',
          then: fails,
          origin: of('maxDuration'),
        },
        from: `the wait would end at ${formatInstant(wouldEnd)}, after ${formatInstant(end)}`,
        at: last.finishedAt,
        reason: `No retry follows: the next wait would end after the ${formatDuration(window)} of \`maxDuration\`, at ${formatInstant(end)}. The controller is about to fail the node`,
      };
    }
  }
  const later =
    wait > 0 && due !== undefined && due > input.now
      ? `, but only after its wait, at ${formatInstant(due)}`
      : '';
  const policy = values.retryPolicy ?? defaultPolicy(input, values.expression);
  if (values.limit !== undefined && count > values.limit) {
    return {
      by: { kind: 'retries', limit: Math.max(0, values.limit), then: fails, origin: of('limit') },
      from: `${plural(count, 'run')} for a limit of ${String(values.limit)}`,
      at: last.finishedAt,
      reason: `All ${plural(Math.max(0, values.limit), 'retry', 'retries')} are used up: the controller is about to fail the node`,
    };
  }
  if (isCovered(input, last, values) === false) {
    return {
      by: {
        kind: 'condition',
        text: `a run ends ${last.phase}`,
        then: fails,
        origin: of('retryPolicy'),
      },
      from: `the last run ended ${last.phase} and the policy is ${policy}`,
      at: due,
      reason: `No retry follows: the last run ended ${last.phase}${policy === 'OnTransientError' ? ' with a message that names no passing fault' : ''}, and ${policy} does not retry that. The node fails${later}`,
    };
  }
  return expressionEnd(node, last, found, due, later);
}

function expressionEnd(
  node: RetryNode,
  last: Run,
  { values }: KnownStrategy,
  due: Instant | undefined,
  later: string,
): Ending | undefined {
  const { expression } = values;
  if (expression === undefined || expression === '') return undefined;
  const outcome = evaluateRetryExpression(expression, {
    retries: String(node.runs.length - 1),
    exitCode: last.exitCode ?? '-1',
    status: last.phase,
    message: last.message ?? '',
    ...(last.startedAt === undefined || last.finishedAt === undefined
      ? {}
      : { duration: String((last.finishedAt - last.startedAt) / 1000) }),
  });
  if (outcome.kind !== 'stops' && outcome.kind !== 'fails') return undefined;
  const what = outcome.kind === 'stops' ? 'is false for the last run' : 'cannot be evaluated';
  return {
    by: {
      kind: 'condition',
      text: 'the expression is false',
      then: fails,
      origin: of('expression'),
    },
    from: `the expression ${what}`,
    at: due,
    reason: `No retry follows: the expression ${what}. The node fails${later}`,
  };
}

/** Whether the policy retries how the last run ended; open where a pattern decides that is not known. */
function isCovered(
  input: LiveInput,
  last: Run,
  { retryPolicy, expression }: KnownStrategy['values'],
): boolean | 'open' {
  const policy = retryPolicy ?? defaultPolicy(input, expression);
  if (policy === 'OnTransientError') return isTransient(last.message ?? '', input.env);
  return policy === 'Always' || policy === (last.phase === 'Error' ? 'OnError' : 'OnFailure');
}

const defaultPolicy = ({ env }: LiveInput, expression: string | undefined) =>
  expression !== undefined && expression !== '' && atLeast(env, system, '3.5.0')
    ? 'Always'
    : 'OnFailure';

function waitingFor(
  input: LiveInput,
  node: RetryNode,
  last: Run,
  { values }: KnownStrategy,
  wait: Ms,
  seen: readonly Evidence[],
): LiveBackoff {
  const { now } = input;
  const retry = node.runs.length;
  const due = last.finishedAt === undefined ? undefined : after(last.finishedAt, wait);
  const unless =
    isCovered(input, last, values) === 'open'
      ? '. That is if the controller takes its message for a passing fault by TRANSIENT_ERROR_PATTERN: no built-in text matches it, and without a match the node fails instead'
      : '';
  const cap = values.cap ?? undefined;
  const ofAll = values.limit === undefined ? '' : ` of ${String(values.limit)}`;
  const why = `The last run ended ${last.phase}${last.exitCode === undefined ? '' : ` with exit code ${last.exitCode}`}`;
  const start =
    wait === 0
      ? `retry ${String(retry)}${ofAll} starts as soon as the controller looks`
      : due === undefined
        ? `retry ${String(retry)}${ofAll} starts ${formatDuration(wait)} after it ended`
        : due <= now
          ? `retry ${String(retry)}${ofAll} is due since ${formatInstant(due)}; a wait for a lock, a quota or a busy controller holds it`
          : `retry ${String(retry)}${ofAll} starts at ${formatInstant(due)}, ${formatDuration(wait)} after it ended`;
  return {
    kind: 'waiting',
    retry: inferred(retry, 'the runs under the node'),
    failures: failuresOf(node),
    wait: inferred(exactly(wait), describe(values, retry)),
    lastFailureAt:
      last.finishedAt === undefined
        ? unknown('the last run has no end time')
        : reported(last.finishedAt),
    next:
      due === undefined
        ? unknown('the last run has no end time')
        : inferred(exactly(due), "the last run's finishedAt plus the wait"),
    capped: inferred(
      cap !== undefined && wait > 0 && wait >= cap,
      cap === undefined ? 'no cap is set' : `cap ${formatDuration(cap)}`,
    ),
    reason: `${why}; ${start}${unless}. A run that succeeds ends the waiting, \`argo retry\` or a new call of the template starts from the first wait`,
    seen,
  };
}

function describe(values: KnownStrategy['values'], retry: number): string {
  const { factor, limit } = values;
  const duration = values.duration ?? undefined;
  if (values.backoff === undefined || duration === undefined) return 'no backoff is set';
  if (limit === undefined) return 'without `limit` the controller does not wait';
  const growth =
    factor === undefined || factor < 1 ? '' : ` × ${String(factor)}^${String(retry - 1)}`;
  return `duration ${formatDuration(duration)}${growth}`;
}

/** Without the strategy the message is all there is. */
function byMessage(
  node: RetryNode,
  last: Run,
  why: string,
  seen: readonly Evidence[],
  now: Instant,
): LiveBackoff {
  const wait = waitInMessage(node.message);
  const retry = node.runs.length;
  const { finishedAt } = last;
  const from = `the message "${node.message ?? ''}", which is the whole wait and does not count down`;
  const next: Window<Instant> | undefined =
    wait === undefined || finishedAt === undefined
      ? undefined
      : { lo: after(finishedAt, wait.lo), hi: after(finishedAt, wait.hi) };
  const when =
    next === undefined
      ? 'when the next one starts is not known'
      : next.hi <= now
        ? `retry ${String(retry)} is due`
        : `retry ${String(retry)} starts about ${formatDuration(ms(wait?.lo ?? 0))} after it ended`;
  return {
    kind: 'waiting',
    retry: inferred(retry, 'the runs under the node'),
    failures: failuresOf(node),
    wait: wait === undefined ? unknown(why) : inferred(wait, from),
    lastFailureAt:
      finishedAt === undefined ? unknown('the last run has no end time') : reported(finishedAt),
    next: next === undefined ? unknown(why) : inferred(next, from),
    capped: unknown(why),
    reason: `The last run ended ${last.phase}; ${when}${next === undefined ? `, as ${why}` : ` by the node's message, as ${why}`}. A run that succeeds ends the waiting`,
    seen,
  };
}
