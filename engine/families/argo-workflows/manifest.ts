import type { MapNode, SourceNode, Span } from '../../source.ts';
import { child, itemsOf, nodeAt, textAt } from '../../source.ts';

/** What a template does, by the key that holds its body. */
export const bodies = [
  'container',
  'script',
  'containerSet',
  'resource',
  'http',
  'plugin',
  'data',
  'suspend',
  'steps',
  'dag',
] as const;
export type Body = (typeof bodies)[number];

export const bodyOf = (template: SourceNode | undefined): Body | undefined =>
  bodies.find((key) => child(template, key) !== undefined);

/** Whether a template runs other templates and no pod of its own. */
export const isGroup = (body: Body | undefined): boolean => body === 'steps' || body === 'dag';

/** `lastRetry.exitCode` of a run that has none. */
export const noExitCode = '-1';

/** Whether no container runs by a template, so that its runs have no exit code. */
export const hasNoContainer = (body: Body | undefined): boolean =>
  isGroup(body) || body === 'suspend';

/** Whether a template runs a pod, which a deadline can be given to. */
export const runsPod = (body: Body | undefined): boolean =>
  body !== undefined && !isGroup(body) && !['suspend', 'http', 'plugin'].includes(body);

/** The workflow's spec in a manifest of any kind: `spec`, or `spec.workflowSpec` of a CronWorkflow. */
export const specOf = (root: SourceNode): SourceNode | undefined =>
  textAt(root, 'kind') === 'CronWorkflow'
    ? nodeAt(root, ['spec', 'workflowSpec'])
    : child(root, 'spec');

/** The spec that runs: with a `workflowTemplateRef` the one that the status keeps. */
export function runningSpec(workflow: SourceNode): SourceNode | undefined {
  const stored = nodeAt(workflow, ['status', 'storedWorkflowTemplateSpec']);
  return stored?.kind === 'map' ? stored : child(workflow, 'spec');
}

/** The spec that holds for a block: what runs for one that the status keeps. */
export const specAround = (
  root: SourceNode,
  block: SourceNode | undefined,
): SourceNode | undefined =>
  block?.path[root.path.length] === 'status' ? runningSpec(root) : specOf(root);

export const templatesOf = (spec: SourceNode | undefined): readonly SourceNode[] =>
  itemsOf(child(spec, 'templates'));

/** The steps of a steps template, or the tasks of a dag: what names or holds another template. */
export function callsOf(template: SourceNode): readonly SourceNode[] {
  const groups = itemsOf(child(template, 'steps'));
  const steps = groups.flatMap((group) => (group.kind === 'list' ? group.items : [group]));
  return [...steps, ...itemsOf(nodeAt(template, ['dag', 'tasks']))];
}

/**
 * The block as it holds at run time: what a template leaves out comes from `templateDefaults`, field by field.
 *
 * Source: argo-workflows v4.1.2 workflow/controller/operator.go mergedTemplateDefaultsInto. An empty key is as
 * good as none, and what a template engine puts in is not known: both give nothing.
 */
export function effectiveStrategy(node: SourceNode, root: SourceNode): SourceNode | undefined {
  const defaults = nodeAt(specAround(root, node), ['templateDefaults', 'retryStrategy']);
  return node.kind === 'map' ? mergedStrategy(node, defaults) : undefined;
}

/** A template's own strategy, with what the defaults add to it. */
export const mergedStrategy = (own: MapNode, defaults: SourceNode | undefined): MapNode =>
  defaults?.kind === 'map' ? merged(own, defaults, own.key ?? own.span) : own;

function merged(own: MapNode, below: MapNode, via: Span | undefined): MapNode {
  const children = new Map<string, SourceNode>();
  for (const [key, node] of below.children) {
    children.set(key, via === undefined ? node : { ...node, via });
  }
  for (const [key, node] of own.children) {
    const inherited = below.children.get(key);
    if (node.kind === 'map' && inherited?.kind === 'map') {
      children.set(key, merged(node, inherited, via));
    } else if (inherited === undefined || node.kind !== 'scalar' || node.value !== null) {
      children.set(key, node);
    }
  }
  return { ...own, children };
}

/** Whether a block is written as a map of settings, not left empty or to a template engine. */
export const isBlock = (node: SourceNode): SourceNode | undefined =>
  node.kind === 'map' ? node : undefined;
