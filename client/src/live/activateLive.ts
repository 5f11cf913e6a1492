import * as vscode from 'vscode';
import type { Ms } from '../../../engine/units.ts';
import type { Editing } from '../editing.ts';
import type { ClusterHost } from './connect.ts';
import type { createLiveHalf, LiveHalf } from './liveHalf.ts';
import type { TreeNode } from '../panel/tree.ts';
import type { Link } from '../panel/model/detail.ts';
import type { UnseenName } from '../panel/model/overview.ts';
import { windowPlace, type Place } from './welcome.ts';

export type LiveLoader = {
  /** Loads the live half, when somebody looks at it or asks for it; absent in a browser, where it is off. */
  readonly load?: () => Promise<{ readonly createLiveHalf: typeof createLiveHalf }>;
  /** Absent where no cluster can be reached: a web host. */
  readonly cluster?: ClusterHost;
  /** What `npm start` asks for; it does what the commands of that name do. */
  readonly first?: string;
  /** How long nobody looks before no request is made any more; some minutes where left out. */
  readonly patience?: Ms;
};

const viewId = 'kubeBackoff.overview';

/**
 * The live half as far as activation needs it: an empty view that says why it is empty, and commands.
 *
 * Contacts nothing and loads nothing.
 */
export function activateLive(
  context: vscode.ExtensionContext,
  editing: Editing,
  loader: LiveLoader,
): void {
  const placeNow = (): Place =>
    windowPlace({
      hasCluster: loader.cluster !== undefined,
      isTrusted: vscode.workspace.isTrusted,
      folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.scheme),
    });
  let place = placeNow();
  let half: Promise<LiveHalf> | undefined;
  let ready: LiveHalf | undefined;
  const changed = new vscode.EventEmitter<TreeNode | undefined>();
  const view = vscode.window.createTreeView<TreeNode>(viewId, {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: (node) => ready?.tree.getChildren(node) ?? [],
      getTreeItem: (node) => {
        if (ready === undefined) throw new Error('A node was asked for before there was one.');
        return ready.tree.getTreeItem(node);
      },
    },
    showCollapseAll: true,
  });
  const start = (): Promise<LiveHalf> => {
    const { load } = loader;
    if (load === undefined) return Promise.reject(new Error('there is no live half in a browser'));
    half ??= load().then(({ createLiveHalf: create }) => {
      const made = create({
        context,
        editing,
        view,
        place: () => place,
        setPlace: (next) => {
          place = next;
        },
        ...(loader.patience === undefined ? {} : { patience: loader.patience }),
        cluster: () => (place === 'untrusted' || place === 'virtual' ? undefined : loader.cluster),
      });
      ready = made;
      context.subscriptions.push(
        made.tree.onDidChangeTreeData?.((node) => {
          changed.fire(oneNode(node));
        }) ?? new vscode.Disposable(() => undefined),
      );
      changed.fire(undefined);
      return made;
    });
    return half;
  };
  const fail = (error: unknown): void => {
    editing.log.error(`The live view failed: ${String(error)}`);
    void vscode.window.showErrorMessage(
      vscode.l10n.t('The live view failed; the log says why (Kube Backoff: Show Log).'),
    );
  };
  const command = (
    name: string,
    run: (live: LiveHalf, ...given: readonly unknown[]) => unknown,
  ): vscode.Disposable =>
    vscode.commands.registerCommand(`kubeBackoff.${name}`, async (...given: readonly unknown[]) => {
      if (place === 'web') {
        void vscode.window.showInformationMessage(
          vscode.l10n.t(
            'Clusters are reached from VS Code on a desktop or over a remote connection.',
          ),
        );
        return;
      }
      try {
        await run(await start(), ...given);
      } catch (error) {
        fail(error);
      }
    });
  const link = (which: Link) => (live: LiveHalf, node: unknown) => {
    const id = rowIdOf(node);
    return id === undefined ? undefined : live.commands.link(id, which);
  };

  void vscode.commands.executeCommand('setContext', 'kubeBackoff.live', welcomeBefore(place));
  context.subscriptions.push(
    changed,
    view,
    view.onDidChangeVisibility(({ visible }) => {
      if (ready !== undefined) ready.lookedAt(visible);
      else if (visible && place === 'ready') start().catch(fail);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (place !== 'untrusted') return;
      place = placeNow();
      void vscode.commands.executeCommand('setContext', 'kubeBackoff.live', welcomeBefore(place));
      if (ready !== undefined) ready.lookedAt(view.visible);
      else if (view.visible && place === 'ready') start().catch(fail);
    }),
    command('connect', (live, name) => live.commands.connect(textOf(name))),
    command('connectAndOpen', async (live) => {
      await live.commands.connect();
      live.commands.openPanel();
    }),
    command('startDemo', (live) => {
      live.commands.startDemo();
    }),
    command('openPanel', (live, id) => {
      live.commands.openPanel(textOf(id));
    }),
    command('disconnect', (live, node) => live.commands.disconnect(contextOf(node))),
    command('resume', (live, node) => {
      live.commands.resume(contextOf(node));
    }),
    command('unlockActions', (live, node) => {
      const name = contextOf(node);
      return name === undefined ? undefined : live.commands.unlock(name);
    }),
    command('lockActions', (live, node) => {
      const name = contextOf(node);
      if (name !== undefined) live.commands.lock(name);
    }),
    command('copyRole', (live, node) => {
      const found = unseenOf(node);
      return found === undefined ? undefined : live.commands.copyRole(found.name, found.unseen);
    }),
    command('copySentence', link('sentence')),
    command('copyMarkdown', link('markdown')),
    command('showObject', link('yaml')),
    command('goToPolicy', link('policy')),
    command('copyLogsCommand', link('logs')),
    command('exportJson', (live) => live.commands.exportAll('json')),
    command('copyReport', (live) => live.commands.exportAll('markdown')),
    vscode.window.registerWebviewPanelSerializer('kubeBackoff.panel', {
      deserializeWebviewPanel: async (panel) => {
        (await start()).panel.adopt(panel);
      },
    }),
  );
  if (view.visible && place === 'ready') start().catch(fail);
  const first = firstCommands[loader.first ?? ''];
  if (first !== undefined) void vscode.commands.executeCommand(first);
}

const firstCommands: Readonly<Record<string, string>> = {
  demo: 'kubeBackoff.startDemo',
  connect: 'kubeBackoff.connectAndOpen',
};

const welcomeBefore = (place: Place): string => (place === 'ready' ? 'not-connected' : place);

const oneNode = (node: void | TreeNode | TreeNode[] | null | undefined): TreeNode | undefined =>
  node === undefined || node === null || Array.isArray(node) ? undefined : node;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The arguments of a tree's menu come from the tree itself, or from a keybinding that knows no node. */
const isNode = (value: unknown): value is TreeNode =>
  typeof value === 'object' && value !== null && 'kind' in value && 'line' in value;

const rowIdOf = (value: unknown): string | undefined =>
  isNode(value) && value.kind === 'row' ? value.row.id : textOf(value);

const contextOf = (value: unknown): string | undefined =>
  isNode(value) ? value.line.name : textOf(value);

function unseenOf(
  value: unknown,
): { readonly name: string; readonly unseen: UnseenName } | undefined {
  if (!isNode(value) || value.kind !== 'unseen') return undefined;
  return { name: value.line.name, unseen: value.unseen };
}
