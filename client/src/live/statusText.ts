import { zero, type Instant } from '../../../engine/units.ts';
import type { SessionSnapshot } from '../cluster/sessionTypes.ts';
import { clockText, serverTime, spokenSpan } from '../panel/model/countdown.ts';
import { totals, totalsText, unseenTitle, type Totals } from '../panel/model/overview.ts';
import type { PanelRow } from '../panel/model/panelRow.ts';
import { sentence } from '../panel/model/words.ts';

/** What the one item of the status bar says. */
export type StatusText = {
  readonly text: string;
  readonly tooltip: string;
  readonly spoken: string;
};

/** `$(watch) 3 backing off · next 02:14`; what keeps it from being known where that is not known. */
export function statusText(
  snapshots: readonly SessionSnapshot[],
  rows: Iterable<PanelRow>,
  isPaused: boolean,
  ours: Instant,
): StatusText | undefined {
  if (snapshots.length === 0) return undefined;
  // Nothing is retried any more after a refusal, so only a person can do something about it.
  const refused = first(snapshots, refusedText);
  if (refused !== undefined) return refused;
  const lost = isPaused ? undefined : first(snapshots, (one) => lostText(one, ours));
  return lost ?? blindText(snapshots) ?? knownText(snapshots, totals(rows), isPaused, ours);
}

const first = (
  snapshots: readonly SessionSnapshot[],
  textOf: (snapshot: SessionSnapshot) => StatusText | undefined,
): StatusText | undefined => snapshots.map(textOf).find((text) => text !== undefined);

function refusedText({ context: { name }, state }: SessionSnapshot): StatusText | undefined {
  switch (state.kind) {
    case 'unauthorised':
      return {
        text: '$(key) signed out',
        tooltip: `${name}: ${state.detail}`,
        spoken: `Kube Backoff is signed out of ${name}`,
      };
    case 'stopped':
      return {
        text: '$(error) stopped',
        tooltip: `${name}: ${state.why}`,
        spoken: `Kube Backoff has stopped asking ${name}: ${state.why}`,
      };
    case 'connecting':
    case 'live':
    case 'reconnecting':
      return undefined;
  }
}

function lostText({ context, state }: SessionSnapshot, ours: Instant): StatusText | undefined {
  if (state.kind !== 'reconnecting') return undefined;
  const { retry, nextAt, why } = state;
  const text = `reconnecting · retry ${String(retry)} in ${clockText(nextAt - ours)}`;
  return {
    text: `$(sync) ${text}`,
    tooltip: `${context.name}: ${why}`,
    spoken: `Kube Backoff is reconnecting to ${context.name}, retry ${String(retry)} in ${spokenSpan(nextAt - ours)}`,
  };
}

function blindText(snapshots: readonly SessionSnapshot[]): StatusText | undefined {
  const isBlind = snapshots.every(
    ({ isComplete, listed, unseen }) =>
      isComplete && listed === 0 && unseen.some(({ why }) => why === 'forbidden'),
  );
  if (!isBlind) return undefined;
  const names = namesOf(snapshots);
  return {
    text: '$(lock) forbidden',
    tooltip: `${names}: nothing that can back off may be listed`,
    spoken: `Kube Backoff may list nothing in ${names}`,
  };
}

function knownText(
  snapshots: readonly SessionSnapshot[],
  all: Totals,
  isPaused: boolean,
  ours: Instant,
): StatusText {
  const now = serverTime(ours, skewOf(snapshots, all));
  const names = namesOf(snapshots);
  const doubts = snapshots.flatMap((snapshot) => doubtOf(snapshot) ?? []);
  const [doubt] = doubts;
  const isNothing = all.backingOff + all.gaveUp === 0;
  const instead = isPaused ? { icon: '$(debug-pause)', text: 'paused' } : doubt;
  const icon = isPaused ? '$(debug-pause)' : all.gaveUp > 0 ? '$(error)' : '$(watch)';
  const spoken = isNothing && doubt !== undefined ? doubt.text : spokenTotals(all, now);
  return {
    text:
      isNothing && instead !== undefined
        ? `${instead.icon} ${instead.text}`
        : `${icon} ${totalsText(all, now)}`,
    tooltip: [
      isPaused ? `${names}: paused while nobody looks` : names,
      ...doubts.map(({ detail }) => detail),
      ...(all.next === undefined ? [] : [sentence(all.next, now)]),
    ].join('\n\n'),
    spoken: `Kube Backoff${isPaused ? ' (paused)' : ''}: ${spoken}`,
  };
}

const namesOf = (snapshots: readonly SessionSnapshot[]): string =>
  snapshots.map(({ context }) => context.name).join(', ');

type Doubt = { readonly icon: string; readonly text: string; readonly detail: string };

/** Why it is not known that nothing else backs off. */
function doubtOf(snapshot: SessionSnapshot): Doubt | undefined {
  const { context, state, isComplete, unseen } = snapshot;
  const unread = unseen.filter(({ why }) => why === 'failed' || why === 'stale');
  if (state.kind === 'connecting') {
    return { icon: '$(sync)', text: 'connecting', detail: `${context.name}: connecting` };
  }
  if (unread.length > 0) {
    const what = unread.map(unseenTitle).join(', ');
    const detail = `${context.name}: could not be read: ${what}`;
    return { icon: '$(warning)', text: 'not everything could be read', detail };
  }
  if (isComplete) return undefined;
  return {
    icon: '$(sync)',
    text: 'reading',
    detail: `${context.name}: not everything is read yet`,
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
