import { CompletionItemKind, type CompletionItem, type TextEdit } from 'vscode-languageserver';
import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import { fieldName, type Field } from '../../../engine/field.ts';
import type { Span } from '../../../engine/source.ts';
import type { FileDocument } from '../analysis/file.ts';
import type { Feature } from '../feature.ts';
import { locate, rangeIn } from '../lsp.ts';

/** Values of a policy's fields, and the fields a block does not have yet; nothing outside policies. */
export const completion: Feature = {
  capabilities: () => ({ completionProvider: { triggerCharacters: [' ', ':'] } }),
  register: (connection, workspace) => {
    connection.onCompletion(async ({ textDocument, position }) => {
      const file = await workspace.file(textDocument.uri);
      const found = file === undefined ? undefined : locate(file.analysis, position);
      if (found === undefined) return [];
      const { document, offset } = found;
      const policies = workspace.policiesOf(document);
      if (policies.length === 0) return [];
      return valuesAt(document, policies, offset) ?? keysAt(document, policies, offset);
    });
  },
};

type Line = { readonly start: number; readonly before: string; readonly after: string };

function lineAt(text: string, offset: number): Line {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const after = text.slice(offset, end === -1 ? text.length : end).replace(/\r$/, '');
  return { start, before: text.slice(start, offset), after };
}

/** `key: par|` → the values of the field that the key on this line belongs to. */
function valuesAt(
  document: FileDocument,
  policies: readonly AnalysedPolicy[],
  offset: number,
): CompletionItem[] | undefined {
  const { start, before, after } = lineAt(document.text, offset);
  const match = /^(\s*(?:- )?["']?[\w./-]+["']?:\s+)(["']?)([^\s"'#]*)$/.exec(before);
  if (match === null) return undefined;
  const [, lead = '', quote = ''] = match;
  const rest = /^[^\s"'#]*/.exec(after)?.[0] ?? '';
  const at: Span = { start: start + lead.length + quote.length, end: offset + rest.length };
  for (const { family, policy } of policies) {
    for (const [name, field] of Object.entries(family.fields)) {
      const key = policy.settings[name]?.at?.key;
      if (key === undefined || key.start < start || key.end > offset) continue;
      return valueItems(document, field, at);
    }
  }
  return undefined;
}

function valueItems(document: FileDocument, field: Field<unknown>, at: Span): CompletionItem[] {
  const { format, absent, summary } = field;
  const fallback = absent.kind === 'default' ? format.write(absent.value) : undefined;
  const texts = new Set([
    ...(format.values ?? format.samples),
    ...(fallback === undefined ? [] : [fallback]),
  ]);
  return [...texts].map((text, index) => ({
    label: text,
    kind: format.values === undefined ? CompletionItemKind.Value : CompletionItemKind.EnumMember,
    detail: text === fallback ? 'the default' : format.name,
    documentation: summary,
    sortText: String(index).padStart(2, '0'),
    textEdit: replacement(document, at, text),
  }));
}

/** On a line that holds no more than the start of a key: the fields its block does not have yet. */
function keysAt(
  document: FileDocument,
  policies: readonly AnalysedPolicy[],
  offset: number,
): CompletionItem[] {
  const { start, before, after } = lineAt(document.text, offset);
  const match = /^(\s*)([A-Za-z]*)$/.exec(before);
  if (match === null || after.trim() !== '') return [];
  const [, indent = ''] = match;
  const at: Span = { start: start + indent.length, end: offset };
  const block = blockOf(document.text, start, indent.length);
  if (block === undefined) return [];
  const items: CompletionItem[] = [];
  for (const { family, policy } of policies) {
    const { key } = policy;
    if (key === undefined || family.closed === undefined) continue;
    for (const [name, field] of Object.entries(family.fields)) {
      const prefix = prefixOf(document.text, key, block, field.path);
      if (prefix === undefined || policy.settings[name]?.at !== undefined) continue;
      items.push(keyItem(document, field, at));
    }
    if (items.length > 0) break;
  }
  return items;
}

/** The key of the line that opens the block which an indentation belongs to. */
function blockOf(text: string, from: number, indent: number): Span | undefined {
  let end = from - 1;
  while (end > 0) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const line = text.slice(start, end);
    const match = /^(\s*(?:- )*)([\w./-]+):\s*(?:#.*)?\r?$/.exec(line);
    const lead = /^(\s*(?:- )*)\S/.exec(line)?.[1]?.length;
    if (lead !== undefined && lead < indent) {
      if (match === null) return undefined;
      const [, space = '', key = ''] = match;
      return { start: start + space.length, end: start + space.length + key.length };
    }
    end = start - 1;
  }
  return undefined;
}

/** Whether a field's path ends one key below the block: `''` for the policy's own, `backoff` below. */
function prefixOf(text: string, policyKey: Span, block: Span, path: string): string | undefined {
  const steps = path.split('.');
  if (path.startsWith('.') || path.startsWith('/') || steps.length > 2) return undefined;
  if (steps.length === 1) return block.start === policyKey.start ? '' : undefined;
  const [parent = ''] = steps;
  const isBelow = text.slice(block.start, block.end) === parent && block.start > policyKey.start;
  return isBelow ? parent : undefined;
}

function keyItem(document: FileDocument, field: Field<unknown>, at: Span): CompletionItem {
  const { format, absent, summary, path } = field;
  const name = fieldName(path);
  const what =
    absent.kind === 'default'
      ? `default ${format.write(absent.value)}`
      : absent.kind === 'unset'
        ? `not set: ${absent.means}`
        : 'required';
  return {
    label: name,
    kind: CompletionItemKind.Property,
    detail: `${format.name}; ${what}`,
    documentation: summary,
    filterText: name,
    textEdit: replacement(document, at, `${name}: `),
  };
}

const replacement = (document: FileDocument, at: Span, newText: string): TextEdit => ({
  range: rangeIn(document, at),
  newText,
});
