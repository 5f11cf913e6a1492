import { formatWindow } from '../../../../engine/durations/format.ts';
import type { Instant, Window } from '../../../../engine/units.ts';
import { countdown, isMoment, nextText, timeText, utcText, type TimeStyle } from './countdown.ts';
import type { PanelRow } from './panelRow.ts';
import { sentence, withoutNext } from './words.ts';

/** The next retry of a row in the chosen style; an estimate says that it is one: `est. within 07:00`. */
export function nextCell(row: PanelRow, style: TimeStyle, now: Instant): string {
  if (row.next === undefined) return withoutNext(row);
  const text = nextText(row.next, style, now);
  return row.group === 'estimate' ? `est. ${text}` : text;
}

/** `8h, the cap`, `1s..2s, an estimate`. */
export function waitText({ wait, capped, group }: PanelRow): string | undefined {
  if (wait === undefined) return undefined;
  const marks = [
    ...(capped === true ? ['the cap'] : []),
    ...(group === 'estimate' ? ['an estimate'] : []),
  ];
  return [formatWindow(wait), ...marks].join(', ');
}

/** What the tree has room for beside a name: the time, then the kind. */
export function besideName(row: PanelRow, now: Instant): string {
  const isTimeless = row.group === 'gave-up' || row.group === 'attempting';
  return isTimeless ? row.kind : `${nextCell(row, 'relative', now)} · ${row.kind}`;
}

/** A row in a few lines: a sentence, when it is tried next on both clocks, and after what wait. */
export function rowTooltip(row: PanelRow, now: Instant): readonly string[] {
  const { next, group } = row;
  const wait = waitText(row);
  const about = group === 'estimate' ? 'Estimated: ' : '';
  return [
    sentence(row, now),
    ...(next === undefined ? [] : [`${about}${bothClocks(next, now).join(', ')}`]),
    ...(wait === undefined ? [] : [`Wait: ${wait}`]),
  ];
}

/** All ways to write when a row is tried next, and how that is known. */
export function timesTooltip(row: PanelRow, now: Instant): string {
  const { next, nextHow, nextNote, group } = row;
  if (next === undefined) return nextNote ?? '';
  const how = group === 'estimate' ? 'an estimate' : nextHow;
  return [
    countdown(next, now).text,
    ...bothClocks(next, now),
    nextHow === 'reported' || nextNote === undefined ? how : `${how}: ${nextNote}`,
  ].join('\n');
}

/** `17:04:00 local` and `2026-01-10T16:04:00Z`, or a window on each. */
export function bothClocks(next: Window<Instant>, now: Instant): readonly [string, string] {
  const write = (text: (at: Instant) => string): string =>
    isMoment(next) ? text(next.lo) : `${text(next.lo)} to ${text(next.hi)}`;
  return [`${write((at) => timeText(at, 'local', now))} local`, write(utcText)];
}
