import { homedir } from 'node:os';
import { systemOf } from '../engine/family.ts';
import { formatInstant, instant } from '../engine/units.ts';
import { openPort } from '../client/src/cluster/kubernetesPort.ts';
import { openSession } from '../client/src/cluster/session.ts';
import type { ClusterSession, SessionSnapshot } from '../client/src/cluster/sessionTypes.ts';
import { statusJson } from '../client/src/cluster/statusJson.ts';
import { openProjects } from './projects.ts';
import type { StatusOptions } from './statusCommand.ts';
import {
  renderMarkdown,
  renderRows,
  renderTable,
  sortedRows,
  unseenLines,
} from './statusCommandTable.ts';
import { clean, unusable, type Terminal } from './terminal.ts';

/** A connection that has failed this often is not to be had now. */
const mostRetries = 2;

/** Connects, shows what backs off once or again and again, and ends the connection. */
export async function runStatus(options: StatusOptions, terminal: Terminal): Promise<void> {
  const { kubeconfig, context, system } = options;
  const place = {
    env: process.env,
    home: homedir(),
    ...(kubeconfig === undefined ? {} : { files: [kubeconfig] }),
  };
  const fail = (why: string) => {
    terminal.err(`kube-backoff: ${why}\n`);
    terminal.exit(unusable);
  };
  const opening = openPort(place, context);
  if (!opening.ok) return fail(opening.problem);
  const { port } = opening;
  const projects = openProjects(terminal.cwd);
  const { registry, env } = projects.of(undefined).context;
  for (const { file, message } of projects.problems()) {
    terminal.err(`kube-backoff: ${file}: ${message}\n`);
  }
  const isChosen = (name: string) => system.length === 0 || system.includes(name);
  const families = registry.families.filter((family) => isChosen(systemOf(family)));
  for (const name of system) {
    const isShown = families.some((family) => systemOf(family) === name && family.live);
    if (isShown || name === 'controller-runtime') continue;
    terminal.err(`kube-backoff: nothing in a cluster tells how the retries of ${name} stand\n`);
  }
  const session = openSession({
    port,
    env,
    families,
    estimates: isChosen('controller-runtime'),
    watches: options.watch === true,
    keepsIdle: options.all === true,
    log: (line) => terminal.err(`kube-backoff: ${line}\n`),
    ...(options.allNamespaces === true
      ? {}
      : {
          namespaces:
            options.namespace.length > 0
              ? options.namespace
              : [port.context.namespace ?? 'default'],
        }),
  });
  try {
    const problem = await completed(session);
    if (problem !== undefined) return fail(`${port.context.name}: ${problem}`);
    show(session.snapshot(), options, terminal);
    terminal.exit(clean);
    if (options.watch === true) await follow(session, options, terminal);
  } finally {
    session.dispose();
  }
}

/** Waits until everything has been listed; says why where that cannot be. */
function completed(session: ClusterSession): Promise<string | undefined> {
  return new Promise((resolve) => {
    const judge = () => {
      const { state, isComplete } = session.snapshot();
      const isOver = isComplete && state.kind === 'live';
      const problem =
        state.kind === 'unauthorised'
          ? state.detail
          : state.kind === 'stopped'
            ? state.why
            : state.kind === 'reconnecting' && state.retry >= mostRetries
              ? state.why
              : undefined;
      if (!isOver && problem === undefined) return;
      stop();
      resolve(problem);
    };
    const stop = session.subscribe(judge);
    judge();
  });
}

function show(snapshot: SessionSnapshot, options: StatusOptions, terminal: Terminal): void {
  switch (options.format) {
    case 'json':
      terminal.out(
        `${JSON.stringify(statusJson(snapshot, sortedRows(snapshot.rows.values())), null, options.watch === true ? 0 : 2)}\n`,
      );
      return;
    case 'markdown':
      terminal.out(renderMarkdown(snapshot));
      return;
    case 'table':
      terminal.out(renderTable(snapshot, terminal.styles(options.color), widthOf(process.stdout)));
      for (const line of unseenLines(snapshot.unseen, options.system)) terminal.err(`${line}\n`);
  }
}

/** What changes is shown until Ctrl+C: in place on a terminal, line by line elsewhere. */
async function follow(
  session: ClusterSession,
  options: StatusOptions,
  terminal: Terminal,
): Promise<void> {
  const isScreen = process.stdout.isTTY && options.format === 'table';
  const styles = terminal.styles(options.color);
  let last = '';
  const redraw = () => {
    const width = widthOf(process.stdout);
    terminal.out(`\u001B[H\u001B[2J${renderTable(session.snapshot(), styles, width)}`);
  };
  const stop = session.subscribe(({ changed, removed, about }) => {
    const snapshot = session.snapshot();
    const { state } = snapshot;
    if (about && state.kind !== 'live') {
      const text = stateText(state);
      if (text !== last) terminal.err(`kube-backoff: ${text}\n`);
      last = text;
    } else if (about) last = '';
    if (isScreen) return;
    if (changed.length === 0 && removed.length === 0) return;
    if (options.format === 'table') terminal.out(renderRows(changed, snapshot.checkedAt, styles));
    else show(snapshot, options, terminal);
  });
  const ticks = isScreen ? setInterval(redraw, 1000) : undefined;
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  clearInterval(ticks);
  stop();
}

function stateText(state: SessionSnapshot['state']): string {
  switch (state.kind) {
    case 'connecting':
    case 'live':
      return state.kind;
    case 'reconnecting':
      return `${state.why}; retry ${String(state.retry)} at ${formatInstant(instant(Math.round(state.nextAt)))}`;
    case 'unauthorised':
      return `${state.detail}: sign in, then start again`;
    case 'stopped':
      return state.why;
  }
}

const widthOf = ({ isTTY, columns }: NodeJS.WriteStream): number | undefined =>
  isTTY ? columns : undefined;
