import * as vscode from 'vscode';
import { stringify } from 'yaml';

export const objectScheme = 'kube-backoff-object';

export type ObjectDocuments = vscode.Disposable & {
  /** Shows an object of a cluster as YAML that cannot be edited. */
  readonly show: (context: string, path: string, object: unknown) => Promise<void>;
};

/** Read-only documents with the objects of a cluster, as they were last seen. */
export function objectDocuments(): ObjectDocuments {
  const texts = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const registration = vscode.workspace.registerTextDocumentContentProvider(objectScheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? '',
  });
  const closed = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
    texts.delete(uri.toString());
  });
  return {
    show: async (context, path, object) => {
      const uri = vscode.Uri.from({ scheme: objectScheme, path: `/${context}/${path}.yaml` });
      texts.set(uri.toString(), stringify(object, { lineWidth: 0 }));
      changed.fire(uri);
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.languages.setTextDocumentLanguage(document, 'yaml');
      await vscode.window.showTextDocument(document, { preview: true });
    },
    dispose: () => {
      registration.dispose();
      closed.dispose();
      changed.dispose();
    },
  };
}
