import type { Edit, Fix } from './finding.ts';
import type { MapNode, ScalarNode, SourceNode, SourceTree, Span } from './source.ts';

/** A fix with edits, or nothing where the document's text does not allow one. */
export function fix(
  title: string,
  preferred: boolean,
  ...edits: readonly (Edit | undefined)[]
): readonly Fix[] {
  const made = edits.filter((edit) => edit !== undefined);
  return made.length === edits.length && made.length > 0 ? [{ title, preferred, edits: made }] : [];
}

/** Replaces a scalar's text and keeps its quotes: `"90d"` → `"2160h"`. */
export function replaceText(node: ScalarNode, text: string): Edit | undefined {
  if (node.style === 'block' || node.rough === true) return undefined;
  const at = node.inner ?? node.span;
  return at === undefined ? undefined : { at, text };
}

/** Replaces a value, quotes included. */
export function replaceValue(node: SourceNode, text: string): Edit | undefined {
  return node.span === undefined || node.rough === true ? undefined : { at: node.span, text };
}

/** Renames a key and keeps it in quotes where it has them, as in JSON. */
export function renameKey(node: SourceNode, key: string): Edit | undefined {
  if (node.key === undefined || node.rough === true) return undefined;
  return { at: node.key, text: isQuotedKey(node) ? JSON.stringify(key) : key };
}

/** The key's own text is longer than its name by the quotes. */
const isQuotedKey = ({ key, path }: SourceNode): boolean =>
  key !== undefined && key.end - key.start === String(path.at(-1) ?? '').length + 2;

/**
 * Adds an entry to a map, first or after a named neighbour, in the map's own style and indentation.
 *
 * `value` is YAML of one line, or of several with the indentation that they have below their key.
 */
export function insertEntry(
  tree: SourceTree,
  map: MapNode,
  key: string,
  value: string,
  afterKey?: string,
): Edit | undefined {
  const { text } = tree;
  const there = map.children.get(key);
  if (there !== undefined) return fillEntry(tree, there, value);
  const neighbour = afterKey === undefined ? undefined : map.children.get(afterKey);
  const first = [...map.children.values()].find(
    (entry) => entry.key !== undefined && entry.via === undefined,
  );
  if (text === undefined || map.span === undefined || map.rough === true) return undefined;
  if (map.flow) {
    const at = map.span.start + 1;
    const name = first !== undefined && isQuotedKey(first) ? JSON.stringify(key) : key;
    const inner = `${name}: ${value}`;
    return { at: { start: at, end: at }, text: first === undefined ? inner : `${inner}, ` };
  }
  if (first?.key === undefined) return undefined;
  const indent = indentOf(text, first.key.start);
  if (indent === undefined) return undefined;
  if (neighbour?.key !== undefined && neighbour.via === undefined) {
    const end = endOfEntry(text, neighbour);
    const lineBreak = lineBreakOf(text);
    const lead = end > 0 && text[end - 1] !== '\n' ? lineBreak : '';
    const tail = lead === '' ? lineBreak : '';
    return { at: { start: end, end }, text: `${lead}${indent}${key}: ${value}${tail}` };
  }
  const start = first.key.start;
  return { at: { start, end: start }, text: `${key}: ${value}${lineBreakOf(text)}${indent}` };
}

/** Gives an entry that is written without a value one; any other stays as it is. */
function fillEntry({ text }: SourceTree, node: SourceNode, value: string): Edit | undefined {
  if (node.kind !== 'scalar' || node.value !== null || node.via !== undefined) return undefined;
  if (text === undefined || node.key === undefined || node.rough === true) return undefined;
  if (node.span !== undefined && node.span.end > node.span.start) return replaceValue(node, value);
  const colon = text.indexOf(':', node.key.end);
  if (colon === -1) return undefined;
  const at = { start: colon + 1, end: colon + 1 };
  return { at, text: value.startsWith('\n') ? value : ` ${value}` };
}

