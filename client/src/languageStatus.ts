import * as vscode from 'vscode';
import { languageIds } from './gate.ts';
import type { FileStatus } from './languageClient.ts';

export type LanguageStatus = vscode.Disposable & {
  readonly show: (status: FileStatus) => void;
  readonly failed: (reason: string) => void;
};

/** The language status item: how many policies the file holds, and for which versions they are computed. */
export function languageStatus(): LanguageStatus {
  const item = vscode.languages.createLanguageStatusItem(
    'kubeBackoff.status',
    languageIds.map((language) => ({ language })),
  );
  item.name = 'Kube Backoff';
  item.text = vscode.l10n.t('Kube Backoff');
  item.detail = vscode.l10n.t('Starts with the first manifest');
  return {
    show: ({ policies, families, systems }) => {
      item.severity = vscode.LanguageStatusSeverity.Information;
      item.text =
        policies === 1
          ? vscode.l10n.t('1 retry policy')
          : vscode.l10n.t('{0} retry policies', policies);
      const versions = systems.map(({ title, version, from }) => {
        switch (from) {
          case 'stated':
            return `${title} ${version}`;
          case 'detected':
            return vscode.l10n.t("{0} {1} (the connected cluster's)", title, version);
          case 'assumed':
            return vscode.l10n.t('{0} {1} (assumed)', title, version);
        }
      });
      item.detail =
        versions.length === 0
          ? vscode.l10n.t('{0} policy families watch this file', families)
          : versions.join(', ');
      item.command = {
        title: vscode.l10n.t('Set versions'),
        command: 'kubeBackoff.setVersions',
      };
    },
    failed: (reason) => {
      item.severity = vscode.LanguageStatusSeverity.Error;
      item.text = vscode.l10n.t('Kube Backoff is not running');
      item.detail = reason;
      item.command = { title: vscode.l10n.t('Show log'), command: 'kubeBackoff.showLog' };
    },
    dispose: () => {
      item.dispose();
    },
  };
}
