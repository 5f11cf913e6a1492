/**
 * Keeps a text from becoming markup, and lets it wrap; what stands between two single backticks stays code.
 *
 * The editor's own `appendText` writes every space as one that does not break.
 */
export const markdownText = (text: string): string =>
  text
    .replaceAll(/\s*[\r\n]+\s*/g, ' ')
    .split(code)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(special, (one) => `\\${one}`)))
    .join('');

// Backticks that have no partner would else pair with a later one, and what is between them is not what was meant.
const code = /(?<!`)(`[^`]+`)(?!`)/;
const special = /[\\`*_<>[\]|#~!(){}&]/g;
