import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { families } from '../engine/families/index.ts';
import { buildRegistry, withoutSystems, type Registry } from '../engine/registry.ts';
import {
  configurationFileName,
  emptyConfiguration,
  knownNames,
  readConfiguration,
  type Configuration,
} from '../server/src/analysis/configuration.ts';
import type { AnalysisContext } from '../server/src/analysis/file.ts';
import { ignoredFor, isIgnored } from '../server/src/analysis/ignored.ts';
import type { Judgement } from '../server/src/analysis/judge.ts';
import { lineIndex } from '../server/src/analysis/lines.ts';
import type { Problem } from './inputFiles.ts';
import { describeError } from './readText.ts';

/** What holds for the files below one `.kube-backoff.yaml`. */
export type Project = {
  readonly context: AnalysisContext;
  readonly isIgnored: (absolute: string) => boolean;
  readonly judgementOf: (absolute: string | undefined) => Judgement;
};

export type Projects = {
  /** The project of a file; of the working directory where there is no file. */
  readonly of: (absolute: string | undefined) => Project;
  /** What is wrong with the configuration files met so far. */
  readonly problems: () => readonly Problem[];
};

const known = knownNames(families);

/** Finds the nearest `.kube-backoff.yaml` above each file, and reads each of them once. */
export function openProjects(cwd: string): Projects {
  const registry = buildRegistry(families);
  const byFolder = new Map<string, Project>();
  const problems: Problem[] = [];
  const withoutFile = project(emptyConfiguration, cwd, registry);

  const above = (folder: string): Project => {
    const memo = byFolder.get(folder);
    if (memo !== undefined) return memo;
    const found = projectIn(folder) ?? inherited(folder);
    byFolder.set(folder, found);
    return found;
  };

  const inherited = (folder: string): Project => {
    const parent = path.dirname(folder);
    const isTop = parent === folder || existsSync(path.join(folder, '.git'));
    return isTop ? withoutFile : above(parent);
  };

  const projectIn = (folder: string): Project | undefined => {
    const file = path.join(folder, configurationFileName);
    if (!existsSync(file)) return undefined;
    const name = path.relative(cwd, file).split(path.sep).join('/');
    try {
      const text = readFileSync(file, 'utf8');
      const read = readConfiguration(text, known);
      const lines = lineIndex(text);
      for (const { path: key, message, at } of read.problems) {
        const line =
          at === undefined ? '' : `line ${String(lines.positionAt(at.start).line + 1)}: `;
        problems.push({ file: name, message: `${line}${key === '' ? '' : `${key}: `}${message}` });
      }
      return project(read.configuration, folder, registry);
    } catch (error) {
      problems.push({ file: name, message: describeError(error) });
      return withoutFile;
    }
  };

  return {
    of: (absolute) => above(absolute === undefined ? cwd : path.dirname(absolute)),
    problems: () => problems,
  };
}

function project(configuration: Configuration, folder: string, registry: Registry): Project {
  const below = (absolute: string): string =>
    path.relative(folder, absolute).split(path.sep).join('/');
  return {
    context: {
      registry: withoutSystems(registry, configuration.disabledSystems),
      env: configuration.env,
    },
    isIgnored: (absolute) => isIgnored(configuration, below(absolute)),
    judgementOf: (absolute) => ({
      configuration,
      known,
      ignoredCodes: absolute === undefined ? new Set() : ignoredFor(configuration, below(absolute)),
    }),
  };
}
