import * as vscode from 'vscode';
import { families } from '../../../engine/families/index.ts';
import { instant, type Ms } from '../../../engine/units.ts';
import { systemClock } from '../cluster/clock.ts';
import { demoContext, demoPort } from '../cluster/demoPort.ts';
import type { ClusterPort } from '../cluster/port.ts';
import { openSession } from '../cluster/session.ts';
import type { SessionSnapshot } from '../cluster/sessionTypes.ts';
import type { Editing } from '../editing.ts';
import { connectionText } from '../panel/model/overview.ts';
import { createPanel, type Panel } from '../panel/panel.ts';
import { overviewTree, type OverviewTree } from '../panel/tree.ts';
import { agreedEnvironment } from './agreedEnvironment.ts';
import { besideManifest } from './besideManifest.ts';
import { chooseContext, contextsOf, type ClusterHost } from './connect.ts';
import { consents } from './consent.ts';
import { contextLine, isRefused } from './contextLines.ts';
import { demand } from './demand.ts';
import { createHub, type Hub } from './hub.ts';
import { createLocks } from './locks.ts';
import { objectDocuments } from './objectDocument.ts';
import { createRowCommands, type RowCommands } from './rowCommands.ts';
import { folderFiles, onFolderFiles } from './folderFiles.ts';
import { settingsStated } from './settings.ts';
import { settingsChange } from './settingsChange.ts';
import { statedOver } from './stated.ts';
import { statusBar } from './statusBar.ts';
import { showsGroups, welcomeOf, type Place, type Welcome } from './welcome.ts';

/** What the live half is built on; `cluster` has nothing where no cluster may be reached. */
export type LiveHost = {
  readonly context: vscode.ExtensionContext;
  readonly editing: Editing;
  readonly view: vscode.TreeView<unknown>;
  readonly place: () => Place;
  readonly setPlace: (place: Place) => void;
  readonly cluster: () => ClusterHost | undefined;
  readonly patience?: Ms;
};

/** Everything that is loaded when a person first looks at the overview or runs one of its commands. */
export type LiveHalf = {
  readonly tree: OverviewTree;
  readonly panel: Panel;
  readonly commands: RowCommands & {
    readonly connect: (name?: string) => Promise<void>;
    readonly startDemo: () => void;
    readonly openPanel: (id?: string) => void;
    readonly disconnect: (name?: string) => Promise<void>;
    readonly resume: (name?: string) => void;
  };
  readonly lookedAt: (isVisible: boolean) => void;
};

const refreshEvery = 400;

