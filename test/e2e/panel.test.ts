/** The live panel in a real VS Code, on the demo and on a real control plane. */
import { access, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LaunchOptions } from '../../scripts/workbench/launch.mjs';
import {
  answerDialog,
  cell,
  detail,
  focused,
  openOverview,
  pressWelcome,
  row,
  seriousViolations,
  welcomeText,
} from './panelPage.ts';
import {
  openEditor,
  readStatusBar,
  runCommand,
  screenshot,
  setTheme,
  webview,
  type Editor,
} from './workbench.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const extension = join(repository, 'dist/kube-backoff.vsix');
const patience = { timeout: 30_000 };

let folder: string;
let editor: Editor;

/** A workbench on a copy of the examples, with no kubeconfig but the one that is given. */
function useEditor(name: string, options: () => Promise<Partial<LaunchOptions>>): void {
  beforeAll(async () => {
    await access(extension).catch(() => {
      throw new Error(`${extension} is missing: run \`npm run build\` first.`);
    });
    folder = await mkdtemp(join(tmpdir(), 'kube-backoff-panel-'));
    await cp(join(repository, 'examples'), folder, { recursive: true });
    const given = await options();
    editor = await openEditor({
      folder,
      extensions: [extension],
      ...given,
      env: { KUBECONFIG: join(folder, 'none'), ...given.env },
    });
    return async () => {
      await editor.close();
      await rm(folder, { recursive: true, force: true });
    };
  });

  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    await screenshot(editor.page, `failed-panel-${name}-${task.name.replaceAll(/\W+/g, '-')}`);
  });
}

describe('the panel on the demo', () => {
  useEditor('demo', () => Promise.resolve({}));

  test('opens from the welcome, and says that it is a demo', async () => {
    const { page } = editor;
    await openOverview(page);
    await expect.poll(() => welcomeText(page), patience).toContain('There is no kubeconfig');
    await screenshot(page, 'panel-welcome');
    await pressWelcome(page, 'Open the demo');
    await row(page, 'checkout-tls').waitFor();
    await expect
      .poll(() => webview(page).locator('.band').innerText(), patience)
      .toMatch(/Demo \(not a cluster\)\s+Made-up objects/);
    await expect
      .poll(() => page.locator('.sidebar').innerText(), patience)
      .toContain('Demo: made-up objects, no cluster.');
    const items = await readStatusBar(page);
    const said = [...items.values()].find((label) => label.includes('backing off'));
    expect(said).toMatch(/^Kube Backoff: \d+ gave up, \d+ backing off, next in /);
  });

  test('lists what gave up first, then the soonest next retry', async () => {
    const { page } = editor;
    const states = await webview(page).locator('tr.row td.state').allInnerTexts();
    const order = ['gave up', 'backing off', 'trying now', 'failing'];
    const places = states.map((state) => order.indexOf(state));
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(new Set(places)).toContain(0);
    expect(new Set(places)).toContain(3);
  });

  test('says each row of the overview to a screen reader', async () => {
    const { page } = editor;
    const label = page.locator('.sidebar .monaco-list-row[aria-label*="checkout-tls"]');
    await expect
      .poll(() => label.getAttribute('aria-label'), patience)
      .toMatch(
        /^Certificate checkout-tls in shop, backing off, retry 4, next retry in 2 hours \d+ minutes?, at \d\d:\d\d UTC/,
      );
  });

  test('counts down once a second without a word to the extension', async () => {
    const { page } = editor;
    const next = cell(page, 'checkout-tls', 'next');
    const before = await next.innerText();
    expect(before).toMatch(/^\d:\d\d:\d\d$/);
    await expect.poll(() => next.innerText(), patience).not.toBe(before);
  });

  test('shows one object with its schedule and the place where it stands', async () => {
    const { page } = editor;
    await row(page, 'checkout-tls').click();
    const here = detail(page).locator('.rung.here');
    await here.waitFor();
    expect((await here.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/^4 8h .* you are here$/);
    await expect
      .poll(() => detail(page).locator('ol.past').innerText(), patience)
      .toContain('invalid');
    expect(await detail(page).innerText()).toContain('status.failedIssuanceAttempts is 4');
  });

  test.each(['light', 'dark', 'high-contrast', 'high-contrast-light'] as const)(
    'can be read in %s, and axe finds nothing serious',
    async (theme) => {
      const { page } = editor;
      await setTheme(page, theme);
      await detail(page).waitFor();
      await screenshot(page, `panel-${theme}`);
      expect(await seriousViolations(page)).toEqual([]);
    },
  );

  test('is walked through with the keyboard alone', async () => {
    const { page } = editor;
    const expectNothingSelected = async (): Promise<void> => {
      await expect.poll(() => detail(page).isVisible(), patience).toBe(false);
      expect(await webview(page).locator('tr[aria-selected="true"]').count()).toBe(0);
    };
    await setTheme(page, 'dark');
    await runCommand(page, 'Kube Backoff: Open the Live Panel');
    await expect
      .poll(async () => {
        await page.keyboard.press('Tab');
        return focused(page);
      }, patience)
      .toContain('vscode-textfield');
    await page.keyboard.type('tls');
    await expect.poll(() => webview(page).locator('tr.row').count(), patience).toBe(3);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page), patience).toContain('tr Certificate');
    await page.keyboard.press('Home');
    const first = await focused(page);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page), patience).not.toBe(first);
    expect(await focused(page)).toContain('tr Certificate');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page), patience).toContain('aside Details');
    await screenshot(page, 'panel-keyboard');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page), patience).toContain('tr Certificate');
    await expectNothingSelected();
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page), patience).toContain('aside Details');
    await detail(page).getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => focused(page), patience).toContain('tr Certificate');
    await expectNothingSelected();
    await page.keyboard.press('/');
    await expect.poll(() => focused(page), patience).toContain('vscode-textfield');
    await page.keyboard.press('Escape');
    await expect.poll(() => webview(page).locator('tr.row').count(), patience).toBeGreaterThan(8);
  });

  test('changes nothing before it is unlocked, and then shows the very request', async () => {
    const { page } = editor;
    await row(page, 'checkout-tls').click();
    const renew = detail(page).getByRole('button', { name: 'Renew now …' });
    await expect.poll(() => renew.isDisabled(), patience).toBe(true);
    expect(await detail(page).innerText()).toContain('This context is read-only');
    await webview(page).getByRole('button', { name: 'Read-only: unlock' }).click();
    expect(await answerDialog(page, 'Unlock Actions')).toContain('Demo (not a cluster)');
    await expect.poll(() => renew.isEnabled(), patience).toBe(true);
    await renew.click();
    const asked = await answerDialog(page, 'Send This Request');
    expect(asked).toContain('The count of failures stays');
    expect(asked).toContain(
      'PATCH /apis/cert-manager.io/v1/namespaces/shop/certificates/checkout-tls/status',
    );
    expect(asked).toContain('"ManuallyTriggered"');
    await expect
      .poll(() => cell(page, 'checkout-tls', 'state').innerText(), patience)
      .toBe('trying now');
  });
});

