import { formatDuration } from '../../../durations/format.ts';
import { inferred, reported, unknown, type Known } from '../../../live.ts';
import type { Origin, Stop } from '../../../schedule.ts';
import { plural } from '../../../summary.ts';
import { fails, of } from '../schedule.ts';
import { processNodeRetries } from '../system.ts';
import type { RetryNode } from './nodes.ts';
import type { Found } from './strategyAt.ts';

/** What ended a node's retries, and the sentence that says so. */
export type Ended = { readonly by: Known<Stop>; readonly reason: string };

const builtIn = (name: string): Origin => ({ kind: 'built-in', name, cite: processNodeRetries });

const condition = (text: string, origin: Origin): Stop => ({
  kind: 'condition',
  text,
  then: fails,
  origin,
});

/**
 * Reads the message of a node that failed.
 *
 * The controller writes a sentence of its own for each stop, and the last run's message where the policy does
 * not cover how it ended.
 */
export function whyEnded(node: RetryNode, found: Found): Ended {
  const message = node.message ?? '';
  const count = plural(node.runs.length, 'run');
  const values = found.kind === 'known' ? found.values : undefined;
  const limit = values?.limit ?? Math.max(0, node.runs.length - 1);
  if (message === 'No more retries left') {
    return {
      by: reported({
        kind: 'retries',
        limit: Math.max(0, limit),
        then: fails,
        origin: of('limit'),
      }),
      reason: `All ${plural(Math.max(0, limit), 'retry', 'retries')} are used up: ${count} failed. ${restart}`,
    };
  }
  if (message === 'Max duration limit exceeded' || message.startsWith('Backoff would exceed max')) {
    const window = values?.maxDuration ?? undefined;
    const time =
      window === undefined ? '`maxDuration`' : `\`maxDuration\` of ${formatDuration(window)}`;
    const how = message.startsWith('Backoff')
      ? `the next wait would have ended after the ${time}`
      : `the ${time} from the start of the first run had passed`;
    return {
      by:
        window === undefined
          ? reported(condition('maxDuration has passed', of('maxDuration')))
          : reported({
              kind: 'elapsed',
              limit: window,
              edge: 'included',
              then: fails,
              origin: of('maxDuration'),
            }),
      reason: `Gave up after ${count}: ${how}. ${restart}`,
    };
  }
  if (message === 'retryStrategy.expression evaluated to false') {
    return {
      by: reported(condition('the expression is false', of('expression'))),
      reason: `Gave up after ${count}: the expression was false for the last one. ${restart}`,
    };
  }
  if (message.startsWith('retry exceeded workflow deadline')) {
    return {
      by: reported(
        condition(
          'the workflow has reached its deadline',
          builtIn('activeDeadlineSeconds of the workflow'),
        ),
      ),
      reason: `Gave up after ${count}: the workflow's activeDeadlineSeconds had passed. ${restart}`,
    };
  }
  const shutdown = /^Stopped with strategy '(\w+)'/.exec(message);
  if (shutdown !== null) {
    return {
      by: reported(
        condition('the workflow is stopped', builtIn(`shutdown strategy ${shutdown[1] ?? ''}`)),
      ),
      reason: `Somebody stopped the workflow (${shutdown[1] ?? ''}): nothing is retried any more. ${restart}`,
    };
  }
  return byTheLastRun(node, found, message, count);
}

const restart = '`argo retry` starts over from the failed nodes';

function byTheLastRun(node: RetryNode, found: Found, message: string, count: string): Ended {
  const last = node.runs.at(-1);
  const said = message === '' ? '' : `: ${message}`;
  if (last !== undefined && (last.message ?? '') === message && last.phase === node.phase) {
    return {
      by: inferred(
        condition(`a run ends ${last.phase} and the policy does not retry that`, of('retryPolicy')),
        "the node's message is the last run's own",
      ),
      reason: `Gave up after ${count}: the last one ended ${last.phase}, which the policy does not retry${said}. ${restart}`,
    };
  }
  if (message.includes('no base duration')) {
    return {
      by: reported({
        kind: 'retries',
        limit: 0,
        then: 'the node ends in Error',
        origin: of('duration'),
      }),
      reason: `Ended in Error at the first failure: \`backoff\` has no \`duration\`. Add it and submit the workflow again`,
    };
  }
  if (node.phase === 'Error' && last !== undefined) {
    return {
      by: inferred(
        condition('the controller cannot work the strategy out', builtIn('error in retryStrategy')),
        "the node is in Error with a message that is not the last run's",
      ),
      reason: `Ended in Error: the controller could not work out whether to retry${said}`,
    };
  }
  const why = found.kind === 'unknown' ? found.why : 'its message names no reason';
  return { by: unknown(why), reason: `Failed after ${count}${said}. ${restart}` };
}
