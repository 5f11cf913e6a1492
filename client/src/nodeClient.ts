import type * as vscode from 'vscode';
import {
  LanguageClient,
  TransportKind,
  type LanguageClientOptions,
} from 'vscode-languageclient/node';
import { languageClient, type EditingClient } from './languageClient.ts';

/** The language client over IPC to the server's own process. A bundle of its own, loaded on first use. */
export function createNodeClient(
  context: vscode.ExtensionContext,
  options: LanguageClientOptions,
): EditingClient {
  const module = context.asAbsolutePath('dist/server/main.cjs');
  const client = new LanguageClient(
    'kubeBackoff',
    'Kube Backoff',
    {
      run: { module, transport: TransportKind.ipc },
      debug: { module, transport: TransportKind.ipc, options: { execArgv: ['--inspect=6017'] } },
    },
    options,
  );
  return languageClient(client);
}
