import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** What the `.gitignore` files of a repository leave out. */
export type GitIgnores = {
  /** Judges a file alone, its folders being known to be searched. */
  readonly isIgnoredHere: (absolute: string, isFolder: boolean) => boolean;
  /** Judges a file with all the folders above it. */
  readonly isIgnored: (absolute: string) => boolean;
};

/** Reads `.gitignore` files as they are met, from the repository's root down; deeper ones win. */
export function gitIgnores(): GitIgnores {
  const rules = new Map<string, Ignore | undefined>();
  const roots = new Map<string, string>();

  const rootOf = (folder: string): string => {
    const known = roots.get(folder);
    if (known !== undefined) return known;
    const above = path.dirname(folder);
    const isRoot = above === folder || existsSync(path.join(folder, '.git'));
    const root = isRoot ? folder : rootOf(above);
    roots.set(folder, root);
    return root;
  };

  const rulesIn = (folder: string): Ignore | undefined => {
    if (!rules.has(folder)) rules.set(folder, readRules(folder));
    return rules.get(folder);
  };

  const isIgnoredHere = (absolute: string, isFolder: boolean): boolean => {
    let isLeftOut = false;
    for (const folder of foldersAbove(absolute, rootOf(path.dirname(absolute)))) {
      const relative = path.relative(folder, absolute).split(path.sep).join('/');
      const verdict = rulesIn(folder)?.test(isFolder ? `${relative}/` : relative);
      if (verdict?.ignored === true) isLeftOut = true;
      else if (verdict?.unignored === true) isLeftOut = false;
    }
    return isLeftOut;
  };

  return {
    isIgnoredHere,
    isIgnored: (absolute) => {
      const [root, ...folders] = foldersAbove(absolute, rootOf(path.dirname(absolute)));
      if (root === undefined) return false;
      return (
        folders.some((folder) => isIgnoredHere(folder, true)) || isIgnoredHere(absolute, false)
      );
    },
  };
}

/** The folders that hold a file, from the root down. */
function foldersAbove(absolute: string, root: string): readonly string[] {
  const folders: string[] = [];
  let folder = path.dirname(absolute);
  while (folder !== root && folder !== path.dirname(folder)) {
    folders.push(folder);
    folder = path.dirname(folder);
  }
  return [root, ...folders.toReversed()];
}

function readRules(folder: string): Ignore | undefined {
  try {
    return ignore().add(readFileSync(path.join(folder, '.gitignore'), 'utf8'));
  } catch {
    // No file, or one that cannot be read: it leaves nothing out, as for git.
    return undefined;
  }
}
