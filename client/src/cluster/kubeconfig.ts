import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { at, isRecord, listIn, textIn, type JsonRecord } from './json.ts';
import type { ContextInfo, ContextList, KubeconfigFile } from './port.ts';
import { redacted } from './redact.ts';

/** Where to look for a kubeconfig. */
export type KubeconfigPlace = {
  /** Files that were named outright; all of them must be there. */
  readonly files?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
};

/** One entry of a kubeconfig, with the folder that relative paths in it start from. */
export type ConfigEntry = {
  readonly name: string;
  readonly value: JsonRecord;
  readonly folder: string;
  readonly file: string;
};

/** Several files as one, merged as kubectl does: the first one that names something wins. */
export type Kubeconfig = {
  readonly files: readonly KubeconfigFile[];
  readonly current?: string;
  readonly contexts: readonly ConfigEntry[];
  readonly clusters: readonly ConfigEntry[];
  readonly users: readonly ConfigEntry[];
};

export type ReadKubeconfig =
  | { readonly ok: true; readonly config: Kubeconfig }
  | { readonly ok: false; readonly problem: string };

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Reads the kubeconfig files, or the service account of a pod where there is none. */
export function readKubeconfig(
  place: KubeconfigPlace,
  parseYaml: (text: string) => unknown,
): ReadKubeconfig {
  const { files, mustExist } = filesOf(place);
  const parts: Kubeconfig[] = [];
  for (const file of files) {
    if (!existsSync(file)) {
      if (mustExist) return { ok: false, problem: `${file} does not exist` };
      continue;
    }
    const part = readFile(file, parseYaml);
    if (!part.ok) return part;
    parts.push(part.config);
  }
  if (parts.length === 0) {
    const inCluster = mustExist ? undefined : ownPod(place.env);
    if (inCluster !== undefined) return { ok: true, config: inCluster };
    return {
      ok: false,
      problem: `there is no kubeconfig: ${files.join(', ')} ${files.length === 1 ? 'does' : 'do'} not exist`,
    };
  }
  return { ok: true, config: merge(parts) };
}

/** The contexts of a kubeconfig, with what would run for their credentials. */
export function contextList(
  config: Kubeconfig,
): Omit<Extract<ContextList, { readonly ok: true }>, 'open'> {
  const contexts = config.contexts.map((entry) => contextInfo(config, entry));
  const { current } = config;
  const isThere = contexts.some(({ name }) => name === current);
  return {
    ok: true,
    files: config.files,
    contexts,
    ...(current === undefined ? {} : { current }),
    ...(current === undefined || isThere
      ? {}
      : { problem: missingContext(config, current, 'current-context ') }),
  };
}

/** `current-context "prod" not found; choose one of: dev`. */
export function missingContext(config: Kubeconfig, name: string, kind = 'context '): string {
  const others = config.contexts.map((entry) => entry.name);
  return `${kind}"${name}" not found; ${others.length === 0 ? 'the kubeconfig has no context' : `choose one of: ${others.join(', ')}`}`;
}

export function contextInfo(config: Kubeconfig, entry: ConfigEntry): ContextInfo {
  const cluster = textIn(entry.value, 'cluster') ?? '';
  const user = textIn(entry.value, 'user') ?? '';
  const clusterEntry = find(config.clusters, cluster);
  const userEntry = find(config.users, user);
  const namespace = textIn(entry.value, 'namespace');
  const command = userEntry === undefined ? undefined : credentialCommandOf(userEntry);
  const entries = [entry, clusterEntry, userEntry];
  const files = entries.flatMap((one) => (one === undefined ? [] : [one.file]));
  return {
    name: entry.name,
    cluster,
    user,
    server: withoutCredentials(textIn(clusterEntry?.value, 'server') ?? ''),
    files: [...new Set(files)],
    ...(namespace === undefined ? {} : { namespace }),
    ...(command === undefined ? {} : { credentialCommand: command }),
  };
}

export const find = (entries: readonly ConfigEntry[], name: string): ConfigEntry | undefined =>
  entries.find((entry) => entry.name === name);

/** The exec plugin of a user, with the path that a relative command has as seen from the kubeconfig's folder. */
export function execOf({ value, folder }: ConfigEntry): ExecPlugin | undefined {
  const exec = at(value, 'exec');
  const command = textIn(exec, 'command');
  if (command === undefined) return undefined;
  const isPath = command.includes('/') || (path.sep === '\\' && command.includes('\\'));
  const env = listIn(exec, 'env').flatMap((one): readonly (readonly [string, string])[] => {
    const name = textIn(one, 'name');
    const text = at(one, 'value');
    return name !== undefined && typeof text === 'string' ? [[name, text]] : [];
  });
  const installHint = textIn(exec, 'installHint');
  return {
    command: isPath ? path.resolve(folder, command) : command,
    args: listIn(exec, 'args').map(String),
    env: Object.fromEntries(env),
    apiVersion: textIn(exec, 'apiVersion') ?? 'client.authentication.k8s.io/v1',
    isInteractive: textIn(exec, 'interactiveMode') === 'Always',
    providesClusterInfo: at(exec, 'provideClusterInfo') === true,
    ...(installHint === undefined ? {} : { installHint }),
  };
}

