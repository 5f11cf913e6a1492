import { analyseFile, type FileAnalysis } from '../server/src/analysis/file.ts';
import { findInputFiles, type Problem } from './inputFiles.ts';
import { openProjects } from './projects.ts';
import type { Terminal } from './terminal.ts';

export type ReadFile = { readonly name: string; readonly analysis: FileAnalysis };

/** Reads and analyses the files of a call, for commands that only look at them. */
export async function readInputs(
  paths: readonly string[],
  terminal: Terminal,
): Promise<{ readonly files: readonly ReadFile[]; readonly problems: readonly Problem[] }> {
  const projects = openProjects(terminal.cwd);
  const inputs = await findInputFiles(paths, terminal);
  const files: ReadFile[] = [];
  const unread: Problem[] = [];
  for (const { name, absolute, read } of inputs.files) {
    const project = projects.of(absolute);
    if (absolute !== undefined && project.isIgnored(absolute)) continue;
    const text = await read();
    if (!text.ok) {
      unread.push({ file: name, message: text.message });
      continue;
    }
    const analysis = analyseFile(text.text, project.context);
    for (const document of analysis.documents) {
      for (const { doing, error } of document.policies().failures) {
        unread.push({ file: name, message: `A fault of ours while ${doing}: ${error}` });
      }
    }
    files.push({ name, analysis });
  }
  return { files, problems: [...inputs.problems, ...projects.problems(), ...unread] };
}
