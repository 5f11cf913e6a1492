import {
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type Connection,
} from 'vscode-languageserver';
import { severities, type Severity } from '../../engine/finding.ts';
import { environmentOver, isVersion } from '../../engine/environment.ts';
import { withoutSystems, type Registry } from '../../engine/registry.ts';
import {
  configurationFileName,
  knownNames,
  readConfiguration,
  type Configuration,
} from './analysis/configuration.ts';
import type { AnalysisContext } from './analysis/file.ts';
import { ignoredFor } from './analysis/ignored.ts';
import type { Judgement } from './analysis/judge.ts';
import type { Client } from './feature.ts';

/** Everything that settings and configuration say for one file. Frozen; equal inputs give the same object. */
export type FileSettings = {
  /** Changes with the settings, so that it can be part of a result's identity. */
  readonly serial: number;
  readonly context: AnalysisContext;
  readonly judgement: Judgement;
  readonly inlayHints: boolean;
};

export type SettingsSource = {
  readonly of: (uri: string) => Promise<FileSettings>;
  /** What the configuration file in a folder itself says, without settings; absent where there is none. */
  readonly configurationIn: (folder: string) => Promise<Configuration | undefined>;
  readonly forget: () => void;
  /** Tells when settings or configuration files change; asks the client to watch for them. */
  readonly watch: (changed: () => void) => void;
};

export type SettingsInput = {
  readonly registry: Registry;
  readonly connection: Connection;
  readonly client: Client;
  readonly folders: readonly string[];
  readonly readFile: (uri: string) => Promise<string | undefined>;
};

/** Asks the client for settings, reads the nearest configuration file, and keeps both until told to forget. */
export function createSettingsSource(input: SettingsInput): SettingsSource {
  const { registry, connection, client, folders, readFile } = input;
  const known = knownNames(registry.families);
  const files = new Map<string, Promise<string | undefined>>();
  const merged = new Map<string, FileSettings>();
  let perUri = new Map<string, Promise<FileSettings>>();
  let serial = 0;
  const asks = client.capabilities.workspace?.configuration === true;

  const read = (uri: string): Promise<string | undefined> => {
    const own = files.get(uri) ?? readFile(uri);
    files.set(uri, own);
    return own;
  };

  const load = async (uri: string): Promise<FileSettings> => {
    const asked: unknown = asks
      ? await connection.workspace.getConfiguration({ scopeUri: uri, section: 'kubeBackoff' })
      : undefined;
    const settings = readClientSettings(asked);
    const found = await nearestConfiguration(uri, folders, read);
    const { configuration, problems } = readConfiguration(found?.text ?? '', known);
    for (const { path, message } of problems) {
      connection.console.warn(`${found?.uri ?? configurationFileName}: ${path}: ${message}`);
    }
    const ignored = ignoredFor(configuration, pathBelow(found?.uri, uri));
    const identity = JSON.stringify([asked, found?.text, [...ignored]]);
    const before = merged.get(identity);
    if (before !== undefined) return before;
    serial += 1;
    const own = mergeSettings(registry, settings, configuration, ignored, known, serial);
    merged.set(identity, own);
    return own;
  };

  return {
    of: (uri) => {
      const own = perUri.get(uri) ?? load(uri);
      perUri.set(uri, own);
      return own;
    },
    configurationIn: async (folder) => {
      const text = await read(`${folder.replace(/\/$/, '')}/${configurationFileName}`);
      return text === undefined ? undefined : readConfiguration(text, known).configuration;
    },
    forget: () => {
      perUri = new Map();
      files.clear();
    },
    watch: (changed) => {
      const dynamic = client.capabilities.workspace;
      if (dynamic?.didChangeConfiguration?.dynamicRegistration === true) {
        void connection.client.register(DidChangeConfigurationNotification.type, {
          section: 'kubeBackoff',
        });
      }
      if (dynamic?.didChangeWatchedFiles?.dynamicRegistration === true) {
        void connection.client.register(DidChangeWatchedFilesNotification.type, {
          watchers: [{ globPattern: `**/${configurationFileName}` }],
        });
      }
      connection.onDidChangeConfiguration(changed);
      connection.onDidChangeWatchedFiles(changed);
    },
  };
}

