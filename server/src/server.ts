import {
  TextDocumentSyncKind,
  TextDocuments,
  type Connection,
  type InitializeParams,
  type InitializeResult,
  type ServerCapabilities,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { families } from '../../engine/families/index.ts';
import { buildRegistry } from '../../engine/registry.ts';
import type { Client, ClientOptions, Feature } from './feature.ts';
import { codeActions } from './features/codeActions.ts';
import { completion } from './features/completion.ts';
import { diagnostics } from './features/diagnostics.ts';
import { fileStatus } from './features/fileStatus.ts';
import { folderConfiguration } from './features/folderConfiguration.ts';
import { hover } from './features/hover.ts';
import { inlayHints } from './features/inlayHints.ts';
import { liveAnchors } from './features/liveAnchors.ts';
import { createSettingsSource } from './settings.ts';
import { createWorkspace } from './workspace.ts';

/** What differs between Node and a web worker. */
export type Host = {
  readonly version: string;
  readonly pause: () => Promise<void>;
  /** Reads a file that is not open; undefined where there is none or it cannot be read. */
  readonly readFile: (uri: string) => Promise<string | undefined>;
};

const features: readonly Feature[] = [
  diagnostics,
  hover,
  codeActions,
  completion,
  inlayHints,
  fileStatus,
  liveAnchors,
  folderConfiguration,
];

/** Composes the server on a connection; the caller listens. */
export function startServer(connection: Connection, host: Host): void {
  const documents = new TextDocuments(TextDocument);

  connection.onInitialize((params): InitializeResult => {
    const client: Client = { capabilities: params.capabilities, options: optionsOf(params) };
    const settings = createSettingsSource({
      registry: buildRegistry(families),
      connection,
      client,
      folders: (params.workspaceFolders ?? []).map(({ uri }) => uri),
      readFile: host.readFile,
    });
    const workspace = createWorkspace({
      document: (uri) => documents.get(uri),
      uris: () => documents.keys(),
      settings,
      pause: host.pause,
      clock: () => performance.now(),
      failed: ({ doing, error }) => {
        connection.console.error(`The analysis failed while ${doing}: ${error}`);
      },
    });
    documents.onDidChangeContent(({ document }) => {
      workspace.changed(document.uri);
    });
    documents.onDidClose(({ document }) => {
      workspace.close(document.uri);
    });
    const capabilities: ServerCapabilities = {
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
    };
    for (const feature of features) {
      Object.assign(capabilities, feature.capabilities(client));
      feature.register(connection, workspace, client);
    }
    connection.onInitialized(() => {
      settings.watch(() => {
        workspace.settingsChanged();
      });
    });
    return { capabilities, serverInfo: { name: 'kube-backoff', version: host.version } };
  });

  documents.listen(connection);
}

function optionsOf({ initializationOptions }: InitializeParams): ClientOptions {
  const given: unknown = initializationOptions;
  const flag = (name: string): boolean =>
    typeof given === 'object' && given !== null && Reflect.get(given, name) === true;
  return { html: flag('html'), images: flag('images'), readsFiles: flag('readsFiles') };
}
