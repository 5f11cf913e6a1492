import {
  DiagnosticSeverity,
  DiagnosticTag,
  DocumentDiagnosticReportKind,
  type Connection,
  type Diagnostic,
  type DocumentDiagnosticReport,
} from 'vscode-languageserver';
import type { Finding, Severity } from '../../../engine/finding.ts';
import { docsUrl } from '../../../engine/reference.ts';
import { judge } from '../analysis/judge.ts';
import type { Feature } from '../feature.ts';
import { rangeIn } from '../lsp.ts';
import type { OpenFile, Workspace } from '../workspace.ts';

/** Findings as diagnostics: pulled where the client pulls, pushed otherwise; never both. */
export const diagnostics: Feature = {
  capabilities: ({ capabilities }) =>
    capabilities.textDocument?.diagnostic === undefined
      ? {}
      : {
          diagnosticProvider: {
            identifier: 'kube-backoff',
            interFileDependencies: false,
            workspaceDiagnostics: false,
          },
        },
  register: (connection, workspace, { capabilities }) => {
    if (capabilities.textDocument?.diagnostic === undefined) push(connection, workspace);
    else pull(connection, workspace);
  },
};

function pull(connection: Connection, workspace: Workspace): void {
  connection.languages.diagnostics.on(
    async ({ textDocument, previousResultId }, token): Promise<DocumentDiagnosticReport> => {
      const file = await workspace.analysedFile(textDocument.uri, token);
      if (file === undefined) return { kind: DocumentDiagnosticReportKind.Full, items: [] };
      const resultId = `${String(file.version)}.${String(file.settings.serial)}`;
      if (resultId === previousResultId) {
        return { kind: DocumentDiagnosticReportKind.Unchanged, resultId };
      }
      return { kind: DocumentDiagnosticReportKind.Full, resultId, items: diagnosticsOf(file) };
    },
  );
}

/** Publishes after each change; a late result for an older version is dropped. */
function push(connection: Connection, workspace: Workspace): void {
  const publish = async (uri: string): Promise<void> => {
    const file = await workspace.analysedFile(uri);
    if (file === undefined) return;
    await connection.sendDiagnostics({
      uri,
      version: file.version,
      diagnostics: diagnosticsOf(file),
    });
  };
  workspace.onChanged((uri) => {
    publish(uri).catch((error: unknown) => {
      connection.console.error(`Diagnostics of ${uri} failed: ${String(error)}`);
    });
  });
  workspace.onClosed((uri) => {
    connection.sendDiagnostics({ uri, diagnostics: [] }).catch(() => {
      // The connection is gone, and the client's list with it.
    });
  });
}

function diagnosticsOf(file: OpenFile): Diagnostic[] {
  if (file.settings.judgement.ignoredCodes.has('*')) return [];
  return file.analysis.documents.flatMap((document) =>
    judge(document, file.analysis, file.settings.judgement).map((finding) =>
      diagnosticOf(file.uri, document, finding),
    ),
  );
}

function diagnosticOf(
  uri: string,
  document: OpenFile['analysis']['documents'][number],
  { at, code, message, severity, related, unnecessary }: Finding,
): Diagnostic {
  const diagnostic: Diagnostic = {
    range: rangeIn(document, at),
    severity: severityOf(severity),
    code,
    codeDescription: { href: docsUrl(code) },
    source: 'Kube Backoff',
    message,
  };
  if (unnecessary) diagnostic.tags = [DiagnosticTag.Unnecessary];
  if (related.length > 0) {
    diagnostic.relatedInformation = related.map((one) => ({
      location: { uri, range: rangeIn(document, one.at) },
      message: one.message,
    }));
  }
  return diagnostic;
}

const severityOf = (severity: Severity): DiagnosticSeverity => {
  switch (severity) {
    case 'error':
      return DiagnosticSeverity.Error;
    case 'warning':
      return DiagnosticSeverity.Warning;
    case 'info':
      return DiagnosticSeverity.Information;
    case 'hint':
      return DiagnosticSeverity.Hint;
  }
};
