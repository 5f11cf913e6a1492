import { child, itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';
import { callsOf, specOf, templatesOf } from './manifest.ts';

type Expected = { readonly text: string; readonly because: string };

/**
 * The value a tag stands for, where the manifest itself names exactly one.
 *
 * `{{workflow.parameters.tries}}` → the value under `spec.arguments`; `{{inputs.parameters.n}}` → the default of
 * the input and every argument given to it, when they are all the same.
 */
export function expectFromParameters(text: string, root: SourceNode): Expected | undefined {
  const reasons: string[] = [];
  const filled = fill(text, specOf(root), reasons, 0);
  return filled === undefined ? undefined : { text: filled, because: reasons.join(', ') };
}

const tag = /\{\{\s*(workflow|inputs)\.parameters\.([\w-]+)\s*\}\}/g;

function fill(
  text: string,
  spec: SourceNode | undefined,
  reasons: string[],
  depth: number,
): string | undefined {
  let isKnown = true;
  const filled = text.replaceAll(tag, (written, scope: string, name: string) => {
    const value = scope === 'workflow' ? argument(spec, name) : input(spec, name, reasons, depth);
    if (value === undefined) {
      isKnown = false;
      return written;
    }
    if (scope === 'workflow') reasons.push(`the parameter \`${name}\` defaults to ${value}`);
    return value;
  });
  return isKnown && filled !== text ? filled : undefined;
}

const argument = (spec: SourceNode | undefined, name: string): string | undefined =>
  valueIn(nodeAt(spec, ['arguments', 'parameters']), name);

/** What an input is given: its own value or default, and the arguments of the calls that name it. */
function input(
  spec: SourceNode | undefined,
  name: string,
  reasons: string[],
  depth: number,
): string | undefined {
  const templates = templatesOf(spec);
  const calls = templates.flatMap(callsOf);
  const given = [
    ...templates.map((template) => valueIn(nodeAt(template, ['inputs', 'parameters']), name)),
    ...calls.map((call) => valueIn(nodeAt(call, ['arguments', 'parameters']), name)),
  ].filter((value) => value !== undefined);
  const values = new Set(given);
  const [only] = values;
  if (only === undefined || values.size > 1) return undefined;
  if (!only.includes('{{')) {
    reasons.push(`the input \`${name}\` is ${only}`);
    return only;
  }
  // A parameter may name another; a ring of them ends here.
  return depth >= 4 ? undefined : fill(only, spec, reasons, depth + 1);
}

function valueIn(parameters: SourceNode | undefined, name: string): string | undefined {
  const found = itemsOf(parameters).find((one) => textAt(one, 'name') === name);
  const value = child(found, 'value') ?? child(found, 'default');
  return value?.kind === 'scalar' && value.value !== null ? value.text : undefined;
}
