import * as vscode from 'vscode';
import { formatInstant, instant } from '../../../engine/units.ts';
import { actionsOn } from '../cluster/actions.ts';
import type { HistoryEntry } from '../cluster/sessionTypes.ts';
import type { Editing } from '../editing.ts';
import { statusJson } from '../cluster/statusJson.ts';
import { incidentMarkdown, tableMarkdown } from '../panel/incident.ts';
import type { Detail, Link } from '../panel/model/detail.ts';
import type { FromPanel } from '../panel/model/messages.ts';
import { missingRole, type UnseenName } from '../panel/model/overview.ts';
import { titleOf, type PanelRow } from '../panel/model/panelRow.ts';
import { arrange, everything, mostUrgentFirst } from '../panel/model/table.ts';
import { sentence } from '../panel/model/words.ts';
import type { Consents } from './consent.ts';
import { detailOf, logsCommand, nowOf } from './details.ts';
import type { FoundRow, Hub } from './hub.ts';
import type { Locks } from './locks.ts';
import { showPolicyLine } from './manifests.ts';
import type { ObjectDocuments } from './objectDocument.ts';
import { currentObject, eventsOf, freshObject, readable } from './objects.ts';
import { askToUnlock, runAction } from './runAction.ts';

export type RowCommandParts = {
  readonly hub: Hub;
  readonly locks: Locks;
  readonly documents: ObjectDocuments;
  readonly given: Consents;
  readonly editing: Editing;
  /** Says to a person what was done where the screen does not show it. */
  readonly done: (what: string) => void;
  readonly show: (detail: Detail) => void;
};

export type ConnectionCommands = {
  readonly resume: (name: string) => void;
  readonly disconnect: (name: string) => Promise<void>;
};

type Asked = Exclude<FromPanel, { readonly type: 'ready' | 'select' | 'deselect' }>;

/** What can be asked of one row, from the tree, the panel and a manifest alike. */
export type RowCommands = {
  readonly detail: (id: string) => Detail | undefined;
  readonly selected: (id: string | undefined) => void;
  readonly rowChanged: (id: string) => void;
  readonly asked: (message: Asked, connections: ConnectionCommands) => Promise<void>;
  readonly link: (id: string, link: Link) => Promise<void>;
  readonly unlock: (context: string) => Promise<void>;
  readonly lock: (context: string) => void;
  readonly copyRole: (context: string, unseen: UnseenName) => Promise<void>;
  readonly exportAll: (format: 'json' | 'markdown') => Promise<void>;
};

