import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { callsOf, specAround, templatesOf } from './manifest.ts';

type Expected = { readonly text: string; readonly because: string };

/**
 * The value a tag stands for, where the manifest itself names exactly one.
 *
 * `{{workflow.parameters.tries}}` → the value under `spec.arguments`; `{{inputs.parameters.n}}` → what the calls of
 * the template around it give to that input, or its own value, when they are all the same.
 */
export function expectFromParameters(
  text: string,
  root: SourceNode,
  parents: readonly SourceNode[],
): Expected | undefined {
  const reasons: string[] = [];
  const spec = specAround(root, parents[0]);
  const filled = fill(text, { spec, template: templateAmong(parents), depth: 0 }, reasons);
  return filled === undefined ? undefined : { text: filled, because: reasons.join(', ') };
}

/** A text with the workflow's own parameters filled in, where each has a value. */
export function withWorkflowParameters(
  text: string,
  spec: SourceNode | undefined,
): string | undefined {
  return fill(text, { spec, template: undefined, depth: 0 }, []);
}

/** Where a tag stands: what it can name, and how many others led to it. */
type Scope = {
  readonly spec: SourceNode | undefined;
  readonly template: SourceNode | undefined;
  readonly depth: number;
};

const tag = /\{\{\s*(workflow|inputs)\.parameters\.([\w-]+)\s*\}\}/g;

function fill(text: string, scope: Scope, reasons: string[]): string | undefined {
  let isKnown = true;
  const filled = text.replaceAll(tag, (written, kind: string, name: string) => {
    const value = kind === 'workflow' ? argument(scope, name) : input(scope, name, reasons);
    if (value === undefined) {
      isKnown = false;
      return written;
    }
    if (kind === 'workflow') reasons.push(`the parameter \`${name}\` defaults to ${value}`);
    return value;
  });
  return isKnown && filled !== text ? filled : undefined;
}

const argument = ({ spec }: Scope, name: string): string | undefined =>
  valueOf(named(nodeAt(spec, ['arguments', 'parameters']), name));

/** What an input is given: by each call of its template, and by its own value where a call leaves it out. */
function input(scope: Scope, name: string, reasons: string[]): string | undefined {
  const { spec, template, depth } = scope;
  // A parameter may name another; a ring of them ends here.
  if (template === undefined || depth > 4) return undefined;
  const own = named(nodeAt(template, ['inputs', 'parameters']), name);
  if (own === undefined) return undefined;
  const calls = callersOf(spec, template);
  const given = calls.map(({ caller, parameters }) => {
    const passed = named(parameters, name);
    return passed === undefined
      ? { value: valueOf(own), from: template }
      : { value: valueOf(passed), from: caller };
  });
  const values = given.length === 0 ? [{ value: valueOf(own), from: template }] : given;
  const known = values.map(({ value, from }) =>
    value === undefined || !value.includes('{{')
      ? value
      : fill(value, { spec, template: from, depth: depth + 1 }, []),
  );
  const [only] = known;
  if (only === undefined || known.some((value) => value !== only)) return undefined;
  reasons.push(`the input \`${name}\` is ${only}`);
  return only;
}

type Caller = {
  /** The template whose inputs the arguments may name; the workflow itself has none. */
  readonly caller: SourceNode | undefined;
  readonly parameters: SourceNode | undefined;
};

/** Whoever runs a template in this manifest, with the arguments it hands over. */
function callersOf(spec: SourceNode | undefined, template: SourceNode): readonly Caller[] {
  const name = textAt(template, 'name');
  const callers: Caller[] = [];
  for (const caller of templatesOf(spec)) {
    for (const call of callsOf(caller)) {
      const isThis =
        isSame(child(call, 'inline'), template) ||
        (name !== undefined && textAt(call, 'template') === name);
      if (isThis) callers.push({ caller, parameters: nodeAt(call, ['arguments', 'parameters']) });
    }
  }
  const isEntry = name !== undefined && textAt(spec, 'entrypoint') === name;
  const parameters = nodeAt(spec, ['arguments', 'parameters']);
  return isEntry ? [...callers, { caller: undefined, parameters }] : callers;
}

/** The template that a block stands in. */
const templateAmong = (parents: readonly SourceNode[]): SourceNode | undefined =>
  parents.find(
    ({ path }) =>
      path.at(-2) === 'templates' || path.at(-2) === 'storedTemplates' || path.at(-1) === 'inline',
  );

const isSame = (one: SourceNode | undefined, other: SourceNode): boolean =>
  one !== undefined && one.path.join('/') === other.path.join('/');

const named = (parameters: SourceNode | undefined, name: string): SourceNode | undefined =>
  itemsOf(parameters).find((one) => textAt(one, 'name') === name);

function valueOf(parameter: SourceNode | undefined): string | undefined {
  const value = child(parameter, 'value') ?? child(parameter, 'default');
  return value?.kind === 'scalar' && value.value !== null ? value.text : undefined;
}
