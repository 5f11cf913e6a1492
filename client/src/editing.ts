import * as vscode from 'vscode';
import type { LanguageClientOptions } from 'vscode-languageclient';
import type { Environment } from '../../engine/environment.ts';
import { version } from '../../engine/project.ts';
import { languageIds, mayBeManifest } from './gate.ts';
import type { EditingClient } from './languageClient.ts';
import { languageStatus } from './languageStatus.ts';

export type EditingHost = {
  readonly createClient: (options: LanguageClientOptions) => Promise<EditingClient>;
};

/** What the rest of the extension may ask of the editing half. */
export type Editing = {
  readonly log: vscode.LogOutputChannel;
  /** The language client; starts it where no manifest did yet. */
  readonly client: () => Promise<EditingClient | undefined>;
  /** Has manifests read with what a connected cluster shows of versions, flags and gates; what is set wins over it. */
  readonly detected: (found: Environment) => void;
  /** A configuration file or a setting is another one, and the server knows. */
  readonly onConfigurationChanged: vscode.Event<void>;
};

/** What a cluster shows, in the form of the settings of the same names. */
type Detected = Readonly<Record<string, Readonly<Record<string, string | boolean>>>>;

/**
 * The editing half: starts the language server with the first document that looks like a manifest.
 *
 * Contacts nothing but its own server, so it also works in untrusted and virtual workspaces.
 */
export function activateEditing(context: vscode.ExtensionContext, host: EditingHost): Editing {
  const log = vscode.window.createOutputChannel('Kube Backoff', { log: true });
  const status = languageStatus();
  let starting: Promise<EditingClient | undefined> | undefined;
  let shown: Detected = {};
  const configurationChanged = new vscode.EventEmitter<void>();
  const told = (): void => {
    configurationChanged.fire();
  };

  const start = (): Promise<EditingClient | undefined> => {
    starting ??= startClient(host, log, () => shown, told).catch((error: unknown) => {
      log.error(`The language server did not start: ${String(error)}`);
      status.failed(String(error));
      return undefined;
    });
    return starting;
  };
  const consider = (document: vscode.TextDocument): void => {
    if (starting === undefined && mayBeManifest(document.languageId, document.getText())) {
      void start().then(() => refresh());
    }
  };
  const refresh = async (): Promise<void> => {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined || starting === undefined) return;
    const client = await starting;
    const found = await client?.fileStatus(document.uri.toString());
    if (found !== undefined) status.show(found);
  };
  const restart = async (): Promise<void> => {
    const client = await starting;
    await client?.stop();
    starting = undefined;
    await start();
    await refresh();
  };

  const detected = (found: Environment): void => {
    const next = {
      versions: Object.fromEntries(found.versions),
      controllers: Object.fromEntries(found.controllers),
      featureGates: Object.fromEntries(found.gates),
    };
    if (JSON.stringify(next) === JSON.stringify(shown)) return;
    shown = next;
    void rejudge();
  };
  const rejudge = async (): Promise<void> => {
    const client = await starting;
    await client?.settingsChanged();
    await refresh();
  };

  context.subscriptions.push(
    log,
    status,
    configurationChanged,
    vscode.workspace.onDidOpenTextDocument(consider),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      consider(document);
      if (document === vscode.window.activeTextEditor?.document) later(refresh);
    }),
    vscode.window.onDidChangeActiveTextEditor(() => {
      later(refresh);
    }),
    vscode.commands.registerCommand('kubeBackoff.showLog', () => {
      log.show();
    }),
    vscode.commands.registerCommand('kubeBackoff.restartServer', restart),
    vscode.commands.registerCommand('kubeBackoff.setVersions', () =>
      vscode.commands.executeCommand('workbench.action.openSettings', 'kubeBackoff.versions'),
    ),
    new vscode.Disposable(() => {
      void starting?.then((client) => client?.stop());
    }),
  );
  for (const document of vscode.workspace.textDocuments) consider(document);
  return {
    log,
    client: start,
    detected,
    onConfigurationChanged: configurationChanged.event,
  };
}

async function startClient(
  host: EditingHost,
  log: vscode.LogOutputChannel,
  shown: () => Detected,
  configurationChanged: () => void,
): Promise<EditingClient> {
  const client = await host.createClient({
    documentSelector: languageIds.map((language) => ({ language })),
    outputChannel: log,
    traceOutputChannel: log,
    synchronize: {
      configurationSection: 'kubeBackoff',
      fileEvents: vscode.workspace.createFileSystemWatcher('**/.kube-backoff.{yaml,yml}'),
    },
    middleware: {
      workspace: {
        configuration: async (parameters, token, next) => {
          const sections: unknown = await next(parameters, token);
          if (!Array.isArray(sections)) return [];
          const detected = shown();
          return sections.map((section: unknown) =>
            typeof section === 'object' ? { ...section, detected } : section,
          );
        },
      },
    },
    initializationOptions: { html: true, images: true, readsFiles: true },
    markdown: { supportHtml: true },
    diagnosticPullOptions: { onChange: true, onTabs: true, onFocus: true },
  });
  client.answerReads(readText);
  client.onConfigurationChanged(configurationChanged);
  await client.start();
  log.info(`Kube Backoff ${version}: the language server runs. ${settingsLine()}`);
  return client;
}

/** The settings that differ from their defaults, for a report of a fault. */
function settingsLine(): string {
  const names = ['versions', 'severity', 'systems', 'controllers', 'featureGates'];
  const settings = vscode.workspace.getConfiguration('kubeBackoff');
  const set = names.flatMap((name) => {
    const value: unknown = settings.get(name);
    const text = JSON.stringify(value ?? {});
    return text === '{}' ? [] : [`${name} ${text}`];
  });
  return set.length === 0 ? 'All settings have their defaults.' : `Set: ${set.join('; ')}`;
}

/** The server asks for configuration files, which may lie in a virtual workspace. */
async function readText(uri: string): Promise<string | undefined> {
  try {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.parse(uri, true));
    return new TextDecoder().decode(bytes);
  } catch {
    // Most folders have no configuration file: its absence is the normal case.
    return undefined;
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Runs once things have been quiet for a moment. */
function later(run: () => Promise<void>): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    void run();
  }, 400);
}
