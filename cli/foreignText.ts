/**
 * Texts that others wrote (manifests, file names, messages of controllers and servers) may hold codes that a terminal
 * would obey, or that turn the order of what is read.
 */
const obeyed = /(?![\t\n])[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** A foreign text with a mark in the place of every such code; lines, tabs and lengths stay. */
export const masked = (text: string): string => text.replaceAll(obeyed, '\uFFFD');

/** A foreign text as a part of one line: what breaks lines is a space. */
export const oneLine = (text: string): string =>
  masked(text.replaceAll(/\s*[\n\r\u0085\u2028\u2029]\s*/g, ' ').replaceAll('\t', ' '));

/** A value as JSON; what `JSON.stringify` leaves as it is though a terminal would obey it is written as an escape. */
export const jsonText = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replaceAll(
    obeyed,
    (code) => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
