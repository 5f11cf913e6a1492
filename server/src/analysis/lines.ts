/** A place in a text: zero-based line, and UTF-16 code units from its start. */
export type LinePosition = { readonly line: number; readonly character: number };

/** Where the lines of a text start. */
export type LineIndex = {
  /** The number of line breaks. */
  readonly breaks: number;
  readonly positionAt: (offset: number) => LinePosition;
  readonly offsetAt: (position: LinePosition) => number;
};

/** Indexes a text's lines; `\n`, `\r\n` and `\r` end a line, as the language server protocol says. */
export function lineIndex(text: string): LineIndex {
  const starts = [0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) starts.push(at + 1);
    else if (code === 13 && text.charCodeAt(at + 1) !== 10) starts.push(at + 1);
  }
  const { length } = text;
  return {
    breaks: starts.length - 1,
    positionAt: (offset) => {
      const clamped = Math.max(0, Math.min(offset, length));
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((starts[middle] ?? 0) <= clamped) low = middle;
        else high = middle - 1;
      }
      return { line: low, character: clamped - (starts[low] ?? 0) };
    },
    offsetAt: ({ line, character }) => {
      if (line < 0) return 0;
      const start = starts[line];
      if (start === undefined) return length;
      return Math.min(start + Math.max(0, character), starts[line + 1] ?? length, length);
    },
  };
}
