import type { RangeJson } from '../engine/policyJson.ts';
import type { Span } from '../engine/source.ts';
import type { FileDocument } from '../server/src/analysis/file.ts';

/** A span of a document as lines and columns of its file, counted from 1. */
export function rangeIn(document: FileDocument, span: Span): RangeJson {
  return { start: placeIn(document, span.start), end: placeIn(document, span.end) };
}

function placeIn(document: FileDocument, offset: number): RangeJson['start'] {
  const { line, character } = document.lines.positionAt(offset);
  return { line: line + document.startLine + 1, column: character + 1 };
}

/** `wf.yaml:9:5`, as terminals and editors make links of it. */
export const formatPlace = (file: string, range: RangeJson | undefined): string =>
  range === undefined ? file : `${file}:${String(range.start.line)}:${String(range.start.column)}`;
