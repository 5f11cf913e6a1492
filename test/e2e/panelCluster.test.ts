/** The live panel on a real control plane: one picture, in the panel and in the shell, and requests that are the ones shown. */
import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  launchControlPlane,
  type RunningControlPlane,
} from '../../scripts/controlPlane/launch.mjs';
import {
  answerDialog,
  cell,
  detail,
  openOverview,
  pressWelcome,
  row,
  welcomeText,
} from './panelPage.ts';
import {
  hoverOver,
  openEditor,
  openFile,
  readStatusBar,
  runCommand,
  screenshot,
  visibleText,
  webview,
  type Editor,
} from './workbench.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const extension = join(repository, 'dist/kube-backoff.vsix');
const patience = { timeout: 30_000 };
const start = Math.floor(Date.now() / 1000) * 1000;
const iso = (offset: number): string =>
  new Date(start + offset * 1000).toISOString().replace('.000Z', 'Z');

const certificate = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'web-tls', namespace: 'shop' },
  spec: { secretName: 'web-tls', issuerRef: { name: 'acme' }, dnsNames: ['web.example.test'] },
  status: {
    failedIssuanceAttempts: 3,
    lastFailureTime: iso(-600),
    conditions: [
      { type: 'Ready', status: 'False', reason: 'DoesNotExist' },
      { type: 'Issuing', status: 'False', reason: 'Failed', message: 'order is invalid' },
    ],
  },
};
const workflow = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'etl-x7k2p', namespace: 'shop' },
  spec: {
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        retryStrategy: { limit: 10, backoff: { duration: '5m', factor: 2 } },
        container: { image: 'etl:1' },
      },
    ],
  },
  status: {
    phase: 'Running',
    nodes: {
      n: {
        id: 'n',
        name: 'etl-x7k2p',
        displayName: 'main',
        templateName: 'main',
        templateScope: 'local/etl-x7k2p',
        type: 'Retry',
        phase: 'Running',
        message: 'Backoff for 10 minutes 0 seconds',
        children: ['a', 'b'],
      },
      a: run('a', -960, -930),
      b: run('b', -630, -60),
    },
  },
};

function run(id: string, started: number, finished: number): object {
  return {
    id,
    name: `etl-x7k2p(${id})`,
    type: 'Pod',
    phase: 'Failed',
    nodeFlag: { retried: true },
    startedAt: iso(started),
    finishedAt: iso(finished),
  };
}

const manifests = `apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: web-tls
  namespace: shop
spec:
  secretName: web-tls
  issuerRef:
    name: acme
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  generateName: etl-
  namespace: shop
spec:
  entrypoint: main
  templates:
    - name: main
      retryStrategy:
        limit: 10
        backoff:
          duration: 5m
          factor: 2
      container:
        image: etl:1
`;

const job = `apiVersion: batch/v1
kind: Job
metadata: { name: import }
spec:
  backoffLimit: 4
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: import, image: import:1 }]
`;

let folder: string;
let plane: RunningControlPlane;
let editor: Editor;

beforeAll(async () => {
  await access(extension).catch(() => {
    throw new Error(`${extension} is missing: run \`npm run build\` first.`);
  });
  folder = await mkdtemp(join(tmpdir(), 'kube-backoff-cluster-'));
  await writeFile(join(folder, 'shop.yaml'), manifests);
  await writeFile(join(folder, 'job.yaml'), job);
  plane = await launchControlPlane({
    kinds: [
      { group: 'cert-manager.io', version: 'v1', kind: 'Certificate', plural: 'certificates' },
      { group: 'argoproj.io', version: 'v1alpha1', kind: 'Workflow', plural: 'workflows' },
    ],
    controllerManager: false,
  });
  await plane.create(certificate);
  await plane.create(workflow);
  editor = await openEditor({
    folder,
    extensions: [extension],
    env: { KUBECONFIG: plane.kubeconfigs.admin },
  });
  return async () => {
    await editor.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  };
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  await screenshot(editor.page, `failed-panel-cluster-${task.name.replaceAll(/\W+/g, '-')}`);
});

