import { formatDuration, formatWindow } from '../../../../engine/durations/format.ts';
import type { Instant } from '../../../../engine/units.ts';
import { countdown, nextText, timeText, utcText, type TimeStyle } from '../model/countdown.ts';
import type { PanelRow } from '../model/panelRow.ts';
import type { SortKey } from '../model/table.ts';
import { stateText, withoutNext } from '../model/words.ts';

export type Column = {
  readonly id: string;
  readonly title: string;
  readonly sort: SortKey;
  readonly isNumber: boolean;
  readonly text: (row: PanelRow, times: TimeStyle, now: Instant) => string;
};

/** The columns of the table, in order; the context is shown where there are several. */
export const columns: readonly Column[] = [
  {
    id: 'state',
    title: 'State',
    sort: 'urgency',
    isNumber: false,
    text: (row) => stateText(row),
  },
  {
    id: 'object',
    title: 'Object',
    sort: 'object',
    isNumber: false,
    text: ({ name, part }) => (part === undefined ? name : `${name} · ${part}`),
  },
  {
    id: 'kind',
    title: 'Kind',
    sort: 'system',
    isNumber: false,
    text: ({ kind }) => kind,
  },
  {
    id: 'namespace',
    title: 'Namespace',
    sort: 'namespace',
    isNumber: false,
    text: ({ namespace }) => namespace ?? '',
  },
  {
    id: 'next',
    title: 'Next retry',
    sort: 'urgency',
    isNumber: false,
    text: (row, times, now) =>
      row.next === undefined ? withoutNext(row) : nextOf(row, times, now),
  },
  {
    id: 'retry',
    title: 'Retry',
    sort: 'retry',
    isNumber: true,
    text: ({ retry }) => (retry === undefined ? '' : String(retry)),
  },
  {
    id: 'failures',
    title: 'Failures',
    sort: 'failures',
    isNumber: true,
    text: ({ failures }) => (failures === undefined ? '' : String(failures)),
  },
  {
    id: 'wait',
    title: 'Wait',
    sort: 'wait',
    isNumber: true,
    text: ({ wait, capped }) =>
      wait === undefined ? '' : `${waitText(wait)}${capped === true ? ' cap' : ''}`,
  },
  {
    id: 'context',
    title: 'Context',
    sort: 'context',
    isNumber: false,
    text: ({ context }) => context,
  },
];

const nextOf = (row: PanelRow, times: TimeStyle, now: Instant): string => {
  const { next, group } = row;
  if (next === undefined) return '';
  const text = nextText(next, times, now);
  return group === 'estimate' ? `est. ${text}` : text;
};

const waitText = (wait: NonNullable<PanelRow['wait']>): string =>
  wait.lo === wait.hi ? formatDuration(wait.lo) : formatWindow(wait);

/** All three ways to write a time, for a tooltip. */
export function allTimes(row: PanelRow, now: Instant): string {
  const { next, nextHow, nextNote } = row;
  if (next === undefined) return nextNote ?? '';
  const how =
    nextHow === 'reported'
      ? 'reported'
      : `${nextHow}${nextNote === undefined ? '' : `: ${nextNote}`}`;
  return [
    countdown(next, now).text,
    `${timeText(next.lo, 'local', now)} local`,
    utcText(next.lo),
    how,
  ].join('\n');
}