export function createLiveHalf(host: LiveHost): LiveHalf {
  const { context, editing, view } = host;
  const given = consents(context.globalState);
  const locks = createLocks();
  const hub = createHub();
  const documents = objectDocuments();
  const bar = statusBar();
  const pausing = demand(
    systemClock,
    {
      pause: () => {
        for (const { session } of hub.connections()) session.pause();
        hub.touch();
      },
      resume: () => {
        for (const { session } of hub.connections()) resumeQuietly(session);
        hub.touch();
      },
    },
    host.patience,
  );
  const lines = () =>
    hub.connections().map((connection) =>
      contextLine(connection, {
        isLocked: locks.isLocked(connection.name),
        isPaused: pausing.isPaused(),
      }),
    );
  const snapshots = () => hub.connections().map(({ session }) => session.snapshot());
  const welcome = (all: readonly SessionSnapshot[]): Welcome =>
    welcomeOf(host.place(), all, hub.rows().size);
  const tree = overviewTree({
    contexts: () => (showsGroups(welcome(snapshots())) ? lines() : []),
    rows: () => hub.rows().values(),
  });

  const commands = createRowCommands({
    hub,
    locks,
    documents,
    given,
    editing,
    done: (what) => panel.done(what),
    show: (detail) => panel.detail(detail),
  });
  const panel = createPanel(
    context.extensionUri,
    {
      rows: () => hub.rows().values(),
      contexts: lines,
      detail: (id) => commands.detail(id),
    },
    {
      visible: (isVisible) => pausing.set('panel', isVisible),
      selected: (id) => commands.selected(id),
      asked: (message) => void commands.asked(message, { resume, disconnect }),
    },
  );
  const beside = besideManifest({
    hub,
    editing,
    looked: (isLooked) => pausing.set('manifest', isLooked),
    isPaused: pausing.isPaused,
  });

  let stated = settingsStated();
  let disagreed = '';
  let restates = 0;
  /** Takes what settings and configuration files say by now to everything that is connected. */
  const restate = async (): Promise<void> => {
    restates += 1;
    const own = restates;
    const files = await folderFiles(editing);
    if (own !== restates) return;
    const { stated: next, disagreements } = statedOver(settingsStated(), files);
    stated = next;
    hub.hide(next.disabledSystems);
    for (const { session } of hub.connections()) session.restate(next.env);
    const said = disagreements.join(', ');
    if (said !== '' && said !== disagreed) {
      editing.log.warn(
        `The panel uses nothing of what the .kube-backoff.yaml files of this workspace's folders say differently: ${said}.`,
      );
    }
    disagreed = said;
  };
  const restateSoon = (): void => {
    restate().catch((error: unknown) => {
      editing.log.error(`The configuration files were not read: ${String(error)}`);
    });
  };

  const begin = (port: ClusterPort, isDemo: boolean, namespaces?: readonly string[]): void => {
    const session = openSession({
      port,
      families,
      env: stated.env,
      ...(namespaces === undefined ? {} : { namespaces }),
      log: (line) => editing.log.info(line),
    });
    hub.add({ name: port.context.name, session, port, isDemo });
  };
  async function connect(name?: string): Promise<void> {
    const cluster = host.cluster();
    if (cluster === undefined) return;
    const chosen = await chooseContext(cluster, given, name);
    if (chosen !== undefined) begin(chosen.port, false, chosen.namespaces);
  }
  const startDemo = (): void => {
    if (hub.connection(demoContext.name) === undefined) begin(demoPort(), true);
    panel.open();
  };
  async function disconnect(name?: string): Promise<void> {
    const names = hub.connections().map((connection) => connection.name);
    const chosen =
      name ??
      (names.length < 2
        ? names[0]
        : await vscode.window.showQuickPick(names, { title: vscode.l10n.t('Disconnect from') }));
    if (chosen !== undefined) hub.remove(chosen);
  }
  function resume(name?: string): void {
    for (const connection of hub.connections()) {
      if (name !== undefined && connection.name !== name) continue;
      if (connection.port.readAgain?.() === false) {
        // What is new in the kubeconfig is asked about, as before the first contact.
        void connect(connection.name);
        continue;
      }
      // A session that waits for its own next retry is asked to make it now.
      if (connection.session.snapshot().state.kind === 'reconnecting') connection.session.pause();
      connection.session.resume();
    }
  }

  const refresh = throttled(refreshEvery, () => {
    show();
    tree.refresh();
  });
  const show = (): void => {
    const all = snapshots();
    void vscode.commands.executeCommand('setContext', 'kubeBackoff.live', welcome(all));
    void vscode.commands.executeCommand('setContext', 'kubeBackoff.connected', all.length > 0);
    view.description = all.map((snapshot) => snapshot.context.name).join(', ');
    showMessage();
  };
  /** The line above the tree: that it is a demo, or how the connection is doing. */
  const showMessage = (): void => {
    const connections = hub.connections();
    const troubled =
      snapshots().find(({ state }) => isRefused(state)) ??
      snapshots().find(({ state }) => state.kind !== 'live');
    const isDemo = connections.some((connection) => connection.isDemo);
    // The editor shows either a message or a welcome, and the welcome has the way on.
    const message = !showsGroups(welcome(snapshots()))
      ? undefined
      : pausing.isPaused() && !snapshots().some(({ state }) => isRefused(state))
        ? vscode.l10n.t('Paused while nobody looks.')
        : troubled !== undefined
          ? connectionText(troubled.state, instant(Date.now()))
          : isDemo
            ? vscode.l10n.t('Demo: made-up objects, no cluster.')
            : undefined;
    if (view.message !== (message ?? '')) view.message = message ?? '';
  };
  const told = new Map<string, string>();
  /** What the view has no room for: why a connection does not work. */
  const logTroubles = (): void => {
    for (const { context: own, state } of snapshots()) {
      const said = state.kind === 'live' ? 'Live.' : connectionText(state, instant(Date.now()));
      const key = state.kind === 'reconnecting' ? `${state.kind} ${state.why}` : said;
      if (told.get(own.name) === key) continue;
      told.set(own.name, key);
      editing.log.info(`${own.name}: ${said}`);
    }
  };
  const stopListening = hub.subscribe((change) => {
    if (change.contexts) {
      logTroubles();
      editing.detected(agreedEnvironment(hub.connections()));
    }
    panel.patch(change.changed, change.removed);
    if (change.contexts) panel.contexts();
    for (const row of change.changed) commands.rowChanged(row.id);
    refresh();
    beside.changed();
    tick();
  });
  /** Once a second while something of it is on the screen. */
  const tick = (): void => {
    bar.show(snapshots(), hub.rows().values(), pausing.isPaused());
    if (hub.connections().length === 0 || !view.visible) return;
    tree.tick();
    showMessage();
  };
  const timer = setInterval(tick, 1000);

  /** Says which welcome fits, by files alone. */
  const look = async (): Promise<void> => {
    const cluster = host.cluster();
    if (cluster === undefined || !['ready', 'no-kubeconfig'].includes(host.place())) return;
    const list = await contextsOf(cluster);
    host.setPlace(list.ok && list.contexts.length > 0 ? 'ready' : 'no-kubeconfig');
    show();
  };
  let isOffered = false;
  /** Settings of the way to a cluster hold from the next connection on, which is said while there is one. */
  const offerAgain = async (): Promise<void> => {
    const own = hub.connections().filter(({ isDemo }) => !isDemo);
    if (isOffered || own.length === 0) return;
    isOffered = true;
    const again = vscode.l10n.t('Connect Again');
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t(
        'Connected with the settings as they were before: {0}. The new ones hold once you connect again.',
        own.map(({ name }) => name).join(', '),
      ),
      again,
    );
    isOffered = false;
    if (answer !== again) return;
    // Each takes the place of the one before; where a person changes their mind, that one stays.
    for (const { name } of own) await connect(name);
  };
  context.subscriptions.push(
    documents,
    bar,
    panel,
    beside,
    tree,
    hub,
    pausing,
    onFolderFiles(editing, restateSoon),
    new vscode.Disposable(stopListening),
    new vscode.Disposable(() => {
      clearInterval(timer);
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const { looks, reconnects, ...change } = settingsChange((one) =>
        event.affectsConfiguration(one),
      );
      if (looks) void look();
      if (change.restates) restateSoon();
      if (reconnects) void offerAgain();
    }),
  );
  pausing.set('overview', view.visible);
  show();
  void look();
  restateSoon();
  return {
    tree,
    panel,
    commands: {
      ...commands,
      connect,
      startDemo,
      openPanel: (id) => {
        panel.open(id);
      },
      disconnect,
      resume,
    },
    lookedAt: (isVisible) => {
      pausing.set('overview', isVisible);
      if (isVisible && hub.connections().length === 0) void look();
    },
  };
}

/** After a pause nothing is asked of a person; after a refusal only they can go on. */
function resumeQuietly(session: ReturnType<Hub['connections']>[number]['session']): void {
  if (!isRefused(session.snapshot().state)) session.resume();
}

/** Runs at once, then at most every so often; the last call always counts. */
function throttled(every: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWanted = false;
  const cool = (): void => {
    timer = undefined;
    if (!isWanted) return;
    isWanted = false;
    fire();
  };
  const fire = (): void => {
    run();
    timer = setTimeout(cool, every);
  };
  return () => {
    if (timer === undefined) fire();
    else isWanted = true;
  };
}
