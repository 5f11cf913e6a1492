import { homedir } from 'node:os';
import { families as allFamilies } from '../engine/families/index.ts';
import { systemOf, type PolicyFamily } from '../engine/family.ts';
import { systemClock, type Clock } from '../client/src/cluster/clock.ts';
import { openPort } from '../client/src/cluster/kubernetesPort.ts';
import { openSession } from '../client/src/cluster/session.ts';
import type { ClusterSession, SessionSnapshot } from '../client/src/cluster/sessionTypes.ts';
import { statusJson } from '../client/src/cluster/statusJson.ts';
import { jsonText, oneLine } from './foreignText.ts';
import { openProjects } from './projects.ts';
import type { StatusOptions } from './statusCommand.ts';
import { renderMarkdown, renderTable, sortedRows, unseenLines } from './statusCommandTable.ts';
import { endOf, watchAsLines, watchOnScreen } from './statusCommandWatch.ts';
import { clean, complain, unusable, type Terminal } from './terminal.ts';

/** Where a cluster and the time come from; tests bring their own. */
export type StatusWorld = {
  readonly open: (...given: Parameters<typeof openPort>) => ReturnType<typeof openPort>;
  readonly clock: Clock;
};

const world: StatusWorld = { open: openPort, clock: systemClock };

/** A connection that has failed this often is not to be had now. */
const mostRetries = 2;

/** Connects, shows what backs off once or again and again, and ends the connection. */
export async function runStatus(
  options: StatusOptions,
  terminal: Terminal,
  { open, clock }: StatusWorld = world,
): Promise<void> {
  const { kubeconfig, context } = options;
  const isOnScreen =
    options.watch === true && options.format === 'table' && terminal.screen() !== undefined;
  const notes: string[] = [];
  const note = (text: string): void => {
    complain(terminal, text);
    if (isOnScreen) notes.push(oneLine(text));
  };
  const fail = (why: string): void => {
    complain(terminal, why);
    terminal.exit(unusable);
  };
  const place = {
    env: process.env,
    home: homedir(),
    ...(kubeconfig === undefined ? {} : { files: [kubeconfig] }),
  };
  const opening = open(place, context);
  if (!opening.ok) return fail(opening.problem);
  const { port } = opening;
  const projects = openProjects(terminal.cwd);
  const { registry, env } = projects.of(undefined).context;
  for (const { file, message } of projects.problems()) note(`${file}: ${message}`);
  const { families, estimates, untold } = chosen(registry.families, options.system);
  for (const name of untold) note(`nothing in a cluster tells how the retries of ${name} stand`);
  const session = openSession({
    port,
    clock,
    env,
    families,
    known: allFamilies,
    estimates,
    watches: options.watch === true,
    keepsIdle: options.all === true,
    log: note,
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
    const watching = { session, options, terminal, clock };
    const print = (snapshot: SessionSnapshot): void => show(snapshot, options, terminal);
    if (!isOnScreen) print(session.snapshot());
    const ended =
      options.watch !== true
        ? undefined
        : isOnScreen
          ? await watchOnScreen(watching, notes)
          : await watchAsLines(watching, print);
    if (ended !== undefined) return fail(`${port.context.name}: ${ended}`);
    terminal.exit(clean);
  } finally {
    session.dispose();
  }
}

type Chosen = {
  readonly families: readonly PolicyFamily[];
  readonly estimates: boolean;
  /** Systems that were asked for, of which a cluster tells nothing. */
  readonly untold: readonly string[];
};

const estimating = 'controller-runtime';

/** What is read for the systems that were asked for; for all of them where none was. */
function chosen(families: readonly PolicyFamily[], systems: readonly string[]): Chosen {
  const isChosen = (name: string): boolean => systems.length === 0 || systems.includes(name);
  const own = families.filter((family) => isChosen(systemOf(family)));
  const isTold = (name: string): boolean =>
    name === estimating || own.some((family) => systemOf(family) === name && family.live);
  return {
    families: own,
    estimates: isChosen(estimating),
    untold: systems.filter((name) => !isTold(name)),
  };
}

/** Waits until everything has been listed; says why where that cannot be. */
function completed(session: ClusterSession): Promise<string | undefined> {
  return new Promise((resolve) => {
    const judge = () => {
      const { state, isComplete } = session.snapshot();
      const isOver = isComplete && state.kind === 'live';
      const isLost = state.kind === 'reconnecting' && state.retry >= mostRetries;
      const problem = isLost ? state.why : endOf(state);
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
        `${jsonText(statusJson(snapshot, sortedRows(snapshot.rows.values())), options.watch === true ? 0 : 2)}\n`,
      );
      return;
    case 'markdown':
      terminal.out(renderMarkdown(snapshot));
      return;
    case 'table': {
      const width = terminal.screen()?.columns;
      const styles = terminal.styles(options.color);
      terminal.out(renderTable(snapshot, { styles, ...(width === undefined ? {} : { width }) }));
      for (const line of unseenLines(snapshot.unseen, options.system)) terminal.err(`${line}\n`);
    }
  }
}
