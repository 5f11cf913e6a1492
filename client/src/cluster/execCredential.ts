import { spawn } from 'node:child_process';
import path from 'node:path';
import { instant, parseInstant, type Instant, type Ms } from '../../../engine/units.ts';
import { isRecord, parseJson, textIn, type JsonRecord } from './json.ts';
import { commandLine, type ExecPlugin } from './kubeconfig.ts';
import { redacted } from './redact.ts';

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
  | { readonly ok: false; readonly detail: string; readonly command: string };

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
 * Never rejects, and what it says of a failure holds no token.
 */
export function runCredentialCommand(
  plugin: ExecPlugin,
  { env, longest, cluster }: ExecSurroundings,
): Promise<ExecOutcome> {
  const command = commandLine(plugin);
  const failed = (detail: string): ExecOutcome => ({ ok: false, detail, command });
  if (plugin.isInteractive) {
    return Promise.resolve(
      failed(`\`${command}\` needs a terminal to sign in: run it in one, then connect again`),
    );
  }
  const variables: Record<string, string | undefined> = {
    ...env,
    ...plugin.env,
    KUBERNETES_EXEC_INFO: execInfo(plugin, cluster),
  };
  return new Promise((resolve) => {
    const child = spawn(plugin.command, [...plugin.args], {
      env: variables,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
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
      () => stop(`\`${command}\` did not end within ${String(longest / 1000)}s`),
      longest,
    );
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.length > mostOutput) stop(`\`${command}\` printed far more than a credential`);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < mostOutput) stderr += text;
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve(failed(startFailure(plugin, error, variables)));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (end !== undefined) return resolve(failed(end));
      if (code !== 0) {
        const how = signal === null ? `with ${String(code)}` : `by ${signal}`;
        const said = lastLines(redacted(stderr));
        return resolve(failed(`\`${command}\` ended ${how}${said === '' ? '' : `: ${said}`}`));
      }
      const credential = readCredential(stdout);
      return resolve(
        typeof credential === 'string'
          ? failed(`\`${command}\` ${credential}`)
          : { ok: true, credential },
      );
    });
  });
}

/** What client-go tells plugins: how they may behave, and which cluster it is for. */
function execInfo({ apiVersion, providesClusterInfo }: ExecPlugin, cluster?: JsonRecord): string {
  const spec =
    providesClusterInfo && cluster !== undefined
      ? { interactive: false, cluster }
      : { interactive: false };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });
}

function startFailure(
  { command, installHint }: ExecPlugin,
  error: NodeJS.ErrnoException,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const hint = installHint === undefined ? '' : `. ${installHint.trim()}`;
  if (error.code !== 'ENOENT') return `"${command}" cannot be started: ${error.message}${hint}`;
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
 * `forget` makes the next call run it again, after the server has refused what it gave.
 */
export function rememberedCredential(
  run: () => Promise<ExecOutcome>,
  now: () => Instant,
): { readonly ask: () => Promise<ExecOutcome>; readonly forget: () => void } {
  let asked:
    { readonly until: Instant | undefined; readonly outcome: Promise<ExecOutcome> } | undefined;
  return {
    forget: () => {
      asked = undefined;
    },
    ask: () => {
      if (asked !== undefined && (asked.until === undefined || now() < asked.until)) {
        return asked.outcome;
      }
      const outcome = run().then((result) => {
        // A failed command is run again at the next request, which comes after a wait of its own.
        asked = result.ok ? { until: renewalOf(result.credential), outcome } : undefined;
        return result;
      });
      asked = { until: undefined, outcome };
      return outcome;
    },
  };
}

/** A little before it expires, so that it lasts for the request it is taken for. */
const renewalOf = ({ expiresAt }: ExecCredential): Instant | undefined =>
  expiresAt === undefined ? undefined : instant(expiresAt - 5000);