describe('in a restricted folder', () => {
  useEditor('restricted', () => Promise.resolve({ trust: 'restricted' }));

  test('clusters are off, and the view says why; the demo works', async () => {
    const { page } = editor;
    await openOverview(page);
    await expect.poll(() => welcomeText(page), patience).toContain('This workspace is not trusted');
    await screenshot(page, 'panel-restricted');
    await page.keyboard.press('F1');
    const input = page.locator('.quick-input-widget:visible input.input');
    await input.fill('>Kube Backoff: Connect to a Cluster');
    await expect
      .poll(() => page.locator('.quick-input-list').innerText(), patience)
      .not.toContain('Read-Only');
    await page.keyboard.press('Escape');
    await pressWelcome(page, 'Open the demo');
    await row(page, 'checkout-tls').waitFor();
  });
});

describe('a kubeconfig that comes with the workspace', () => {
  const command = 'corp-login token --for "prod eu"';
  const kubeconfig = (server: string): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'prod-eu',
      contexts: [{ name: 'prod-eu', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server } }],
      users: [
        {
          name: 'u',
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              command: 'corp-login',
              args: ['token', '--for', 'prod eu'],
            },
          },
        },
      ],
    });

  useEditor('kubeconfig', async () => {
    await mkdir(join(folder, '.vscode'), { recursive: true });
    await writeFile(
      join(folder, '.vscode/settings.json'),
      JSON.stringify({ 'kubeBackoff.cluster.kubeconfig': ['team.kubeconfig'] }),
    );
    await writeFile(join(folder, 'team.kubeconfig'), kubeconfig('https://one.example.test'));
    return {};
  });

  test('is asked about once for each content, and its command is shown as it would be typed', async () => {
    const { page } = editor;
    await openOverview(page);
    await expect.poll(() => welcomeText(page), patience).toContain('Not connected');
    await pressWelcome(page, 'Connect to a cluster (read-only)');
    const first = await answerDialog(page, 'Use It');
    expect(first).toContain('A setting of the workspace names');
    expect(first).toContain('team.kubeconfig');
    const second = await answerDialog(page, 'Cancel');
    expect(second).toContain('Connect to prod-eu (read-only)?');
    expect(second).toContain('Server: https://one.example.test');
    expect(second).toContain(command.replaceAll('"', "'"));
    await pressWelcome(page, 'Connect to a cluster (read-only)');
    expect(await answerDialog(page, 'Cancel')).toContain('Connect to prod-eu');
    await writeFile(join(folder, 'team.kubeconfig'), kubeconfig('https://two.example.test'));
    await pressWelcome(page, 'Connect to a cluster (read-only)');
    expect(await answerDialog(page, 'Cancel')).toContain('Use the kubeconfig of this workspace?');
    expect(await welcomeText(page)).toContain('Not connected');
  });
});
