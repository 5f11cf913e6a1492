import type { LiveInput } from '../../../live.ts';
import type { Origin, Stop } from '../../../schedule.ts';
import { textAt, type SourceNode } from '../../../source.ts';
import { numberAt, timeAt } from '../../../liveFacts.ts';
import { after, formatInstant, seconds, type Instant } from '../../../units.ts';
import { runningSpec } from '../manifest.ts';
import { fails } from '../schedule.ts';
import { processNodeRetries } from '../system.ts';
import type { RetryNode } from './nodes.ts';

/** What keeps the next retry of a node from starting. */
export type Ending = {
  readonly by: Stop;
  readonly from: string;
  readonly at: Instant | undefined;
  readonly reason: string;
};

const builtIn = (name: string): Origin => ({ kind: 'built-in', name, cite: processNodeRetries });

const condition = (text: string, name: string): Stop => ({
  kind: 'condition',
  text,
  then: fails,
  origin: builtIn(name),
});

/**
 * What the workflow itself has to say before any retry of a node: that it is over, is stopped, or has no time left.
 *
 * Source: argo-workflows v4.1.2 workflow/controller/operator.go processNodeRetries, getWorkflowDeadline.
 */
export function workflowStop(
  { object, now }: LiveInput,
  node: RetryNode,
  due: Instant | undefined,
): Ending | undefined {
  const phase = finalPhaseOf(object);
  if (phase !== undefined) {
    return {
      by: condition('the workflow is over', 'the end of the workflow'),
      from: `status.phase ${phase}`,
      at: timeAt(object, 'status', 'finishedAt'),
      reason: `No retry follows: the workflow has ended ${phase}, whatever the node still says. \`argo retry\` starts over from the failed nodes`,
    };
  }
  const shutdown = textAt(object, 'spec', 'shutdown') ?? '';
  if (shutdown !== '') {
    return {
      by: condition('the workflow is stopped', `shutdown strategy ${shutdown}`),
      from: `spec.shutdown ${shutdown}`,
      at: undefined,
      reason: `No retry follows: somebody stopped the workflow (${shutdown}). The controller is about to end the node`,
    };
  }
  const deadline = isAtTheEnd(node) ? undefined : deadlineOf(object);
  const start = due === undefined || due < now ? now : due;
  if (deadline === undefined || start <= deadline) return undefined;
  const when =
    deadline < now
      ? `passed at ${formatInstant(deadline)}`
      : `is ${formatInstant(deadline)}, before the next one could start`;
  return {
    by: condition('the workflow has reached its deadline', 'activeDeadlineSeconds of the workflow'),
    from: `status.startedAt plus activeDeadlineSeconds is ${formatInstant(deadline)}`,
    at: deadline,
    reason: `No retry follows: the workflow's deadline (\`activeDeadlineSeconds\`) ${when}. The workflow fails`,
  };
}

/** How a workflow ended; nothing while it has not. */
export function finalPhaseOf(workflow: SourceNode): string | undefined {
  const phase = textAt(workflow, 'status', 'phase');
  return phase !== undefined && ['Succeeded', 'Failed', 'Error'].includes(phase)
    ? phase
    : undefined;
}

/** Nodes of an exit handler run after the workflow's own time. */
const isAtTheEnd = ({ node }: RetryNode): boolean =>
  (textAt(node, 'name') ?? textAt(node, 'displayName') ?? '').includes('.onExit');

function deadlineOf(workflow: SourceNode): Instant | undefined {
  const started = timeAt(workflow, 'status', 'startedAt');
  const limit = numberAt(runningSpec(workflow), 'activeDeadlineSeconds');
  return started === undefined || limit === undefined ? undefined : after(started, seconds(limit));
}

/** Whether somebody has suspended the workflow: the controller then looks at none of its nodes. */
export const isSuspended = (workflow: SourceNode): boolean =>
  textAt(workflow, 'spec', 'suspend') === 'true';
