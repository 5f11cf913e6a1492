import { homedir } from 'node:os';
import type * as vscode from 'vscode';
import { ms } from '../../engine/units.ts';
import { activateEditing } from './editing.ts';
import { activateLive } from './live/activateLive.ts';

/** The extension in a desktop or remote host. Composition only. */
export function activate(context: vscode.ExtensionContext): void {
  const editing = activateEditing(context, {
    createClient: async (options) => {
      const { createNodeClient } = await import('./nodeClient.ts');
      return createNodeClient(context, options);
    },
  });
  const first = process.env['KUBE_BACKOFF_START'];
  // Tests do not wait for minutes until nobody looks any more.
  const patience = Number(process.env['KUBE_BACKOFF_PATIENCE_MS'] ?? '');
  activateLive(context, editing, {
    ...(first === undefined ? {} : { first }),
    ...(patience > 0 ? { patience: ms(patience) } : {}),
    load: () => import('./live/liveHalf.ts'),
    cluster: {
      load: () => import('./cluster/kubernetesPort.ts'),
      env: process.env,
      home: homedir(),
    },
  });
}
