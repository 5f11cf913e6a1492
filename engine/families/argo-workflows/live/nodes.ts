import { child, itemsOf, nodeAt, textAt, toJson, type SourceNode } from '../../../source.ts';
import { parseInstant, type Instant } from '../../../units.ts';

/** One node of a workflow's status. */
export type Run = {
  readonly id: string;
  readonly phase: string;
  readonly message: string | undefined;
  readonly startedAt: Instant | undefined;
  readonly finishedAt: Instant | undefined;
  readonly exitCode: string | undefined;
  readonly isRetried: boolean | undefined;
  readonly isDaemon: boolean;
};

/** A node that runs its children one after the other until one succeeds. */
export type RetryNode = Run & {
  /** The name a reader knows it by. */
  readonly label: string;
  readonly node: SourceNode;
  /** The runs so far, in order. */
  readonly runs: readonly Run[];
};

/** All retry nodes of a workflow. */
export function retryNodesOf(workflow: SourceNode): readonly RetryNode[] {
  const nodes = nodeAt(workflow, ['status', 'nodes']);
  if (nodes?.kind !== 'map') return [];
  return [...nodes.children].flatMap(([id, node]) =>
    textAt(node, 'type') === 'Retry' ? [retryNode(id, node, nodes)] : [],
  );
}

function retryNode(id: string, node: SourceNode, nodes: SourceNode): RetryNode {
  const children = itemsOf(child(node, 'children')).flatMap((item): readonly Run[] => {
    const name = item.kind === 'scalar' ? item.text : undefined;
    const found = name === undefined ? undefined : child(nodes, name);
    return name === undefined || found === undefined ? [] : [runOf(name, found)];
  });
  // Since 3.5.4 a flag tells runs from hooks; before, every child is a run.
  const isFlagged = children.some(({ isRetried }) => isRetried !== undefined);
  return {
    ...runOf(id, node),
    label: textAt(node, 'displayName') ?? textAt(node, 'name') ?? id,
    node,
    runs: isFlagged ? children.filter(({ isRetried }) => isRetried === true) : children,
  };
}

function runOf(id: string, node: SourceNode): Run {
  const flag = child(node, 'nodeFlag');
  const message = textAt(node, 'message');
  return {
    id,
    phase: textAt(node, 'phase') ?? '',
    message: message === '' ? undefined : message,
    startedAt: parseInstant(textAt(node, 'startedAt')),
    finishedAt: parseInstant(textAt(node, 'finishedAt')),
    exitCode: textAt(node, 'outputs', 'exitCode'),
    isRetried: flag === undefined ? undefined : textAt(flag, 'retried') === 'true',
    isDaemon: toJson(child(node, 'daemoned') ?? flagOff) === true,
  };
}

const flagOff: SourceNode = {
  kind: 'scalar',
  path: [],
  value: false,
  text: 'false',
  style: 'plain',
};

/** Whether a node has ended, well or not. */
export const isOver = ({ phase }: Run): boolean =>
  ['Succeeded', 'Failed', 'Error', 'Skipped', 'Omitted'].includes(phase);

export const hasFailed = ({ phase }: Run): boolean => phase === 'Failed' || phase === 'Error';
