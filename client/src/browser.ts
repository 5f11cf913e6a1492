import type * as vscode from 'vscode';
import { activateEditing } from './editing.ts';
import { activateLive } from './live/activateLive.ts';
import { createWebClient } from './webClient.ts';

/** The extension in a web host, where there is no Node and no cluster. Composition only. */
export function activate(context: vscode.ExtensionContext): void {
  const editing = activateEditing(context, {
    createClient: (options) => Promise.resolve(createWebClient(context, options)),
  });
  activateLive(context, editing, {});
}
