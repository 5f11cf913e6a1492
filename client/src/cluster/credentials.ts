import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { seconds, type Instant } from '../../../engine/units.ts';
import {
  rememberedCredential,
  runCredentialCommand,
  type ExecCredential,
} from './execCredential.ts';
import { at, isRecord, listIn, textIn, type JsonRecord } from './json.ts';
import { execOf, type ConfigEntry } from './kubeconfig.ts';
import type { PortFailure } from './port.ts';
import { proxyFromEnvironment } from './proxyFromEnvironment.ts';
import { redacted } from './redact.ts';

/** Longest time a credential command may take: some ask a far-away service. */
export const longestCommand = seconds(60);

/** How to reach a cluster, with every file read. */
export type ClusterTarget = {
  readonly server: string;
  readonly skipTLSVerify: boolean;
  /** PEM, in base64. */
  readonly caData?: string;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
};

/** Who asks, as far as the kubeconfig says it outright. */
export type Identity = {
  readonly certData?: string;
  readonly keyData?: string;
  readonly username?: string;
  readonly password?: string;
  readonly token?: string;
  /** Sign-in by OpenID Connect, as `auth-provider` has it. */
  readonly oidc?: JsonRecord;
  /** What a command gave, where it was asked. */
  readonly given?: ExecCredential;
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
};

type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: PortFailure };

/** Reads what a context says of its cluster; the environment's proxy holds where it names none. */
export function clusterTarget(
  entry: ConfigEntry,
  env: Readonly<Record<string, string | undefined>>,
): Outcome<ClusterTarget> {
  const { value, name, folder } = entry;
  const server = textIn(value, 'server');
  if (server === undefined) {
    return failed({ kind: 'invalid', detail: `cluster "${name}" has no server` });
  }
  const ca = inlined(value, 'certificate-authority', folder);
  if (!ca.ok) return ca;
  const pem = ca.value === undefined ? '' : Buffer.from(ca.value, 'base64').toString('latin1');
  if (ca.value !== undefined && !pem.includes('-----BEGIN')) {
    return failed({
      kind: 'certificate',
      detail: `${hostOf(server)}: certificate not trusted by the kubeconfig CA (no fallback to insecure): the CA of cluster "${name}" is no PEM certificate`,
    });
  }
  const tlsServerName = textIn(value, 'tls-server-name');
  const proxyUrl = textIn(value, 'proxy-url') ?? proxyFromEnvironment(server, env);
  return {
    ok: true,
    value: {
      server: server.replace(/\/+$/, ''),
      // Without TLS there is nothing to verify.
      skipTLSVerify: at(value, 'insecure-skip-tls-verify') === true || server.startsWith('http:'),
      ...(ca.value === undefined ? {} : { caData: ca.value }),
      ...(tlsServerName === undefined ? {} : { tlsServerName }),
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
    },
  };
}

/** Asks for a user's credentials anew for every request, from where they are kept. */
export type CredentialSource = {
  readonly ask: () => Promise<Outcome<Identity>>;
  /** Makes the next call ask a command again, unless it has been asked since; false where there is no command. */
  readonly forget: (refused: Identity) => boolean;
};

export function credentialSource(
  entry: ConfigEntry | undefined,
  target: ClusterTarget,
  env: Readonly<Record<string, string | undefined>>,
  now: () => Instant,
): CredentialSource {
  if (entry === undefined) {
    const identity: Identity = { impersonation: {} };
    return { ask: () => Promise.resolve({ ok: true, value: identity }), forget: () => false };
  }
  const plugin = execOf(entry);
  const command =
    plugin === undefined
      ? undefined
      : rememberedCredential(
          () =>
            runCredentialCommand(plugin, {
              env,
              longest: longestCommand,
              cluster: clusterInfo(target),
            }),
          now,
        );
  return {
    ask: async () => {
      const stated = await statedIdentity(entry);
      if (!stated.ok || command === undefined || stated.value.token !== undefined) return stated;
      const outcome = await command.ask();
      if (!outcome.ok) {
        return failed({ kind: 'credentials', detail: outcome.detail });
      }
      const { token, certificate, key } = outcome.credential;
      const pair =
        certificate === undefined || key === undefined
          ? {}
          : { certData: encode(certificate), keyData: encode(key) };
      return {
        ok: true,
        value: {
          ...stated.value,
          ...pair,
          ...(token === undefined ? {} : { token }),
          given: outcome.credential,
        },
      };
    },
    forget: ({ given }) => {
      if (given !== undefined) command?.forget(given);
      return command !== undefined;
    },
  };
}

