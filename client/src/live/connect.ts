import * as vscode from 'vscode';
import type { KubeconfigPlace } from '../cluster/kubeconfig.ts';
import type { ClusterPort, ContextInfo, ContextList, KubeconfigFile } from '../cluster/port.ts';
import { askAboutWorkspaceKubeconfig, askToConnect, type Consents } from './consent.ts';
import { clusterSettings } from './settings.ts';

/** The half of the extension that can reach a cluster; absent in a browser. */
export type ClusterHost = {
  /** Loads the code that knows Kubernetes; nothing of it is loaded before. */
  readonly load: () => Promise<{
    readonly listContexts: (place: KubeconfigPlace) => ContextList;
  }>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
};

export type Chosen = { readonly port: ClusterPort; readonly namespaces?: readonly string[] };

/** Where the kubeconfig is, as settings, the environment and habit have it. */
export function placeOf(host: ClusterHost): KubeconfigPlace {
  const { kubeconfig } = clusterSettings();
  const proxy: unknown = vscode.workspace.getConfiguration('http').get('proxy');
  const hasOwn = ['HTTPS_PROXY', 'https_proxy'].some((name) => host.env[name] !== undefined);
  return {
    env: {
      ...host.env,
      ...(typeof proxy === 'string' && proxy !== '' && !hasOwn ? { HTTPS_PROXY: proxy } : {}),
    },
    home: host.home,
    ...(kubeconfig === undefined
      ? {}
      : { files: kubeconfig.map((file) => expanded(file, host.home)) }),
  };
}

/** `~/x` from the home folder, and a relative path from the first workspace folder. */
function expanded(file: string, home: string): string {
  if (file.startsWith('~/')) return `${home}${file.slice(1)}`;
  const folder = vscode.workspace.workspaceFolders?.[0];
  const isAbsolute = file.startsWith('/') || /^[A-Za-z]:[\\/]/.test(file);
  return isAbsolute || folder === undefined ? file : vscode.Uri.joinPath(folder.uri, file).fsPath;
}

/** Whether there is a kubeconfig at all; reads files, contacts nothing. */
export async function contextsOf(host: ClusterHost): Promise<ContextList> {
  const { listContexts } = await host.load();
  return listContexts(placeOf(host));
}

/**
 * Lets a person choose a context and say yes to it. Contacts nothing itself.
 *
 * A context that is named is not asked for again; that it will be contacted still is. The files are read once: what is
 * opened is what the person has seen, whatever becomes of the files while they decide.
 */
export async function chooseContext(
  host: ClusterHost,
  given: Consents,
  named?: string,
): Promise<Chosen | undefined> {
  const place = placeOf(host);
  const { listContexts } = await host.load();
  const list = listContexts(place);
  if (!list.ok) {
    await sayProblem(list.problem);
    return undefined;
  }
  if (!(await mayUseKubeconfig(list.files, place, given))) return undefined;
  const { context: set, namespaces } = clusterSettings();
  const wanted = named ?? set;
  if (wanted === undefined && list.problem !== undefined && list.contexts.length === 0) {
    await sayProblem(list.problem);
    return undefined;
  }
  const context =
    wanted === undefined
      ? await pickContext(list.contexts, list.current)
      : (list.contexts.find(({ name }) => name === wanted) ??
        (await missing(wanted, list.contexts)));
  if (context === undefined) return undefined;
  const opened = list.open(context.name);
  if (!opened.ok) {
    await sayProblem(opened.problem);
    return undefined;
  }
  const { port, terms } = opened;
  if (!(await askToConnect(port.context, terms, given))) {
    port.dispose();
    return undefined;
  }
  return { port, ...(namespaces === undefined ? {} : { namespaces }) };
}

async function pickContext(
  contexts: readonly ContextInfo[],
  current: string | undefined,
): Promise<ContextInfo | undefined> {
  const [only] = contexts;
  if (contexts.length === 1) return only;
  const items = contexts
    .map((context) => ({
      label: vscode.l10n.t('Connect to {0} (read-only)', context.name),
      description:
        context.name === current
          ? vscode.l10n.t('{0} · current context', context.server)
          : context.server,
      ...(context.credentialCommand === undefined
        ? {}
        : { detail: vscode.l10n.t('Runs: {0}', context.credentialCommand) }),
      context,
    }))
    .sort((a, b) => Number(b.context.name === current) - Number(a.context.name === current));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Connect to a cluster (read-only)'),
    placeHolder: vscode.l10n.t('Nothing is contacted before you choose'),
    matchOnDescription: true,
  });
  return picked?.context;
}

async function missing(name: string, contexts: readonly ContextInfo[]): Promise<undefined> {
  const others = contexts.map((context) => context.name).join(', ');
  await sayProblem(vscode.l10n.t('Context "{0}" not found; choose one of: {1}', name, others));
  return undefined;
}

async function sayProblem(problem: string): Promise<void> {
  const settings = vscode.l10n.t('Open Settings');
  const answer = await vscode.window.showErrorMessage(
    vscode.l10n.t('Not connected: {0}.', problem.replace(/\.$/, '')),
    settings,
  );
  if (answer === settings) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'kubeBackoff.cluster');
  }
}

/** Asks about every kubeconfig file that the workspace brought, by a setting or by having it. */
async function mayUseKubeconfig(
  files: readonly KubeconfigFile[],
  place: KubeconfigPlace,
  given: Consents,
): Promise<boolean> {
  // The person's own `~/.kube/config` comes with no workspace, not even where that is the home folder.
  if (place.files === undefined && (place.env['KUBECONFIG'] ?? '') === '') return true;
  const isSetByWorkspace = clusterSettings().kubeconfigFrom === 'workspace';
  for (const { file, digest } of files) {
    const uri = vscode.Uri.file(file);
    const isInside = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
    if (!isSetByWorkspace && !isInside) continue;
    const why = isSetByWorkspace ? 'setting' : 'folder';
    if (!(await askAboutWorkspaceKubeconfig(uri, digest, why, given))) return false;
  }
  return true;
}
