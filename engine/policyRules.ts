import { fix, removeEntry, renameKey, replaceText, replaceValue } from './edits.ts';
import { isBefore, versionOf } from './environment.ts';
import type { PolicyContext, PolicyFamily, Report, Settings } from './family.ts';
import { fieldName, type Field, type Fields, type Since } from './field.ts';
import type { Fix, Severity } from './finding.ts';
import { nearest } from './format.ts';
import type { KnownKeys, Placed } from './registry.ts';
import { isRunTimeText } from './runTimeText.ts';
import type { Setting, SettingProblem } from './setting.ts';
import { nameSpan, type MapNode, type ScalarNode, type SourceNode } from './source.ts';

/** What a general rule finds: a report with the slug and severity of its own. */
export type GeneralReport = Report & { readonly slug: PolicySlug; readonly severity: Severity };

/** The codes `policy/<slug>` that hold in every family, with what the reference says of them. */
export const policyCodes = {
  'wrong-type':
    'A value has another type than the field: the manifest is refused, or the field is read as something else.',
  'bad-duration': 'A text cannot be read as a duration by the controller.',
  'bad-number': 'A text cannot be read as a number by the controller.',
  'out-of-range': 'A value lies outside what the API server, a webhook or the controller accepts.',
  'not-allowed': 'A word is none of those the field knows.',
  'missing-field': 'A field without which the policy fails is not written.',
  'empty-value': 'A key is written without a value: the default applies.',
  'unknown-field':
    'A key in a policy block that the system does not know: it is ignored or refused.',
  'needs-version': 'A field that the stated version of the system does not know yet.',
  syntax: 'The document cannot be parsed; what was parsed is still analysed.',
  'duplicate-key':
    'A key is written twice: most parsers keep the last, strict ones refuse the file.',
  'tab-indentation': 'A tab indents a line: YAML allows only blanks there.',
  'unresolved-alias': 'An alias names an anchor that the document does not have.',
  'merge-conflict': 'Markers of a merge conflict: what the policy is remains undecided.',
  'unquoted-template': 'A template tag without quotes is read as a map.',
  'unused-suppression': 'A comment asks to ignore a finding that is not there: it hides nothing.',
  'failed-analysis': 'A fault in Kube Backoff: the policy was not analysed. Please report it.',
} as const;

export type PolicySlug = keyof typeof policyCodes;

/** Whether no field has anything to say: each is left out, or written as it may be. */
export function fieldsAreQuiet({ family, known }: Placed, settings: Settings<Fields>): boolean {
  if (known !== undefined) return false;
  for (const name in settings) {
    const setting = settings[name];
    if (setting === undefined || setting.from === 'runtime') continue;
    if (setting.from === 'document') {
      if (family.fields[name]?.since !== undefined) return false;
    } else if (setting.from === 'unreadable' || setting.at !== undefined) return false;
  }
  return true;
}

/** What can be said of any policy from its fields alone. */
export function* policyReports(
  { family, known }: Placed,
  context: PolicyContext,
): Generator<GeneralReport> {
  for (const [name, field] of Object.entries(family.fields)) {
    yield* settingReports(family, context, name, field);
  }
  if (known !== undefined && context.node?.kind === 'map') {
    yield* unknownKeys(family, context, context.node, known, '');
  }
}

function* settingReports(
  family: PolicyFamily,
  context: PolicyContext,
  name: string,
  field: Field<unknown>,
): Generator<GeneralReport> {
  const setting = context.settings[name];
  if (setting === undefined) return;
  const key = fieldName(field.path);
  const node = context.nodeOf(name);
  if (setting.from === 'unreadable') {
    const { problem } = setting;
    const isAbsent = problem.code === 'missing-field';
    yield {
      slug: problem.code,
      severity: 'error',
      message: isAbsent ? problem.message : `${key}: ${problem.message}`,
      at: context.valueSpanOf(name),
      fixes: suggestionFix(node, problem),
    };
    return;
  }
  const isEmpty = node?.kind === 'scalar' && node.value === null;
  if (field.since !== undefined && isReadThrough(setting) && !isEmpty) {
    yield* tooNew(family, context, name, field.since);
    return;
  }
  // Who writes `null` means it; a key with nothing behind it may have lost its value.
  const written = node?.span && context.tree.text?.slice(node.span.start, node.span.end);
  const isMeant = written !== undefined && /^(?:null|~)$/i.test(written);
  if (setting.from === 'default' && setting.at !== undefined && !isMeant) {
    yield {
      slug: 'empty-value',
      severity: 'info',
      message: `${key} is empty: the default ${setting.text} applies`,
      at: setting.at.key ?? context.name,
    };
  } else if (setting.from === 'unset' && setting.at !== undefined && !isMeant) {
    yield {
      slug: 'empty-value',
      severity: 'info',
      message: `${key} is empty, as if it were not written: ${setting.means}`,
      at: setting.at.key ?? context.name,
    };
  }
}

