import { fix } from '../../../engine/edits.ts';
import type { Code, Edit, Finding } from '../../../engine/finding.ts';
import { nearest } from '../../../engine/format.ts';
import type { Span } from '../../../engine/source.ts';
import { lineIndex, type LineIndex } from './lines.ts';

/**
 * One code named in a comment: `# kube-backoff-ignore argo-workflows/backoff-needs-limit: the caller has one`.
 *
 * It holds for its own line, for the line below where it stands alone, or for the whole file.
 */
export type Suppression = {
  readonly scope: 'line' | 'file';
  readonly code: string;
  /** The line it holds for, zero-based; for the whole file the line it stands on. */
  readonly line: number;
  /** The code in the comment, and the comment. Offsets count from the document's start. */
  readonly at: Span;
  readonly comment: Span;
};

const keyword = 'kube-backoff-ignore';
const comments = /(^|[ \t])#[ \t]*kube-backoff-ignore(-file)?(?![\w-])([^\r\n]*)/gm;

/** The suppressions written in a document, in their order. */
export function suppressionsIn(text: string, lines?: LineIndex): readonly Suppression[] {
  if (!text.includes(keyword)) return [];
  const index = lines ?? lineIndex(text);
  return [...text.matchAll(comments)].flatMap((match) => {
    const [whole, before = '', file, rest = ''] = match;
    const start = match.index + before.length;
    const comment = { start, end: match.index + whole.trimEnd().length };
    const listStart = match.index + whole.length - rest.length;
    const { line, character } = index.positionAt(start);
    const isAlone = text.slice(start - character, start).trim() === '';
    const scope = file === undefined ? 'line' : 'file';
    const target = scope === 'line' && isAlone ? lineBelow(text, index, line) : line;
    const named = codesIn(rest.split(':')[0] ?? '', listStart);
    const codes = named.length > 0 ? named : [{ code: '', at: comment }];
    return codes.map(({ code, at }) => ({ scope, code, at, comment, line: target }));
  });
}

/** The first line below that is neither blank nor a comment, so that comments can be stacked. */
function lineBelow(text: string, index: LineIndex, line: number): number {
  for (let next = line + 1; next <= index.breaks; next += 1) {
    const start = index.offsetAt({ line: next, character: 0 });
    const end = index.offsetAt({ line: next + 1, character: 0 });
    if (!/^\s*(?:#|$)/.test(text.slice(start, end))) return next;
  }
  return line;
}

function codesIn(list: string, start: number): readonly { code: string; at: Span }[] {
  return [...list.matchAll(/[^\s,]+/g)].map((match) => ({
    code: match[0],
    at: { start: start + match.index, end: start + match.index + match[0].length },
  }));
}

export type Suppressed = {
  readonly findings: readonly Finding[];
  /** The suppressions that hid something. */
  readonly used: ReadonlySet<Suppression>;
};

/** A fault of ours must never look like a clean file. */
const neverHidden: ReadonlySet<Code> = new Set(['policy/failed-analysis']);

/** Takes out the findings of one document that its comments, or the file's, name. */
export function suppress(
  findings: readonly Finding[],
  lines: LineIndex,
  suppressions: readonly Suppression[],
): Suppressed {
  if (suppressions.length === 0) return { findings, used: new Set() };
  const used = new Set<Suppression>();
  const left = findings.filter((finding) => {
    if (neverHidden.has(finding.code)) return true;
    const { line } = lines.positionAt(finding.at.start);
    const hiding = suppressions.filter(
      (one) => one.code === finding.code && (one.scope === 'file' || one.line === line),
    );
    for (const one of hiding) used.add(one);
    return hiding.length === 0;
  });
  return { findings: left, used };
}

/** What to say of a comment that hides nothing. */
export function unusedSuppression(
  text: string,
  unused: Suppression,
  knownCodes: ReadonlySet<string>,
): Finding {
  return {
    code: 'policy/unused-suppression',
    severity: 'info',
    message: unusedMessage(unused, knownCodes),
    at: unused.at,
    unnecessary: true,
    related: [],
    fixes: fix(
      `Remove ${unused.code === '' ? 'the comment' : unused.code}`,
      false,
      removal(text, unused),
    ),
  };
}

function unusedMessage({ code, scope }: Suppression, knownCodes: ReadonlySet<string>): string {
  if (code === '')
    return 'This comment names no finding, so it hides none: write the code after it';
  if (!knownCodes.has(code)) {
    const meant = nearest(code, knownCodes);
    const hint = meant === undefined ? 'remove the comment' : `did you mean ${meant}?`;
    return `No finding is called ${code}, so this comment hides none: ${hint}`;
  }
  const where = scope === 'file' ? 'in this file' : 'on that line';
  return `${code} is not found ${where}, so this comment hides nothing: remove it`;
}

/** The one code with its comma, or the comment, with its line where nothing else stands on it. */
function removal(text: string, { at, comment }: Suppression): Edit {
  const list = text.slice(comment.start, comment.end);
  const others = (/ignore(?:-file)?([^:]*)/.exec(list)?.[1] ?? '').split(',').length > 1;
  if (others) {
    const following = /^\s*,[ \t]*/.exec(text.slice(at.end, comment.end))?.[0].length;
    if (following !== undefined)
      return { at: { start: at.start, end: at.end + following }, text: '' };
    const preceding = /,\s*$/.exec(text.slice(comment.start, at.start))?.[0].length ?? 0;
    return { at: { start: at.start - preceding, end: at.end }, text: '' };
  }
  const lineStart = text.lastIndexOf('\n', comment.start - 1) + 1;
  const before = text.slice(lineStart, comment.start);
  if (before.trim() !== '') {
    const start = lineStart + before.trimEnd().length;
    return { at: { start, end: comment.end }, text: '' };
  }
  const lineEnd = text.indexOf('\n', comment.end);
  return { at: { start: lineStart, end: lineEnd === -1 ? text.length : lineEnd + 1 }, text: '' };
}

/** The edit that puts a comment above the line of a finding, indented like it. */
export function ignoreComment(text: string, finding: Finding): Edit {
  const start = text.lastIndexOf('\n', finding.at.start - 1) + 1;
  const indent = /^[ ]*/.exec(text.slice(start))?.[0] ?? '';
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  return {
    at: { start, end: start },
    text: `${indent}# ${keyword} ${finding.code}${lineBreak}`,
  };
}
