import type * as vscode from 'vscode';
import { activateEditing } from './editing.ts';

/** The extension in a desktop or remote host. Composition only. */
export function activate(context: vscode.ExtensionContext): void {
  activateEditing(context, {
    createClient: async (options) => {
      const { createNodeClient } = await import('./nodeClient.ts');
      return createNodeClient(context, options);
    },
  });
}