describe('the panel on a control plane', () => {
  test('contacts nothing before a person says yes to the context', async () => {
    const { page } = editor;
    await openFile(page, 'shop.yaml');
    await openOverview(page);
    await expect.poll(() => welcomeText(page), patience).toContain('Not connected');
    expect(await ownRequests()).toEqual([]);
    await pressWelcome(page, 'Connect to a cluster (read-only)');
    const asked = page.locator('.monaco-dialog-box');
    await asked.waitFor();
    expect(await ownRequests()).toEqual([]);
    await screenshot(page, 'panel-connect');
    const text = await answerDialog(page, 'Connect');
    expect(text).toContain('Connect to admin (read-only)?');
    expect(text).toContain(`Server: ${plane.server}`);
    expect(text).toContain('No credential command runs.');
    await expect
      .poll(() => page.locator('.sidebar').innerText(), patience)
      .toContain('shop/web-tls');
    expect(new Set((await ownRequests()).map(({ verb }) => verb))).not.toContain('patch');
  });

  test('shows the same next retries as the command, to the second', async () => {
    const { page } = editor;
    await runCommand(page, 'Kube Backoff: Open the Live Panel');
    await row(page, 'web-tls').waitFor();
    await chooseTimes('UTC');
    const shown = async (): Promise<Readonly<Record<string, string>>> => ({
      'web-tls': await cell(page, 'web-tls', 'next').innerText(),
      'etl-x7k2p': await cell(page, 'etl-x7k2p', 'next').innerText(),
    });
    const status = await statusOf();
    const expected = Object.fromEntries(
      status.states
        .filter(({ state }) => state === 'waiting')
        .map(({ resource, nextAt }) => [resource.name, (nextAt?.min ?? '').slice(11, 19)]),
    );
    expect(expected).toEqual({
      'web-tls': iso(-600 + 4 * 3600).slice(11, 19),
      'etl-x7k2p': iso(-60 + 600).slice(11, 19),
    });
    await expect
      .poll(async () =>
        Object.fromEntries(
          Object.entries(await shown()).map(([name, text]) => [
            name,
            /(\d\d:\d\d:\d\d) UTC$/.exec(text)?.[1],
          ]),
        ),
      )
      .toEqual(expected);
    await screenshot(page, 'panel-cluster');
    const items = [...(await readStatusBar(page)).values()];
    expect(items.find((label) => label.includes('backing off'))).toContain('2 backing off');
  });

  test('follows what happens in the cluster', async () => {
    const { page } = editor;
    await writeStatus('certificates/web-tls', 'cert-manager.io/v1', {
      failedIssuanceAttempts: 4,
      lastFailureTime: iso(-5),
    });
    await expect.poll(() => cell(page, 'web-tls', 'retry').innerText(), patience).toBe('4');
    await expect
      .poll(() => cell(page, 'web-tls', 'next').innerText(), patience)
      .toContain(iso(-5 + 8 * 3600).slice(11, 19));
  });

  test('stands beside the manifest, and leads to the line that sets the policy', async () => {
    const { page } = editor;
    await row(page, 'etl-x7k2p').click();
    await detail(page).getByRole('button', { name: 'Line that sets the policy' }).click();
    await page.locator('.tab.active', { hasText: 'shop.yaml' }).waitFor();
    await expect
      .poll(() => page.locator('.editor-instance .codelens-decoration').allInnerTexts(), patience)
      .toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^1 object from this template is backing off, next in \d/),
          expect.stringMatching(/^This object is backing off, next in (8|7) hours/),
        ]),
      );
    expect(await visibleText(page)).toContain('retryStrategy');
    const hover = await hoverOver(
      page,
      { line: 'kind: Certificate', token: 'Certificate' },
      'In the cluster',
    );
    expect(await hover.innerText()).toContain('Certificate shop/web-tls waits for retry 4');
    await screenshot(page, 'panel-beside');
  });

  test('reads a manifest with the version of the connected server', async () => {
    const { page } = editor;
    await openFile(page, 'job.yaml');
    const hover = await hoverOver(
      page,
      { line: 'backoffLimit: 4', token: 'backoffLimit' },
      'Kubernetes 1.20.2',
    );
    // The version stands in what is folded, which has no text on the screen yet.
    expect(await hover.textContent()).toContain("Kubernetes 1.20.2 (the connected cluster's)");
    await screenshot(page, 'panel-version');
    await openFile(page, 'shop.yaml');
  });

  test('names where the file and the live object differ', async () => {
    const { page } = editor;
    await writeStatus('workflows/etl-x7k2p', 'argoproj.io/v1alpha1', {});
    const file = join(folder, 'shop.yaml');
    await writeFile(
      file,
      manifests.replace('generateName: etl-', 'name: etl-x7k2p').replace('limit: 10', 'limit: 5'),
    );
    await expect
      .poll(() => page.locator('.editor-instance .codelens-decoration').allInnerTexts(), patience)
      .toEqual([
        expect.stringMatching(/^This object is backing off, next in (8|7) hours/),
        expect.stringMatching(/^This object is backing off, next in \d+ minutes/),
        'Differs from the cluster: limit is 5 here, 10 in the cluster',
      ]);
    await screenshot(page, 'panel-differs');
  });

  test('sends the very request that it showed, by the API server’s own audit log', async () => {
    const { page } = editor;
    await runCommand(page, 'Kube Backoff: Open the Live Panel');
    await row(page, 'web-tls').click();
    await webview(page).getByRole('button', { name: 'Read-only: unlock' }).click();
    await answerDialog(page, 'Unlock Actions');
    const renew = detail(page).getByRole('button', { name: 'Renew now …' });
    await expect.poll(() => renew.isEnabled(), patience).toBe(true);
    await renew.click();
    await page.locator('.monaco-dialog-box').waitFor();
    await screenshot(page, 'panel-action');
    const asked = await answerDialog(page, 'Send This Request');
    await expect
      .poll(() => cell(page, 'web-tls', 'state').innerText(), patience)
      .toBe('trying now');
    const patches = (await ownRequests()).filter(({ verb }) => verb === 'patch');
    expect(patches).toHaveLength(1);
    const [{ requestURI, requestObject } = { requestURI: '', requestObject: {} }] = patches;
    expect(asked).toContain(`PATCH ${requestURI}`);
    const body: unknown = JSON.parse(asked.slice(asked.indexOf('{'), asked.lastIndexOf('}') + 1));
    expect(requestObject).toMatchObject(body as object);
    expect(JSON.stringify(body)).toContain('ManuallyTriggered');
  });

  test('shows its own back-off while the API server is away, and comes back', async () => {
    const { page } = editor;
    await plane.restartApiServer(async () => {
      await expect
        .poll(() => webview(page).locator('.band .status').innerText(), patience)
        .toMatch(/^Connection lost \(.+\): retry \d+ (in \d\d:\d\d|now)$/);
      await screenshot(page, 'panel-reconnecting');
    });
    // By then it may have come back by itself.
    const again = webview(page).getByRole('button', { name: 'Try now' });
    await again.click({ timeout: 2_000 }).catch(() => undefined);
    await expect
      .poll(() => webview(page).locator('.band .status').innerText(), patience)
      .toBe('Live');
  });
});

