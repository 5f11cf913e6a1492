import { atLeast, type Environment } from '../../environment.ts';
import { child, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { allowanceOf } from './allowance.ts';
import { withWorkflowParameters } from './expect.ts';
import { certainEnd } from './expressionProblems.ts';
import { policy, wholeNumber } from './formats.ts';
import {
  bodyOf,
  callsOf,
  hasNoContainer,
  isGroup,
  noExitCode,
  templatesOf,
  type Body,
} from './manifest.ts';
import { system } from './system.ts';

/** How often a template runs at most, each time it is called. */
export type Runs = number | 'endless';

/** One level of a call: `main` is a group that runs at most 4 times. */
export type Level = {
  readonly name: string;
  readonly runs: Runs;
  readonly isGroup: boolean;
  /** Whether the retries come from `templateDefaults` or `spec`, not from the template itself. */
  readonly inherited: boolean;
  /** Whether the template stands in another object, and may have a strategy of its own there. */
  readonly isElsewhere: boolean;
};

/** The levels from an outer template to the leaf that can run most often, and how often that is. */
export type Nesting = { readonly levels: readonly Level[]; readonly leafRuns: Runs };

/** The call chain of a workflow whose leaf can run most often; nothing where no template is known. */
export function nestingOf(
  spec: SourceNode | undefined,
  env: Environment,
  from?: SourceNode,
): Nesting | undefined {
  const templates = templatesOf(spec);
  const byName = new Map(templates.map((template) => [textAt(template, 'name') ?? '', template]));
  const started = startedBy(spec).flatMap((name) => byName.get(name) ?? []);
  const roots = from !== undefined ? [from] : started.length > 0 ? started : templates;
  const walk = walker({ spec, env, byName });
  return roots.map(walk).reduce<Nesting | undefined>(larger, undefined);
}

/** The templates that a workflow itself starts: its entrypoint, and what runs at its end or on an event. */
const startedBy = (spec: SourceNode | undefined): readonly string[] => [
  ...[textAt(spec, 'entrypoint')].filter((name) => name !== undefined),
  ...handlersOf(spec),
];

/** What `onExit` and `hooks` name, of a workflow or of one call. */
function handlersOf(node: SourceNode | undefined): readonly string[] {
  const hooks = child(node, 'hooks');
  const named = hooks?.kind === 'map' ? [...hooks.children.values()] : [];
  return [textAt(node, 'onExit'), ...named.map((hook) => textAt(hook, 'template'))].filter(
    (name) => name !== undefined,
  );
}

type Workflow = {
  readonly spec: SourceNode | undefined;
  readonly env: Environment;
  readonly byName: ReadonlyMap<string, SourceNode>;
};

function walker(workflow: Workflow): (template: SourceNode) => Nesting {
  const known = new Map<SourceNode, Nesting>();
  const open = new Set<SourceNode>();
  const walk = (template: SourceNode): Nesting => {
    const done = known.get(template);
    if (done !== undefined) return done;
    const level = levelOf(workflow, template);
    // A template that calls itself has no deepest leaf: the chain is cut where it repeats.
    if (open.has(template)) return { levels: [], leafRuns: 1 };
    open.add(template);
    const calls = level.isGroup ? callsOf(template) : [];
    const called = calls.flatMap((call) => targets(call, workflow.byName));
    const elsewhere = calls.flatMap((call) => levelElsewhere(workflow, call));
    const deepest = [...called.map(walk), ...elsewhere].reduce<Nesting | undefined>(
      larger,
      undefined,
    );
    open.delete(template);
    const nesting: Nesting = {
      levels: [level, ...(deepest?.levels ?? [])],
      leafRuns: times(level.runs, deepest?.leafRuns ?? 1),
    };
    known.set(template, nesting);
    return nesting;
  };
  return walk;
}

function targets(call: SourceNode, byName: ReadonlyMap<string, SourceNode>): readonly SourceNode[] {
  const inline = child(call, 'inline');
  const names = [textAt(call, 'template'), ...handlersOf(call)];
  const named = names.map((name) => byName.get(name ?? ''));
  return [inline, ...named].filter((node) => node !== undefined);
}

/** A template of another object: it takes this workflow's strategy unless it has one of its own. */
function levelElsewhere({ spec, env }: Workflow, call: SourceNode): readonly Nesting[] {
  const template = textAt(call, 'templateRef', 'template');
  const strategies = strategiesOf(spec, undefined);
  if (template === undefined || strategies.length === 0) return [];
  const name = `${textAt(call, 'templateRef', 'name') ?? ''}/${template}`;
  const runs = runsOf(strategies, spec, env, undefined);
  const level = { name, runs, isGroup: false, inherited: true, isElsewhere: true };
  return [{ levels: [level], leafRuns: runs }];
}

function levelOf({ spec, env }: Workflow, template: SourceNode): Level {
  const own = child(template, 'retryStrategy');
  const strategies = strategiesOf(spec, own);
  const body = bodyOf(template);
  return {
    name: textAt(template, 'name') ?? 'inline',
    runs: strategies.length === 0 ? 1 : runsOf(strategies, spec, env, body),
    isGroup: isGroup(body),
    inherited: own?.kind !== 'map' && strategies.length > 0,
    isElsewhere: false,
  };
}

/** The blocks that a template's strategy is made of, the first one over the second. */
function strategiesOf(
  spec: SourceNode | undefined,
  own: SourceNode | undefined,
): readonly SourceNode[] {
  const defaults = nodeAt(spec, ['templateDefaults', 'retryStrategy']);
  const whole = child(spec, 'retryStrategy');
  const sources =
    own?.kind === 'map' ? [own, defaults] : [defaults?.kind === 'map' ? defaults : whole];
  return sources.filter((node) => node?.kind === 'map');
}

function runsOf(
  strategies: readonly SourceNode[],
  spec: SourceNode | undefined,
  env: Environment,
  body: Body | undefined,
): Runs {
  const setting = (name: string) =>
    strategies.map((node) => child(node, name)).find((node) => node !== undefined);
  const limit = limitOf(setting('limit'), spec);
  // A number that is only known at run time multiplies nothing here.
  if (limit === 'unknown') return 1;
  const expression = setting('expression');
  const allowed =
    expression?.kind === 'scalar' && expression.text !== ''
      ? allowedBy(expression.text, setting('retryPolicy'), limit, env, body)
      : undefined;
  const retries = Math.min(limit ?? Number.MAX_VALUE, allowed ?? Number.MAX_VALUE);
  return retries === Number.MAX_VALUE ? 'endless' : retries + 1;
}

function limitOf(
  node: SourceNode | undefined,
  spec: SourceNode | undefined,
): number | 'unknown' | undefined {
  if (node === undefined) return undefined;
  const filled = node.kind === 'scalar' ? withWorkflowParameters(node.text, spec) : undefined;
  const read = wholeNumber.read(
    node.kind === 'scalar' && filled !== undefined
      ? { ...node, text: filled, value: filled }
      : node,
  );
  return read.ok ? Math.max(0, read.value) : 'unknown';
}

/** The guard that is recommended: `lastRetry.exitCode != '-1'` keeps groups, which have no exit code, from retries. */
function allowedBy(
  expression: string,
  written: SourceNode | undefined,
  limit: number | undefined,
  env: Environment,
  body: Body | undefined,
): number | undefined {
  if (certainEnd(expression, env) !== undefined) return 0;
  const read = written === undefined ? undefined : policy.read(written);
  const isOpen = read?.ok === false;
  const implied = atLeast(env, system, '3.5.0') ? 'Always' : 'OnFailure';
  const effective = isOpen ? undefined : ((read?.ok === true ? read.value : null) ?? implied);
  return allowanceOf(expression, {
    policy: effective,
    limit,
    ...(hasNoContainer(body) ? { exitCode: noExitCode } : {}),
  })?.retries;
}

const times = (a: Runs, b: Runs): Runs => (a === 'endless' || b === 'endless' ? 'endless' : a * b);

const size = ({ leafRuns }: Nesting): number =>
  leafRuns === 'endless' ? Number.MAX_VALUE : leafRuns;

const larger = (best: Nesting | undefined, next: Nesting): Nesting =>
  best === undefined || size(next) > size(best) ? next : best;
