import * as vscode from 'vscode';
import type { ContextInfo } from '../cluster/port.ts';

/** What a person has said yes to, once for each content. */
export type Consents = {
  readonly has: (what: string) => boolean;
  readonly give: (what: string) => Promise<void>;
};

const key = 'kubeBackoff.consents';

export function consents(state: vscode.Memento): Consents {
  const given = (): readonly string[] => state.get<readonly string[]>(key, []);
  return {
    has: (what) => given().includes(what),
    give: async (what) => {
      if (!given().includes(what)) await state.update(key, [...given(), what].slice(-500));
    },
  };
}

/** A content in short; another content has another one. */
export async function digest(...contents: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(contents));
  const hash = await crypto.subtle.digest('SHA-256', bytes);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Asks before the first contact with a context: names it, its server, and the command that will run. */
export async function askToConnect(context: ContextInfo, given: Consents): Promise<boolean> {
  const { name, server, credentialCommand } = context;
  const what = await digest('connect', name, server, credentialCommand ?? '');
  if (given.has(what)) return true;
  const runs =
    credentialCommand === undefined
      ? vscode.l10n.t('No credential command runs.')
      : vscode.l10n.t('For credentials, this command runs:\n{0}', credentialCommand);
  const yes = vscode.l10n.t('Connect');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('Connect to {0} (read-only)?', name),
    {
      modal: true,
      detail: [
        vscode.l10n.t('Server: {0}', server),
        runs,
        vscode.l10n.t('Kube Backoff lists and watches what can back off. It changes nothing.'),
      ].join('\n\n'),
    },
    yes,
  );
  if (answer !== yes) return false;
  await given.give(what);
  return true;
}

/** A kubeconfig can run commands, so one that comes with the workspace is asked about once for each content. */
export async function askAboutWorkspaceKubeconfig(
  file: vscode.Uri,
  why: 'setting' | 'folder',
  given: Consents,
): Promise<boolean> {
  let text: string;
  try {
    text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch {
    // That it is not there is said by who reads it next, with the path.
    return true;
  }
  const what = await digest('kubeconfig', file.toString(), text);
  if (given.has(what)) return true;
  const yes = vscode.l10n.t('Use It');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Use the kubeconfig of this workspace?'),
    {
      modal: true,
      detail: [
        why === 'setting'
          ? vscode.l10n.t('A setting of the workspace names {0}.', file.fsPath)
          : vscode.l10n.t('{0} lies in the workspace.', file.fsPath),
        vscode.l10n.t(
          'A kubeconfig can name servers and commands to run. Use it only if you trust who wrote it. You are asked again when it changes.',
        ),
      ].join('\n\n'),
    },
    yes,
  );
  if (answer !== yes) return false;
  await given.give(what);
  return true;
}
