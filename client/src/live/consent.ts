import * as vscode from 'vscode';
import type { ContextInfo, Terms, Trust } from '../cluster/port.ts';

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
export async function askToConnect(
  context: ContextInfo,
  terms: Terms,
  given: Consents,
): Promise<boolean> {
  const { name } = context;
  const what = await digest('connect', name, terms.digest);
  if (given.has(what)) return true;
  const yes = vscode.l10n.t('Connect');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('Connect to {0} (read-only)?', name),
    {
      modal: true,
      detail: [
        wayText(context, terms),
        commandText(context, terms),
        vscode.l10n.t('Kube Backoff lists and watches what can back off. It changes nothing.'),
      ].join('\n\n'),
    },
    yes,
  );
  if (answer !== yes) return false;
  await given.give(what);
  return true;
}

/** Whom it contacts, and what makes sure that it is them. */
function wayText({ server }: ContextInfo, { proxy, signsInAt, trust }: Terms): string {
  return [
    vscode.l10n.t('Server: {0}', server),
    ...(proxy === undefined ? [] : [vscode.l10n.t('Proxy: {0}', proxy)]),
    ...(signsInAt === undefined ? [] : [vscode.l10n.t('Signs in at: {0}', signsInAt)]),
    trustText(trust),
  ].join('\n');
}

function trustText(trust: Trust): string {
  switch (trust.kind) {
    case 'kubeconfig':
      return vscode.l10n.t('Its certificate is checked with the CA in the kubeconfig.');
    case 'file':
      return vscode.l10n.t('Its certificate is checked with the CA in {0}.', trust.file);
    case 'machine':
      return vscode.l10n.t('Its certificate is checked with the CAs that VS Code trusts.');
    case 'unchecked':
      return vscode.l10n.t('Its certificate is not checked: the kubeconfig says so.');
    case 'plain':
      return vscode.l10n.t('The connection is not encrypted.');
  }
}

/** The command as it would be typed, with the variables that it is given. */
function commandText({ credentialCommand }: ContextInfo, { credentialEnv }: Terms): string {
  if (credentialCommand === undefined) return vscode.l10n.t('No credential command runs.');
  const variables = credentialEnv.map(({ name, value }) =>
    value === undefined ? vscode.l10n.t('{0} (not shown)', name) : `${name}=${value}`,
  );
  return [
    vscode.l10n.t('For credentials, this command runs:\n{0}', credentialCommand),
    ...(variables.length === 0
      ? []
      : [vscode.l10n.t('with these variables:\n{0}', variables.join('\n'))]),
  ].join('\n');
}

/** A kubeconfig can run commands, so one that comes with the workspace is asked about once for each content. */
export async function askAboutWorkspaceKubeconfig(
  file: vscode.Uri,
  /** Stands for its content as it was read. */
  content: string,
  why: 'setting' | 'folder',
  given: Consents,
): Promise<boolean> {
  const what = await digest('kubeconfig', file.toString(), content);
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
          'A kubeconfig can name servers and commands to run. Use it only if you trust who wrote it. You are asked again when you connect after it has changed.',
        ),
      ].join('\n\n'),
    },
    yes,
  );
  if (answer !== yes) return false;
  await given.give(what);
  return true;
}
