import type { YAMLError } from 'yaml';
import { fix } from '../../../engine/edits.ts';
import type { Finding, Severity } from '../../../engine/finding.ts';
import type { PolicySlug } from '../../../engine/policyRules.ts';
import type { Span } from '../../../engine/source.ts';

/** Something wrong with the YAML itself. */
export type SyntaxProblem = Pick<Finding, 'message' | 'at' | 'related' | 'fixes'> & {
  readonly slug: PolicySlug;
  readonly severity: Severity;
};

/**
 * What to tell of a parser's errors: each cause once, in our words.
 *
 * One tab, one conflict or one template control line makes a parser stumble many times; the followers are
 * left out. In a Helm template only our own problems are told: its YAML is not final.
 */
export function explainSyntax(
  text: string,
  errors: readonly YAMLError[],
  own: readonly SyntaxProblem[],
  isTemplate: boolean,
): readonly SyntaxProblem[] {
  const conflict = mergeConflict(text);
  if (conflict !== undefined) return [conflict];
  if (isTemplate) return own.filter(({ slug }) => slug !== 'unresolved-alias');
  const tab = tabIndentation(text, errors);
  if (tab !== undefined) return [tab];
  const duplicates = errors
    .filter(({ code }) => code === 'DUPLICATE_KEY')
    .map((error) => duplicateKey(text, error))
    // Merge keys may stand twice: each merges its own map. Keys of no letters are not a policy's.
    .filter(({ at }) => !['<<', ''].includes(text.slice(at.start, at.end)));
  const first = errors.find(
    ({ code, pos }) =>
      code !== 'DUPLICATE_KEY' &&
      code !== 'BAD_ALIAS' &&
      !own.some(({ at }) => at.start <= pos[0] && pos[0] <= at.end),
  );
  const syntax = first === undefined ? [] : [syntaxError(text, first)];
  return [...own, ...duplicates, ...syntax];
}

/**
 * The text with the line breaks of a quoted value made blanks, where the parser refused the value only because one
 * of its lines is indented less than its neighbours: kubectl and the controllers read such values. Offsets stay.
 */
export function joinQuotedLines(text: string, errors: readonly YAMLError[]): string | undefined {
  const broken = errors.find(
    ({ code, message }) => code === 'MISSING_CHAR' && /closing .quote/.test(message),
  );
  if (broken === undefined) return undefined;
  const before = text.slice(0, Math.min(broken.pos[1], text.length));
  const start = openQuote(before);
  if (start === undefined) return undefined;
  const quoted = text[start] === '"' ? /"(?:[^"\\]|\\[^])*"/y : /'(?:[^']|'')*'/y;
  quoted.lastIndex = start;
  const whole = quoted.exec(text)?.[0];
  if (whole === undefined || !whole.includes('\n')) return undefined;
  const joined = whole.replaceAll(/\r?\n/g, (lineBreak) => ' '.repeat(lineBreak.length));
  return text.slice(0, start) + joined + text.slice(start + whole.length);
}

/** The quote that opens a value and is not closed before the text ends. */
function openQuote(text: string): number | undefined {
  const opening = /(?:^|[\s[{,:-])(["'])/g;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const quote = match[1] ?? '"';
    const start = match.index + match[0].length - 1;
    const lineStart = text.lastIndexOf('\n', start) + 1;
    const isComment = /(?:^|\s)#/.test(text.slice(lineStart, start));
    const end = isComment ? start : closeOf(text, start, quote);
    if (end === undefined) return start;
    opening.lastIndex = end + 1;
  }
  return undefined;
}

function closeOf(text: string, start: number, quote: string): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote && !(quote === "'" && text[at + 1] === quote)) return at;
    else if (text[at] === quote) at += 1;
  }
  return undefined;
}

/** Whether the document holds an undecided merge: its values say nothing then. */
export const hasMergeConflict = (text: string): boolean =>
  text.includes('<<<<<<< ') && /^<{7} /m.test(text) && /^>{7} /m.test(text);

function mergeConflict(text: string): SyntaxProblem | undefined {
  if (!hasMergeConflict(text)) return undefined;
  const match = /^<{7} [^\r\n]*/m.exec(text);
  if (match === null) return undefined;
  return {
    slug: 'merge-conflict',
    severity: 'error',
    message:
      'This merge conflict is not resolved, so the policy is undecided: nothing else is checked in this document',
    at: { start: match.index, end: match.index + match[0].length },
    related: [],
    fixes: [],
  };
}

function tabIndentation(text: string, errors: readonly YAMLError[]): SyntaxProblem | undefined {
  if (!errors.some(({ code }) => code === 'TAB_AS_INDENT')) return undefined;
  const match = /^[ ]*(\t[ \t]*)(?=\S)/m.exec(text);
  if (match === null) return undefined;
  const tabs = match[1] ?? '';
  const start = match.index + match[0].length - tabs.length;
  const edits = [...text.matchAll(/^([ \t]*\t[ \t]*)(?=\S)/gm)].map((line) => ({
    at: { start: line.index, end: line.index + (line[1] ?? '').length },
    text: (line[1] ?? '').replaceAll('\t', '  '),
  }));
  return {
    slug: 'tab-indentation',
    severity: 'error',
    message: 'A tab cannot indent YAML: the file is refused. Indent with spaces',
    at: { start, end: start + 1 },
    related: [],
    fixes: fix('Convert the tabs to spaces', true, ...edits),
  };
}

function duplicateKey(text: string, error: YAMLError): SyntaxProblem {
  const at = keyAt(text, error.pos[0]);
  const key = text.slice(at.start, at.end);
  const first = firstOf(text, key, at);
  return {
    slug: 'duplicate-key',
    severity: 'error',
    message: `${key} is written twice: most tools keep this last one, strict ones refuse the file. Keep one of the two`,
    at,
    related: first === undefined ? [] : [{ at: first, message: `The first ${key}` }],
    fixes: [],
  };
}

function keyAt(text: string, offset: number): Span {
  const match = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:,{}]+)/.exec(text.slice(offset));
  return { start: offset, end: offset + (match?.[0].length ?? 0) };
}

/** The earlier key of the same name and indentation. */
function firstOf(text: string, key: string, second: Span): Span | undefined {
  const column = second.start - (text.lastIndexOf('\n', second.start - 1) + 1);
  let found: Span | undefined;
  for (
    let from = text.lastIndexOf(key, second.start - 1);
    from >= 0;
    from = text.lastIndexOf(key, from - 1)
  ) {
    const sameColumn = from - (text.lastIndexOf('\n', from - 1) + 1) === column;
    const isKey = /^\s*:/.test(text.slice(from + key.length, from + key.length + 3));
    if (sameColumn && isKey) {
      found = { start: from, end: from + key.length };
      break;
    }
    if (from === 0) break;
  }
  return found;
}

function syntaxError(text: string, error: YAMLError): SyntaxProblem {
  const start = Math.min(error.pos[0], text.length);
  const lineEnd = text.indexOf('\n', start);
  const limit = lineEnd === -1 ? text.length : lineEnd;
  const end = Math.max(start, Math.min(error.pos[1], limit));
  return {
    slug: 'syntax',
    severity: 'error',
    message: `This is not YAML here, so the file is refused: ${lowerFirst(error.message)}`,
    at: { start, end: end === start ? Math.min(start + 1, text.length) : end },
    related: [],
    fixes: [],
  };
}

const lowerFirst = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1);
