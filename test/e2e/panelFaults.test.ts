/** What the panel shows while the wire to a real API server fails, and after it. */
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  launchControlPlane,
  type RunningControlPlane,
} from '../../scripts/controlPlane/launch.mjs';
import { faultProxyTo, type FaultProxy } from '../cluster/faultProxy.ts';
import { answerDialog, openOverview, pressWelcome, row } from './panelPage.ts';
import {
  openEditor,
  readStatusBar,
  runCommand,
  screenshot,
  webview,
  type Editor,
} from './workbench.ts';

const extension = fileURLToPath(new URL('../../dist/kube-backoff.vsix', import.meta.url));
const patience = { timeout: 60_000 };
const namespace = 'team-a';
const collection = `/apis/cert-manager.io/v1/namespaces/${namespace}/certificates`;

const certificate = (name: string) => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name, namespace },
  spec: { secretName: name, issuerRef: { name: 'acme' }, dnsNames: [`${name}.example.test`] },
  status: {
    failedIssuanceAttempts: 2,
    lastFailureTime: new Date(Date.now() - 600_000).toISOString().replace(/\.\d+Z$/, 'Z'),
    conditions: [
      { type: 'Ready', status: 'False', reason: 'DoesNotExist' },
      { type: 'Issuing', status: 'False', reason: 'Failed', message: 'order is invalid' },
    ],
  },
});

let folder: string;
let plane: RunningControlPlane;
let proxy: FaultProxy;
let editor: Editor;

beforeAll(async () => {
  await access(extension).catch(() => {
    throw new Error(`${extension} is missing: run \`npm run build\` first.`);
  });
  folder = await mkdtemp(join(tmpdir(), 'kube-backoff-faults-'));
  plane = await launchControlPlane({
    kinds: [
      { group: 'cert-manager.io', version: 'v1', kind: 'Certificate', plural: 'certificates' },
    ],
    controllerManager: false,
  });
  await plane.create(certificate('stays'));
  await plane.create(certificate('goes'));
  proxy = await faultProxyTo(plane, 'viewer');
  editor = await openEditor({
    folder,
    extensions: [extension],
    theme: 'dark',
    // Long enough that nobody is taken to look away between two steps.
    env: { KUBECONFIG: proxy.kubeconfig, KUBE_BACKOFF_PATIENCE_MS: '2000' },
  });
  const { page } = editor;
  await openOverview(page);
  await pressWelcome(page, 'Connect to a cluster (read-only)');
  await answerDialog(page, 'Connect');
  await runCommand(page, 'Kube Backoff: Open the Live Panel');
  await row(page, 'goes').waitFor();
  return async () => {
    await editor.close();
    await proxy.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  };
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await screenshot(editor.page, `failed-panel-faults-${task.name.replaceAll(/\W+/g, '-')}`);
});

const band = (): Promise<string> => webview(editor.page).locator('.band .status').innerText();

const names = async (): Promise<readonly string[]> => {
  const texts = await webview(editor.page).locator('tr.row').allInnerTexts();
  return ['stays', 'goes', 'comes', 'returns', 'arrives'].filter((name) =>
    texts.some((text) => text.includes(name)),
  );
};

/** Cuts every connection, and keeps it so until something was done. */
async function away(meanwhile: () => Promise<void>): Promise<void> {
  proxy.isRefusing = true;
  proxy.cut();
  await expect.poll(band, patience).toMatch(/^Connection lost \(.+\): retry \d+/);
  await meanwhile();
  proxy.isRefusing = false;
}

describe('the panel', () => {
  test('keeps its rows while the connection is cut, says when it tries again, and catches up', async () => {
    const { page } = editor;
    await away(async () => {
      await plane.create(certificate('comes'));
      expect(await names()).toEqual(['stays', 'goes']);
      await screenshot(page, 'panel-cut');
      expect([...(await readStatusBar(page)).values()].join('\n')).toMatch(/reconnect/i);
    });
    await expect.poll(names, patience).toEqual(['stays', 'goes', 'comes']);
    await expect.poll(band, patience).toBe('Live');
  });

  test('reads all again when its version is too old, without a row that is gone', async () => {
    await away(async () => {
      await plane.api('DELETE', `${collection}/goes`);
      // The API server remembers versions by itself, until it starts anew.
      await plane.restartApiServer();
      await plane.create(certificate('returns'));
      await plane.compact();
    });
    await expect.poll(names, patience).toEqual(['stays', 'comes', 'returns']);
    await expect.poll(band, patience).toBe('Live');
    const gone = proxy.seen.filter(({ isGone, status }) => isGone || status === 410);
    expect(gone.length).toBeGreaterThan(0);
    await screenshot(editor.page, 'panel-caught-up');
  });

  test('asks nothing while nobody looks, and is right again when somebody does', async () => {
    const { page } = editor;
    await runCommand(page, 'View: Show Explorer');
    await runCommand(page, 'File: New Untitled Text File');
    await expect
      .poll(async () => [...(await readStatusBar(page)).values()].join('\n'), patience)
      .toMatch(/paused/i);
    await screenshot(page, 'panel-paused');
    const before = proxy.seen.length;
    await plane.api('DELETE', `${collection}/returns`);
    await plane.create(certificate('arrives'));
    await delay(4000);
    expect(proxy.seen).toHaveLength(before);
    await runCommand(page, 'Kube Backoff: Open the Live Panel');
    await expect.poll(names, patience).toEqual(['stays', 'comes', 'arrives']);
    await expect.poll(band, patience).toBe('Live');
    const lists = proxy.seen.slice(before).filter((one) => one.path === collection);
    expect(lists.every(({ query }) => query.has('watch'))).toBe(true);
    await openOverview(page);
  });

  test('stops at a 401 in mid-session, asks nothing more, and comes back when it is asked to', async () => {
    const { page } = editor;
    const tokens = join(plane.folder, 'tokens.csv');
    const all = await readFile(tokens, 'utf8');
    const others = all.split('\n').filter((line) => !line.includes(',viewer,'));
    await plane.restartApiServer(() => writeFile(tokens, others.join('\n')));
    await expect.poll(band, patience).toMatch(/^Signed out/);
    const before = proxy.seen.length;
    await screenshot(page, 'panel-signed-out-later');
    expect(await names()).toEqual(['stays', 'comes', 'arrives']);
    expect([...(await readStatusBar(page)).values()]).toContain(
      'Kube Backoff is signed out of viewer',
    );
    await plane.restartApiServer(() => writeFile(tokens, all));
    expect(proxy.seen).toHaveLength(before);
    await webview(page).getByRole('button', { name: 'Connect again' }).click();
    await expect.poll(band, patience).toBe('Live');
    await plane.api('DELETE', `${collection}/comes`);
    await expect.poll(names, patience).toEqual(['stays', 'arrives']);
  });
});
