import type { Citation } from '../../engine/citation.ts';

/** The first lines of every page. */
export const pageHead = (title: string): readonly string[] => [
  `# ${title}`,
  '',
  '<!-- Generated from the engine: npm run generate -->',
  '',
];

/** A table; cells may hold any text of one line. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => ' --- ').join('|')}|`, ...rows.map(line), ''];
}

const cell = (text: string): string =>
  text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ');

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** A source as it stands in a sentence: a link where it is an address. */
export function cited({ system, versions, source }: Citation): string {
  const where = /^https?:\/\/\S+$/.test(source) ? `<${source}>` : code(source);
  return `${system} ${versions}, ${where}`;
}

export const yamlBlock = (yaml: string): readonly string[] => [
  '```yaml',
  yaml.trimEnd(),
  '```',
  '',
];