/** Whether a written setting was read, or passed over by a version that does not know it. */
const isReadThrough = (setting: Setting<unknown>): boolean =>
  setting.from === 'document' || (setting.from !== 'runtime' && setting.at !== undefined);

function* tooNew(
  family: PolicyFamily,
  context: PolicyContext,
  name: string,
  since: Since,
): Generator<GeneralReport> {
  if (!isBefore(context.env, family.system, since)) return;
  const { version } = versionOf(context.env, family.system);
  const node = context.nodeOf(name);
  yield {
    slug: 'needs-version',
    severity: 'warning',
    message: `${family.system.title} ${version} does not know \`${name}\`: ${since.before}. It needs ${since.version}`,
    at: context.keyOf(name),
    unnecessary: true,
    fixes: node === undefined ? [] : fix(`Remove ${name}`, false, removeEntry(context.tree, node)),
  };
}

function suggestionFix(node: SourceNode | undefined, problem: SettingProblem): readonly Fix[] {
  const { suggestion, style } = problem;
  if (node?.kind !== 'scalar' || suggestion === undefined) return [];
  const written = style === 'quoted' ? `"${suggestion}"` : suggestion;
  const edit = style === undefined ? replaceText(node, suggestion) : replaceValue(node, written);
  const isCertain = problem.code !== 'out-of-range' && problem.isGuess !== true;
  const key = node.path.at(-1);
  const title = typeof key === 'string' ? `Write ${key}: ${written}` : `Write ${written}`;
  return fix(title, isCertain, edit);
}

/** Keys of the block, and of the maps below it that fields lead through, which no field names. */
function* unknownKeys(
  family: PolicyFamily,
  context: PolicyContext,
  map: MapNode,
  known: KnownKeys,
  prefix: string,
): Generator<GeneralReport> {
  // Where a template engine writes a key, what stands around it is not what will be read.
  if ([...map.children.keys()].some((key) => key.includes('\uE000'))) return;
  for (const [key, node] of map.children) {
    const below = known.get(key);
    if (below instanceof Map && node.kind === 'map') {
      yield* unknownKeys(family, context, node, below, `${prefix}${key}.`);
    }
    if (below !== undefined || node.via !== undefined || isTemplateKey(key)) continue;
    if (family.closed?.judged?.includes(`${prefix}${key}`) === true) continue;
    yield unknownKey(family, context, { map, known, prefix }, key, node);
  }
}

const isTemplateKey = (key: string): boolean => key.startsWith('x-') || /[{<$]/.test(key);

function unknownKey(
  family: PolicyFamily,
  context: PolicyContext,
  {
    map,
    known,
    prefix,
  }: { readonly map: MapNode; readonly known: KnownKeys; readonly prefix: string },
  key: string,
  node: SourceNode,
): GeneralReport {
  const word = family.meantBy?.(key);
  // `maxInterval` stands for a field of the block below, say: no name for this level.
  const meant = word !== undefined && known.has(word) ? word : nearest(key, known.keys());
  const hint = meant === undefined ? '' : `; did you mean \`${meant}\`?`;
  const remove = fix(`Remove ${key}`, false, removeEntry(context.tree, node));
  return {
    slug: 'unknown-field',
    severity: 'warning',
    message: `${family.system.title} does not know \`${key}\` here: it has no effect${hint}`,
    at: nameSpan(node) ?? context.name,
    unnecessary: true,
    fixes:
      meant === undefined || map.children.has(meant)
        ? remove
        : [
            ...fix(
              `Rename to ${meant}`,
              canHold(family, `${prefix}${meant}`, node),
              renameKey(node, meant),
            ),
            ...remove,
          ],
  };
}

/** Whether a value would be right under another name: `backoff: {…}` is none for `duration`. */
function canHold(family: PolicyFamily, path: string, node: SourceNode): boolean {
  const field = Object.values(family.fields).find(
    ({ steps }) => steps.from === 'anchor' && steps.keys.join('.') === path,
  );
  if (field === undefined) return true;
  return (node.kind === 'scalar' && isRunTimeText(node.text)) || field.read(node).ok;
}

/** The scalar of a setting, when it is one. */
export function scalarOf<Name extends string>(
  context: { readonly nodeOf: (name: Name) => SourceNode | undefined },
  name: Name,
): ScalarNode | undefined {
  const node = context.nodeOf(name);
  return node?.kind === 'scalar' ? node : undefined;
}
