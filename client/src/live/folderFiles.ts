import * as vscode from 'vscode';
import type { Editing } from '../editing.ts';
import type { FolderFile } from './stated.ts';

const fileName = '.kube-backoff.yaml';

/** The configuration files of the workspace's folders; the language server is started only where there is one. */
export async function folderFiles(editing: Editing): Promise<readonly FolderFile[]> {
  const found: FolderFile[] = [];
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    if (!(await isThere(vscode.Uri.joinPath(uri, fileName)))) continue;
    const client = await editing.client();
    const says = await client?.folderConfiguration(uri.toString());
    if (says !== undefined) found.push({ folder: uri.toString(), says });
  }
  return found;
}

/** Runs whenever such a file may say something else. */
export function onFolderFiles(editing: Editing, run: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(`**/${fileName}`);
  return vscode.Disposable.from(
    watcher,
    watcher.onDidCreate(run),
    watcher.onDidDelete(run),
    // A changed file is read by the server first, which then tells.
    editing.onConfigurationChanged(run),
    vscode.workspace.onDidChangeWorkspaceFolders(run),
  );
}

async function isThere(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    // Most folders have none.
    return false;
  }
}
