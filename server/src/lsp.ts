import type { Position, Range, TextEdit } from 'vscode-languageserver-protocol';
import type { Edit } from '../../engine/finding.ts';
import type { Span } from '../../engine/source.ts';
import type { FileAnalysis, FileDocument } from './analysis/file.ts';

/** The one place where our spans become the protocol's ranges. Both count UTF-16 code units. */
export function rangeIn(document: FileDocument, span: Span): Range {
  return { start: positionIn(document, span.start), end: positionIn(document, span.end) };
}

export function positionIn(document: FileDocument, offset: number): Position {
  const { line, character } = document.lines.positionAt(offset);
  return { line: line + document.startLine, character };
}

export const textEditIn = (document: FileDocument, { at, text }: Edit): TextEdit => ({
  range: rangeIn(document, at),
  newText: text,
});

/** The document of a file that a position lies in, and the offset inside it. */
export function locate(
  file: FileAnalysis,
  position: Position,
): { readonly document: FileDocument; readonly offset: number } | undefined {
  const document = file.documents.findLast(({ startLine }) => startLine <= position.line);
  if (document === undefined) return undefined;
  const { line, character } = position;
  return {
    document,
    offset: document.lines.offsetAt({ line: line - document.startLine, character }),
  };
}

/** Whether two ranges share a position; touching counts. */
export const touches = (a: Range, b: Range): boolean =>
  comparePositions(a.start, b.end) <= 0 && comparePositions(b.start, a.end) <= 0;

const comparePositions = (a: Position, b: Position): number =>
  a.line - b.line || a.character - b.character;
