import { isBefore, type Environment } from './environment.ts';
import { settingOfAbsence, type Field, type Fields, type Values } from './field.ts';
import { followFieldPath, parseFieldPath, type FieldPath } from './fieldPath.ts';
import type { PolicyFamily, Settings } from './family.ts';
import { defaultInTemplate, isRunTimeText } from './runTimeText.ts';
import { locate, valueOf, type Setting } from './setting.ts';
import type { ScalarNode, SourceNode } from './source.ts';

export type Surroundings = {
  readonly node: SourceNode | undefined;
  readonly parents: readonly SourceNode[];
  readonly root: SourceNode;
  readonly env: Environment;
};

/** The settings of a policy, and the nodes that the written ones were read from. */
export type ReadSettings = {
  readonly settings: Settings<Fields>;
  readonly nodes: ReadonlyMap<string, SourceNode>;
};

/** Reads every field of a family at one place. */
export function readSettings(family: PolicyFamily, around: Surroundings): ReadSettings {
  const settings: Record<string, Setting<unknown>> = {};
  const nodes = new Map<string, SourceNode>();
  const { fields } = family;
  for (const name in fields) {
    const field = fields[name];
    if (field === undefined) continue;
    const node = nodeOf(field.steps, around);
    if (node !== undefined) nodes.set(name, node);
    settings[name] = readSetting(family, field, node, around);
  }
  return { settings, nodes };
}

const nodeOf = (path: FieldPath, { node, parents, root }: Surroundings): SourceNode | undefined =>
  followFieldPath(path, node, parents, root);

function readSetting(
  family: PolicyFamily,
  field: Field<unknown>,
  node: SourceNode | undefined,
  around: Surroundings,
): Setting<unknown> {
  if (node === undefined) return absent(field, around);
  if (node.kind === 'scalar' && node.value === null) return absent(field, around, node);
  const at = locate(node);
  const isTooNew = field.since !== undefined && isBefore(around.env, family.system, field.since);
  if (node.kind === 'scalar' && field.format.keepsTags !== true && isRunTimeText(node.text)) {
    return isTooNew ? absent(field, around) : runTime(family, field, node, around);
  }
  const read = field.read(node);
  const text = node.kind === 'scalar' ? node.text : undefined;
  if (read.ok) return { from: 'document', value: read.value, text: text ?? '', at };
  // What the version does not know it does not read either: a wrong value is as good as none.
  if (isTooNew) return absent(field, around, node);
  return { from: 'unreadable', problem: read.problem, at, ...(text === undefined ? {} : { text }) };
}

/** A field that is not written, or written without a value: its own default, or that beside a neighbour. */
function absent(field: Field<unknown>, around: Surroundings, node?: SourceNode): Setting<unknown> {
  const setting = whenAbsentIn(field, around);
  return node === undefined ? setting : { ...setting, at: locate(node) };
}

function whenAbsentIn(field: Field<unknown>, around: Surroundings): Setting<unknown> {
  const { whenAbsent, otherwise, format } = field;
  if (otherwise === undefined) return whenAbsent;
  const beside = nodeOf(parseFieldPath(otherwise.beside), around);
  const isWritten = beside !== undefined && !(beside.kind === 'scalar' && beside.value === null);
  if (!isWritten) return whenAbsent;
  const { value, cite } = otherwise;
  return settingOfAbsence(format, { kind: 'default', value, cite });
}

function runTime(
  family: PolicyFamily,
  field: Field<unknown>,
  node: ScalarNode,
  { root, parents }: Surroundings,
): Setting<unknown> {
  const { text } = node;
  const unknown = { from: 'runtime', text, at: locate(node) } as const;
  const inTemplate = defaultInTemplate(text);
  const expected =
    inTemplate === undefined
      ? family.expect?.(text, root, parents)
      : { text: inTemplate, because: `the template's default is ${inTemplate}` };
  if (expected === undefined || isRunTimeText(expected.text)) return unknown;
  const read = field.read(literal(node, expected.text));
  if (!read.ok) return unknown;
  return { ...unknown, likely: { value: read.value, because: expected.because } };
}

/** The scalar that a template would leave behind: typed as YAML would, unless it stands in quotes. */
function literal(node: ScalarNode, text: string): ScalarNode {
  const isNumber = node.style === 'plain' && /^-?\d+(\.\d+)?$/.test(text);
  const isBoolean = node.style === 'plain' && /^(true|false)$/.test(text);
  const value = isNumber ? Number(text) : isBoolean ? text === 'true' : text;
  return { kind: 'scalar', path: node.path, value, text, style: node.style };
}

/** The values for the formula, or the settings that it needs and that are not known. */
export function valuesOf(
  family: PolicyFamily,
  settings: Settings<Fields>,
): { readonly values: Values<Fields> } | { readonly missing: readonly string[] } {
  const values: Record<string, unknown> = {};
  const missing: string[] = [];
  for (const [name, field] of Object.entries(family.fields)) {
    const setting = settings[name];
    if (setting === undefined) continue;
    const value = valueOf(setting);
    values[name] = value;
    const isKnown = value !== undefined || setting.from === 'unset';
    if (!isKnown && field.role === 'formula') missing.push(name);
  }
  return missing.length > 0 ? { missing } : { values };
}
