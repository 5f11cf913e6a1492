import type { Severity } from '../../engine/finding.ts';
import { masked } from '../foreignText.ts';
import type { FindingJson, LintDetails } from '../lintReport.ts';

/** Findings as workflow commands, which GitHub turns into annotations on the lines. */
export function renderGithub({ report }: LintDetails): string {
  const problems = report.problems.map(
    ({ file, message }) => `::error file=${property(file)}::${data(message)}`,
  );
  return [...problems, ...report.findings.map(annotation)].map((line) => `${line}\n`).join('');
}

function annotation({ file, range, severity, code, message }: FindingJson): string {
  const { start, end } = range;
  const places = [
    `file=${property(file)}`,
    `line=${String(start.line)}`,
    `endLine=${String(end.line)}`,
    // GitHub reads columns only where a span stays on its line; its last column is inclusive.
    ...(start.line === end.line
      ? [
          `col=${String(start.column)}`,
          `endColumn=${String(Math.max(start.column, end.column - 1))}`,
        ]
      : []),
    `title=${property(code)}`,
  ];
  return `::${commandOf(severity)} ${places.join(',')}::${data(message)}`;
}

function commandOf(severity: Severity): string {
  switch (severity) {
    case 'error':
    case 'warning':
      return severity;
    case 'info':
    case 'hint':
      return 'notice';
  }
}

const data = (text: string): string =>
  masked(text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A'));

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
