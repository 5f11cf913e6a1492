import * as vscode from 'vscode';
import { instant } from '../../../engine/units.ts';
import type { SessionSnapshot } from '../cluster/sessionTypes.ts';
import type { PanelRow } from '../panel/model/panelRow.ts';
import { statusText } from './statusText.ts';

export type StatusBar = vscode.Disposable & {
  readonly show: (
    snapshots: readonly SessionSnapshot[],
    rows: Iterable<PanelRow>,
    isPaused: boolean,
  ) => void;
};

/** One item, which is not there before a person connects. */
export function statusBar(): StatusBar {
  let item: vscode.StatusBarItem | undefined;
  return {
    show: (snapshots, rows, isPaused) => {
      const said = statusText(snapshots, rows, isPaused, instant(Date.now()));
      if (said === undefined) {
        item?.hide();
        return;
      }
      if (item === undefined) {
        item = vscode.window.createStatusBarItem(
          'kubeBackoff.live',
          vscode.StatusBarAlignment.Left,
          10,
        );
        item.name = 'Kube Backoff';
        item.command = 'kubeBackoff.openPanel';
      }
      item.text = said.text;
      item.tooltip = said.tooltip;
      item.accessibilityInformation = { label: said.spoken, role: 'button' };
      item.show();
    },
    dispose: () => {
      item?.dispose();
    },
  };
}
