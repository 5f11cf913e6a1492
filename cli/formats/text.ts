import type { Severity } from '../../engine/finding.ts';
import { masked, oneLine } from '../foreignText.ts';
import type { FindingJson, LintDetails } from '../lintReport.ts';
import { formatPlace } from '../ranges.ts';
import type { Styles } from '../terminal.ts';
import { count } from '../words.ts';

/** Findings with the line they are on, for a person. */
export function renderLintText({ report, texts }: LintDetails, styles: Styles): string {
  const lines = new Map<string, readonly string[]>();
  for (const [file, text] of texts) lines.set(file, text.split(/\r\n|\n|\r/));
  const parts = report.findings.map((finding) =>
    renderFinding(finding, lines.get(finding.file) ?? [], styles),
  );
  for (const { file, title } of report.fixed ?? []) {
    parts.push(`${styles.bold(oneLine(file))}: fixed: ${oneLine(title)}\n`);
  }
  return [...parts, summary({ report }, styles)].join('');
}

function renderFinding(finding: FindingJson, lines: readonly string[], styles: Styles): string {
  const { range, severity, code, fixes, related } = finding;
  const file = oneLine(finding.file);
  const coloured = colourOf(severity, styles);
  const place = formatPlace(file, range);
  const result = [
    `${styles.bold(place)}: ${coloured(severity)}: ${oneLine(finding.message)} ${styles.dim(`[${code}]`)}`,
    ...excerpt(finding, lines, coloured, styles),
    ...related.map(
      (one) => `  ${styles.dim(`${formatPlace(file, one.range)}: ${oneLine(one.message)}`)}`,
    ),
    ...fixes.map(
      ({ title, preferred }) => `  ${styles.cyan(preferred ? 'fix' : 'or')}: ${oneLine(title)}`,
    ),
  ];
  return `${result.join('\n')}\n\n`;
}

const widest = 160;

/** The line with carets under the span; a window of it where it is very long. */
function excerpt(
  { range }: FindingJson,
  lines: readonly string[],
  coloured: (text: string) => string,
  styles: Styles,
): readonly string[] {
  const line = lines[range.start.line - 1];
  if (line === undefined) return [];
  const start = range.start.column - 1;
  const isOneLine = range.end.line === range.start.line;
  const end = Math.max(start + 1, isOneLine ? range.end.column - 1 : line.length);
  const from = line.length <= widest ? 0 : Math.max(0, start - 40);
  const shown = masked(line.slice(from, from + widest));
  const lead = from > 0 ? '…' : '';
  const tail = from + widest < line.length ? '…' : '';
  const number = String(range.start.line);
  const blank = ' '.repeat(number.length);
  const before = line.slice(from, start).replaceAll(/[^\t]/g, ' ');
  const carets = '^'.repeat(Math.max(1, Math.min(end, from + widest) - start));
  return [
    `  ${styles.dim(`${number} │`)} ${lead}${shown}${tail}`,
    `  ${styles.dim(`${blank} │`)} ${lead === '' ? '' : ' '}${before}${coloured(carets)}`,
  ];
}

function colourOf(severity: Severity, styles: Styles): (text: string) => string {
  switch (severity) {
    case 'error':
      return styles.red;
    case 'warning':
      return styles.yellow;
    case 'info':
      return styles.blue;
    case 'hint':
      return styles.dim;
  }
}

function summary({ report }: Pick<LintDetails, 'report'>, styles: Styles): string {
  const { findings, files, policies, problems, fixed } = report;
  const numberOf = (wanted: Severity): number =>
    findings.filter(({ severity }) => severity === wanted).length;
  const kinds = [
    count(numberOf('error'), 'error'),
    count(numberOf('warning'), 'warning'),
    count(numberOf('info') + numberOf('hint'), 'remark'),
  ].filter((text) => !text.startsWith('no '));
  const what = kinds.length === 0 ? 'Nothing found' : kinds.join(', ');
  const where = `${count(policies, 'policy', 'policies')} of ${count(files, 'file')}`;
  const mended = fixed === undefined || fixed.length === 0 ? '' : `, ${String(fixed.length)} fixed`;
  // The problems themselves go to standard error; a result of nothing at all would only hide them.
  if (files === 0 && problems.length > 0) return '';
  const unread = problems.length === 0 ? '' : `; ${count(problems.length, 'problem')}`;
  return `${styles.bold(what)} in ${where}${mended}${unread}\n`;
}