/** Removes an entry with its line, or from its flow map with one comma. */
export function removeEntry(tree: SourceTree, node: SourceNode): Edit | undefined {
  const { text } = tree;
  if (text === undefined || node.key === undefined || node.rough === true) return undefined;
  const start = lineStart(text, node.key.start);
  const before = text.slice(start, node.key.start);
  const end = Math.max(node.key.end, node.span?.end ?? 0);
  if (/^\s*$/.test(before) && endsItsLine(text, end)) {
    return { at: { start, end: endOfEntry(text, node) }, text: '' };
  }
  const following = /^\s*,[ \t]*/.exec(text.slice(end))?.[0];
  if (following !== undefined) {
    return { at: { start: node.key.start, end: end + following.length }, text: '' };
  }
  const preceding = /,\s*$/.exec(text.slice(0, node.key.start))?.[0];
  if (preceding !== undefined) {
    return { at: { start: node.key.start - preceding.length, end }, text: '' };
  }
  return undefined;
}

/** Removes an item of a list with its lines, or from its flow list with one comma; never the last one left. */
export function removeItem(tree: SourceTree, list: SourceNode, item: SourceNode): Edit | undefined {
  const { text } = tree;
  if (text === undefined || list.kind !== 'list' || list.items.length < 2) return undefined;
  if (item.span === undefined || item.via !== undefined || item.rough === true) return undefined;
  const { start, end } = item.span;
  if (list.flow) {
    const following = /^\s*,[ \t]*/.exec(text.slice(end))?.[0];
    if (following !== undefined) return { at: { start, end: end + following.length }, text: '' };
    const preceding = /,\s*$/.exec(text.slice(0, start))?.[0];
    return preceding === undefined
      ? undefined
      : { at: { start: start - preceding.length, end }, text: '' };
  }
  const from = lineStart(text, start);
  if (!/^[ ]*- +$/.test(text.slice(from, start))) return undefined;
  if (!endsItsLine(text, end)) return undefined;
  return { at: { start: from, end: endOfEntry(text, item) }, text: '' };
}

/** The text of a document with edits applied; edits must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { at, text: replacement } of edits.toSorted((a, b) => b.at.start - a.at.start)) {
    result = result.slice(0, at.start) + replacement + result.slice(at.end);
  }
  return result;
}

/** Whether two edits touch the same text, so that only one of them can be applied. */
export const overlap = (a: Span, b: Span): boolean =>
  a.start === b.start || (a.start < b.end && b.start < a.end);

/** Whether two edits would write the same key into one map: `retries` and `attempts`, both renamed to `limit`. */
export function writeSameKey(text: string, a: Edit, b: Edit): boolean {
  if (a.text !== b.text || !/^["']?[\w./-]+["']?$/.test(a.text)) return false;
  const [first, second] = a.at.start < b.at.start ? [a.at, b.at] : [b.at, a.at];
  if (![first, second].every(({ end }) => /^\s*:/.test(text.slice(end, end + 8)))) return false;
  const between = text.slice(first.end, second.start);
  const column = first.start - lineStart(text, first.start);
  if (!between.includes('\n') || /[{,]\s*$/.test(between)) return isBalanced(between);
  const lines = between.split('\n').slice(1);
  const last = lines.pop() ?? '';
  return (
    last.length === column &&
    last.trim() === '' &&
    lines.every((line) => line.trim() === '' || line.search(/\S/) >= column)
  );
}

/** Whether a stretch of flow YAML closes all that it opens, and nothing else. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Whether nothing but a comment follows on the line; a block scalar ends with its line break. */
const endsItsLine = (text: string, end: number): boolean =>
  text[end - 1] === '\n' || /^[ \t]*(#[^\n]*)?\r?(\n|$)/.test(text.slice(end));

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** What stands before a key on its line, with `- ` turned to blanks; nothing where text stands there. */
function indentOf(text: string, offset: number): string | undefined {
  const before = text.slice(lineStart(text, offset), offset);
  return /^[ ]*(- +)*$/.test(before) ? ' '.repeat(before.length) : undefined;
}

/** The offset after an entry's last line break. */
function endOfEntry(text: string, node: SourceNode): number {
  const end = Math.max(node.key?.end ?? 0, node.span?.end ?? 0);
  const at = end > 0 && text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);
  return at === -1 ? text.length : at + 1;
}

const lineBreakOf = (text: string): string => (/\r\n/.test(text) ? '\r\n' : '\n');
