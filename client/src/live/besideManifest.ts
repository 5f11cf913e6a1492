import * as vscode from 'vscode';
import type { Editing } from '../editing.ts';
import { languageIds, mayBeManifest } from '../gate.ts';
import type { AnchoredPolicy, AnchoredResource } from '../languageClient.ts';
import { titleOf } from '../panel/model/panelRow.ts';
import { sentence } from '../panel/model/words.ts';
import { anchorCache } from './anchorCache.ts';
import { besideObjects, type Look } from './besideObjects.ts';
import type { Hub } from './hub.ts';
import { lensText, type OwnRow } from './lensText.ts';
import { manifestLooks } from './manifestLooks.ts';
import { toRange } from './manifests.ts';
import { markdownText } from './markdownText.ts';
import { objectScheme } from './objectDocument.ts';

export type BesideManifest = vscode.Disposable & {
  /** Something in the cluster changed; what is shown is worked out again where it differs. */
  readonly changed: () => void;
};

// What stands beside more objects than anybody looks at would cost more than it tells.
const mostObjects = 40;

/** What the cluster says of the objects in a file: above them, and where the mouse is. */
export function besideManifest(parts: {
  readonly hub: Hub;
  readonly editing: Editing;
  /** A manifest counts as a look at the cluster, or not any more. */
  readonly looked: (isLooked: boolean) => void;
  readonly isPaused: () => boolean;
}): BesideManifest {
  const { hub, editing, looked, isPaused } = parts;
  const lensesChanged = new vscode.EventEmitter<void>();
  const anchors = anchorCache(async (uri) => (await editing.client())?.liveAnchors(uri));
  const shown = new Map<string, string>();
  const beside = besideObjects({
    hub,
    now: () => Date.now(),
    isPaused,
    changed: () => {
      lensesChanged.fire();
    },
  });

  const anchorsOf = (document: vscode.TextDocument): Promise<readonly AnchoredResource[]> =>
    anchors.of(document.uri.toString(), document.version);
  const isConcerned = (document: vscode.TextDocument): boolean =>
    hub.connections().length > 0 &&
    document.uri.scheme !== objectScheme &&
    mayBeManifest(document.languageId, document.getText());

  const lenses: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: lensesChanged.event,
    provideCodeLenses: async (document, token) => {
      if (!isConcerned(document) || !isEnabled(document)) return [];
      const found = await anchorsOf(document);
      if (token.isCancellationRequested) return [];
      const made = lensesIn(found);
      shown.set(document.uri.toString(), textOf(made));
      return made;
    },
  };
  const lensesIn = (found: readonly AnchoredResource[]): vscode.CodeLens[] => {
    const look = beside.look();
    return found.slice(0, mostObjects).flatMap((resource) => lensesOf(resource, look));
  };
  const lensesOf = (resource: AnchoredResource, look: Look): vscode.CodeLens[] => {
    const own = look.rowsOf(resource);
    const text = lensText(own);
    const made: vscode.CodeLens[] = [];
    const [first] = resource.at;
    if (text !== undefined && first !== undefined) {
      made.push(
        new vscode.CodeLens(toRange(first), {
          title: text,
          command: 'kubeBackoff.openPanel',
          arguments: own.slice(0, 1).map(({ row }) => row.id),
        }),
      );
    }
    for (const policy of resource.policies) {
      const drift = look.driftOf(resource, policy);
      if (drift.length === 0) continue;
      made.push(
        new vscode.CodeLens(toRange(policy.at), {
          title: `Differs from the cluster: ${drift.join('; ')}`,
          command: 'kubeBackoff.openPanel',
          arguments: own.slice(0, 1).map(({ row }) => row.id),
        }),
      );
    }
    return made;
  };
  const hover: vscode.HoverProvider = {
    provideHover: async (document, position, token) => {
      if (!isConcerned(document)) return undefined;
      const found = await anchorsOf(document);
      if (token.isCancellationRequested) return undefined;
      const pointed = pointedAt(found, position);
      if (pointed === undefined) return undefined;
      const look = beside.look();
      const text = hoverText(look.rowsOf(pointed.resource), driftsAt(pointed, look));
      return text === undefined ? undefined : new vscode.Hover(text, pointed.range);
    },
  };
  const driftsAt = ({ resource, policy }: Pointed, look: Look): readonly string[] =>
    (policy === undefined ? resource.policies : [policy]).flatMap((one) =>
      look.driftOf(resource, one),
    );

  const selector = languageIds.map((language) => ({ language }));
  const registrations = [
    vscode.languages.registerCodeLensProvider(selector, lenses),
    vscode.languages.registerHoverProvider(selector, hover),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      anchors.forget(uri.toString());
      shown.delete(uri.toString());
    }),
  ];
  const looks = manifestLooks();
  /** Asks for the lenses again only where one of them would read differently. */
  const check = async (): Promise<void> => {
    const onScreen = new Map<string, string>();
    for (const { document } of vscode.window.visibleTextEditors) {
      if (!isConcerned(document) || !isEnabled(document)) continue;
      const found = await anchorsOf(document);
      if (found.length > 0) onScreen.set(document.uri.toString(), textOf(lensesIn(found)));
    }
    looked(looks(onScreen));
    const isNew = [...onScreen].some(([uri, text]) => text !== (shown.get(uri) ?? ''));
    if (isNew) lensesChanged.fire();
  };
  const timer = setInterval(() => {
    if (hub.connections().length > 0) void check();
  }, 1000);
  let wasConnected = false;
  return {
    changed: () => {
      const isConnected = hub.connections().length > 0;
      if (isConnected !== wasConnected) lensesChanged.fire();
      wasConnected = isConnected;
    },
    dispose: () => {
      clearInterval(timer);
      for (const one of registrations) one.dispose();
      beside.dispose();
      lensesChanged.dispose();
    },
  };
}

