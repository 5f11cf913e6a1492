import { environmentOver, type Environment } from '../../../engine/environment.ts';
import type { FolderConfiguration } from '../languageClient.ts';

/** What is stated of clusters, whatever they show themselves. */
export type Stated = {
  readonly env: Environment;
  /** Systems that are left alone. */
  readonly disabledSystems: ReadonlySet<string>;
};

/** A `.kube-backoff.yaml` of the workspace, and the folder that has it. */
export type FolderFile = { readonly folder: string; readonly says: FolderConfiguration };

/**
 * The settings with the workspace's configuration files over them.
 *
 * The panel is about no folder, so what the files of several folders say differently is not used at all, and is told.
 */
export function statedOver(
  settings: Stated,
  files: readonly FolderFile[],
): { readonly stated: Stated; readonly disagreements: readonly string[] } {
  const versions = agreed(files.map(({ says }) => says.versions));
  const gates = agreed(files.map(({ says }) => says.gates));
  const controllers = agreed(files.map(({ says }) => says.controllers));
  // A file that leaves a system on disagrees with one that turns it off.
  const disabled = agreed(files.map(({ says }) => stances(says, files)));
  const off = [...disabled.values].flatMap(([system, isOff]) => (isOff ? [system] : []));
  const parts = [
    ...versions.differing.map((name) => `the version of ${name}`),
    ...gates.differing.map((name) => `the feature gate ${name}`),
    ...controllers.differing.map((name) => `the controller setting ${name}`),
    ...disabled.differing.map((name) => `whether ${name} is disabled`),
  ];
  return {
    stated: {
      env: environmentOver(settings.env, {
        versions: versions.values,
        gates: gates.values,
        controllers: controllers.values,
      }),
      disabledSystems: new Set([...settings.disabledSystems, ...off]),
    },
    disagreements: parts,
  };
}

type Agreed<T> = {
  readonly values: ReadonlyMap<string, T>;
  readonly differing: readonly string[];
};

function agreed<T>(all: readonly Readonly<Record<string, T>>[]): Agreed<T> {
  const found = new Map<string, Set<T>>();
  for (const [name, value] of all.flatMap((one) => Object.entries(one))) {
    found.set(name, (found.get(name) ?? new Set<T>()).add(value));
  }
  const entries = [...found];
  return {
    values: new Map(
      entries.flatMap(([name, values]) =>
        values.size === 1 ? [...values].map((value) => [name, value] as const) : [],
      ),
    ),
    differing: entries.flatMap(([name, values]) => (values.size > 1 ? [name] : [])),
  };
}

/** Whether a file turns off each of the systems that any file turns off. */
const stances = (
  own: FolderConfiguration,
  files: readonly FolderFile[],
): Readonly<Record<string, boolean>> =>
  Object.fromEntries(
    files
      .flatMap(({ says }) => says.disabledSystems)
      .map((system) => [system, own.disabledSystems.includes(system)]),
  );
