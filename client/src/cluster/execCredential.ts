import { spawn, type ChildProcessByStdio } from 'node:child_process';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { instant, parseInstant, type Instant, type Ms } from '../../../engine/units.ts';
import { isRecord, parseJson, textIn, type JsonRecord } from './json.ts';
import type { ExecPlugin } from './kubeconfig.ts';
import { isSecret, redacted, secretArguments } from './redact.ts';

/** What a credential command printed. */
export type ExecCredential = {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** When it must be asked again; absent: when the server refuses. */
  readonly expiresAt?: Instant;
};

export type ExecOutcome =
  | { readonly ok: true; readonly credential: ExecCredential }
  | { readonly ok: false; readonly detail: string };

export type ExecSurroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly longest: Ms;
  /** What a plugin that asks for it is told of the cluster. */
  readonly cluster?: JsonRecord;
};

/** A plugin prints a few lines of JSON; more than this is no credential. */
const mostOutput = 1024 * 1024;

/**
 * Runs a credential command once, for a bounded time, with no terminal.
 *
 * Never rejects. What it says of a failure goes to logs and onto screens: it names the program alone, as arguments
 * can be secrets, and holds none of what the program was given or printed.
 */
export function runCredentialCommand(
  plugin: ExecPlugin,
  { env, longest, cluster }: ExecSurroundings,
): Promise<ExecOutcome> {
  const program = `"${path.basename(plugin.command)}"`;
  const failed = (detail: string): ExecOutcome => ({ ok: false, detail });
  if (plugin.isInteractive) {
    return Promise.resolve(
      failed(`${program} needs a terminal to sign in: use kubectl in one, then connect again`),
    );
  }
  const variables: Record<string, string | undefined> = {
    ...env,
    ...plugin.env,
    KUBERNETES_EXEC_INFO: execInfo(plugin, cluster),
  };
  return new Promise((resolve) => {
    const child = started(plugin, variables);
    if ('code' in child) return resolve(failed(startFailure(plugin, child.code, variables)));
    let stdout = '';
    let stderr = '';
    let end: string | undefined;
    const stop = (why: string) => {
      end ??= why;
      child.kill('SIGKILL');
      // What the command itself has started may keep the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(
      () => stop(`${program} did not end within ${String(longest / 1000)}s`),
      longest,
    );
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > mostOutput) stop(`${program} printed far more than a credential`);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < mostOutput) stderr += text;
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve(failed(startFailure(plugin, codeOf(error), variables)));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (end !== undefined) return resolve(failed(end));
      if (code !== 0) {
        const how = signal === null ? `with ${String(code)}` : `by ${signal}`;
        const said = lastLines(redacted(stderr, secretsOf(plugin)));
        return resolve(failed(`${program} ended ${how}${said === '' ? '' : `: ${said}`}`));
      }
      const credential = readCredential(stdout);
      return resolve(
        typeof credential === 'string'
          ? failed(`${program} ${credential}`)
          : { ok: true, credential },
      );
    });
  });
}

/** What cannot be started at all, such as a text with a zero byte in it, is thrown and not told by an event. */
function started(
  { command, args }: ExecPlugin,
  env: Readonly<Record<string, string | undefined>>,
): ChildProcessByStdio<null, Readable, Readable> | { readonly code: string } {
  try {
    return spawn(command, [...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
  } catch (error) {
    return { code: codeOf(error) };
  }
}

/** The code alone: messages may quote an argument or a variable. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'for a reason that is not known';

/** What a plugin may repeat of what it was given. */
const secretsOf = ({ args, env }: ExecPlugin): readonly string[] => [
  ...secretArguments(args),
  ...Object.entries(env).flatMap(([name, value]) => (isSecret(name, value) ? [value] : [])),
];

/** What client-go tells plugins: how they may behave, and which cluster it is for. */
function execInfo({ apiVersion, providesClusterInfo }: ExecPlugin, cluster?: JsonRecord): string {
  const spec =
    providesClusterInfo && cluster !== undefined
      ? { interactive: false, cluster }
      : { interactive: false };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
}

function startFailure(
  plugin: ExecPlugin,
  code: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { installHint } = plugin;
  const command = redacted(plugin.command);
  const hint = installHint === undefined ? '' : `. ${redacted(installHint.trim())}`;
  if (code !== 'ENOENT') return `"${command}" cannot be started (${code})${hint}`;
  if (path.isAbsolute(command)) return `"${command}" does not exist${hint}`;
  return `"${command}" not found on PATH (${env['PATH'] ?? env['Path'] ?? 'which is empty'})${hint}`;
}

function readCredential(text: string): ExecCredential | string {
  const parsed = parseJson(text);
  if (parsed === undefined) return 'printed no JSON';
  const status = isRecord(parsed.value) ? parsed.value['status'] : undefined;
  const token = textIn(status, 'token');
  const certificate = textIn(status, 'clientCertificateData');
  const key = textIn(status, 'clientKeyData');
  if (token === undefined && (certificate === undefined || key === undefined)) {
    return 'printed neither a token nor a certificate with its key';
  }
  const expiresAt = parseInstant(textIn(status, 'expirationTimestamp'));
  return {
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined || key === undefined ? {} : { certificate, key }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

const lastLines = (text: string): string =>
  text.trim().split('\n').slice(-3).join('; ').slice(-500);

/**
 * Remembers a command's credential until it expires; many requests at once run it once.
 *
 * `forget` makes the next call run it again, after the server has refused what it gave. A credential that has been
 * replaced meanwhile is forgotten already: many refusals at once run the command once.
 */
export function rememberedCredential(
  run: () => Promise<ExecOutcome>,
  now: () => Instant,
): {
  readonly ask: () => Promise<ExecOutcome>;
  readonly forget: (refused: ExecCredential) => void;
} {
  let asked:
    | {
        readonly until?: Instant | undefined;
        readonly credential?: ExecCredential;
        readonly outcome: Promise<ExecOutcome>;
      }
    | undefined;
  return {
    forget: (refused) => {
      if (asked?.credential === refused) asked = undefined;
    },
    ask: () => {
      if (asked !== undefined && (asked.until === undefined || now() < asked.until)) {
        return asked.outcome;
      }
      const outcome = run().then((result) => {
        // A failed command is run again at the next request, which comes after a wait of its own.
        asked = result.ok
          ? { until: renewalOf(result.credential), credential: result.credential, outcome }
          : undefined;
        return result;
      });
      asked = { outcome };
      return outcome;
    },
  };
}

/** A little before it expires, so that it lasts for the request it is taken for. */
const renewalOf = ({ expiresAt }: ExecCredential): Instant | undefined =>
  expiresAt === undefined ? undefined : instant(expiresAt - 5000);
