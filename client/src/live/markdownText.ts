/**
 * Keeps a text from becoming markup, and lets it wrap; what stands in backticks stays code.
 *
 * The editor's own `appendText` writes every space as one that does not break.
 */
export const markdownText = (text: string): string =>
  text
    .split('`')
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll(/[\\*_<>[\]|#~!(){}&]/g, (found) => `\\${found}`),
    )
    .join('`')
    .replaceAll(/\s*\n\s*/g, ' ');
