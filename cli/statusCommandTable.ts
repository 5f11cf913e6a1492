import { formatDuration, formatWindow } from '../engine/durations/format.ts';
import type { Known } from '../engine/live.ts';
import { describeLive } from '../engine/renderLive.ts';
import { formatInstant, instant, ms, type Instant, type Window } from '../engine/units.ts';
import type { LiveRow, SessionSnapshot, Unseen } from '../client/src/cluster/sessionTypes.ts';
import { oneLine } from './foreignText.ts';
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

/** How a table is written. */
export type TableForm = {
  readonly styles: Styles;
  /** By the server's clock; the time of the last answer where it is left out. */
  readonly now?: Instant;
  /** Reasons are cut where the width of the terminal is known. */
  readonly width?: number;
};

/** The whole table, with a line of sums. */
export const renderTable = (snapshot: SessionSnapshot, form: TableForm): string =>
  textOf([...tableLines(snapshot, form), sumsLine(snapshot, form)]);

/** The header and a line for each row; nothing where there is no row. */
export function tableLines(snapshot: SessionSnapshot, form: TableForm): readonly string[] {
  const { rows, checkedAt } = snapshot;
  const { styles, now = checkedAt, width } = form;
  return rows.size === 0 ? [] : linesOf(sortedRows(rows.values()), now, styles, width, true);
}

/** How many rows there are and at what time, or why there is none. */
export function sumsLine(
  { rows, idle, listed, checkedAt, context }: SessionSnapshot,
  { styles, now = checkedAt }: TableForm,
): string {
  const name = oneLine(context.name);
  const idleText = `${count(idle, 'policy', 'policies')} idle`;
  if (rows.size > 0) {
    const at = formatInstant(whole(now));
    return styles.dim(`${count(rows.size, 'row')} in ${name} at ${at}, ${idleText}`);
  }
  return listed === 0
    ? `Nothing could be listed in ${name}, so nothing is known`
    : `Nothing is backing off (${idleText})`;
}

/** Only these rows, without a header. */
export const renderRows = (rows: readonly LiveRow[], now: Instant, styles: Styles): string =>
  textOf(linesOf(sortedRows(rows), now, styles, undefined, false));

/** What is not among the rows any more, in the columns of the others. */
export function renderGone(rows: readonly LiveRow[], styles: Styles): string {
  const cells = sortedRows(rows).map((row) => {
    const [, , , , ...place] = cellsOf(row, instant(0));
    return ['over', '', '', '', ...place];
  });
  const pad = padder(cells);
  return textOf(cells.map((line) => styles.dim(`${pad(line)}  ${goneReason}`)));
}

const goneReason = 'it recovered, was deleted, or may not be seen any more';

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

function linesOf(
  rows: readonly LiveRow[],
  now: Instant,
  styles: Styles,
  width: number | undefined,
  hasHeader: boolean,
): readonly string[] {
  const cells = rows.map((row) => cellsOf(row, now));
  const all = hasHeader ? [[...header], ...cells] : cells;
  const pad = padder(all);
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
  return [...head, ...lines];
}

/** Writes the cells of one of these lines under those of the others. */
function padder(all: readonly (readonly string[])[]): (line: readonly string[]) => string {
  const widths = header.map((_, column) =>
    Math.max(...all.map((line) => line[column]?.length ?? 0)),
  );
  return (line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
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
  ].map(oneLine);
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
  const text = state.kind === 'unseen' ? describeLive(state, now) : state.reason;
  return oneLine(text.replaceAll('`', ''));
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
    return oneLine(`not seen (${first.why}): ${first.resource}${where}${detail}`);
  });
}

/** A Markdown table for the document of an incident. */
export function renderMarkdown(snapshot: SessionSnapshot): string {
  const { rows, checkedAt, context } = snapshot;
  const at = formatInstant(whole(checkedAt));
  const lines = [
    `**Backing off in \`${oneLine(context.name)}\`** at ${at}`,
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
  oneLine(text).replaceAll('\\', '\\\\').replaceAll('|', '\\|');
