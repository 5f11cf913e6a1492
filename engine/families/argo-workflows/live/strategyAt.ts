import { knows, type Environment } from '../../../environment.ts';
import type { Field, Values } from '../../../field.ts';
import { followFieldPath } from '../../../fieldPath.ts';
import { isRunTimeText } from '../../../runTimeText.ts';
import {
  child,
  itemsOf,
  nodeAt,
  textAt,
  type ScalarNode,
  type SourceNode,
} from '../../../source.ts';
import { fields, type Fields } from '../fields.ts';
import { mergedStrategy, runningSpec } from '../manifest.ts';
import { system } from '../system.ts';
import type { RetryNode } from './nodes.ts';

/** The strategy that the controller uses for a node, as numbers; or why it is not known. */
export type Found =
  | {
      readonly kind: 'known';
      readonly values: Values<Fields>;
      readonly limitIsText: boolean;
      /** Where the block stands: `spec.templates[0].retryStrategy`. */
      readonly node: SourceNode;
    }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * Looks a node's strategy up: its template, merged over `templateDefaults`, or else the one of the spec.
 *
 * Templates of other objects are kept in the status. Source: argo-workflows v4.1.2
 * pkg/apis/workflow/v1alpha1/workflow_types.go resolveTemplateReference, workflow/controller/operator.go
 * retryStrategy and mergedTemplateDefaultsInto.
 */
export function strategyAt(workflow: SourceNode, retry: RetryNode, env: Environment): Found {
  const spec = runningSpec(workflow);
  const template = templateOf(workflow, spec, retry.node);
  if (template === undefined) {
    const name =
      textAt(retry.node, 'templateName') ?? textAt(retry.node, 'templateRef', 'template');
    return {
      kind: 'unknown',
      why: `its template${name === undefined ? '' : ` ${name}`} is not in this object`,
    };
  }
  const own = child(template, 'retryStrategy');
  const defaults = nodeAt(spec, ['templateDefaults', 'retryStrategy']);
  const whole = child(spec, 'retryStrategy');
  const node =
    own?.kind === 'map'
      ? mergedStrategy(own, defaults)
      : defaults?.kind === 'map'
        ? defaults
        : whole;
  if (node?.kind !== 'map') return { kind: 'unknown', why: 'no retryStrategy is found for it' };
  return read(node, env, filler(workflow, retry));
}

function templateOf(
  workflow: SourceNode,
  spec: SourceNode | undefined,
  node: SourceNode,
): SourceNode | undefined {
  const kept = nodeAt(workflow, ['status', 'storedTemplates']);
  const ref = child(node, 'templateRef');
  if (ref !== undefined) {
    const scope = textAt(ref, 'clusterScope') === 'true' ? 'cluster' : 'namespaced';
    const name = textAt(ref, 'name') ?? '';
    return child(kept, `${scope}/${name}/${textAt(ref, 'template') ?? ''}`);
  }
  const name = textAt(node, 'templateName');
  const scope = textAt(node, 'templateScope') ?? '';
  const own = itemsOf(child(spec, 'templates')).find((one) => textAt(one, 'name') === name);
  // Old and hand-written states carry no name: a workflow of one template leaves no doubt.
  if (name === undefined) return theOnly(itemsOf(child(spec, 'templates')));
  if (scope.startsWith('local/') || scope === '') return own;
  return child(kept, `${scope}/${name}`) ?? own;
}

const theOnly = (templates: readonly SourceNode[]): SourceNode | undefined =>
  templates.length === 1 ? templates[0] : undefined;

/** Fills in tags with what the node and the workflow were given. */
function filler(workflow: SourceNode, { node }: RetryNode): (text: string) => string {
  const inputs = nodeAt(node, ['inputs', 'parameters']);
  const given = nodeAt(workflow, ['spec', 'arguments', 'parameters']);
  return (text) =>
    text.replaceAll(
      /\{\{\s*(inputs|workflow)\.parameters\.([\w-]+)\s*\}\}/g,
      (tag, scope: string, name: string) => {
        const list = itemsOf(scope === 'inputs' ? inputs : given);
        const found = list.find((one) => textAt(one, 'name') === name);
        return textAt(found, 'value') ?? textAt(found, 'default') ?? tag;
      },
    );
}

function read(node: SourceNode, env: Environment, fill: (text: string) => string): Found {
  const problems: string[] = [];
  const value = <T>(field: Field<T>): T | undefined => {
    if (!knows(env, system, field.since)) return undefined;
    const at = followFieldPath(field.steps, node, [], node);
    if (at === undefined || (at.kind === 'scalar' && at.value === null)) return undefined;
    const filled = at.kind === 'scalar' && typeof at.value === 'string' ? withText(at, fill) : at;
    const isOpen =
      filled.kind === 'scalar' && field.format.keepsTags !== true && isRunTimeText(filled.text);
    const found = field.read(filled);
    if (!isOpen && found.ok) return found.value;
    const written = filled.kind === 'scalar' ? ` (${filled.text})` : '';
    problems.push(
      `\`${field.path}\`${written} ${isOpen ? 'is filled in at run time' : 'cannot be read'}`,
    );
    return undefined;
  };
  const limit = child(node, 'limit');
  const values: Values<Fields> = {
    limit: value(fields.limit),
    retryPolicy: value(fields.retryPolicy),
    expression: value(fields.expression),
    backoff: value(fields.backoff),
    duration: value(fields.duration),
    factor: value(fields.factor),
    cap: value(fields.cap),
    maxDuration: value(fields.maxDuration),
    nodeAntiAffinity: undefined,
    podDeadline: undefined,
    workflowDeadline: undefined,
  };
  const [problem] = problems;
  if (problem !== undefined) return { kind: 'unknown', why: problem };
  const limitIsText = limit?.kind === 'scalar' && typeof limit.value === 'string';
  return { kind: 'known', values, limitIsText, node };
}

function withText(node: ScalarNode, fill: (text: string) => string): ScalarNode {
  const text = fill(node.text);
  return text === node.text ? node : { ...node, text, value: text };
}
