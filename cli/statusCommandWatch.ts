import { formatDuration } from '../engine/durations/format.ts';
import { after, formatInstant, instant, ms, seconds, type Instant } from '../engine/units.ts';
import type { Clock } from '../client/src/cluster/clock.ts';
import type {
  ClusterSession,
  LiveRow,
  SessionSnapshot,
  SessionState,
} from '../client/src/cluster/sessionTypes.ts';
import { oneLine } from './foreignText.ts';
import type { StatusOptions } from './statusCommand.ts';
import { renderGone, renderRows, sumsLine, tableLines, unseenLines } from './statusCommandTable.ts';
import { complain, type Screen, type Styles, type Terminal } from './terminal.ts';

export type Watching = {
  readonly session: ClusterSession;
  readonly options: StatusOptions;
  readonly terminal: Terminal;
  readonly clock: Clock;
};

/** Why a session does not go on before a person does something; nothing where it does. */
export function endOf(state: SessionState): string | undefined {
  switch (state.kind) {
    case 'connecting':
    case 'live':
    case 'reconnecting':
      return undefined;
    case 'unauthorised':
      return state.detail;
    case 'stopped':
      return state.why;
  }
}

/** Runs until somebody interrupts it, or the session ends by itself: then it says why. */
async function untilOver({ session, terminal }: Watching): Promise<string | undefined> {
  const ended = new Promise<string>((resolve) => {
    const judge = () => {
      const { state } = session.snapshot();
      const why = endOf(state);
      if (why === undefined) return;
      resolve(state.kind === 'unauthorised' ? `${why}: sign in, then start again` : why);
    };
    session.subscribe(judge);
    judge();
  });
  return Promise.race([ended, terminal.interrupted().then(() => undefined)]);
}

const redrawEvery = seconds(1);

/** Draws the whole picture once a second, as it is at that time. */
export async function watchOnScreen(
  watching: Watching,
  notes: readonly string[],
): Promise<string | undefined> {
  const { session, options, terminal, clock } = watching;
  const styles = terminal.styles(options.color);
  const draw = (): void => {
    const lines = picture(session.snapshot(), {
      ours: clock.now(),
      systems: options.system,
      notes,
      styles,
      screen: terminal.screen(),
    });
    terminal.out(`\u001B[H\u001B[2J${lines.map((line) => `${line}\n`).join('')}`);
  };
  let cancel = (): void => undefined;
  const tick = (): void => {
    draw();
    cancel = clock.after(redrawEvery, tick);
  };
  tick();
  const ended = await untilOver(watching);
  cancel();
  // What stays on the screen says that it is not followed any more.
  if (ended !== undefined) draw();
  return ended;
}

type PictureInput = {
  /** Our own time, by which the session retries; the server's differs by the skew. */
  readonly ours: Instant;
  readonly systems: readonly string[];
  /** What was said before the picture, and would be wiped by it. */
  readonly notes: readonly string[];
  readonly styles: Styles;
  readonly screen: Screen | undefined;
};

/** How the connection stands, the table, and what it does not have. */
export function picture(snapshot: SessionSnapshot, input: PictureInput): readonly string[] {
  const { ours, systems, notes, styles, screen } = input;
  const form = {
    styles,
    now: after(ours, snapshot.clockSkew),
    ...(screen === undefined ? {} : { width: screen.columns }),
  };
  const table = tableLines(snapshot, form);
  const rest = [sumsLine(snapshot, form), ...unseenLines(snapshot.unseen, systems), ...notes];
  const room = screen === undefined ? table.length : screen.rows - rest.length - 2;
  return [stateLine(snapshot, ours, styles), ...fitted(table, room), ...rest];
}

const fewestRows = 5;

