import { knows, type Environment } from './environment.ts';
import { settingOfAbsence, type Field, type Fields, type Values } from './field.ts';
import { followFieldPath, parseFieldPath, type FieldPath } from './fieldPath.ts';
import type { Inherited, PolicyFamily, Settings } from './family.ts';
import { defaultInTemplate, isRunTimeText } from './runTimeText.ts';
import { locate, valueOf, type Located, type Setting } from './setting.ts';
import type { ScalarNode, SourceNode } from './source.ts';

export type Surroundings = {
  readonly node: SourceNode | undefined;
  readonly parents: readonly SourceNode[];
  readonly root: SourceNode;
  readonly env: Environment;
  readonly neighbours: readonly SourceNode[];
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
  const given = around.neighbours.length === 0 ? undefined : family.inherit?.(around);
  for (const name in fields) {
    const field = fields[name];
    if (field === undefined) continue;
    const node = nodeOf(field.steps, around);
    if (node !== undefined) nodes.set(name, node);
    settings[name] = readSetting(family, field, node, around, given?.(name));
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
  given: Inherited | undefined,
): Setting<unknown> {
  if (node === undefined || (node.kind === 'scalar' && node.value === null)) {
    return inherited(field, given, node) ?? absent(family, field, around, node);
  }
  const at = locate(node);
  const isKnown = knows(around.env, family.system, field.since);
  if (node.kind === 'scalar' && field.format.keepsTags !== true && isRunTimeText(node.text)) {
    return isKnown ? runTime(family, field, node, around) : absent(family, field, around);
  }
  const read = field.read(node);
  // What the version does not know it does not read either: a wrong value is as good as none.
  if (!isKnown) return dropped(absent(family, field, around), at);
  const text = node.kind === 'scalar' ? node.text : undefined;
  if (read.ok) return { from: 'document', value: read.value, text: text ?? '', at };
  return { from: 'unreadable', problem: read.problem, at, ...(text === undefined ? {} : { text }) };
}

/** What another object of the file gives to a field that is not written. What cannot be read there is told there. */
function inherited(
  field: Field<unknown>,
  given: Inherited | undefined,
  node: SourceNode | undefined,
): Setting<unknown> | undefined {
  if (given === undefined) return undefined;
  const { value, by, cite } = given;
  const at = locate(node ?? { kind: 'scalar', path: [], value: null, text: '', style: 'plain' });
  if (value.kind === 'scalar' && isRunTimeText(value.text)) {
    return { from: 'runtime', text: value.text, at };
  }
  const read = field.read(value);
  if (!read.ok) return undefined;
  const text = value.kind === 'scalar' ? value.text : field.format.write(read.value);
  return {
    from: 'default',
    value: read.value,
    text,
    cite,
    by,
    ...(node === undefined ? {} : { at }),
  };
}

/** A field that is not written, or written without a value: its own default, or that beside a neighbour. */
function absent(
  family: PolicyFamily,
  field: Field<unknown>,
  around: Surroundings,
  node?: SourceNode,
): Setting<unknown> {
  const setting = whenAbsentIn(family, field, around);
  return node === undefined ? setting : { ...setting, at: locate(node) };
}

/** What a setting is where its key is written for nothing. */
const dropped = (setting: Setting<unknown>, tooNew: Located): Setting<unknown> =>
  setting.from === 'default' || setting.from === 'unset' ? { ...setting, tooNew } : setting;

function whenAbsentIn(
  family: PolicyFamily,
  field: Field<unknown>,
  around: Surroundings,
): Setting<unknown> {
  const { whenAbsent, otherwise, format } = field;
  if (otherwise === undefined) return whenAbsent;
  const beside = nodeOf(parseFieldPath(otherwise.beside), around);
  const isWritten = beside !== undefined && !(beside.kind === 'scalar' && beside.value === null);
  if (!isWritten) return whenAbsent;
  const neighbour = Object.values(family.fields).find(({ path }) => path === otherwise.beside);
  if (!knows(around.env, family.system, neighbour?.since)) return whenAbsent;
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