const isEnabled = (document: vscode.TextDocument): boolean =>
  vscode.workspace.getConfiguration('kubeBackoff', document).get('codeLens.enabled') !== false;

const textOf = (lenses: readonly vscode.CodeLens[]): string =>
  lenses
    .map(({ range, command }) => `${String(range.start.line)}:${command?.title ?? ''}`)
    .join('\n');

type Pointed = {
  readonly resource: AnchoredResource;
  readonly policy?: AnchoredPolicy;
  readonly range: vscode.Range;
};

/** The object whose kind or name the position is on, or one of whose policies it is in. */
function pointedAt(
  resources: readonly AnchoredResource[],
  position: vscode.Position,
): Pointed | undefined {
  for (const resource of resources) {
    if (!toRange(resource.range).contains(position)) continue;
    for (const one of resource.at) {
      const range = toRange(one);
      if (range.contains(position)) return { resource, range };
    }
    for (const policy of resource.policies) {
      const range = toRange(policy.block);
      if (range.contains(position) || toRange(policy.at).contains(position)) {
        return { resource, policy, range };
      }
    }
  }
  return undefined;
}

function hoverText(
  own: readonly OwnRow[],
  drift: readonly string[],
): vscode.MarkdownString | undefined {
  if (own.length + drift.length === 0) return undefined;
  const text = new vscode.MarkdownString();
  text.isTrusted = { enabledCommands: ['kubeBackoff.openPanel'] };
  for (const { row, now, origin } of own.slice(0, 3)) {
    text.appendMarkdown('**In the cluster:** ');
    text.appendMarkdown(
      markdownText(`${origin === 'same' ? '' : `${titleOf(row)}: `}${sentence(row, now)}`),
    );
    const link = encodeURIComponent(JSON.stringify([row.id]));
    text.appendMarkdown(` [Show](command:kubeBackoff.openPanel?${link})\n\n`);
  }
  if (own.length > 3) text.appendMarkdown(`${String(own.length - 3)} more.\n\n`);
  if (drift.length > 0) {
    text.appendMarkdown('**Differs from the cluster:** ');
    text.appendMarkdown(markdownText(`${drift.join('; ')}.`));
  }
  return text;
}
