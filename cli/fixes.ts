import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { applyEdits, overlap, writeSameKey } from '../engine/edits.ts';
import type { Edit } from '../engine/finding.ts';
import {
  analyseFile,
  type AnalysisContext,
  type FileAnalysis,
} from '../server/src/analysis/file.ts';
import { judge, type Judgement } from '../server/src/analysis/judge.ts';
import type { FixedJson } from './lintReport.ts';

export type Mended = {
  readonly analysis: FileAnalysis;
  readonly fixed: readonly FixedJson[];
  /** Set where a fix was given back because the file would have become unreadable. */
  readonly problem?: string;
};

// Each round can bring out findings that the one before has hidden; no real file needs more than a few.
const mostRounds = 10;

/** Applies the preferred fixes of a file's findings, in rounds until none is left. */
export function mend(
  name: string,
  text: string,
  context: AnalysisContext,
  judgement: Judgement,
): Mended {
  let analysis = analyseFile(text, context);
  const fixed: FixedJson[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const chosen = chooseFixes(name, analysis, judgement);
    if (chosen.edits.length === 0) break;
    const next = analyseFile(applyEdits(analysis.text, chosen.edits), context, analysis);
    if (isBroken(name, next) && !isBroken(name, analysis)) {
      return {
        analysis,
        fixed,
        problem: `Not fixed: "${chosen.fixed.map(({ title }) => title).join('", "')}" would leave a file that cannot be read. Please report it`,
      };
    }
    fixed.push(...chosen.fixed);
    analysis = next;
  }
  return { analysis, fixed };
}

type Chosen = { readonly edits: readonly Edit[]; readonly fixed: readonly FixedJson[] };

/** The preferred fixes that touch none of those before them; the others wait for the next round. */
function chooseFixes(name: string, file: FileAnalysis, judgement: Judgement): Chosen {
  const edits: Edit[] = [];
  const fixed: FixedJson[] = [];
  for (const document of file.documents) {
    for (const finding of judge(document, file, judgement)) {
      const fix = finding.fixes.find(({ preferred }) => preferred);
      if (fix === undefined) continue;
      const moved = fix.edits.map(({ at, text }) => ({
        at: { start: at.start + document.start, end: at.end + document.start },
        text,
      }));
      const { text } = file;
      const clashes = (edit: Edit) =>
        edits.some((other) => overlap(edit.at, other.at) || writeSameKey(text, edit, other));
      if (moved.some(clashes)) continue;
      edits.push(...moved);
      fixed.push({ file: name, code: finding.code, title: fix.title });
    }
  }
  return { edits, fixed };
}

/** Whether the text is no YAML, or no JSON in a file that is said to be. */
function isBroken(name: string, file: FileAnalysis): boolean {
  if (/\.json$/i.test(name) && !isJson(file.text)) return true;
  return file.documents.some((document) =>
    document.analyse().findings.some(({ code }) => code === 'policy/syntax'),
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Writes a file in one step, through links and with its permissions: a reader never meets half of it. */
export async function replaceFile(absolute: string, text: string): Promise<void> {
  const target = await realpath(absolute);
  const { mode } = await stat(target);
  await writeInOneStep(target, text, mode);
}

/** Writes a file that need not exist yet, in one step. */
export async function writeInOneStep(target: string, text: string, mode = 0o666): Promise<void> {
  const temporary = `${target}.${String(process.pid)}.tmp`;
  try {
    await writeFile(temporary, text, { mode });
    if (mode !== 0o666) await chmod(temporary, mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