/** The first rows are the urgent ones; a picture that scrolls would begin somewhere in the middle. */
function fitted(lines: readonly string[], room: number): readonly string[] {
  const most = Math.max(room, fewestRows);
  if (lines.length <= most) return lines;
  const left = lines.length - most + 1;
  return [
    ...lines.slice(0, most - 1),
    `… and ${String(left)} more rows, for which there is no room`,
  ];
}

function stateLine(snapshot: SessionSnapshot, ours: Instant, styles: Styles): string {
  const { state, context, checkedAt } = snapshot;
  const name = oneLine(context.name);
  switch (state.kind) {
    case 'connecting':
      return styles.dim(`${name}: connecting`);
    case 'live':
      return styles.dim(`${name}: live; Ctrl+C ends`);
    case 'reconnecting': {
      const left = ms(Math.max(0, Math.ceil((state.nextAt - ours) / 1000) * 1000));
      const retry = `retry ${String(state.retry)} in ${formatDuration(left)}`;
      const since = formatInstant(instant(Math.floor(checkedAt / 1000) * 1000));
      return styles.yellow(
        oneLine(`${name}: connection lost (${state.why}), ${retry}; rows are those of ${since}`),
      );
    }
    case 'unauthorised':
    case 'stopped':
      return styles.red(oneLine(`${name}: ended: ${endOf(state) ?? ''}`));
  }
}

/** Tells line by line what changes. */
export async function watchAsLines(
  watching: Watching,
  show: (snapshot: SessionSnapshot) => void,
): Promise<string | undefined> {
  const { session, options, terminal, clock } = watching;
  const styles = terminal.styles(options.color);
  const first = session.snapshot();
  const known = new Map(first.rows);
  const tellState = stateTeller(terminal);
  const tellUnseen = unseenTeller(terminal, options.system, first);
  const stop = session.subscribe(({ changed, removed, about }) => {
    const snapshot = session.snapshot();
    const gone = removed.flatMap((key) => known.get(key) ?? []);
    keepUp(known, changed, removed);
    if (about) {
      tellState(snapshot);
      tellUnseen(snapshot);
    }
    if (changed.length + removed.length === 0) return;
    if (options.format !== 'table') show(snapshot);
    else {
      const now = after(clock.now(), snapshot.clockSkew);
      terminal.out(`${renderRows(changed, now, styles)}${renderGone(gone, styles)}`);
    }
  });
  const ended = await untilOver(watching);
  stop();
  return ended;
}

function keepUp(
  known: Map<string, LiveRow>,
  changed: readonly LiveRow[],
  removed: readonly string[],
): void {
  for (const key of removed) known.delete(key);
  for (const row of changed) known.set(row.key, row);
}

/** Says when the connection is lost, how it is tried again, and when it is back; its end is said by the caller. */
function stateTeller(terminal: Terminal): (snapshot: SessionSnapshot) => void {
  let isLost = false;
  let last = '';
  return ({ state, context }) => {
    const text = state.kind === 'reconnecting' ? lostText(state) : '';
    if (text !== '' && text !== last) complain(terminal, `${context.name}: ${text}`);
    if (state.kind === 'live' && isLost) complain(terminal, `${context.name}: connected again`);
    last = text;
    isLost = state.kind === 'reconnecting' || (isLost && state.kind === 'connecting');
  };
}

const lostText = ({ why, retry, nextAt }: SessionState & { readonly kind: 'reconnecting' }) =>
  `connection lost (${why}); retry ${String(retry)} at ${formatInstant(instant(Math.round(nextAt)))}`;

/** Says what is not seen any more; what was not seen before has been said. */
function unseenTeller(
  terminal: Terminal,
  systems: readonly string[],
  first: SessionSnapshot,
): (snapshot: SessionSnapshot) => void {
  let last = new Set(unseenLines(first.unseen, systems));
  return ({ unseen }) => {
    const lines = unseenLines(unseen, systems);
    for (const line of lines) if (!last.has(line)) terminal.err(`${line}\n`);
    last = new Set(lines);
  };
}
