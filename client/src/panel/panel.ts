import * as vscode from 'vscode';
import type { Detail } from './model/detail.ts';
import { isFromPanel, type ContextLine, type FromPanel, type ToPanel } from './model/messages.ts';
import type { PanelRow } from './model/panelRow.ts';
import { panelHtml, randomNonce } from './panelHtml.ts';

export const panelType = 'kubeBackoff.panel';

/** What the panel shows; the rest of the extension has it. */
export type PanelSource = {
  readonly rows: () => Iterable<PanelRow>;
  readonly contexts: () => readonly ContextLine[];
  readonly detail: (id: string) => Detail | undefined;
};

export type PanelEvents = {
  /** The panel is on the screen, or not any more. */
  readonly visible: (isVisible: boolean) => void;
  readonly asked: (
    message: Exclude<FromPanel, { readonly type: 'ready' | 'select' | 'deselect' }>,
  ) => void;
  readonly selected: (id: string | undefined) => void;
};

export type Panel = vscode.Disposable & {
  /** Opens the panel, or brings it to the front; with a row, selects it. */
  readonly open: (id?: string) => void;
  /** Takes over a panel that the editor restored. */
  readonly adopt: (webview: vscode.WebviewPanel) => void;
  readonly patch: (changed: readonly PanelRow[], removed: readonly string[]) => void;
  readonly contexts: () => void;
  readonly detail: (detail: Detail) => void;
  readonly done: (what: string) => void;
};

// A message per update would be more than anybody can see; this gathers what comes in between.
const gathering = 100;

/** The table and details in the editor area: one panel, made when it is first asked for. */
export function createPanel(
  extensionUri: vscode.Uri,
  source: PanelSource,
  events: PanelEvents,
): Panel {
  let panel: vscode.WebviewPanel | undefined;
  let isReady = false;
  let wanted: string | undefined;
  let selected: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = new Map<string, PanelRow>();
  const removed = new Set<string>();
  let contextsChanged = false;

  const tell = (message: ToPanel): void => {
    // What is told to a hidden panel is lost: it asks for everything when it comes back.
    if (panel?.visible !== true || !isReady) return;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the editor's own, which has no origin
    void panel.webview.postMessage(message);
  };
  const tellAll = (): void => {
    changed.clear();
    removed.clear();
    contextsChanged = false;
    tell({ type: 'all', rows: [...source.rows()], contexts: source.contexts() });
    if (wanted !== undefined) tell({ type: 'select', id: wanted });
    wanted = undefined;
  };
  const flush = (): void => {
    timer = undefined;
    if (changed.size + removed.size > 0) {
      tell({ type: 'patch', changed: [...changed.values()], removed: [...removed] });
    }
    if (contextsChanged) tell({ type: 'contexts', contexts: source.contexts() });
    const detail =
      selected !== undefined && changed.has(selected) ? source.detail(selected) : undefined;
    if (detail !== undefined) tell({ type: 'detail', detail });
    changed.clear();
    removed.clear();
    contextsChanged = false;
  };
  const flushSoon = (): void => {
    timer ??= setTimeout(flush, gathering);
  };
  const take = (message: FromPanel): void => {
    switch (message.type) {
      case 'ready':
        isReady = true;
        tellAll();
        return;
      case 'select': {
        selected = message.id;
        const detail = source.detail(message.id);
        if (detail !== undefined) tell({ type: 'detail', detail });
        events.selected(message.id);
        return;
      }
      case 'deselect':
        selected = undefined;
        events.selected(undefined);
        return;
      default:
        events.asked(message);
    }
  };
  const adopt = (made: vscode.WebviewPanel): void => {
    panel = made;
    isReady = false;
    const { webview } = made;
    const dist = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    made.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'media', 'panel-light.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'media', 'panel-dark.svg'),
    };
    webview.onDidReceiveMessage((message: unknown) => {
      if (isFromPanel(message)) take(message);
    });
    made.onDidChangeViewState(() => {
      // A page that was hidden is built anew, and says so.
      if (!made.visible) isReady = false;
      events.visible(made.visible);
    });
    made.onDidDispose(() => {
      panel = undefined;
      isReady = false;
      events.visible(false);
    });
    webview.html = panelHtml({
      script: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'panel.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'panel.css')).toString(),
      cspSource: webview.cspSource,
      nonce: randomNonce(),
      language: vscode.env.language,
    });
    events.visible(made.visible);
  };

  return {
    open: (id) => {
      wanted = id;
      if (panel === undefined) {
        adopt(
          vscode.window.createWebviewPanel(
            panelType,
            'Kube Backoff',
            { viewColumn: vscode.ViewColumn.Active },
            {},
          ),
        );
        return;
      }
      panel.reveal(undefined, id !== undefined);
      if (id !== undefined && isReady && panel.visible) {
        tell({ type: 'select', id });
        wanted = undefined;
      }
    },
    adopt,
    patch: (rows, gone) => {
      for (const row of rows) {
        changed.set(row.id, row);
        removed.delete(row.id);
      }
      for (const id of gone) {
        changed.delete(id);
        removed.add(id);
      }
      flushSoon();
    },
    contexts: () => {
      contextsChanged = true;
      flushSoon();
    },
    detail: (detail) => {
      tell({ type: 'detail', detail });
    },
    done: (what) => {
      tell({ type: 'done', what });
    },
    dispose: () => {
      clearTimeout(timer);
      panel?.dispose();
    },
  };
}