async function statedIdentity({ name, value, folder }: ConfigEntry): Promise<Outcome<Identity>> {
  const cert = inlined(value, 'client-certificate', folder);
  if (!cert.ok) return cert;
  const key = inlined(value, 'client-key', folder);
  if (!key.ok) return key;
  const provider = textIn(value, 'auth-provider', 'name');
  if (provider !== undefined && provider !== 'oidc') {
    return failed({
      kind: 'credentials',
      detail: `user "${name}" signs in through the auth-provider "${provider}", which Kubernetes has removed: use its credential plugin`,
    });
  }
  const token = await tokenOf(value, folder);
  if (!token.ok) return token;
  const username = textIn(value, 'username');
  const password = textIn(value, 'password');
  const oidc = at(value, 'auth-provider', 'config');
  return {
    ok: true,
    value: {
      ...(cert.value === undefined ? {} : { certData: cert.value }),
      ...(key.value === undefined ? {} : { keyData: key.value }),
      ...(token.value === undefined ? {} : { token: token.value }),
      ...(username === undefined ? {} : { username, password: password ?? '' }),
      ...(isRecord(oidc) ? { oidc: withAbsolute(oidc, folder) } : {}),
      impersonation: impersonationOf(value),
    },
  };
}

/** A token file is written anew while we run, and wins over a token. */
async function tokenOf(value: JsonRecord, folder: string): Promise<Outcome<string | undefined>> {
  const file = textIn(value, 'tokenFile');
  if (file === undefined) return { ok: true, value: textIn(value, 'token') };
  try {
    return { ok: true, value: (await readFile(path.resolve(folder, file), 'utf8')).trim() };
  } catch {
    return failed({ kind: 'credentials', detail: `the token file ${file} cannot be read` });
  }
}

function impersonationOf(value: JsonRecord): Identity['impersonation'] {
  const as = textIn(value, 'as');
  const uid = textIn(value, 'as-uid');
  const groups = listIn(value, 'as-groups').map(String);
  const extra = at(value, 'as-user-extra');
  const extras = Object.entries(isRecord(extra) ? extra : {}).map(
    ([key, list]): readonly [string, readonly string[]] => [
      `Impersonate-Extra-${encodeURIComponent(key)}`,
      Array.isArray(list) ? list.map(String) : [],
    ],
  );
  return {
    ...(as === undefined ? {} : { 'Impersonate-User': as }),
    ...(uid === undefined ? {} : { 'Impersonate-Uid': uid }),
    ...(groups.length === 0 ? {} : { 'Impersonate-Group': groups }),
    ...Object.fromEntries(extras),
  };
}

/** Certificates and keys stand in the kubeconfig itself, or in a file beside it. */
function inlined(value: JsonRecord, key: string, folder: string): Outcome<string | undefined> {
  const data = textIn(value, `${key}-data`);
  const file = textIn(value, key);
  if (data !== undefined || file === undefined) return { ok: true, value: data };
  const absolute = path.resolve(folder, file);
  const wrong = (why: string) =>
    failed({ kind: 'certificate', detail: `the file ${absolute} (${key}) ${why}` });
  if (!existsSync(absolute)) return wrong('does not exist');
  try {
    return { ok: true, value: encode(readFileSync(absolute, 'utf8')) };
  } catch {
    return wrong('cannot be read');
  }
}

const withAbsolute = (oidc: JsonRecord, folder: string): JsonRecord => {
  const ca = textIn(oidc, 'idp-certificate-authority');
  return ca === undefined
    ? oidc
    : { ...oidc, 'idp-certificate-authority': path.resolve(folder, ca) };
};

const clusterInfo = (target: ClusterTarget): JsonRecord => ({
  server: target.server,
  ...(target.caData === undefined ? {} : { 'certificate-authority-data': target.caData }),
  ...(target.tlsServerName === undefined ? {} : { 'tls-server-name': target.tlsServerName }),
  ...(target.skipTLSVerify ? { 'insecure-skip-tls-verify': true } : {}),
  ...(target.proxyUrl === undefined ? {} : { 'proxy-url': target.proxyUrl }),
});

const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

const failed = (failure: PortFailure): { readonly ok: false; readonly failure: PortFailure } => ({
  ok: false,
  failure,
});

/** The texts of an identity that nobody may read, should a server or a library repeat them. */
export function secretsOf({ token, password, oidc }: Identity): readonly string[] {
  const ofSignIn = ['id-token', 'refresh-token', 'client-secret'].map((key) => textIn(oidc, key));
  return [token, password, ...ofSignIn].flatMap((secret) =>
    secret === undefined || secret === '' ? [] : [secret],
  );
}

/** The name of a server, for messages. */
export function hostOf(server: string): string {
  try {
    return new URL(server).hostname;
  } catch {
    return redacted(server);
  }
}
