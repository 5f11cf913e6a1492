import * as vscode from 'vscode';
import { LanguageClient, type LanguageClientOptions } from 'vscode-languageclient/browser';
import { languageClient, type EditingClient } from './languageClient.ts';

/** The language client to the server in a web worker. */
export function createWebClient(
  context: vscode.ExtensionContext,
  options: LanguageClientOptions,
): EditingClient {
  const script = vscode.Uri.joinPath(context.extensionUri, 'dist/web/server.js');
  const worker = new Worker(script.toString(true));
  return languageClient(new LanguageClient('kubeBackoff', 'Kube Backoff', worker, options));
}
