import {
  inferred,
  reported,
  unknown,
  type Evidence,
  type LiveBackoff,
  type LiveInput,
  type LiveReader,
  type LiveState,
} from '../../../live.ts';
import { nodeAt, textAt, toJson, child } from '../../../source.ts';
import { plural } from '../../../summary.ts';
import { whyEnded } from './ended.ts';
import { hasFailed, isOver, retryNodesOf, type RetryNode } from './nodes.ts';
import { strategyAt } from './strategyAt.ts';
import { afterFailure } from './waiting.ts';
import { finalPhaseOf } from './workflowStop.ts';

/** Reads the retry nodes of live Workflows; one state for each. */
export const retryLive: LiveReader = {
  reads: [{ group: 'argoproj.io', version: 'v1alpha1', kind: 'Workflow', plural: 'workflows' }],
  alsoNeeds: [],
  read: (input) => {
    if (textAt(input.object, 'kind') !== 'Workflow') return [];
    const hidden = whereHidden(input);
    if (hidden !== undefined) return [{ state: hidden }];
    return retryNodesOf(input.object).map((node): LiveState => ({
      part: node.label,
      state: stateOf(input, node),
    }));
  },
};

/**
 * Large workflows keep their nodes elsewhere: packed in the object, or in the controller's database.
 *
 * Source: argo-workflows v4.1.2 workflow/packer/packer.go, workflow/hydrator/hydrator.go.
 */
function whereHidden({ object, ref }: LiveInput): LiveBackoff | undefined {
  const status = child(object, 'status');
  const nodes = child(status, 'nodes');
  if (nodes?.kind === 'map' && nodes.children.size > 0) return undefined;
  const name = ref.name ?? textAt(object, 'metadata', 'name') ?? 'NAME';
  const offloaded = textAt(status, 'offloadNodeStatusVersion') ?? '';
  if (offloaded !== '') {
    return {
      kind: 'unseen',
      why: 'absent',
      detail: `The nodes of this workflow are in the controller's database, not in the object (status.offloadNodeStatusVersion ${offloaded}): \`argo get ${name}\` with the Argo Server shows them`,
    };
  }
  if ((textAt(status, 'compressedNodes') ?? '') === '') return undefined;
  return {
    kind: 'unseen',
    why: 'absent',
    detail: `The nodes of this workflow are packed (status.compressedNodes) in a way that cannot be unpacked here: \`argo get ${name}\` shows them`,
  };
}

function stateOf(input: LiveInput, node: RetryNode): LiveBackoff {
  const seen = evidenceOf(input, node);
  const last = node.runs.at(-1);
  if (isOver(node)) return ended(input, node, seen);
  const over = finalPhaseOf(input.object);
  if (over !== undefined && (last === undefined || !hasFailed(last))) {
    return {
      kind: 'idle',
      because: 'finished',
      reason: `The workflow has ended ${over}, whatever the node still says`,
      seen,
    };
  }
  if (last === undefined) {
    return {
      kind: 'idle',
      because: 'not-started',
      reason: 'The first run has not started: it waits for a pod, a lock or the controller',
      seen,
    };
  }
  if (hasFailed(last))
    return afterFailure(input, node, last, strategyAt(input.object, node, input.env), seen);
  if (isOver(last) && !last.isDaemon) {
    return {
      kind: 'idle',
      because: 'healthy',
      reason: `The last run ended ${last.phase}: the node is about to end so too`,
      seen,
    };
  }
  const retries = node.runs.length - 1;
  return {
    kind: 'attempting',
    retry:
      retries > 0
        ? inferred(retries, 'the runs under the node')
        : unknown('this is the first run, no retry'),
    failures: inferred(retries, 'the runs before the one that runs'),
    reason: `${retries === 0 ? 'The first run' : `Retry ${String(retries)}`} is ${last.phase === 'Pending' ? 'not running yet' : 'running'}${last.message === undefined ? '' : ` (${last.message})`}: this is no wait`,
    seen,
  };
}

function ended(input: LiveInput, node: RetryNode, seen: readonly Evidence[]): LiveBackoff {
  if (!hasFailed(node)) {
    const retries = Math.max(0, node.runs.length - 1);
    return {
      kind: 'idle',
      because: 'finished',
      reason: `${node.phase} ${retries === 0 ? 'without a retry' : `after ${plural(retries, 'retry', 'retries')}`}`,
      seen,
    };
  }
  const { by, reason } = whyEnded(node, strategyAt(input.object, node, input.env));
  const failures = node.runs.filter(hasFailed).length;
  return {
    kind: 'gave-up',
    by,
    at:
      node.finishedAt === undefined
        ? unknown('the node has no end time')
        : reported(node.finishedAt),
    failures: inferred(failures, 'the failed runs under the node'),
    reason,
    seen,
  };
}

function evidenceOf({ object, ref }: LiveInput, node: RetryNode): readonly Evidence[] {
  const at = (id: string, key: string): readonly Evidence[] => {
    const found = nodeAt(object, ['status', 'nodes', id, key]);
    return found === undefined
      ? []
      : [{ object: ref, path: `status.nodes[${JSON.stringify(id)}].${key}`, value: toJson(found) }];
  };
  const first = node.runs[0];
  const last = node.runs.at(-1);
  return [
    ...['phase', 'message', 'children'].flatMap((key) => at(node.id, key)),
    ...(first === undefined ? [] : at(first.id, 'startedAt')),
    ...(last === undefined ? [] : ['phase', 'finishedAt'].flatMap((key) => at(last.id, key))),
  ];
}
