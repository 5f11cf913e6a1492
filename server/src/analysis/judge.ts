import { systemOf } from '../../../engine/family.ts';
import type { Finding } from '../../../engine/finding.ts';
import { severityIn, type Configuration, type KnownNames } from './configuration.ts';
import type { FileAnalysis, FileDocument } from './file.ts';
import type { LineIndex } from './lines.ts';
import { suppress, suppressionsIn, unusedSuppression, type Suppression } from './suppressions.ts';

/** How one file is judged: the configuration, and the codes that it ignores for this file's path. */
export type Judgement = {
  readonly configuration: Configuration;
  /** `*` stands for all of them. */
  readonly ignoredCodes: ReadonlySet<string>;
  readonly known: KnownNames;
};

/**
 * The findings of one document that its comments, the file's comments and the configuration let through, with the
 * severities that the configuration gives them, and what is to be said of comments that hide nothing.
 */
export function judge(
  document: FileDocument,
  file: FileAnalysis,
  judgement: Judgement,
): readonly Finding[] {
  if (judgement.ignoredCodes.has('*')) return [];
  const { findings } = document.analyse();
  const own = suppressionsOf(document);
  if (findings.length === 0 && own.length === 0) return [];
  const applying = [...own.filter(isForLine), ...forFile(file)];
  const { findings: left, used } = suppress(findings, document.lines, applying);
  const unused = own.filter((one) => !isUsed(one, used, file) && isChecked(one, judgement));
  const said = unused.map((one) => unusedSuppression(document.text, one, judgement.known.codes));
  return [...left, ...said].flatMap((finding) => {
    const severity = severityIn(judgement.configuration, finding);
    if (severity === 'off' || judgement.ignoredCodes.has(finding.code)) return [];
    return [severity === finding.severity ? finding : { ...finding, severity }];
  });
}

const suppressions = new WeakMap<LineIndex, readonly Suppression[]>();

/** The comments of a document, found once for its text: the index of its lines lives as long as that. */
function suppressionsOf({ text, lines }: FileDocument): readonly Suppression[] {
  const known = suppressions.get(lines);
  if (known !== undefined) return known;
  const found = suppressionsIn(text, lines);
  suppressions.set(lines, found);
  return found;
}

const isForLine = ({ scope }: Suppression): boolean => scope === 'line';

const fileWide = new WeakMap<FileAnalysis, readonly Suppression[]>();

/** The comments for the whole file, collected once for all its documents. */
function forFile(file: FileAnalysis): readonly Suppression[] {
  const known = fileWide.get(file);
  if (known !== undefined) return known;
  const found = file.text.includes('kube-backoff-ignore-file')
    ? file.documents.flatMap((document) =>
        suppressionsOf(document).filter((one) => !isForLine(one)),
      )
    : [];
  fileWide.set(file, found);
  return found;
}

/** A comment for the whole file is used when any document has the finding. */
function isUsed(one: Suppression, used: ReadonlySet<Suppression>, file: FileAnalysis): boolean {
  if (isForLine(one)) return used.has(one);
  return file.documents.some((document) =>
    document.analyse().findings.some(({ code }) => code === one.code),
  );
}

/** A code that is switched off cannot be found, so a comment about it says nothing wrong. */
function isChecked({ code }: Suppression, { configuration, ignoredCodes }: Judgement): boolean {
  const isOff = configuration.severities.get(code) === 'off' || ignoredCodes.has(code);
  return !isOff && !configuration.disabledSystems.has(systemOf({ id: code }));
}
