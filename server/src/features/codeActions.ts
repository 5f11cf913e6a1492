import {
  CodeActionKind,
  type CodeAction,
  type Diagnostic,
  type Range,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { overlap, writeSameKey } from '../../../engine/edits.ts';
import type { Edit, Finding, Fix } from '../../../engine/finding.ts';
import type { FileDocument } from '../analysis/file.ts';
import { judge } from '../analysis/judge.ts';
import { ignoreComment } from '../analysis/suppressions.ts';
import type { Client, Feature } from '../feature.ts';
import { rangeIn, textEditIn, touches } from '../lsp.ts';
import type { OpenFile } from '../workspace.ts';

const fixAllKind = `${CodeActionKind.SourceFixAll}.kubeBackoff`;

/** The fixes of the findings under the cursor, and one action that applies all preferred ones. */
export const codeActions: Feature = {
  capabilities: () => ({
    codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, fixAllKind] },
  }),
  register: (connection, workspace, client) => {
    connection.onCodeAction(async ({ textDocument, range, context }) => {
      const file = await workspace.file(textDocument.uri);
      if (file === undefined) return null;
      const wants = (kind: string) => context.only?.some((only) => isWithin(kind, only));
      const actions: CodeAction[] = [];
      if (wants(CodeActionKind.QuickFix) ?? true) {
        actions.push(...quickFixes(file, client, range, context.diagnostics));
      }
      if (wants(fixAllKind) === true) actions.push(...fixAll(file, client));
      return actions;
    });
  },
};

const isWithin = (kind: string, wanted: string): boolean =>
  kind === wanted || kind.startsWith(`${wanted}.`) || wanted === '';

function* quickFixes(
  file: OpenFile,
  client: Client,
  range: Range,
  shown: readonly Diagnostic[],
): Generator<CodeAction> {
  const isJson = /^\s*[{[]/.test(file.analysis.text);
  for (const document of file.analysis.documents) {
    if (document.startLine > range.end.line) break;
    if (document.startLine + document.lines.breaks < range.start.line) continue;
    for (const finding of judge(document, file.analysis, file.settings.judgement)) {
      const at = rangeIn(document, finding.at);
      if (!touches(at, range)) continue;
      const diagnostics = shown.filter(
        (one) => one.code === finding.code && touches(one.range, at),
      );
      const action = (title: string, edits: readonly Edit[]): CodeAction => ({
        title,
        kind: CodeActionKind.QuickFix,
        diagnostics,
        edit: editOf(
          file,
          client,
          edits.map((edit) => textEditIn(document, edit)),
        ),
      });
      for (const fix of finding.fixes) {
        yield { ...action(fix.title, fix.edits), isPreferred: fix.preferred };
      }
      // JSON has no comments.
      if (!isJson)
        yield action(`Ignore ${finding.code} here`, [ignoreComment(document.text, finding)]);
    }
  }
}

function fixAll(file: OpenFile, client: Client): readonly CodeAction[] {
  const edits = file.analysis.documents.flatMap((document) =>
    document.isAnalysed() ? preferredEdits(file, document) : [],
  );
  if (edits.length === 0) return [];
  return [
    { title: 'Fix all of Kube Backoff', kind: fixAllKind, edit: editOf(file, client, edits) },
  ];
}

/** The preferred fixes of one document that do not touch each other. */
function preferredEdits(file: OpenFile, document: FileDocument): readonly TextEdit[] {
  const chosen: Edit[] = [];
  for (const finding of judge(document, file.analysis, file.settings.judgement)) {
    const fix = preferredFix(finding);
    if (fix === undefined) continue;
    const clashes = fix.edits.some((edit) =>
      chosen.some(
        (other) => overlap(edit.at, other.at) || writeSameKey(document.text, edit, other),
      ),
    );
    if (!clashes) chosen.push(...fix.edits);
  }
  return chosen.map((edit) => textEditIn(document, edit));
}

const preferredFix = ({ fixes }: Finding): Fix | undefined =>
  fixes.find(({ preferred }) => preferred);

function editOf(file: OpenFile, { capabilities }: Client, edits: TextEdit[]): WorkspaceEdit {
  const { uri, version } = file;
  return capabilities.workspace?.workspaceEdit?.documentChanges === true
    ? { documentChanges: [{ textDocument: { uri, version }, edits }] }
    : { changes: { [uri]: edits } };
}
