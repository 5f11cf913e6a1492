// @ts-check
/** The panel in a real workbench, connected to a control plane and measured from inside its page and its host. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { repository } from '../setup.mjs';
import { browserPackages, ensurePackages } from '../workbench/debian.mjs';
import { launchWorkbench } from '../workbench/launch.mjs';
import { findCommand } from '../workbench/run.mjs';

/** @typedef {{ readonly median: number, readonly late: number, readonly latest: number, readonly heap: number }} HostTimes */
/** @typedef {{ readonly median: number, readonly longest: number, readonly count: number }} FrameTimes */

/**
 * @param {string} kubeconfig
 * @param {number} patience milliseconds until nobody is taken to look
 */
export async function openPanelWindow(kubeconfig, patience) {
  await ensurePackages(browserPackages, console.log);
  const folder = await mkdtemp(join(tmpdir(), 'kube-backoff-bench-'));
  const probe = join(folder, 'probe.json');
  const preload = pathToFileURL(fileURLToPath(new URL('hostProbe.mjs', import.meta.url))).href;
  const workbench = await launchWorkbench({
    folder,
    extensions: [join(repository, 'dist/kube-backoff.vsix')],
    endsWhenIdleFor: 120,
    theme: 'dark',
    env: {
      KUBECONFIG: kubeconfig,
      KUBE_BACKOFF_PATIENCE_MS: String(patience),
      KUBE_BACKOFF_PROBE: probe,
    },
    nodeArguments: [`--import=${preload}`],
  });
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? findCommand('chromium') ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 960 } });
  page.setDefaultTimeout(60_000);
  await page.goto(workbench.url);
  await page.locator('[id="status.notifications"]').waitFor();

  const command = async (/** @type {string} */ title) => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget:visible input.input').fill(`>${title}`);
    const labels = page.locator('.quick-input-list .label-name');
    await labels.getByText(title, { exact: true }).first().click();
  };
  const frame = async () => {
    const outer = await page.locator('iframe.webview.ready').first().elementHandle();
    const middle = await outer?.contentFrame();
    const inner = await middle?.waitForSelector('#active-frame');
    const found = await inner?.contentFrame();
    if (found === null || found === undefined) throw new Error('The panel is not on the screen.');
    await found.waitForSelector('main.panel');
    return found;
  };
  /** Settles what the probe has measured since the last call. @returns {Promise<HostTimes>} */
  const host = async () => {
    const read = async () => JSON.parse(await readFile(probe, 'utf8'));
    const { pid, turn } = await read();
    process.kill(pid, 'SIGUSR2');
    for (;;) {
      await delay(50);
      const next = await read();
      if (next.turn > turn) return next;
    }
  };

  return {
    page,
    command,
    frame,
    host,
    /** Connects, with the panel open: how long until rows are on the screen, and until it has so many. */
    connect: async (/** @type {number} */ rows) => {
      await page.locator('.activitybar .action-label[aria-label="Kube Backoff"]').first().click();
      await command('Kube Backoff: Open the Live Panel');
      const own = await frame();
      await page
        .locator('.sidebar .welcome-view-content')
        .getByRole('button', { name: 'Connect to a cluster (read-only)', exact: true })
        .click();
      const dialog = page.locator('.monaco-dialog-box');
      await dialog.waitFor();
      const seen = own.evaluate(watchRows(rows));
      await own.evaluate('0');
      const began = Date.now();
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
      const { first, complete } = /** @type {{ first: number, complete: number }} */ (await seen);
      return { began, first, complete };
    },
    /** What each frame of so many milliseconds took, from its begin until it was painted. */
    frames: async (/** @type {number} */ lasts) => {
      const own = await frame();
      /** @type {unknown} */
      const measured = await own.evaluate(measureFrames(lasts));
      return /** @type {FrameTimes} */ (measured);
    },
    text: async (/** @type {string} */ selector) => (await frame()).locator(selector).innerText(),
    /** Takes the panel and the overview off the screen. */
    hide: async () => {
      await command('View: Show Explorer');
      await command('File: New Untitled Text File');
      await page.locator('.tab.active', { hasText: 'Untitled' }).waitFor();
    },
    show: () => command('Kube Backoff: Open the Live Panel'),
    close: async () => {
      await browser.close();
      await workbench.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const watchRows = (/** @type {number} */ rows) => `new Promise((resolve) => {
  let first = 0;
  const look = () => {
    if (first === 0 && document.querySelector('tr.row') !== null) first = Date.now();
    const count = Number(document.querySelector('table')?.getAttribute('aria-rowcount') ?? 0);
    if (count > ${rows}) resolve({ first, complete: Date.now() });
    else requestAnimationFrame(look);
  };
  look();
})`;

// What is posted in a frame is heard after it has been laid out and painted.
const measureFrames = (/** @type {number} */ lasts) => `(async () => {
  const costs = [];
  const end = performance.now() + ${lasts};
  const channel = new MessageChannel();
  let begun = 0;
  channel.port1.onmessage = () => costs.push(performance.now() - begun);
  while (performance.now() < end) {
    begun = await new Promise((next) => requestAnimationFrame(() => next(performance.now())));
    channel.port2.postMessage(0);
  }
  const sorted = costs.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return { median, longest: sorted.at(-1) ?? 0, count: sorted.length };
})()`;
