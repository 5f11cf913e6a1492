import { formatWindow } from '../../../../engine/durations/format.ts';
import type { Instant } from '../../../../engine/units.ts';
import type { TimeStyle } from '../model/countdown.ts';
import { nextCell } from '../model/nextTexts.ts';
import type { PanelRow } from '../model/panelRow.ts';
import type { SortKey } from '../model/table.ts';
import { stateText } from '../model/words.ts';

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
    text: nextCell,
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
      wait === undefined ? '' : `${formatWindow(wait)}${capped === true ? ' cap' : ''}`,
  },
  {
    id: 'context',
    title: 'Context',
    sort: 'context',
    isNumber: false,
    text: ({ context }) => context,
  },
];
