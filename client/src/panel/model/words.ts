import { formatDuration, formatWindow } from '../../../../engine/durations/format.ts';
import { ms, type Instant } from '../../../../engine/units.ts';
import { countdown, isMoment, spokenSpan, utcText } from './countdown.ts';
import { alone, ofOwner, titleOf, type PanelRow } from './panelRow.ts';

const stateWords: Readonly<Record<PanelRow['group'], string>> = {
  'gave-up': 'gave up',
  waiting: 'backing off',
  attempting: 'trying now',
  estimate: 'failing',
  unseen: 'not seen',
};

/** The state of a row in two words. */
export const stateText = ({ group }: PanelRow): string => stateWords[group];

/**
 * A row as a screen reader says it: `Certificate web-tls in prod, backing off, retry 4, next in 2 hours
 * 11 minutes, at 16:04 UTC, cap reached`.
 */
export function spokenRow(row: PanelRow, now: Instant): string {
  const { kind, name, namespace, part, retry, next, capped, group, endedBy } = row;
  const parts = [
    `${kind} ${name}${part === undefined ? '' : `, ${part}`}${namespace === undefined ? '' : ` in ${namespace}`}`,
    stateText(row),
  ];
  if (retry !== undefined) parts.push(`retry ${String(retry)}`);
  if (next !== undefined) parts.push(spokenNext(next, now, group === 'estimate'));
  else if (group === 'waiting' || group === 'estimate') parts.push('next retry not known');
  if (group === 'gave-up') {
    parts.push(
      endedBy === undefined ? 'will not be retried' : `will not be retried, by ${endedBy}`,
    );
  }
  if (capped === true) parts.push('cap reached');
  return parts.join(', ');
}

function spokenNext(
  next: NonNullable<PanelRow['next']>,
  now: Instant,
  isEstimate: boolean,
): string {
  const { lo, hi } = next;
  const about = isEstimate ? 'estimated ' : '';
  if (now >= hi) return `${about}next retry due`;
  const at = `at ${utcText(lo).slice(11, 16)} UTC`;
  if (now >= lo) return `${about}next retry within ${spokenSpan(hi - now)}`;
  return isMoment(next)
    ? `${about}next retry in ${spokenSpan(lo - now)}, ${at}`
    : `${about}next retry in ${spokenSpan(lo - now)} to ${spokenSpan(hi - now)}`;
}

/** One line for a chat: `Certificate web/tls waits for retry 4, next 2026-01-10T16:00:00Z (in 2h11m, …)`. */
export function sentence(row: PanelRow, now: Instant): string {
  const subject = `${row.kind} ${titleOf(row)}`;
  switch (row.group) {
    case 'gave-up': {
      const { endedAt, owner } = row;
      const at = endedAt === undefined ? '' : ` at ${utcText(endedAt)}`;
      const gives = endedAt !== undefined && endedAt > now ? 'gives up' : 'gave up';
      const then = owner === undefined ? alone : ofOwner(owner);
      return `${subject} ${gives}${at}: ${then}. ${ended(row.reason)}`;
    }
    case 'unseen':
      return `${subject} cannot be seen. ${ended(row.reason)}`;
    case 'attempting':
      return `${subject} is being tried now${retryOf(row)}. ${ended(row.reason)}`;
    case 'waiting':
    case 'estimate':
      return `${subject} waits${retryOf(row)}, next ${nextAt(row, now)}. ${ended(row.reason)}`;
  }
}

const retryOf = ({ retry }: PanelRow): string =>
  retry === undefined ? '' : ` for retry ${String(retry)}`;

/** `2026-01-10T16:00:00Z (in 2h11m, after a wait of 8h, at the cap)`; an estimate is called one. */
export function nextAt(row: PanelRow, now: Instant): string {
  const { next, nextNote, wait, capped, group } = row;
  if (next === undefined)
    return `at a time not known${nextNote === undefined ? '' : ` (${nextNote})`}`;
  const { lo, hi } = next;
  const at = isMoment(next) ? utcText(lo) : `between ${utcText(lo)} and ${utcText(hi)}`;
  const details = [
    lo > now ? `in ${formatDuration(ms(wholeSeconds(lo - now)))}` : countdown(next, now).text,
    ...(wait === undefined ? [] : [`after a wait of ${formatWindow(wait)}`]),
    ...(capped === true ? ['at the cap'] : []),
  ];
  return `${at} (${details.join(', ')})${group === 'estimate' ? ', an estimate' : ''}`;
}

const wholeSeconds = (value: number): number => Math.ceil(value / 1000) * 1000;

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** What a row says of its next retry, where no time is known: `not known`. */
export const withoutNext = ({ group }: PanelRow): string => {
  switch (group) {
    case 'gave-up':
      return 'never by itself';
    case 'attempting':
      return 'now';
    case 'unseen':
    case 'waiting':
    case 'estimate':
      return 'not known';
  }
};
