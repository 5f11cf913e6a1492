import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listContexts } from '../../../client/src/cluster/kubernetesPort.ts';
import type { ContextList } from '../../../client/src/cluster/port.ts';
import { chooseContext, type ClusterHost } from '../../../client/src/live/connect.ts';
import { consents } from '../../../client/src/live/consent.ts';

/** The dialogs that were shown, what is done while one is open, and where the workspace is. */
const editor = vi.hoisted(() => ({
  dialogs: [] as { readonly message: string; readonly detail: string }[],
  /** Called before a dialog is answered; `undefined` is no answer. */
  answer: (_message: string, yes: string): string | undefined => yes,
  isInside: (_file: string): boolean => false,
}));

vi.mock('vscode', () => {
  const format = (text: string, ...values: readonly unknown[]) =>
    text.replace(/\{(\d)\}/g, (_match, index: string) => String(values[Number(index)]));
  const ask = (message: string, { detail }: { readonly detail: string }, yes: string) => {
    editor.dialogs.push({ message, detail });
    return Promise.resolve(editor.answer(message, yes));
  };
  return {
    l10n: { t: format },
    Uri: { file: (fsPath: string) => ({ fsPath, toString: () => fsPath }) },
    window: { showInformationMessage: ask, showWarningMessage: ask },
    workspace: {
      getConfiguration: () => ({ get: () => undefined, inspect: () => undefined }),
      getWorkspaceFolder: ({ fsPath }: { readonly fsPath: string }) =>
        editor.isInside(fsPath) ? {} : undefined,
    },
  };
});

beforeEach(() => {
  editor.dialogs = [];
  editor.answer = (_message, yes) => yes;
  editor.isInside = () => false;
});

/** What a person has agreed to so far, kept in memory. */
function memory() {
  const kept = new Map<string, unknown>();
  return consents({
    keys: () => [...kept.keys()],
    get: (key: string, other?: unknown) => kept.get(key) ?? other,
    update: (key, value) => {
      kept.set(key, value);
      return Promise.resolve();
    },
  });
}

type Exec = { readonly command: string; readonly args?: readonly string[]; readonly env?: unknown };

function kubeconfig(exec?: Exec, cluster: Readonly<Record<string, unknown>> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'kube-backoff-connect-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'config');
  const write = (one: Exec | undefined) =>
    writeFileSync(
      file,
      JSON.stringify({
        'current-context': 'dev',
        contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
        users: [{ name: 'u', user: one === undefined ? {} : { exec: one } }],
      }),
    );
  write(exec);
  const host: ClusterHost = {
    load: () => Promise.resolve({ listContexts }),
    env: { KUBECONFIG: file },
    home: folder,
  };
  return { host, file, write };
}

/** The dialogs of one attempt to connect. */
async function connect(host: ClusterHost, given = memory()) {
  editor.dialogs = [];
  const chosen = await chooseContext(host, given);
  chosen?.port.dispose();
  return { port: chosen?.port, dialogs: editor.dialogs };
}

describe('connecting', () => {
  it('shows the command with its variables, and the values that are no secrets', async () => {
    const env = [
      { name: 'CORP_REGION', value: 'eu-west' },
      { name: 'CORP_PASSWORD', value: 'hunter2' },
      { name: 'CORP_URL', value: 'https://me:hunter2@corp.test' },
    ];
    const { host } = kubeconfig(
      { command: 'corp-login', args: ['--for', 'prod eu'], env },
      { 'proxy-url': 'http://me:hunter2@proxy.test:3128' },
    );
    const { dialogs } = await connect(host);
    expect(dialogs).toEqual([
      {
        message: 'Connect to dev (read-only)?',
        detail: `Server: https://127.0.0.1:1
Proxy: http://proxy.test:3128
Its certificate is checked with the CAs that VS Code trusts.

For credentials, this command runs:
corp-login --for 'prod eu'
with these variables:
CORP_REGION=eu-west
CORP_PASSWORD (not shown)
CORP_URL (not shown)

Kube Backoff lists and watches what can back off. It changes nothing.`,
      },
    ]);
  });

  it.each([
    [{ 'certificate-authority': '/none.crt' }, 'checked with the CA in /none.crt.'],
    [{ 'certificate-authority-data': 'Q0E=' }, 'checked with the CA in the kubeconfig.'],
    [{ 'insecure-skip-tls-verify': true }, 'Its certificate is not checked'],
    [{ server: 'http://127.0.0.1:1' }, 'The connection is not encrypted.'],
  ])('says what makes sure that the server is the right one: %j', async (cluster, words) => {
    const { dialogs } = await connect(kubeconfig(undefined, cluster).host);
    expect(dialogs[0]?.detail).toContain(words);
  });

  it('asks once, and again when a variable of the command is another', async () => {
    const given = memory();
    const exec = (value: string): Exec => ({ command: 'x', env: [{ name: 'TOKEN', value }] });
    const { host, write } = kubeconfig(exec('one'));
    expect((await connect(host, given)).dialogs).toHaveLength(1);
    expect((await connect(host, given)).dialogs).toHaveLength(0);
    write(exec('other'));
    expect((await connect(host, given)).dialogs).toHaveLength(1);
  });

  it('opens what was shown, whatever becomes of the file meanwhile', async () => {
    const { host, write } = kubeconfig({ command: 'shown' });
    editor.answer = (_message, yes) => {
      write({ command: 'slipped-in' });
      return yes;
    };
    const { port, dialogs } = await connect(host);
    expect(dialogs[0]?.detail).toContain('\nshown\n');
    expect(port?.context.credentialCommand).toBe('shown');
    expect(port?.readAgain?.()).toBe(false);
  });

  it('does not happen without an answer', async () => {
    editor.answer = () => undefined;
    expect((await connect(kubeconfig().host)).port).toBeUndefined();
  });
});

describe('a kubeconfig in the workspace', () => {
  it('is asked about once for each content, as it was read', async () => {
    const given = memory();
    const { host, file, write } = kubeconfig({ command: 'one' });
    editor.isInside = (one) => one === file;
    editor.answer = (message, yes) => {
      // What comes in while the dialog is open is not what was agreed to.
      if (message.startsWith('Use')) write({ command: 'slipped-in' });
      return yes;
    };
    const messages = async () => (await connect(host, given)).dialogs.map(({ message }) => message);
    const both = ['Use the kubeconfig of this workspace?', 'Connect to dev (read-only)?'];
    expect(await messages()).toEqual(both);
    write({ command: 'one' });
    expect(await messages()).toEqual([]);
    write({ command: 'slipped-in' });
    expect(await messages()).toEqual(both);
  });

  it('is found by its whole path, a drive with its colon included', async () => {
    const { host, file } = kubeconfig();
    const drive = 'C:\\work\\config';
    const windows: ClusterHost = {
      ...host,
      env: { KUBECONFIG: drive },
      load: () =>
        Promise.resolve({
          listContexts: (): ContextList => {
            const list = listContexts({ files: [file], env: {}, home: host.home });
            return list.ok ? { ...list, files: [{ file: drive, digest: 'x' }] } : list;
          },
        }),
    };
    editor.isInside = (one) => one === drive;
    const { dialogs } = await connect(windows);
    expect(dialogs[0]?.detail).toContain(`${drive} lies in the workspace.`);
  });

  it('is not asked about where it is the person’s own', async () => {
    const { host } = kubeconfig();
    const { dialogs } = await connect(host);
    expect(dialogs.map(({ message }) => message)).toEqual(['Connect to dev (read-only)?']);
  });
});
