import * as vscode from 'vscode';
import { requestText, type Action } from '../cluster/actions.ts';
import { isProduction } from './contextLines.ts';
import type { Connection } from './hub.ts';

/**
 * Shows the exact request and what it does, asks once, and sends it.
 *
 * Returns what to say to the person; nothing where they changed their mind.
 */
export async function runAction(
  connection: Connection,
  action: Action,
  subject: string,
): Promise<string | undefined> {
  const { title, effect, request } = action;
  const yes = vscode.l10n.t('Send This Request');
  const where = isProduction(connection.name)
    ? vscode.l10n.t('{0} (production)', connection.name)
    : connection.name;
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('{0}: {1} in {2}?', title, subject, where),
    { modal: true, detail: `${effect}\n\n${requestText(request)}` },
    yes,
  );
  if (answer !== yes) return undefined;
  const result = await connection.port.request(request);
  if (result.ok) return vscode.l10n.t('Done: {0}, {1}', title, subject);
  const { failure } = result;
  const why =
    failure.kind === 'conflict'
      ? vscode.l10n.t('the object has changed meanwhile; look at it again, then repeat')
      : failure.detail;
  const text = vscode.l10n.t('{0} was not done: {1}', title, why);
  void vscode.window.showErrorMessage(text);
  return text;
}

/** Asks before actions can be used in a context: it names the context, and says for how long. */
export async function askToUnlock(context: string): Promise<boolean> {
  const yes = vscode.l10n.t('Unlock Actions');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Unlock actions in {0}?', context),
    {
      modal: true,
      detail: vscode.l10n.t(
        'Until this window is closed or you lock it again, actions that change objects of this cluster can be used. Each of them still shows its request and asks.',
      ),
    },
    yes,
  );
  return answer === yes;
}