/** A command that prints credentials. */
export type ExecPlugin = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string;
  readonly isInteractive: boolean;
  readonly providesClusterInfo: boolean;
  readonly installHint?: string;
};

/** A command with its arguments as it would be typed. */
export const commandLine = ({ command, args }: Pick<ExecPlugin, 'command' | 'args'>): string =>
  [command, ...args]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');

function credentialCommandOf(user: ConfigEntry): string | undefined {
  const exec = execOf(user);
  return exec === undefined ? undefined : commandLine(exec);
}

function filesOf({ files, env, home }: KubeconfigPlace): {
  readonly files: readonly string[];
  readonly mustExist: boolean;
} {
  if (files !== undefined) return { files: [...new Set(files)], mustExist: true };
  const named = (env['KUBECONFIG'] ?? '').split(path.delimiter).filter((file) => file !== '');
  if (named.length > 0) return { files: [...new Set(named)], mustExist: false };
  return { files: [path.join(home, '.kube', 'config')], mustExist: false };
}

function readFile(file: string, parseYaml: (text: string) => unknown): ReadKubeconfig {
  let content: unknown;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
    content = text.trim() === '' ? {} : parseYaml(text);
  } catch (error) {
    return { ok: false, problem: `${file} cannot be read: ${whyUnread(error)}` };
  }
  if (content !== null && content !== undefined && !isRecord(content)) {
    return { ok: false, problem: `${file} is no kubeconfig` };
  }
  const folder = path.dirname(path.resolve(file));
  const entries = (list: string, key: string): readonly ConfigEntry[] =>
    listIn(content, list).flatMap((one) => {
      const name = textIn(one, 'name');
      const value = at(one, key);
      return name === undefined
        ? []
        : [{ name, value: isRecord(value) ? value : {}, folder, file }];
    });
  const current = textIn(content, 'current-context');
  return {
    ok: true,
    config: {
      files: [{ file, digest: createHash('sha256').update(text).digest('hex') }],
      ...(current === undefined ? {} : { current }),
      contexts: entries('contexts', 'context'),
      clusters: entries('clusters', 'cluster'),
      users: entries('users', 'user'),
    },
  };
}

/** Where a parser stopped and no more: what it quotes could be a token. */
function whyUnread(error: unknown): string {
  const place: unknown = error instanceof Error && 'linePos' in error ? error.linePos : undefined;
  const line = Array.isArray(place) ? at(place[0], 'line') : undefined;
  if (typeof line === 'number') return `it is no YAML, at line ${String(line)}`;
  const isOfFile = error instanceof Error && 'syscall' in error;
  return isOfFile ? (error.message.split('\n')[0] ?? '') : 'it is no YAML';
}

function merge(parts: readonly Kubeconfig[]): Kubeconfig {
  const first = (entries: readonly ConfigEntry[]): readonly ConfigEntry[] => {
    const named = new Map<string, ConfigEntry>();
    for (const entry of entries) if (!named.has(entry.name)) named.set(entry.name, entry);
    return [...named.values()];
  };
  const current = parts.find((part) => part.current !== undefined)?.current;
  return {
    files: parts.flatMap(({ files }) => files),
    ...(current === undefined ? {} : { current }),
    contexts: first(parts.flatMap(({ contexts }) => contexts)),
    clusters: first(parts.flatMap(({ clusters }) => clusters)),
    users: first(parts.flatMap(({ users }) => users)),
  };
}

/** The service account that Kubernetes mounts into every pod. */
function ownPod(env: KubeconfigPlace['env']): Kubeconfig | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const token = `${serviceAccount}/token`;
  if (host === undefined || port === undefined || !existsSync(token)) return undefined;
  const namespaceFile = `${serviceAccount}/namespace`;
  const namespace = existsSync(namespaceFile)
    ? { namespace: readFileSync(namespaceFile, 'utf8').trim() }
    : {};
  const entry = (value: JsonRecord): ConfigEntry => ({
    name: 'in-cluster',
    value,
    folder: serviceAccount,
    file: token,
  });
  return {
    files: [],
    current: 'in-cluster',
    contexts: [entry({ cluster: 'in-cluster', user: 'in-cluster', ...namespace })],
    clusters: [
      entry({
        server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
        'certificate-authority': `${serviceAccount}/ca.crt`,
      }),
    ],
    users: [entry({ tokenFile: token })],
  };
}

/** An address as it may be shown. */
export function withoutCredentials(server: string): string {
  // Without a scheme, the name would be read as one.
  if (!server.includes('://')) return server.replace(/^.*@/s, '');
  try {
    const url = new URL(server);
    url.username = '';
    url.password = '';
    return url.href.replace(/\/$/, '');
  } catch {
    return redacted(server);
  }
}
