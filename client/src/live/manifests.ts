import * as vscode from 'vscode';
import type { Editing } from '../editing.ts';
import { mayBeManifest } from '../gate.ts';
import type { AnchoredPolicy, AnchoredResource, Range } from '../languageClient.ts';
import type { FoundRow } from './hub.ts';
import { originOf } from './template.ts';

export const toRange = ({ start, end }: Range): vscode.Range =>
  new vscode.Range(start.line, start.character, end.line, end.character);

// Enough for any repository of manifests; beyond it, opening the file shows the same.
const mostFiles = 3000;

/** Opens the line of the workspace that sets a row's policy, or says that there is none. */
export async function showPolicyLine(found: FoundRow, editing: Editing): Promise<void> {
  const place = await vscode.window.withProgress(
    {
      location: { viewId: 'kubeBackoff.overview' },
      title: vscode.l10n.t('Looking for the manifest'),
    },
    () => policyPlace(found, editing),
  );
  if (place === undefined) {
    await vscode.window.showInformationMessage(
      vscode.l10n.t(
        'No manifest of this workspace has {0} {1}. Open the folder that has it, or look at the object as YAML.',
        found.row.resource.kind,
        found.row.resource.name ?? '',
      ),
    );
    return;
  }
  const { uri, range } = place;
  await vscode.window.showTextDocument(uri, { selection: range, preview: true });
}

async function policyPlace(
  found: FoundRow,
  editing: Editing,
): Promise<{ readonly uri: vscode.Uri; readonly range: vscode.Range } | undefined> {
  const { connection, row } = found;
  const object = connection.session.object(row.resource);
  const ownNamespace = connection.session.snapshot().context.namespace;
  const files = await vscode.workspace.findFiles(
    '**/*.{yaml,yml,json}',
    '**/{node_modules,.git}/**',
    mostFiles,
  );
  const client = await editing.client();
  for (const uri of files) {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    if (!mayBeManifest('yaml', text) || !mayHold(text, row.resource.name ?? '')) continue;
    // The server knows open documents only; opening one does not show it.
    await vscode.workspace.openTextDocument(uri);
    const anchors = (await client?.liveAnchors(uri.toString())) ?? [];
    const own = anchors.find(
      (anchor) => originOf(anchor, row.resource, object, ownNamespace) !== undefined,
    );
    if (own !== undefined) return { uri, range: toRange(lineOf(own, row) ?? own.range) };
  }
  return undefined;
}

/** A name is written whole, or its front in a template that it was made from. */
function mayHold(text: string, name: string): boolean {
  for (let part = name; part !== ''; part = part.slice(0, part.lastIndexOf('-'))) {
    if (text.includes(part)) return true;
    if (!part.includes('-')) return false;
  }
  return false;
}

function lineOf(
  { policies, at }: AnchoredResource,
  { family, part }: FoundRow['row'],
): Range | undefined {
  const own = policies.filter((policy) => policy.family === family);
  const isOfPart = ({ names }: AnchoredPolicy): boolean =>
    part !== undefined && names.some((name) => part === name || part.startsWith(`${name}(`));
  return (own.find(isOfPart) ?? own[0])?.at ?? at[0];
}
