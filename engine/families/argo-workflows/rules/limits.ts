import { formatDuration } from '../../../durations/format.ts';
import { fix, insertEntry, removeEntry, replaceText, replaceValue } from '../../../edits.ts';
import { knows, versionOf } from '../../../environment.ts';
import { defineRule } from '../../../family.ts';
import type { Fix } from '../../../finding.ts';
import { plural } from '../../../summary.ts';
import type { Facts } from '../facts.ts';
import { fields, type Fields } from '../fields.ts';
import { cite, processNodeRetries, suspendTemplates, system } from '../system.ts';
import { behaviourOf } from '../waits.ts';
import { given, isWhole, ownScalarOf, release, scalarOf, type Context } from './context.ts';

const addLimit = (context: Context): readonly Fix[] =>
  context.node?.kind === 'map'
    ? fix('Add limit: 5', false, insertEntry(context.tree, context.node, 'limit', '5'))
    : [];

/** `backoff` without `limit`: no wait. */
export const backoffNeedsLimit = defineRule<Fields, Facts>({
  slug: 'backoff-needs-limit',
  severity: 'warning',
  summary: 'Without `limit` the controller never waits, whatever `backoff` says.',
  explanation:
    'The controller holds a retry back only while `limit` is set and not used up. Without it every retry starts as soon as the run before it has failed. `maxDuration` still ends the retries, by the wait that would have come next. Add `limit`.',
  cite: processNodeRetries,
  *check(context) {
    const { settings } = context;
    if (settings.limit.from !== 'unset' || settings.backoff.from !== 'document') return;
    if (settings.duration.from === 'unset' || !isWhole(context)) return;
    const behaviour = behaviourOf(context.env);
    if (behaviour.waitsWhen === 'always') return;
    if (behaviour.failsWithoutLimit) {
      yield {
        message: `${release(context)} fails on \`backoff\` without \`limit\`: the first failure ends the workflow in Error. Add \`limit\``,
        at: context.keyOf('backoff'),
        fixes: addLimit(context),
      };
      return;
    }
    const { bound } = context;
    const end =
      bound?.kind !== 'bounded'
        ? ''
        : bound.retries === undefined
          ? `, for ${formatDuration(bound.lasts.hi)}`
          : `, ${plural(bound.retries.hi, 'time')}`;
    yield {
      message: `No wait: without \`limit\` each retry starts as soon as a run has failed${end}, and \`backoff\` is ignored. Add \`limit\``,
      at: context.keyOf('backoff'),
      fixes: addLimit(context),
    };
  },
});

/** Nothing ends the retries. */
export const neverStops = defineRule<Fields, Facts>({
  slug: 'never-stops',
  severity: 'warning',
  summary: 'Neither a limit, a time limit nor a condition ends the retries.',
  explanation:
    'A `retryStrategy` without `limit`, `expression` and `backoff.maxDuration` retries until the run succeeds or somebody stops the workflow. Each run leaves a pod and a node in the status behind. Add `limit`, or give the workflow `activeDeadlineSeconds`.',
  cite: processNodeRetries,
  *check(context) {
    if (context.settings.limit.from === 'document') return;
    if (context.bound?.kind !== 'unbounded' || !isWhole(context)) return;
    const waits = context.settings.backoff.from === 'unset' ? ', one right after the other' : '';
    yield {
      message: `Retries never stop while runs fail${waits}: nothing limits their number or their time. Add \`limit\``,
      at: context.name,
      fixes: addLimit(context),
    };
  },
});

/** `limit: -1` is no retry at all. */
export const negativeLimit = defineRule<Fields, Facts>({
  slug: 'negative-limit',
  about: ['limit'],
  severity: 'warning',
  summary: 'A negative `limit` means no retry, not retries without end.',
  explanation:
    'The controller ends the node when more runs have failed than `limit` says, which is at once for a negative number. For retries without end leave `limit` out, but then `backoff` is not waited for either.',
  cite: processNodeRetries,
  *check(context) {
    const { limit } = given(context);
    if (limit === undefined || limit >= 0) return;
    const node = scalarOf(context, 'limit');
    yield {
      message: `Nothing is retried: \`limit: ${String(limit)}\` is used up at the first failure, it does not mean "no limit". Write how many retries you want, or 0`,
      at: context.valueSpanOf('limit'),
      fixes: node === undefined ? [] : fix('Write 0', false, replaceText(node, '0')),
    };
  },
});

