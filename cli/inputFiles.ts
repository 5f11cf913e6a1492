import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { gitIgnores, type GitIgnores } from './gitIgnores.ts';
import { describeError, readText, readStandardInput, type ReadText } from './readText.ts';
import type { Terminal } from './terminal.ts';

/** A manifest file, as the reader of the results knows it and as the system does. */
export type InputFile = {
  /** Relative to the working directory where it lies in it, with forward slashes; `-` for standard input. */
  readonly name: string;
  /** Absent for standard input. */
  readonly absolute?: string;
  readonly read: () => Promise<ReadText>;
};

/** Something that could not be read or used. */
export type Problem = { readonly file: string; readonly message: string };

export type FoundFiles = {
  readonly files: readonly InputFile[];
  readonly problems: readonly Problem[];
};

/** Turns the paths of a call into files: files as they are, folders searched, globs resolved, `-` read. */
export async function findInputFiles(
  paths: readonly string[],
  terminal: Terminal,
): Promise<FoundFiles> {
  const { cwd } = terminal;
  const ignores = gitIgnores();
  const files = new Map<string, InputFile>();
  const problems: Problem[] = [];
  const add = (absolute: string): void => {
    const name = nameOf(absolute, cwd);
    files.set(absolute, { name, absolute, read: () => readText(absolute) });
  };
  for (const given of paths) {
    if (given === '-') {
      files.set('-', { name: '-', read: () => readStandardInput(terminal.stdin()) });
      continue;
    }
    const absolute = path.resolve(cwd, given);
    const found = await findPath(given, absolute, cwd, ignores);
    if (found.problem !== undefined) problems.push({ file: given, message: found.problem });
    for (const file of found.files) add(file);
  }
  return { files: [...files.values()], problems };
}

type FoundPath = { readonly files: readonly string[]; readonly problem?: string };

async function findPath(
  given: string,
  absolute: string,
  cwd: string,
  ignores: GitIgnores,
): Promise<FoundPath> {
  let kind: 'file' | 'folder' | undefined;
  try {
    const found = await stat(absolute);
    kind = found.isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (!isMissing(error)) return { files: [], problem: describeError(error) };
  }
  if (kind === 'file') return { files: [absolute] };
  if (kind === 'folder') return searchFolder(absolute, ignores);
  if (!isDynamicPattern(given)) return { files: [], problem: 'There is no such file or folder' };
  const matches = await glob(given.replaceAll('\\', '/'), {
    cwd,
    absolute: true,
    dot: true,
    ignore: [...neverSearched].map((name) => `**/${name}/**`),
  });
  const files = matches
    .map((match) => path.normalize(match))
    .filter((match) => !ignores.isIgnored(match))
    .toSorted();
  return files.length === 0
    ? { files, problem: 'No file matches this pattern, or all that do are ignored' }
    : { files };
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code));

const manifest = /\.(?:ya?ml|json)$/i;
const neverSearched: ReadonlySet<string> = new Set(['.git', 'node_modules']);

async function searchFolder(folder: string, ignores: GitIgnores): Promise<FoundPath> {
  const files: string[] = [];
  const problems: string[] = [];
  const search = async (current: string): Promise<void> => {
    const entries = await readdir(current, { withFileTypes: true }).catch((error: unknown) => {
      problems.push(`${nameOf(current, folder)}: ${describeError(error)}`);
      return [];
    });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const at = path.join(current, entry.name);
      if (entry.isDirectory()) {
        const isLeftOut = neverSearched.has(entry.name) || ignores.isIgnoredHere(at, true);
        if (!isLeftOut) await search(at);
      } else if (manifest.test(entry.name) && !ignores.isIgnoredHere(at, false)) {
        // Links to folders are not followed: they can lead in circles.
        if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(at)))) files.push(at);
      }
    }
  };
  await search(folder);
  return problems.length === 0 ? { files } : { files, problem: problems.join('; ') };
}

async function isFile(at: string): Promise<boolean> {
  try {
    return (await stat(at)).isFile();
  } catch {
    // A link to nothing holds no manifest.
    return false;
  }
}

function nameOf(absolute: string, cwd: string): string {
  const relative = path.relative(cwd, absolute);
  const isInside = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  return (isInside ? relative : absolute).split(path.sep).join('/');
}
