import { child, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { wholeNumber } from './formats.ts';
import { bodyOf, callsOf, isGroup, templatesOf } from './manifest.ts';

/** How often a template runs at most, each time it is called. */
export type Runs = number | 'endless';

/** One level of a call: `main` is a group that runs at most 4 times. */
export type Level = {
  readonly name: string;
  readonly runs: Runs;
  readonly isGroup: boolean;
  /** Whether the retries come from `templateDefaults` or `spec`, not from the template itself. */
  readonly inherited: boolean;
};

/** The levels from an outer template to the leaf that can run most often, and how often that is. */
export type Nesting = { readonly levels: readonly Level[]; readonly leafRuns: Runs };

/** The call chain of a workflow whose leaf can run most often; nothing where no template is known. */
export function nestingOf(spec: SourceNode | undefined, from?: SourceNode): Nesting | undefined {
  const templates = templatesOf(spec);
  const byName = new Map(templates.map((template) => [textAt(template, 'name') ?? '', template]));
  const entry = byName.get(textAt(spec, 'entrypoint') ?? '');
  const roots = from !== undefined ? [from] : entry !== undefined ? [entry] : templates;
  const walk = walker(spec, byName);
  return roots.map(walk).reduce<Nesting | undefined>(larger, undefined);
}

function walker(
  spec: SourceNode | undefined,
  byName: ReadonlyMap<string, SourceNode>,
): (template: SourceNode) => Nesting {
  const known = new Map<SourceNode, Nesting>();
  const open = new Set<SourceNode>();
  const walk = (template: SourceNode): Nesting => {
    const done = known.get(template);
    if (done !== undefined) return done;
    const level = levelOf(spec, template);
    // A template that calls itself has no deepest leaf: the chain is cut where it repeats.
    if (open.has(template)) return { levels: [], leafRuns: 1 };
    open.add(template);
    const called = level.isGroup ? callsOf(template).flatMap((call) => target(call, byName)) : [];
    const deepest = called.map(walk).reduce<Nesting | undefined>(larger, undefined);
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

function target(call: SourceNode, byName: ReadonlyMap<string, SourceNode>): readonly SourceNode[] {
  const inline = child(call, 'inline');
  const named = byName.get(textAt(call, 'template') ?? '');
  return [inline, named].filter((node) => node !== undefined);
}

function levelOf(spec: SourceNode | undefined, template: SourceNode): Level {
  const own = child(template, 'retryStrategy');
  const defaults = nodeAt(spec, ['templateDefaults', 'retryStrategy']);
  const whole = child(spec, 'retryStrategy');
  const sources =
    own?.kind === 'map' ? [own, defaults] : [defaults?.kind === 'map' ? defaults : whole];
  const strategies = sources.filter((node) => node?.kind === 'map');
  return {
    name: textAt(template, 'name') ?? 'inline',
    runs: strategies.length === 0 ? 1 : runsOf(strategies),
    isGroup: isGroup(bodyOf(template)),
    inherited: own?.kind !== 'map' && strategies.length > 0,
  };
}

function runsOf(strategies: readonly (SourceNode | undefined)[]): Runs {
  const limit = strategies.map((node) => child(node, 'limit')).find((node) => node !== undefined);
  if (limit === undefined) return 'endless';
  const read = wholeNumber.read(limit);
  // A number that is only known at run time multiplies nothing here.
  return read.ok ? Math.max(0, read.value) + 1 : 1;
}

const times = (a: Runs, b: Runs): Runs => (a === 'endless' || b === 'endless' ? 'endless' : a * b);

const size = ({ leafRuns }: Nesting): number =>
  leafRuns === 'endless' ? Number.MAX_VALUE : leafRuns;

const larger = (best: Nesting | undefined, next: Nesting): Nesting =>
  best === undefined || size(next) > size(best) ? next : best;