type Audited = {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly requestObject?: object;
};

/** What the API server says that the extension has asked for. */
async function ownRequests(): Promise<readonly Audited[]> {
  const text = await readFile(plane.auditLog, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Audited)
    .filter(
      ({ userAgent, verb, requestURI }) =>
        userAgent?.startsWith('kube-backoff') === true &&
        !requestURI.includes('/selfsubject') &&
        verb !== 'create',
    );
}

type Status = {
  readonly states: readonly {
    readonly state: string;
    readonly resource: { readonly name: string };
    readonly nextAt?: { readonly min: string };
  }[];
};

/** What the command says of the same cluster. */
async function statusOf(): Promise<Status> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(repository, 'dist/cli/kube-backoff.mjs'),
      'status',
      '-A',
      ...['--format', 'json', '--kubeconfig', plane.kubeconfigs.admin],
    ],
    { timeout: 60_000 },
  );
  return JSON.parse(stdout) as Status;
}

async function writeStatus(path: string, apiVersion: string, part: object): Promise<void> {
  const { status: code } = await plane.api(
    'PATCH',
    `/apis/${apiVersion}/namespaces/shop/${path}/status`,
    { status: part },
    'application/merge-patch+json',
  );
  expect(code).toBe(200);
}

async function chooseTimes(label: string): Promise<void> {
  const select = webview(editor.page).locator('vscode-single-select').last();
  await select.click();
  await webview(editor.page).getByRole('option', { name: label }).click();
}
