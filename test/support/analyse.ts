import { emptyEnvironment, type Environment } from '../../engine/environment.ts';
import type { AnalysedPolicy } from '../../engine/analysePlace.ts';
import { formatWindow } from '../../engine/durations/format.ts';
import { families } from '../../engine/families/index.ts';
import type { Finding } from '../../engine/finding.ts';
import { buildRegistry } from '../../engine/registry.ts';
import { bound, firstSteps } from '../../engine/schedule.ts';
import { describeEnd } from '../../engine/summary.ts';
import {
  analyseFile,
  type AnalysisContext,
  type FileAnalysis,
} from '../../server/src/analysis/file.ts';

export const registry = buildRegistry(families);

export type Given = {
  readonly versions?: Readonly<Record<string, string>>;
  readonly controllers?: Readonly<Record<string, string>>;
  readonly gates?: Readonly<Record<string, boolean>>;
};

export const environment = (given: Given = {}): Environment => ({
  ...emptyEnvironment,
  versions: new Map(Object.entries(given.versions ?? {})),
  controllers: new Map(Object.entries(given.controllers ?? {})),
  gates: new Map(Object.entries(given.gates ?? {})),
});

export const contextOf = (given: Given = {}): AnalysisContext => ({
  registry,
  env: environment(given),
});

export type Analysed = {
  readonly policies: readonly AnalysedPolicy[];
  /** Spans count from the start of the text. */
  readonly findings: readonly Finding[];
  readonly failures: readonly unknown[];
};

/** All policies and findings of a manifest, over all its documents. */
export function analyse(text: string, given: Given = {}): Analysed {
  const file = analyseFile(text, contextOf(given));
  const explained = file.documents.map((document) => document.policies());
  return {
    policies: explained.flatMap(({ policies }) => policies),
    findings: findingsIn(file),
    failures: [
      ...file.documents.flatMap((document) => document.analyse().failures),
      ...explained.flatMap(({ failures }) => failures),
    ],
  };
}

/** The findings of all documents of a file; spans count from the start of the text. */
export function findingsIn({ documents }: FileAnalysis): readonly Finding[] {
  return documents.flatMap((document) => {
    const move = (at: Finding['at']) => ({
      start: at.start + document.start,
      end: at.end + document.start,
    });
    return document.analyse().findings.map((finding) => ({
      ...finding,
      at: move(finding.at),
      related: finding.related.map((one) => ({ ...one, at: move(one.at) })),
      fixes: finding.fixes.map((fix) => ({
        ...fix,
        edits: fix.edits.map((edit) => ({ ...edit, at: move(edit.at) })),
      })),
    }));
  });
}

/** The first waits as a reader sees them: `['10s', '20s', '1m..1m30s']`. */
export function waitsOf(policy: AnalysedPolicy | undefined, count: number): readonly string[] {
  if (policy?.schedule === undefined) return [];
  return firstSteps(policy.schedule, count).steps.map(({ wait }) => formatWindow(wait));
}

export const endOf = (policy: AnalysedPolicy | undefined): string =>
  policy?.schedule === undefined ? 'no schedule' : describeEnd(bound(policy.schedule));
