import { formatWindow } from './durations/format.ts';
import type { Explanation, Row } from './explain.ts';
import { sparkline } from './picture.ts';

/** Renders an explanation as plain text of lines, for a shell. */
export function renderText(explanation: Explanation): string {
  const { sentence, rows, steps, cap, end, resets, allNotes, assuming, version } = explanation;
  const lines: string[] = [sentence];
  if (rows.length > 0) lines.push('', ...table(rows));
  if (steps.length > 1 && steps.some(({ wait }) => wait.hi > 0))
    lines.push('', `  ${sparkline(steps)}`);
  lines.push('');
  if (cap !== undefined) lines.push(`  cap      ${plain(cap)}`);
  if (end !== '') lines.push(`  ends by  ${plain(end)}`);
  for (const reset of resets) lines.push(`  resets   ${plain(reset)}`);
  for (const assumption of assuming) lines.push(`  assuming ${plain(assumption)}`);
  for (const { text } of allNotes) lines.push(`  note     ${plain(text)}`);
  lines.push(`  version  ${version}`);
  return lines.join('\n');
}

function table(rows: readonly Row[]): readonly string[] {
  const cells = rows.map((row) =>
    row.kind === 'gap'
      ? ['…', row.text, '']
      : [
          String(row.step.retry),
          formatWindow(row.step.wait) + (row.mark === 'cap' ? ' (cap)' : ''),
          formatWindow(row.step.total),
        ],
  );
  const all = [['retry', 'wait', 'total'], ...cells];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  );
  return all.map((row) =>
    `  ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}

/** Our sentences mark fields with backticks; a shell shows them bare. */
const plain = (text: string): string => text.replaceAll('`', '');
