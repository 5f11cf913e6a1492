import { InlayHintKind, type InlayHint } from 'vscode-languageserver';
import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import { sentenceOf } from '../../../engine/explain.ts';
import { shortSummary } from '../../../engine/summary.ts';
import type { FileDocument } from '../analysis/file.ts';
import type { Feature } from '../feature.ts';
import { positionIn } from '../lsp.ts';

/** The schedule in short after the key of each policy block. */
export const inlayHints: Feature = {
  capabilities: () => ({ inlayHintProvider: true }),
  register: (connection, workspace) => {
    connection.languages.inlayHint.on(async ({ textDocument, range }, token) => {
      const file = await workspace.file(textDocument.uri);
      if (file === undefined || !file.settings.inlayHints) return [];
      const hints: InlayHint[] = [];
      for (const document of file.analysis.documents) {
        if (document.startLine > range.end.line || token.isCancellationRequested) break;
        if (document.startLine + document.lines.breaks < range.start.line) continue;
        const taken = new Set<number>();
        for (const analysed of workspace.policiesOf(document)) {
          const hint = hintOf(document, analysed);
          if (hint === undefined || taken.has(hint.position.line)) continue;
          taken.add(hint.position.line);
          hints.push(hint);
        }
      }
      return hints;
    });
  },
};

/** Only written blocks have a line of their own; implied policies are told by hover. */
function hintOf(document: FileDocument, analysed: AnalysedPolicy): InlayHint | undefined {
  const { family, policy, schedule } = analysed;
  const { key, span, via, site } = policy;
  if (schedule === undefined || key === undefined || span === undefined) return undefined;
  // An implied policy hangs on a block that holds much else, unless the block is all its own.
  if (via !== undefined || (site.implied === true && family.closed === undefined)) return undefined;
  const lineEnd = document.text.indexOf('\n', key.end);
  const end = lineEnd === -1 ? document.text.length : lineEnd;
  const text = document.text.slice(key.end, end).replace(/\s+$/, '');
  return {
    position: positionIn(document, key.end + text.length),
    label: shortSummary(schedule),
    kind: InlayHintKind.Parameter,
    paddingLeft: true,
    tooltip: sentenceOf(analysed),
  };
}
