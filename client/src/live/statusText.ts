import { zero, type Instant } from '../../../engine/units.ts';
import type { SessionSnapshot } from '../cluster/sessionTypes.ts';
import { clockText, serverTime, spokenSpan } from '../panel/model/countdown.ts';
import { totals, totalsText, type Totals } from '../panel/model/overview.ts';
import type { PanelRow } from '../panel/model/panelRow.ts';
import { sentence } from '../panel/model/words.ts';

/** What the one item of the status bar says. */
export type StatusText = {
  readonly text: string;
  readonly tooltip: string;
  readonly spoken: string;
};

/** `$(watch) 3 backing off · next 02:14`; the connection's own back-off where it is lost. */
export function statusText(
  snapshots: readonly SessionSnapshot[],
  rows: Iterable<PanelRow>,
  isPaused: boolean,
  ours: Instant,
): StatusText | undefined {
  if (snapshots.length === 0) return undefined;
  const names = snapshots.map(({ context }) => context.name).join(', ');
  const lost = snapshots.find(({ state }) => state.kind === 'reconnecting');
  if (lost?.state.kind === 'reconnecting') {
    const { retry, nextAt, why } = lost.state;
    const text = `reconnecting · retry ${String(retry)} in ${clockText(nextAt - ours)}`;
    return {
      text: `$(sync) ${text}`,
      tooltip: `${lost.context.name}: ${why}`,
      spoken: `Kube Backoff is reconnecting to ${lost.context.name}, retry ${String(retry)} in ${spokenSpan(nextAt - ours)}`,
    };
  }
  const out = snapshots.find(({ state }) => state.kind === 'unauthorised');
  if (out?.state.kind === 'unauthorised') {
    return {
      text: '$(key) signed out',
      tooltip: `${out.context.name}: ${out.state.detail}`,
      spoken: `Kube Backoff is signed out of ${out.context.name}`,
    };
  }
  const isBlind = snapshots.every(
    ({ isComplete, listed, unseen }) =>
      isComplete && listed === 0 && unseen.some(({ why }) => why === 'forbidden'),
  );
  if (isBlind) {
    return {
      text: '$(lock) forbidden',
      tooltip: `${names}: nothing that can back off may be listed`,
      spoken: `Kube Backoff may list nothing in ${names}`,
    };
  }
  const all = totals(rows);
  const now = serverTime(ours, skewOf(snapshots, all));
  const icon = isPaused ? '$(debug-pause)' : all.gaveUp > 0 ? '$(error)' : '$(watch)';
  return {
    text: `${icon} ${totalsText(all, now)}`,
    tooltip: [
      isPaused ? `${names}: paused while nobody looks` : names,
      ...(all.next === undefined ? [] : [sentence(all.next, now)]),
    ].join('\n\n'),
    spoken: `Kube Backoff${isPaused ? ' (paused)' : ''}: ${spokenTotals(all, now)}`,
  };
}

const skewOf = (snapshots: readonly SessionSnapshot[], { next }: Totals) => {
  const own = snapshots.find(({ context }) => context.name === next?.context) ?? snapshots[0];
  return own?.clockSkew ?? zero;
};

function spokenTotals({ backingOff, gaveUp, next }: Totals, now: Instant): string {
  const parts = [`${String(gaveUp)} gave up`, `${String(backingOff)} backing off`];
  if (next !== undefined) parts.push(`next in ${spokenSpan(next.next.hi - now)}`);
  return parts.join(', ');
}