/** Releases 3.3.5 to 3.3.8 read `"10"` as 0 where they decide on the wait. */
export const quotedLimit = defineRule<Fields, Facts>({
  slug: 'quoted-limit-bug',
  about: ['limit'],
  severity: 'info',
  summary: 'Releases 3.3.5 to 3.3.8 do not wait when `limit` is written in quotes.',
  explanation:
    'These releases looked only at the number of an int-or-string where they decide whether to wait; a quoted `limit` is a string, its number is 0, and so there is no wait. Fixed in 3.3.9.',
  cite: cite(
    'workflow/controller/operator.go processNodeRetries; pull request 9213',
    'v3.3.5 to v3.3.8',
  ),
  *check(context) {
    const { limit, duration } = given(context);
    if (
      !behaviourOf(context.env).misreadsQuotedLimit ||
      versionOf(context.env, system).from === 'assumed'
    )
      return;
    if (
      !context.policy.facts.limitIsText ||
      limit === undefined ||
      duration === undefined ||
      duration === null
    )
      return;
    const node = scalarOf(context, 'limit');
    yield {
      message: `${release(context)} does not wait when \`limit\` is in quotes: all ${plural(limit, 'retry', 'retries')} start at once. Write limit: ${String(limit)} without quotes, or run 3.3.9`,
      at: context.keyOf('duration'),
      fixes:
        node === undefined
          ? []
          : fix(`Write limit: ${String(limit)}`, true, replaceValue(node, String(limit))),
    };
  },
});

/** `backoff` needs a `duration`. */
export const backoffNeedsDuration = defineRule<Fields, Facts>({
  slug: 'backoff-needs-duration',
  about: ['backoff'],
  severity: 'error',
  summary: 'A `backoff` without `duration` ends the node in Error at the first failure.',
  explanation:
    'With `backoff` written, the controller wants a base wait, and ends the node with `no base duration specified for retryStrategy` when there is none. `argo lint` does not see it.',
  cite: processNodeRetries,
  *check(context) {
    const { settings, node } = context;
    const backoff = context.nodeOf('backoff');
    const text = ownScalarOf(context, 'duration');
    if (given(context).duration === null) {
      yield {
        message:
          'Nothing is retried: an empty `duration` is none, and the first failure ends the node in Error. Write a wait such as 10s',
        at: context.valueSpanOf('duration'),
        fixes: text === undefined ? [] : fix('Write 10s', false, replaceText(text, '10s')),
      };
      return;
    }
    if (settings.backoff.from !== 'document' || settings.duration.from !== 'unset') return;
    if (backoff?.kind !== 'map' || node?.kind !== 'map' || !isWhole(context)) return;
    yield {
      message:
        'Nothing is retried: without `duration` in `backoff` the first failure ends the node in Error. Add `duration`, such as 10s',
      at: context.keyOf('backoff'),
      fixes: fix('Add duration: 10s', false, insertEntry(context.tree, backoff, 'duration', '10s')),
    };
  },
});

/** A strategy on a template that never fails. */
export const suspendNeverRetries = defineRule<Fields, Facts>({
  slug: 'suspend-never-retries',
  needs: ['suspend'],
  severity: 'info',
  summary: 'A `retryStrategy` on a suspend template: nothing is retried by it.',
  explanation:
    'A suspend template runs nothing: it waits until its time is over or somebody resumes it. It is allowed a `retryStrategy`, which never comes into play.',
  cite: suspendTemplates,
  *check(context) {
    if (context.policy.facts.body !== 'suspend' || context.node === undefined) return;
    yield {
      message:
        'Nothing is retried by this: a suspend template waits to be resumed and runs nothing that could fail. Remove retryStrategy',
      at: context.name,
      unnecessary: true,
      fixes: fix('Remove retryStrategy', false, removeEntry(context.tree, context.node)),
    };
  },
});

/** `cap` came with 3.7: before, growth can only be bounded by `limit`. */
export const knowsCap = ({ env }: Context): boolean => knows(env, system, fields.cap.since);

/** Removes a setting that changes nothing. */
export function removal(context: Context, name: keyof Fields): readonly Fix[] {
  const node = context.nodeOf(name);
  return node === undefined ? [] : fix(`Remove ${name}`, false, removeEntry(context.tree, node));
}
