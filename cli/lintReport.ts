import type { Code, Finding, Severity } from '../engine/finding.ts';
import type { Failure } from '../engine/guard.ts';
import type { RangeJson } from '../engine/policyJson.ts';
import { docsUrl } from '../engine/reference.ts';
import type { FileAnalysis, FileDocument } from '../server/src/analysis/file.ts';
import { judge, type Judgement } from '../server/src/analysis/judge.ts';
import type { Problem } from './inputFiles.ts';
import { rangeIn } from './ranges.ts';

/** A finding as `lint` prints it. */
export type FindingJson = {
  readonly file: string;
  readonly document: number;
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly range: RangeJson;
  readonly docs: string;
  readonly related: readonly { readonly range: RangeJson; readonly message: string }[];
  readonly fixes: readonly FixJson[];
};

export type FixJson = {
  readonly title: string;
  readonly preferred: boolean;
  readonly edits: readonly { readonly range: RangeJson; readonly newText: string }[];
};

/** A fix that `--fix` has applied. */
export type FixedJson = { readonly file: string; readonly code: Code; readonly title: string };

/** The whole result of `lint`: what its JSON says, and what the other formats are made of. */
export type LintReport = {
  readonly version: 1;
  readonly files: number;
  readonly documents: number;
  readonly policies: number;
  readonly findings: readonly FindingJson[];
  readonly problems: readonly Problem[];
  /** With `--fix` only. */
  readonly fixed?: readonly FixedJson[];
};

/** What the other formats need beside the report. */
export type LintDetails = {
  readonly report: LintReport;
  /** The names of all files that were read. */
  readonly names: readonly string[];
  /** The texts of the files that have findings. */
  readonly texts: ReadonlyMap<string, string>;
  /** Findings from here on fail the call; absent: none does. */
  readonly failOn: Severity | undefined;
};

export type LintedFile = {
  readonly documents: number;
  readonly policies: number;
  readonly findings: readonly FindingJson[];
  readonly failures: readonly Failure[];
};

/** Lints one file's analysis. */
export function lintFile(name: string, file: FileAnalysis, judgement: Judgement): LintedFile {
  const findings: FindingJson[] = [];
  const failures: Failure[] = [];
  let documents = 0;
  let policies = 0;
  for (const document of file.documents) {
    const counts = document.counts();
    const analysis = document.analyse();
    if (document.index !== undefined) documents += 1;
    for (const count of counts.values()) policies += count;
    failures.push(...analysis.failures);
    const own = judge(document, file, judgement).toSorted((a, b) => a.at.start - b.at.start);
    findings.push(...own.map((finding) => findingJson(name, document, finding)));
  }
  return { documents, policies, findings, failures };
}

function findingJson(name: string, document: FileDocument, finding: Finding): FindingJson {
  const { code, severity, message, at, related, fixes } = finding;
  return {
    file: name,
    document: document.index ?? 0,
    code,
    severity,
    message,
    range: rangeIn(document, at),
    docs: docsUrl(code),
    related: related.map((one) => ({ range: rangeIn(document, one.at), message: one.message })),
    fixes: fixes.map(({ title, preferred, edits }) => ({
      title,
      preferred,
      edits: edits.map((edit) => ({ range: rangeIn(document, edit.at), newText: edit.text })),
    })),
  };
}

const ranks: Readonly<Record<Severity, number>> = { error: 3, warning: 2, info: 1, hint: 0 };

/** Whether a finding is at or above a severity. */
export const reaches = (finding: { readonly severity: Severity }, from: Severity | undefined) =>
  from !== undefined && ranks[finding.severity] >= ranks[from];
