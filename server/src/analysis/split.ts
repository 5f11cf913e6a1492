/** One document of a YAML stream: its text, with the marker line that opens it. */
export type Segment = { readonly start: number; readonly text: string };

/** A `---` or `...` alone at the start of a line; no YAML scalar can contain one there. Only LF breaks lines. */
const marker = /(?<![^\n])(?:---|\.\.\.)(?![^ \t\r\n])/g;

/**
 * Splits a stream at its document markers, without parsing it. The segments' texts add up to the text.
 *
 * A `...` ends a document; what follows up to the next `---` is comment.
 */
export function splitDocuments(text: string, from = 0, to = text.length): readonly Segment[] {
  const segments: Segment[] = [];
  const part = from === 0 && to === text.length ? text : text.slice(from, to);
  let start = 0;
  marker.lastIndex = 0;
  for (let match = marker.exec(part); match !== null; match = marker.exec(part)) {
    if (match.index > start)
      segments.push({ start: from + start, text: part.slice(start, match.index) });
    start = match.index;
  }
  if (start < part.length || segments.length === 0) {
    segments.push({ start: from + start, text: part.slice(start) });
  }
  return segments;
}

/** A marker is told by this many characters: three, and one behind them. */
export const markerLength = 4;

/** Whether a document marker, or the end of the text, stands at an offset. */
export function isBoundary(text: string, offset: number): boolean {
  if (offset === text.length) return true;
  if (offset > 0 && text[offset - 1] !== '\n') return false;
  const head = text.slice(offset, offset + markerLength);
  return /^(?:---|\.\.\.)(?![^ \t\r\n])/.test(head);
}

/** Whether a segment has anything in it but markers, comments and blanks. */
export const hasContent = (text: string): boolean =>
  /^(?!---(?:\s*$|\s+#)|\.\.\.(?:\s|$)|%)[ \t]*[^\s#]/m.test(text);
