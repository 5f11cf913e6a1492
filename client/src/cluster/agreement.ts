import { createHash } from 'node:crypto';
import path from 'node:path';
import { at, textIn, type JsonRecord } from './json.ts';
import { execOf, withoutCredentials, type ConfigEntry } from './kubeconfig.ts';
import type { Terms, Trust } from './port.ts';
import { proxyFromEnvironment } from './proxyFromEnvironment.ts';
import { isSecret } from './redact.ts';

/** The entries of a kubeconfig that a context is made of. */
export type Entries = {
  readonly cluster: ConfigEntry;
  readonly user?: ConfigEntry | undefined;
};

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What a kubeconfig says of whom a context contacts and trusts, what it runs and which files it reads.
 *
 * Each part is a text that is another one where the part is; the parts' names are for people.
 */
export type Agreement = ReadonlyMap<string, string>;

export function agreementOf({ cluster, user }: Entries, env: Variables): Agreement {
  const exec = user === undefined ? undefined : execOf(user);
  const provider = at(user?.value, 'auth-provider');
  const files = ['tokenFile', 'client-certificate', 'client-key'].map((key) => fileIn(user, key));
  const parts: Readonly<Record<string, readonly unknown[]>> = {
    server: [textIn(cluster.value, 'server')],
    proxy: [proxyOf(cluster, env)],
    CA: [textIn(cluster.value, `${caKey}-data`), fileIn(cluster, caKey)],
    'certificate check': [isUnchecked(cluster), textIn(cluster.value, 'tls-server-name')],
    'credential command': exec === undefined ? [] : [exec.command, exec.args, exec.env],
    'sign-in server': [
      textIn(provider, 'config', 'idp-issuer-url'),
      fileIn(user, 'idp-certificate-authority', 'auth-provider', 'config'),
      textIn(provider, 'config', 'idp-certificate-authority-data'),
    ],
    'files with credentials': files,
  };
  return new Map(Object.entries(parts).map(([name, values]) => [name, JSON.stringify(values)]));
}

/** The names of the parts that are others now. */
export const changedParts = (agreed: Agreement, now: Agreement): readonly string[] =>
  [...agreed].flatMap(([name, value]) => (now.get(name) === value ? [] : [name]));

/** What a person is shown before the first contact, and a text that stands for all of it. */
export function termsOf(entries: Entries, env: Variables, caData: string | undefined): Terms {
  const { cluster, user } = entries;
  const exec = user === undefined ? undefined : execOf(user);
  const proxy = proxyOf(cluster, env);
  const issuer = textIn(user?.value, 'auth-provider', 'config', 'idp-issuer-url');
  const agreed = [...agreementOf(entries, env), caData ?? null];
  return {
    trust: trustOf(cluster),
    credentialEnv: Object.entries(exec?.env ?? {}).map(([name, value]) => ({
      name,
      ...(isSecret(name, value) ? {} : { value }),
    })),
    digest: createHash('sha256').update(JSON.stringify(agreed)).digest('hex'),
    ...(proxy === undefined ? {} : { proxy: withoutCredentials(proxy) }),
    ...(issuer === undefined ? {} : { signsInAt: withoutCredentials(issuer) }),
  };
}

const caKey = 'certificate-authority';

function trustOf(cluster: ConfigEntry): Trust {
  if (textIn(cluster.value, 'server')?.startsWith('http:') === true) return { kind: 'plain' };
  if (isUnchecked(cluster)) return { kind: 'unchecked' };
  if (textIn(cluster.value, `${caKey}-data`) !== undefined) return { kind: 'kubeconfig' };
  const file = fileIn(cluster, caKey);
  return file === undefined ? { kind: 'machine' } : { kind: 'file', file };
}

const isUnchecked = ({ value }: { readonly value: JsonRecord }): boolean =>
  at(value, 'insecure-skip-tls-verify') === true;

const proxyOf = ({ value }: ConfigEntry, env: Variables): string | undefined =>
  textIn(value, 'proxy-url') ?? proxyFromEnvironment(textIn(value, 'server') ?? '', env);

function fileIn(
  entry: ConfigEntry | undefined,
  key: string,
  ...within: readonly string[]
): string | undefined {
  const file = textIn(entry?.value, ...within, key);
  return entry === undefined || file === undefined ? undefined : path.resolve(entry.folder, file);
}
