import { spokenSpan } from '../panel/model/countdown.ts';
import type { PanelRow } from '../panel/model/panelRow.ts';
import { byUrgency } from '../panel/model/table.ts';
import type { Instant } from '../../../engine/units.ts';
import type { Origin } from './template.ts';

export type OwnRow = { readonly row: PanelRow; readonly origin: Origin; readonly now: Instant };

/**
 * What stands above a manifest: `2 objects from this template are backing off, next in 42 seconds`.
 *
 * Below a minute it counts seconds, above it minutes: what is shown beside text should not flicker.
 */
export function lensText(own: readonly OwnRow[]): string | undefined {
  const gaveUp = own.filter(({ row }) => row.group === 'gave-up');
  const waiting = own.filter(({ row }) => row.group === 'waiting' || row.group === 'estimate');
  const trying = own.filter(({ row }) => row.group === 'attempting');
  const isSame = own.every(({ origin }) => origin === 'same');
  const objects = (count: number): string =>
    isSame
      ? 'This object'
      : count === 1
        ? '1 object from this template'
        : `${String(count)} objects from this template`;
  const verb = (count: number): string => (isSame || count === 1 ? 'is' : 'are');
  const parts: string[] = [];
  if (gaveUp.length > 0) parts.push(`${objects(distinct(gaveUp))} gave up`);
  if (waiting.length > 0) {
    const count = distinct(waiting);
    const next = soonest(waiting);
    parts.push(
      `${objects(count)} ${verb(count)} backing off${next === undefined ? '' : `, next ${next}`}`,
    );
  }
  if (trying.length > 0 && waiting.length === 0) {
    parts.push(`${objects(distinct(trying))} ${verb(distinct(trying))} being tried now`);
  }
  return parts.length === 0 ? undefined : parts.join('; ');
}

const distinct = (own: readonly OwnRow[]): number =>
  new Set(own.map(({ row }) => `${row.context} ${row.kind} ${row.namespace ?? ''} ${row.name}`))
    .size;

function soonest(waiting: readonly OwnRow[]): string | undefined {
  const [first] = [...waiting].sort((a, b) => byUrgency(a.row, b.row));
  const next = first?.row.next;
  if (first === undefined || next === undefined) return undefined;
  const left = next.hi - first.now;
  const about = first.row.group === 'estimate' ? 'within' : 'in';
  if (left <= 0) return 'is due';
  return `${about} ${left < 60_000 ? spokenSpan(left) : spokenSpan(Math.ceil(left / 60_000) * 60_000)}`;
}