/** What the client's own settings say, with everything unusable left out. */
export type ClientSettings = {
  readonly versions: ReadonlyMap<string, string>;
  readonly detected: ReadonlyMap<string, string>;
  readonly gates: ReadonlyMap<string, boolean>;
  readonly controllers: ReadonlyMap<string, string>;
  readonly severities: ReadonlyMap<string, Severity | 'off'>;
  readonly disabledSystems: ReadonlySet<string>;
  readonly inlayHints: boolean;
};

/** Reads the `kubeBackoff` section; unknown and malformed parts are ignored, since the client shows its own schema. */
export function readClientSettings(raw: unknown): ClientSettings {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const version = (value: unknown) => {
    const found = text(value);
    return found !== undefined && isVersion(found) ? found : undefined;
  };
  const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
  const severity = (value: unknown): Severity | 'off' | undefined =>
    value === 'off' ? 'off' : severities.find((one) => one === value);
  const systems = entriesOf(raw, ['systems'], flag);
  // What is set wins over what a connected cluster shows, which the extension adds under `detected`.
  const over = <T>(name: string, read: (value: unknown) => T | undefined) =>
    new Map([...entriesOf(raw, ['detected', name], read), ...entriesOf(raw, [name], read)]);
  return {
    versions: entriesOf(raw, ['versions'], version),
    detected: entriesOf(raw, ['detected', 'versions'], version),
    gates: over('featureGates', flag),
    controllers: over('controllers', text),
    severities: entriesOf(raw, ['severity'], severity),
    disabledSystems: new Set([...systems].filter(([, on]) => !on).map(([system]) => system)),
    inlayHints: flag(at(raw, ['inlayHints', 'enabled'])) ?? true,
  };
}

function at(raw: unknown, path: readonly string[]): unknown {
  let value = raw;
  for (const key of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  return value;
}

function entriesOf<T>(
  raw: unknown,
  path: readonly string[],
  read: (value: unknown) => T | undefined,
): ReadonlyMap<string, T> {
  const found = at(raw, path);
  const entries = new Map<string, T>();
  if (typeof found !== 'object' || found === null) return entries;
  for (const [key, value] of Object.entries(found)) {
    const usable = read(value);
    if (usable !== undefined) entries.set(key, usable);
  }
  return entries;
}

/** The folder's configuration file wins over the person's settings: it says what the repository runs on. */
function mergeSettings(
  registry: Registry,
  settings: ClientSettings,
  configuration: Configuration,
  ignoredCodes: ReadonlySet<string>,
  known: Judgement['known'],
  serial: number,
): FileSettings {
  const disabledSystems = new Set([...settings.disabledSystems, ...configuration.disabledSystems]);
  const env = environmentOver(settings, configuration.env);
  const merged: Configuration = {
    ...configuration,
    env,
    disabledSystems,
    severities: new Map([...settings.severities, ...configuration.severities]),
  };
  return Object.freeze({
    serial,
    context: { registry: withoutSystems(registry, disabledSystems), env },
    judgement: { configuration: merged, ignoredCodes, known },
    inlayHints: settings.inlayHints,
  });
}

type FoundFile = { readonly uri: string; readonly text: string };

/** The configuration file in the file's folder or the nearest one above it, up to the workspace's folder. */
async function nearestConfiguration(
  uri: string,
  folders: readonly string[],
  read: (uri: string) => Promise<string | undefined>,
): Promise<FoundFile | undefined> {
  const top = folders
    .filter((folder) => uri.startsWith(folder))
    .toSorted((a, b) => b.length - a.length)[0];
  if (top === undefined && !uri.startsWith('file:')) return undefined;
  let folder = uri.replace(/\/[^/]*$/, '');
  while (folder.length > (top ?? 'file://').length - 1 && /\/[^/]/.test(folder)) {
    const candidate = `${folder}/${configurationFileName}`;
    const text = await read(candidate);
    if (text !== undefined) return { uri: candidate, text };
    if (folder === top) return undefined;
    folder = folder.replace(/\/[^/]*$/, '');
  }
  return undefined;
}

/** The file's path below the folder of its configuration file. */
function pathBelow(configuration: string | undefined, uri: string): string {
  const folder = (configuration ?? '').replace(/[^/]*$/, '');
  const below =
    folder !== '' && uri.startsWith(folder) ? uri.slice(folder.length) : uri.replace(/^.*\//, '');
  return decodeURIComponent(below);
}
