import * as vscode from 'vscode';
import { systemClock } from '../cluster/clock.ts';
import { isFromPanel } from './model/messages.ts';
import { panelFeed, type Page, type PanelFeed, type PanelSource } from './panelFeed.ts';
import { panelHtml, panelType, randomNonce } from './panelHtml.ts';

export type PanelEvents = Pick<Page, 'asked' | 'selected'> & {
  /** The panel is on the screen, or not any more. */
  readonly visible: (isVisible: boolean) => void;
};

export type Panel = vscode.Disposable &
  Pick<PanelFeed, 'patch' | 'contexts' | 'detail' | 'done'> & {
    /** Opens the panel, or brings it to the front; with a row, selects it. */
    readonly open: (id?: string) => void;
    /** Takes over a panel that the editor restored. */
    readonly adopt: (webview: vscode.WebviewPanel) => void;
  };

/** The table and details in the editor area: one panel, made when it is first asked for. */
export function createPanel(
  extensionUri: vscode.Uri,
  source: PanelSource,
  events: PanelEvents,
): Panel {
  let panel: vscode.WebviewPanel | undefined;
  const feed = panelFeed(
    source,
    {
      ...events,
      tell: (message) => {
        if (panel?.visible !== true) return;
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the editor's own, which has no origin
        void panel.webview.postMessage(message);
      },
    },
    systemClock,
  );
  const adopt = (made: vscode.WebviewPanel): void => {
    panel = made;
    const { webview } = made;
    const dist = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    made.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'media', 'panel-light.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'media', 'panel-dark.svg'),
    };
    webview.onDidReceiveMessage((message: unknown) => {
      if (isFromPanel(message)) feed.take(message);
    });
    made.onDidChangeViewState(() => {
      // A page that was hidden is built anew, and says so.
      if (!made.visible) feed.left();
      events.visible(made.visible);
    });
    made.onDidDispose(() => {
      panel = undefined;
      feed.left();
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
      if (panel === undefined) {
        adopt(
          vscode.window.createWebviewPanel(
            panelType,
            'Kube Backoff',
            { viewColumn: vscode.ViewColumn.Active },
            {},
          ),
        );
      } else panel.reveal(undefined, id !== undefined);
      if (id !== undefined) feed.select(id);
    },
    adopt,
    patch: feed.patch,
    contexts: feed.contexts,
    detail: feed.detail,
    done: feed.done,
    dispose: () => {
      feed.dispose();
      panel?.dispose();
    },
  };
}