export function createRowCommands(parts: RowCommandParts): RowCommands {
  const { hub, locks, documents, editing, done, show } = parts;
  let selected: string | undefined;
  let past:
    | { readonly id: string; readonly when: string; readonly entries: readonly HistoryEntry[] }
    | undefined;

  const detail = (id: string): Detail | undefined => {
    const found = hub.find(id);
    if (found === undefined) return undefined;
    return detailOf(found, {
      past: past?.id === id ? past.entries : 'loading',
      blocked: (action) => locks.blocked(found.connection, action),
    });
  };
  const showAgain = (id: string): void => {
    const made = id === selected ? detail(id) : undefined;
    if (made !== undefined) show(made);
  };
  const readPast = async (id: string): Promise<void> => {
    const found = hub.find(id);
    if (found === undefined) return;
    const when = whenOf(found.shown);
    const entries = await found.connection.session.history(found.row.resource);
    if (selected !== id) return;
    past = { id, when, entries };
    showAgain(id);
  };
  const review = async (id: string): Promise<void> => {
    const found = hub.find(id);
    if (found === undefined || locks.isLocked(found.connection.name)) return;
    const { connection, row } = found;
    const actions = actionsOn(connection.session.object(row.resource), nowOf(connection));
    if (await locks.review(connection, actions)) showAgain(id);
  };
  const copy = async (text: string, what: string): Promise<void> => {
    await vscode.env.clipboard.writeText(text);
    vscode.window.setStatusBarMessage(what, 3000);
    done(what);
  };
  const link = async (id: string, which: Link): Promise<void> => {
    const found = hub.find(id);
    if (found === undefined) return;
    const { connection, row, shown } = found;
    const now = nowOf(connection);
    const path = `${row.resource.kind}/${titleOf(shown).replaceAll(' ', '')}`;
    switch (which) {
      case 'sentence':
        return copy(sentence(shown, now), vscode.l10n.t('The sentence is on the clipboard'));
      case 'markdown':
        return copy(
          incidentMarkdown(shown, detail(id), now),
          vscode.l10n.t('The Markdown is on the clipboard'),
        );
      case 'yaml':
        return documents.show(
          connection.name,
          path,
          readable(await freshObject(connection, row.resource)),
        );
      case 'events':
        return documents.show(
          connection.name,
          `${path}/events`,
          await eventsOf(connection, row.resource),
        );
      case 'logs': {
        const context = connection.isDemo ? '' : connection.name;
        const command = logsCommand(row, context);
        return command === undefined
          ? undefined
          : copy(command, vscode.l10n.t('The command is on the clipboard'));
      }
      case 'policy':
        return showPolicyLine(found, editing);
    }
  };
  const act = async (found: FoundRow, id: string): Promise<void> => {
    const { connection, row, shown } = found;
    if (locks.isLocked(connection.name)) return;
    // What was seen last may be old and shortened: the request is built on the object as it is now.
    const current = await currentObject(connection, row.resource);
    const subject = `${shown.kind} ${titleOf(shown)}`;
    if (!current.ok) {
      const said = vscode.l10n.t(
        'Nothing was sent: {0} cannot be read now: {1}',
        subject,
        current.problem,
      );
      void vscode.window.showErrorMessage(said);
      done(said);
      return;
    }
    const action = actionsOn(current.object, nowOf(connection)).find((one) => one.id === id);
    if (action === undefined) return review(shown.id);
    // What was allowed when the row was chosen may not be any more.
    if (await locks.review(connection, [action])) showAgain(shown.id);
    if (locks.blocked(connection, action) !== undefined) return;
    const said = await runAction(connection, action, subject);
    if (said !== undefined) done(said);
  };
  const exportRows = async (
    format: 'json' | 'markdown',
    rows: readonly PanelRow[],
  ): Promise<void> => {
    if (format === 'markdown') {
      const [first] = rows;
      const own = first === undefined ? undefined : hub.connection(first.context);
      const now = own === undefined ? instant(Date.now()) : nowOf(own);
      return copy(tableMarkdown(rows, now), vscode.l10n.t('The table is on the clipboard'));
    }
    const ids = new Set(rows.map(({ id }) => id));
    const contexts = hub.connections().map(({ name, session }) => {
      const snapshot = session.snapshot();
      const own = [...hub.rows().values()].filter((row) => row.context === name && ids.has(row.id));
      return statusJson(
        snapshot,
        own.flatMap(({ id }) => hub.find(id)?.row ?? []),
      );
    });
    await saveJson(contexts.length === 1 ? contexts[0] : contexts, done);
  };
  const unlock = async (context: string): Promise<void> => {
    if (!(await askToUnlock(context))) return;
    locks.set(context, false);
    hub.touch();
    if (selected !== undefined) {
      showAgain(selected);
      await review(selected);
    }
  };
  const lock = (context: string): void => {
    locks.set(context, true);
    hub.touch();
    if (selected !== undefined) showAgain(selected);
  };
  const copyRole = async (context: string, wanted: UnseenName): Promise<void> => {
    const unseen = hub.connection(context)?.session.snapshot().unseen ?? [];
    const role = missingRole(wanted, unseen);
    if (role === undefined) done(vscode.l10n.t('It is not forbidden any more'));
    else await copy(role, vscode.l10n.t('The role is on the clipboard'));
  };

  return {
    detail,
    selected: (id) => {
      selected = id;
      if (id === undefined) return;
      void readPast(id);
      void review(id);
    },
    rowChanged: (id) => {
      const row = id === selected ? hub.rows().get(id) : undefined;
      // An estimate moves on by itself; only what happened is worth a request.
      if (row === undefined || past?.id !== id || past.when === whenOf(row)) return;
      void readPast(id);
      void review(id);
    },
    asked: async (message, connections) => {
      switch (message.type) {
        case 'link':
          return link(message.id, message.link);
        case 'action': {
          const found = hub.find(message.id);
          return found === undefined ? undefined : act(found, message.action);
        }
        case 'export':
          return exportRows(
            message.format,
            message.ids.flatMap((id) => hub.rows().get(id) ?? []),
          );
        case 'role':
          return copyRole(message.name, message);
        case 'context':
          switch (message.does) {
            case 'resume':
              return connections.resume(message.name);
            case 'disconnect':
              return connections.disconnect(message.name);
            case 'unlock':
              return unlock(message.name);
            case 'lock':
              return lock(message.name);
          }
      }
    },
    link,
    unlock,
    lock,
    copyRole,
    exportAll: (format) =>
      exportRows(format, arrange(hub.rows().values(), everything, mostUrgentFirst)),
  };
}

/** Changes with everything that adds to an object's past. */
const whenOf = ({ group, retry, failures, lastFailureAt }: PanelRow): string =>
  JSON.stringify([group, retry, failures, lastFailureAt]);

async function saveJson(value: unknown, done: (what: string) => void): Promise<void> {
  const name = `kube-backoff-${formatInstant(instant(Date.now())).slice(0, 19).replaceAll(':', '-')}.json`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
    filters: { JSON: ['json'] },
    title: vscode.l10n.t('Export as JSON'),
  });
  if (target === undefined) return;
  const text = `${JSON.stringify(value, undefined, 2)}\n`;
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  done(vscode.l10n.t('Exported to {0}', target.fsPath));
  await vscode.window.showTextDocument(target, { preview: true });
}
