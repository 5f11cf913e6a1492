import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  rememberedCredential,
  runCredentialCommand,
  type ExecOutcome,
} from '../../../client/src/cluster/execCredential.ts';
import type { ExecPlugin } from '../../../client/src/cluster/kubeconfig.ts';
import { instant, ms } from '../../../engine/units.ts';

const secret = 'SuperSecretValue123';
const args = [`--oidc-client-secret=${secret}`, '--password', secret, '--for', 'prod'];

/** A credential command that runs a shell script. */
function plugin(script: string, more: Partial<ExecPlugin> = {}): ExecPlugin {
  const folder = mkdtempSync(path.join(tmpdir(), 'kube-backoff-exec-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const command = path.join(folder, 'corp-login');
  writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    command,
    args,
    env: { CORP_TOKEN: `${secret}-too`, CORP_REGION: 'eu-west' },
    apiVersion: 'client.authentication.k8s.io/v1',
    isInteractive: false,
    providesClusterInfo: false,
    ...more,
  };
}

const run = (one: ExecPlugin, longest = 20_000) =>
  runCredentialCommand(one, { env: { PATH: process.env['PATH'] }, longest: ms(longest) });

describe('a credential command that fails', () => {
  it.each([
    ['by what it ends with', 'exit 3', {}, '"corp-login" ended with 3'],
    ['by a signal', 'kill -TERM $$', {}, '"corp-login" ended by SIGTERM'],
    ['by what it prints', 'echo hello', {}, '"corp-login" printed no JSON'],
    [
      'by what is missing in it',
      `echo '{"status":{}}'`,
      {},
      '"corp-login" printed neither a token nor a certificate with its key',
    ],
    [
      'without a terminal',
      '',
      { isInteractive: true },
      '"corp-login" needs a terminal to sign in: use kubectl in one, then connect again',
    ],
    [
      'with what it was given',
      `echo "usage: --password $3 in $CORP_REGION, not $CORP_TOKEN; $1" >&2; exit 1`,
      {},
      '"corp-login" ended with 1: usage: --password [redacted] in eu-west, not [redacted]; --oidc-client-secret=[redacted]',
    ],
  ])('%s is named without its arguments', async (_how, script, more, detail) => {
    expect(await run(plugin(script, more))).toEqual({ ok: false, detail });
  });

  it.each([
    ['an argument', { args: [`--key=${secret}\0`] }],
    ['a variable', { env: { CORP_TOKEN: `${secret}\0` } }],
  ])('because %s cannot be passed on is named without it', async (_what, more) => {
    const one = plugin('exit 0', more);
    expect(await run(one)).toEqual({
      ok: false,
      detail: `"${one.command}" cannot be started (ERR_INVALID_ARG_VALUE)`,
    });
  });

  it('because it may not be run, or takes too long, is named without its arguments', async () => {
    const folder = path.dirname(plugin('').command);
    expect(await run(plugin('', { command: folder }))).toEqual({
      ok: false,
      detail: `"${folder}" cannot be started (EACCES)`,
    });
    expect(await run(plugin('exec sleep 30'), 10)).toEqual({
      ok: false,
      detail: '"corp-login" did not end within 0.01s',
    });
  });
});

describe('a remembered credential', () => {
  const noon = instant(Date.UTC(2026, 0, 10, 12));
  const counted = () => {
    let runs = 0;
    const remembered = rememberedCredential(
      () => {
        runs += 1;
        return Promise.resolve<ExecOutcome>({
          ok: true,
          credential: { token: `token-${String(runs)}` },
        });
      },
      () => noon,
    );
    const ask = async () => {
      const outcome = await remembered.ask();
      if (!outcome.ok) throw new Error(outcome.detail);
      return outcome.credential;
    };
    return { ask, forget: remembered.forget, runs: () => runs };
  };

  it('is asked for again once, however many requests were refused with it', async () => {
    const { ask, forget, runs } = counted();
    const refused = await ask();
    forget(refused);
    const onTheWay = ask();
    forget(refused);
    const fresh = await onTheWay;
    forget(refused);
    expect(await ask()).toBe(fresh);
    expect([refused.token, fresh.token, runs()]).toEqual(['token-1', 'token-2', 2]);
  });
});
