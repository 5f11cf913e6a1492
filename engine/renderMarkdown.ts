import type { Citation } from './citation.ts';
import { formatWindow } from './durations/format.ts';
import type { Explanation, FieldExplanation, Row } from './explain.ts';
import { barsSvg, sparkline } from './picture.ts';

/** What the reader's editor can show. */
export type MarkdownAbilities = {
  /** HTML's `details`, to fold the sources away. */
  readonly html: boolean;
  /** Pictures in `data:` addresses. */
  readonly images: boolean;
  /** Encodes text for a `data:` address; needed for images only. */
  readonly base64?: (text: string) => string;
};

export const plainMarkdown: MarkdownAbilities = { html: false, images: false };

/** Renders an explanation as the Markdown of a hover. */
export function renderMarkdown(
  explanation: Explanation,
  abilities: MarkdownAbilities,
  extra: {
    readonly now?: string;
    /** Remarks that need a clock, which the engine has not. */
    readonly remarks?: readonly string[];
    readonly link?: string;
  } = {},
): string {
  const { title, sentence, rows, steps, cap, end, resets, notes, assuming } = explanation;
  const parts: string[] = [`**${escape(title)}**: ${escape(lowerFirst(sentence))}`];
  if (extra.now !== undefined) parts.push(`**Now:** ${escape(extra.now)}`);
  if (explanation.field !== undefined) parts.push(fieldText(explanation.field));
  const bounds: string[] = [];
  if (end !== '') bounds.push(`**Ends by** ${end}`);
  if (cap !== undefined) bounds.push(`**Cap** ${cap}`);
  if (bounds.length > 0) parts.push(bounds.join(' · '));
  if (rows.length > 0) parts.push(table(rows));
  if (steps.length > 1 && steps.some(({ wait }) => wait.hi > 0)) {
    parts.push(picture(explanation, abilities));
  }
  const facts: string[] = [];
  if (resets.length > 0) facts.push(`**Resets:** ${resets.join('; ')}`);
  if (assuming.length > 0) facts.push(`**Assuming** ${assuming.map(escape).join('; ')}`);
  if (facts.length > 0) parts.push(facts.join('  \n'));
  const remarks = [...(extra.remarks ?? []), ...notes];
  if (remarks.length > 0) parts.push(remarks.map((note) => `- ${note}`).join('\n'));
  parts.push(sources(explanation, abilities, extra.link));
  return parts.join('\n\n');
}

function fieldText({ name, value, isWritten, summary, effect }: FieldExplanation): string {
  const head = isWritten ? code(`${name}: ${value}`) : `\`${name}\` (${escape(value)})`;
  const what = `${head}: ${lowerFirst(summary)}`;
  return effect === undefined ? `${what}.` : `${what}. ${effect}.`;
}

function table(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    if (row.kind === 'gap') return `| … | *${row.text}* | |`;
    const { retry, wait, total } = row.step;
    const mark = row.mark === 'cap' ? ' **cap**' : '';
    return `| ${String(retry)} | ${formatWindow(wait)}${mark} | ${formatWindow(total)} |`;
  });
  return ['| retry | \u00A0\u00A0wait | \u00A0\u00A0total |', '| --: | --: | --: |', ...lines].join(
    '\n',
  );
}

function picture(explanation: Explanation, { images, base64 }: MarkdownAbilities): string {
  const { steps } = explanation;
  const label = `Waits: ${steps.map(({ wait }) => formatWindow(wait)).join(', ')}`;
  if (!images || base64 === undefined) return `\`${sparkline(steps)}\``;
  return `![${label}](data:image/svg+xml;base64,${base64(barsSvg(steps, label))})`;
}

function sources(
  { version, formula, sources: cited }: Explanation,
  { html }: MarkdownAbilities,
  link: string | undefined,
): string {
  const lines = [
    formula,
    `Computed for ${escape(version)}.`,
    `Source: ${cited.map(citationText).join('; ')}`,
    ...(link === undefined ? [] : [`[All about this policy](${link})`]),
  ];
  if (!html) return `---\n${lines.join('  \n')}`;
  return `<details><summary>Formula, version and source</summary>\n\n${lines.join('  \n')}\n\n</details>`;
}

const citationText = ({ system, versions, source }: Citation): string =>
  source.startsWith('https:')
    ? `[${escape(system)}](${source})`
    : `${escape(system)} ${escape(versions)}, \`${source}\``;

/** Inline code that survives backticks in the text. */
const code = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > 120 ? `${line.slice(0, 119)}…` : line;
  return short.includes('`') ? `\`\` ${short} \`\`` : `\`${short}\``;
};

/** Keeps a manifest's own text from becoming markup. Backticks stay: our sentences use them. */
const escape = (text: string): string => text.replaceAll(/[\\*_<>[\]|]/g, (found) => `\\${found}`);

const lowerFirst = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
