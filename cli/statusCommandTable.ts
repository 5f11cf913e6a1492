import { formatDuration, formatWindow } from '../engine/durations/format.ts';
import type { Known } from '../engine/live.ts';
import { describeLive } from '../engine/renderLive.ts';
import { formatInstant, instant, ms, type Instant, type Window } from '../engine/units.ts';
import type { LiveRow, SessionSnapshot, Unseen } from '../client/src/cluster/sessionTypes.ts';
import type { Styles } from './terminal.ts';
import { count } from './words.ts';

/** What needs a person first: what gave up, then what retries soonest, then estimates; as the panel has it. */
export function sortedRows(rows: Iterable<LiveRow>): readonly LiveRow[] {
  return [...rows].toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      endOf(b) - endOf(a) ||
      nextOf(a) - nextOf(b) ||
      compare(placeOf(a), placeOf(b)) ||
      compare(objectOf(a), objectOf(b)),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const ranks = { 'gave-up': 0, waiting: 1, attempting: 2, unseen: 4, idle: 5 } as const;
const estimateRank = 3;
const rankOf = ({ state, isEstimate }: LiveRow): number =>
  isEstimate && state.kind !== 'gave-up' ? estimateRank : ranks[state.kind];

/** What gave up last is the news. */
const endOf = ({ state }: LiveRow): number =>
  state.kind === 'gave-up' && state.at.how !== 'unknown' ? state.at.value : 0;

const placeOf = ({ resource }: LiveRow): string =>
  `${resource.namespace ?? ''}/${resource.name ?? ''}`;

const nextOf = ({ state }: LiveRow): number =>
  state.kind === 'waiting' && state.next.how !== 'unknown'
    ? state.next.value.hi
    : Number.MAX_SAFE_INTEGER;

/** `certificate/tls`, with its part where it has several. */
function objectOf({ resource, part }: LiveRow): string {
  const name = `${resource.kind}/${resource.name ?? ''}`;
  return part === undefined ? name : `${name} (${part})`;
}

const header = ['STATE', 'NEXT RETRY', 'RETRY', 'WAIT', 'NAMESPACE', 'OBJECT', 'POLICY'] as const;

/** The whole table, with a line of sums; reasons are cut where the terminal's width is known. */
export function renderTable(
  snapshot: SessionSnapshot,
  styles: Styles,
  width: number | undefined,
): string {
  const { rows, idle, listed, checkedAt, context } = snapshot;
  const sums = `${count(rows.size, 'row')} in ${context.name} at ${formatInstant(whole(checkedAt))}, ${count(idle, 'policy', 'policies')} idle`;
  if (rows.size === 0 && listed === 0)
    return `Nothing could be listed in ${context.name}, so nothing is known\n`;
  if (rows.size === 0)
    return `Nothing is backing off (${count(idle, 'policy', 'policies')} idle)\n`;
  return `${linesOf(sortedRows(rows.values()), checkedAt, styles, width, true)}${styles.dim(sums)}\n`;
}

/** Only these rows, without a header. */
export const renderRows = (rows: readonly LiveRow[], now: Instant, styles: Styles): string =>
  linesOf(sortedRows(rows), now, styles, undefined, false);

function linesOf(
  rows: readonly LiveRow[],
  now: Instant,
  styles: Styles,
  width: number | undefined,
  hasHeader: boolean,
): string {
  const cells = rows.map((row) => cellsOf(row, now));
  const all = hasHeader ? [[...header], ...cells] : cells;
  const widths = header.map((_, column) =>
    Math.max(...all.map((line) => line[column]?.length ?? 0)),
  );
  const pad = (line: readonly string[]) =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const lines = cells.map((line, index) => {
    const row = rows[index];
    const reason = row === undefined ? '' : reasonOf(row, now);
    const text = pad(line);
    const full = `${text}  ${reason}`;
    if (width !== undefined && full.length > width) {
      const room = width - text.length - 3;
      return paint(row, room < 12 ? text.trimEnd() : `${text}  ${reason.slice(0, room)}…`, styles);
    }
    return paint(row, full.trimEnd(), styles);
  });
  const head = hasHeader ? [styles.bold(`${pad(header)}  REASON`)] : [];
  return [...head, ...lines].map((line) => `${line}\n`).join('');
}

function paint(row: LiveRow | undefined, text: string, styles: Styles): string {
  switch (row?.state.kind) {
    case 'gave-up':
      return styles.red(text);
    case 'unseen':
    case 'idle':
      return styles.dim(text);
    case 'waiting':
    case 'attempting':
    case undefined:
      return text;
  }
}

function cellsOf(row: LiveRow, now: Instant): readonly string[] {
  const { state, resource, family, isEstimate } = row;
  const isWaiting = state.kind === 'waiting';
  const retry = isWaiting || state.kind === 'attempting' ? numberText(state.retry) : '';
  return [
    state.kind === 'gave-up' ? 'gave up' : state.kind,
    isWaiting ? nextText(state.next, now) : '',
    retry,
    isWaiting && state.wait.how !== 'unknown' ? formatWindow(state.wait.value) : '',
    resource.namespace ?? '',
    objectOf(row),
    isEstimate ? `${family} (estimate)` : family,
  ];
}

const numberText = (known: Known<number>): string =>
  known.how === 'unknown' ? '' : String(known.value);

/** `2026-01-10T16:00:00Z (in 2h11m)`; `by …` where only a latest time is known. */
function nextText(next: Known<Window<Instant>>, now: Instant): string {
  if (next.how === 'unknown') return 'unknown';
  const { lo, hi } = next.value;
  if (hi <= now) return `due since ${formatInstant(whole(hi))}`;
  const left = formatDuration(ms(Math.ceil((hi - now) / 1000) * 1000));
  return lo === hi
    ? `${formatInstant(whole(hi))} (in ${left})`
    : `by ${formatInstant(whole(hi))} (within ${left})`;
}

const whole = (at: Instant): Instant => instant(Math.floor(at / 1000) * 1000);

function reasonOf({ state }: LiveRow, now: Instant): string {
  return (state.kind === 'unseen' ? describeLive(state, now) : state.reason).replaceAll('`', '');
}

/** What could not be seen, in a few lines: a kind that is forbidden in many namespaces is one of them. */
export function unseenLines(
  unseen: readonly Unseen[],
  systems: readonly string[],
): readonly string[] {
  const groups = new Map<string, { readonly first: Unseen; readonly namespaces: string[] }>();
  for (const one of unseen) {
    // Systems that are not installed are no news, unless somebody has asked for one.
    if (one.why === 'unserved' && systems.length === 0) continue;
    const key = `${one.why} ${one.resource}`;
    const group = groups.get(key) ?? { first: one, namespaces: [] };
    if (one.namespace !== undefined) group.namespaces.push(one.namespace);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ first, namespaces }) => {
    const where =
      namespaces.length === 0
        ? ''
        : namespaces.length <= 3
          ? ` in ${namespaces.join(', ')}`
          : ` in ${String(namespaces.length)} namespaces`;
    const detail = namespaces.length > 1 ? '' : `: ${first.detail}`;
    return `not seen (${first.why}): ${first.resource}${where}${detail}`;
  });
}

/** A Markdown table for the document of an incident. */
export function renderMarkdown(snapshot: SessionSnapshot): string {
  const { rows, checkedAt, context } = snapshot;
  const at = formatInstant(whole(checkedAt));
  const lines = [
    `**Backing off in \`${context.name}\`** at ${at}`,
    '',
    '| State | Next retry | Retry | Wait | Namespace | Object | Policy | Reason |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...sortedRows(rows.values()).map((row) => {
      const cells = [...cellsOf(row, checkedAt), reasonOf(row, checkedAt)];
      return `| ${cells.map(escapeCell).join(' | ')} |`;
    }),
    ...(rows.size === 0 ? ['', 'Nothing is backing off.'] : []),
    ...snapshot.unseen
      .filter(({ why }) => why !== 'unserved')
      .map(({ detail }, index) => `${index === 0 ? '\n' : ''}- Not seen: ${escapeCell(detail)}`),
  ];
  return `${lines.join('\n')}\n`;
}

const escapeCell = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', ' ');
