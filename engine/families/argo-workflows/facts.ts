import { atLeast } from '../../environment.ts';
import type { FactsInput } from '../../family.ts';
import { integer } from '../../format.ts';
import { child, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { seconds, type Ms } from '../../units.ts';
import { wholeNumber } from './formats.ts';
import { bodyOf, isGroup, templatesOf, type Body } from './manifest.ts';
import { nestingOf, type Nesting } from './nesting.ts';
import { system } from './system.ts';

/**
 * Where a strategy stands: on one template, or for all of them.
 *
 * `defaults` is merged into every template field by field; `spec` is taken whole by those without any.
 */
export type Level = 'template' | 'defaults' | 'spec';

/** What the formula, the rules and the notes take from around a `retryStrategy`. */
export type Facts = {
  readonly level: Level;
  /** Whether it stands in the controller's ConfigMap, for all workflows. */
  readonly inController: boolean;
  readonly template?: string;
  readonly body?: Body;
  /** Whether a setting that is not written may still come from elsewhere. */
  readonly isPartial: boolean;
  readonly limitIsText: boolean;
  readonly hasExpression: boolean;
  /** Settings that a template takes from `templateDefaults`. */
  readonly inherited: readonly string[];
  readonly podDeadline?: Ms;
  readonly workflowDeadline?: Ms;
  readonly nesting?: Nesting;
  /** Groups that this strategy is used for, by name. */
  readonly groups: readonly string[];
  /** Whether `templateDefaults` keeps a strategy of the spec from ever being used. */
  readonly shadowed: boolean;
  /** The workflow's hooks that run while it runs, by name. */
  readonly hooks: readonly string[];
  /** From 3.5 on, an `expression` without `retryPolicy` decides alone. */
  readonly expressionDecides: boolean;
};

const specNames: ReadonlySet<string> = new Set([
  'spec',
  'workflowSpec',
  'storedWorkflowTemplateSpec',
]);

/** Takes the facts around one `retryStrategy`. */
export function factsOf({ node, parents, root, env }: FactsInput): Facts {
  const spec = parents.find(({ path }) => specNames.has(String(path.at(-1))));
  const [holder] = parents;
  const level = levelOf(holder, spec);
  const body = level === 'template' ? bodyOf(holder) : undefined;
  const name = level === 'template' ? textAt(holder, 'name') : undefined;
  const pod =
    level === 'spec' ? undefined : deadline(child(holder, 'activeDeadlineSeconds'), false);
  const workflow = deadline(child(spec, 'activeDeadlineSeconds'), true);
  const limit = child(node, 'limit');
  const nesting =
    level !== 'template'
      ? nestingOf(spec, env)
      : isGroup(body)
        ? nestingOf(spec, env, holder)
        : undefined;
  return {
    level,
    inController: textAt(root, 'kind') === 'ConfigMap',
    ...(name === undefined ? {} : { template: name }),
    ...(body === undefined ? {} : { body }),
    isPartial: isPartial(level, holder, spec, body),
    limitIsText: limit?.kind === 'scalar' && typeof limit.value === 'string',
    hasExpression: (textAt(node, 'expression') ?? '') !== '',
    inherited: node?.kind === 'map' && level === 'template' ? inheritedIn(node) : [],
    ...(pod === undefined ? {} : { podDeadline: pod }),
    ...(workflow === undefined ? {} : { workflowDeadline: workflow }),
    ...(nesting === undefined ? {} : { nesting }),
    groups: groupsUnder(level, holder, spec, body),
    shadowed:
      level === 'spec' && nodeAt(spec, ['templateDefaults', 'retryStrategy'])?.kind === 'map',
    hooks: hooksOf(spec),
    expressionDecides: atLeast(env, system, '3.5.0'),
  };
}

function levelOf(holder: SourceNode | undefined, spec: SourceNode | undefined): Level {
  if (holder === spec) return 'spec';
  return holder?.path.at(-1) === 'templateDefaults' ? 'defaults' : 'template';
}

/** A template without a body is a patch; defaults are one where every template has a limit of its own. */
function isPartial(
  level: Level,
  holder: SourceNode | undefined,
  spec: SourceNode | undefined,
  body: Body | undefined,
): boolean {
  if (level === 'template') {
    const isCall = child(holder, 'template') ?? child(holder, 'templateRef');
    return body === undefined && isCall === undefined;
  }
  if (level === 'spec') return false;
  const templates = templatesOf(spec);
  return (
    templates.length > 0 &&
    templates.every((template) => child(child(template, 'retryStrategy'), 'limit') !== undefined)
  );
}

function hooksOf(spec: SourceNode | undefined): readonly string[] {
  const hooks = child(spec, 'hooks');
  return hooks?.kind === 'map' ? [...hooks.children.keys()].filter((name) => name !== 'exit') : [];
}

function inheritedIn(node: SourceNode): readonly string[] {
  if (node.kind !== 'map') return [];
  const own = node.key ?? node.span;
  return [...node.children].flatMap(([key, inner]) =>
    inner.via !== undefined && inner.via === own
      ? [key]
      : key === 'backoff'
        ? [...(inner.kind === 'map' ? inner.children : [])].flatMap(([name, value]) =>
            value.via !== undefined && value.via === own ? [name] : [],
          )
        : [],
  );
}

/** The steps and dag templates that a strategy wraps without their asking for it. */
function groupsUnder(
  level: Level,
  holder: SourceNode | undefined,
  spec: SourceNode | undefined,
  body: Body | undefined,
): readonly string[] {
  if (level === 'template') return isGroup(body) ? [textAt(holder, 'name') ?? 'this one'] : [];
  return templatesOf(spec)
    .filter((one) => isGroup(bodyOf(one)) && child(one, 'retryStrategy')?.kind !== 'map')
    .map((one) => textAt(one, 'name') ?? 'unnamed');
}

function deadline(node: SourceNode | undefined, onlyInteger: boolean): Ms | undefined {
  if (node === undefined) return undefined;
  const read = (onlyInteger ? integer : wholeNumber).read(node);
  return read.ok ? seconds(read.value) : undefined;
}
