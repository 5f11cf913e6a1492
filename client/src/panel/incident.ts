import { formatDuration, formatWindow } from '../../../engine/durations/format.ts';
import type { Instant, Window } from '../../../engine/units.ts';
import { isMoment, utcText } from './model/countdown.ts';
import type { Detail, Rung } from './model/detail.ts';
import { titleOf, type PanelRow } from './model/panelRow.ts';
import { nextAt, sentence, stateText } from './model/words.ts';

/** One object for the incident document, as Markdown. */
export function incidentMarkdown(row: PanelRow, detail: Detail | undefined, now: Instant): string {
  const lines = [
    `### ${row.kind} \`${titleOf(row)}\`: ${stateText(row)}`,
    '',
    sentence(row, now),
    '',
    `- Context: \`${row.context}\``,
    ...factLines(row, now),
    `- Seen at: ${utcText(now)}`,
  ];
  const ladder = detail?.ladder;
  if (ladder !== undefined) {
    lines.push(
      '',
      `Schedule: ${ladder.summary}.`,
      '',
      '| retry | wait | start | |',
      '| --: | --: | :-- | :-- |',
      ...ladder.rungs.map(rungLine),
    );
    if (ladder.resets.length > 0) lines.push('', `Resets: ${ladder.resets.join('; ')}.`);
  }
  if (detail !== undefined && detail.past !== 'loading' && detail.past.length > 0) {
    lines.push('', 'What happened:', '');
    for (const { at, what } of detail.past) lines.push(`- ${utcText(at)} ${inline(what)}`);
  }
  if (detail !== undefined && detail.evidence.length > 0) {
    lines.push('', 'Evidence:', '');
    for (const { object, path, value } of detail.evidence) {
      lines.push(`- ${object} \`${path}\` is \`${inline(value)}\``);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Several objects for the incident document, as one table. */
export function tableMarkdown(rows: readonly PanelRow[], now: Instant): string {
  return [
    '| object | state | retry | next | context |',
    '| :-- | :-- | --: | :-- | :-- |',
    ...rows.map(
      (row) =>
        `| ${row.kind} \`${titleOf(row)}\` | ${stateText(row)} | ${row.retry === undefined ? '' : String(row.retry)} | ${row.next === undefined ? (row.nextNote ?? '') : nextAt(row, now)} | \`${row.context}\` |`,
    ),
    '',
  ].join('\n');
}

function factLines(row: PanelRow, now: Instant): readonly string[] {
  const { retry, failures, lastFailureAt, group, endedBy, nextHow, nextNote, wait } = row;
  const lines: string[] = [];
  if (group === 'waiting' || group === 'estimate') {
    const how = nextHow === 'inferred' ? `, inferred: ${nextNote ?? ''}` : '';
    lines.push(`- Next retry: ${nextAt(row, now)}${how}`);
  }
  if (retry !== undefined) lines.push(`- Retry: ${String(retry)}`);
  if (failures !== undefined) lines.push(`- Failures: ${String(failures)}`);
  if (wait !== undefined) lines.push(`- Wait: ${formatWindow(wait)}`);
  if (lastFailureAt !== undefined) lines.push(`- Last failure: ${utcText(lastFailureAt)}`);
  if (endedBy !== undefined) lines.push(`- Ended by: ${endedBy}`);
  return lines;
}

function rungLine({ retry, wait, at, place, isCapped }: Rung): string {
  const marks = [
    ...(place === undefined ? [] : [place === 'here' ? '**here**' : place]),
    ...(isCapped ? ['cap'] : []),
  ];
  return `| ${String(retry)} | ${waitText(wait)} | ${at === undefined ? '' : startText(at)} | ${marks.join(', ')} |`;
}

const waitText = ({ lo, hi }: Rung['wait']): string =>
  lo === hi ? formatDuration(lo) : formatWindow({ lo, hi });

const startText = (at: Window<Instant>): string =>
  isMoment(at) ? utcText(at.lo) : `${utcText(at.lo)} to ${utcText(at.hi)}`;

const inline = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim();
