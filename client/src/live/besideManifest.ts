import * as vscode from 'vscode';
import { families } from '../../../engine/families/index.ts';
import type { ResourceRef } from '../../../engine/live.ts';
import { buildRegistry } from '../../../engine/registry.ts';
import { at } from '../cluster/json.ts';
import type { ClusterSession } from '../cluster/sessionTypes.ts';
import type { Editing } from '../editing.ts';
import { languageIds, mayBeManifest } from '../gate.ts';
import type { AnchoredPolicy, AnchoredResource } from '../languageClient.ts';
import { livePolicies } from '../panel/livePolicy.ts';
import { titleOf, type PanelRow } from '../panel/model/panelRow.ts';
import { sentence } from '../panel/model/words.ts';
import { nowOf } from './details.ts';
import { differences, differenceText } from './drift.ts';
import type { Connection, Hub } from './hub.ts';
import { lensText, type OwnRow } from './lensText.ts';
import { toRange } from './manifests.ts';
import { markdownText } from './markdownText.ts';
import { objectScheme } from './objectDocument.ts';
import { freshObject } from './objects.ts';
import { originOf } from './template.ts';

export type BesideManifest = vscode.Disposable & {
  /** Something in the cluster changed; what is shown is worked out again where it differs. */
  readonly changed: () => void;
};

const registry = buildRegistry(families);
// An object that nothing is known of is read once, and again when this has passed and its file is looked at.
const keepFor = 60_000;
const mostRead = 40;

type Read = { readonly since: number; readonly object: unknown };

/** What the cluster says of the objects in a file: above them, and where the mouse is. */
export function besideManifest(parts: {
  readonly hub: Hub;
  readonly editing: Editing;
  /** Something about the cluster is shown beside a manifest, or not any more. */
  readonly looked: (isShown: boolean) => void;
}): BesideManifest {
  const { hub, editing, looked } = parts;
  const lensesChanged = new vscode.EventEmitter<void>();
  const anchors = new Map<
    string,
    { readonly version: number; readonly of: Promise<readonly AnchoredResource[]> }
  >();
  const read = new Map<string, Read | 'reading'>();
  const shown = new Map<string, string>();

  const anchorsOf = (document: vscode.TextDocument): Promise<readonly AnchoredResource[]> => {
    const uri = document.uri.toString();
    const known = anchors.get(uri);
    if (known?.version === document.version) return known.of;
    const of = editing
      .client()
      .then((client) => client?.liveAnchors(uri) ?? [])
      .catch(() => []);
    anchors.set(uri, { version: document.version, of });
    return of;
  };
  const isConcerned = (document: vscode.TextDocument): boolean =>
    hub.connections().length > 0 &&
    document.uri.scheme !== objectScheme &&
    mayBeManifest(document.languageId, document.getText());

  const rowsOf = (resource: AnchoredResource): readonly OwnRow[] =>
    [...hub.rows().values()].flatMap((row): readonly OwnRow[] => {
      const found = hub.find(row.id);
      if (found === undefined) return [];
      const { connection } = found;
      const { session } = connection;
      const ref = found.row.resource;
      const origin = originOf(
        resource,
        ref,
        ancestry(row, session, ref),
        session.snapshot().context.namespace,
      );
      return origin === undefined ? [] : [{ row, origin, now: nowOf(connection) }];
    });

  /** The live object of a manifest; read in the background where the session does not keep it. */
  const objectOf = (connection: Connection, resource: AnchoredResource): unknown => {
    if (resource.resource.name === undefined || resource.generateName !== undefined)
      return undefined;
    const { namespace: own } = connection.session.snapshot().context;
    const namespace = resource.resource.namespace ?? own ?? 'default';
    const ref: ResourceRef = { ...resource.resource, namespace };
    const kept = connection.session.object(ref);
    if (kept !== undefined) return kept;
    const key = JSON.stringify([connection.name, ref]);
    const known = read.get(key);
    if (known === 'reading') return undefined;
    if (known !== undefined && Date.now() - known.since < keepFor) return known.object;
    if (read.size >= mostRead * 10) read.clear();
    read.set(key, 'reading');
    void readObject(connection, ref, key);
    return undefined;
  };
  const readObject = async (connection: Connection, ref: ResourceRef, key: string) => {
    const object = await freshObject(connection, ref);
    read.set(key, { since: Date.now(), object });
    if (object !== undefined) lensesChanged.fire();
  };
  const driftOf = (resource: AnchoredResource, policy: AnchoredPolicy): readonly string[] =>
    hub.connections().flatMap((connection) => {
      const object = objectOf(connection, resource);
      if (object === undefined) return [];
      const live = livePolicies(object, registry, connection.session.snapshot().env);
      const where = hub.connections().length > 1 ? ` (${connection.name})` : '';
      return differences(policy, live).map((one) => `${differenceText(one)}${where}`);
    });

  const lenses: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: lensesChanged.event,
    provideCodeLenses: async (document, token) => {
      if (!isConcerned(document) || !isEnabled(document)) return [];
      const found = await anchorsOf(document);
      if (token.isCancellationRequested) return [];
      const made = found.slice(0, mostRead).flatMap((resource) => lensesOf(resource));
      shown.set(document.uri.toString(), textOf(made));
      return made;
    },
  };
  const lensesOf = (resource: AnchoredResource): vscode.CodeLens[] => {
    const own = rowsOf(resource);
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
      const drift = driftOf(resource, policy);
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
      const text = hoverText(rowsOf(pointed.resource), driftsAt(pointed));
      return text === undefined ? undefined : new vscode.Hover(text, pointed.range);
    },
  };
  const driftsAt = ({ resource, policy }: Pointed): readonly string[] =>
    (policy === undefined ? resource.policies : [policy]).flatMap((one) => driftOf(resource, one));

  const selector = languageIds.map((language) => ({ language }));
  const registrations = [
    vscode.languages.registerCodeLensProvider(selector, lenses),
    vscode.languages.registerHoverProvider(selector, hover),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      anchors.delete(uri.toString());
      shown.delete(uri.toString());
    }),
  ];
  /** Asks for the lenses again only where one of them would read differently. */
  const check = async (): Promise<void> => {
    let isShown = false;
    let isNew = false;
    for (const { document } of vscode.window.visibleTextEditors) {
      if (!isConcerned(document) || !isEnabled(document)) continue;
      const found = await anchorsOf(document);
      const now = textOf(found.slice(0, mostRead).flatMap((resource) => lensesOf(resource)));
      isShown ||= now !== '';
      isNew ||= now !== (shown.get(document.uri.toString()) ?? '');
    }
    looked(isShown);
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
      lensesChanged.dispose();
    },
  };
}

/** What tells where an object comes from; kept with the row, which is another one after each change. */
const ancestries = new WeakMap<PanelRow, unknown>();

function ancestry(row: PanelRow, session: ClusterSession, ref: ResourceRef): unknown {
  const known = ancestries.get(row);
  if (known !== undefined) return known;
  const object = session.object(ref);
  const made = {
    metadata: {
      labels: at(object, 'metadata', 'labels'),
      ownerReferences: at(object, 'metadata', 'ownerReferences'),
    },
  };
  ancestries.set(row, made);
  return made;
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
