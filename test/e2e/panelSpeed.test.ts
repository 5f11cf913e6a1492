/** The panel's own page with thousands of rows and a hundred updates a second, in a real browser. */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { panelHtml } from '../../client/src/panel/panelHtml.ts';
import type { PanelRow } from '../../client/src/panel/model/panelRow.ts';
import { instant, ms } from '../../engine/units.ts';
import { launchBrowser } from './workbench.ts';

const dist = fileURLToPath(new URL('../../dist/webview/', import.meta.url));
const rowCount = 2000;

let browser: Browser;
let page: Page;
let close: () => void;

beforeAll(async () => {
  const types: Readonly<Record<string, string>> = {
    'panel.js': 'text/javascript',
    'panel.css': 'text/css',
  };
  const server = createServer((request, response) => {
    const name = (request.url ?? '/').slice(1);
    const type = types[name];
    if (type === undefined) {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(
        panelHtml({
          script: '/panel.js',
          style: '/panel.css',
          cspSource: "'self'",
          nonce: 'n',
          language: 'en',
        }),
      );
      return;
    }
    createReadStream(join(dist, name)).pipe(response.writeHead(200, { 'content-type': type }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  browser = await launchBrowser();
  page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  await page.addInitScript(() => {
    Object.assign(globalThis, {
      acquireVsCodeApi: () => ({
        postMessage: () => undefined,
        getState: () => undefined,
        setState: () => undefined,
      }),
    });
  });
  await page.goto(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`);
  await page.locator('.panel').waitFor();
  close = () => server.close();
});

afterAll(async () => {
  await browser.close();
  close();
});

const now = Date.now();
const makeRow = (index: number, more: Partial<PanelRow> = {}): PanelRow => ({
  id: `big\n${String(index)}`,
  context: 'big',
  group: 'waiting',
  system: 'cert-manager',
  family: 'cert-manager/issuance',
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  namespace: `team-${String(index % 40)}`,
  name: `web-${String(index)}`,
  retry: 1 + (index % 7),
  failures: 1 + (index % 7),
  wait: { lo: ms(3_600_000), hi: ms(3_600_000) },
  next: { lo: instant(now + index * 1700), hi: instant(now + index * 1700) },
  nextHow: 'inferred',
  reason: 'Issuance failed',
  ...more,
});

describe('the panel with 2,000 rows', () => {
  test('draws the first of them at once, and only those on the screen', async () => {
    const rows = Array.from({ length: rowCount }, (_, index) => makeRow(index));
    const took = await page.evaluate(
      async (message) => {
        const started = performance.now();
        window.postMessage(message, '*');
        while (document.querySelectorAll('tr.row').length === 0) {
          await new Promise((next) => requestAnimationFrame(next));
        }
        return performance.now() - started;
      },
      { type: 'all', rows, contexts: [] },
    );
    console.log(`first rows after ${took.toFixed(0)} ms`);
    expect(took).toBeLessThan(1000);
    expect(await page.locator('tr.row').count()).toBeLessThan(80);
    expect(await page.locator('table').getAttribute('aria-rowcount')).toBe(String(rowCount + 1));
  });

  test('stays smooth under a hundred updates a second', async () => {
    const updates = Array.from({ length: 100 }, (_, index) => makeRow(index * 17, { retry: 9 }));
    const { median, longest, frames } = await page.evaluate(async (changed) => {
      const costs: number[] = [];
      const end = performance.now() + 10_000;
      const channel = new MessageChannel();
      let begun = 0;
      // What is posted in a frame is heard after it has been laid out and painted.
      channel.port1.addEventListener('message', () => costs.push(performance.now() - begun));
      channel.port1.start();
      let turn = 0;
      const timer = setInterval(() => {
        const own = Array.from({ length: 10 }, (_, index) => {
          const row = changed[(turn * 10 + index) % changed.length];
          return { ...row, failures: turn };
        });
        turn += 1;
        window.postMessage({ type: 'patch', changed: own, removed: [] }, '*');
      }, 100);
      while (performance.now() < end) {
        begun = await new Promise<number>((next) =>
          requestAnimationFrame(() => next(performance.now())),
        );
        channel.port2.postMessage(0);
      }
      clearInterval(timer);
      const sorted = costs.toSorted((a, b) => a - b);
      return {
        median: sorted[Math.floor(sorted.length / 2)] ?? 0,
        longest: sorted.at(-1) ?? 0,
        frames: sorted.length,
      };
    }, updates);
    console.log(
      `${String(frames)} frames, ${median.toFixed(1)} ms at the median, ${longest.toFixed(1)} ms at most`,
    );
    expect(median).toBeLessThan(16);
  });

  test('scrolls to the end by keyboard, and has the last row there', async () => {
    await page.locator('tr.row').first().click();
    await page.keyboard.press('End');
    await expect
      .poll(() =>
        page.evaluate(() => document.activeElement?.getAttribute('aria-rowindex') ?? undefined),
      )
      .toBe(String(rowCount + 1));
    await page.keyboard.press('Home');
    await expect
      .poll(() =>
        page.evaluate(() => document.activeElement?.getAttribute('aria-rowindex') ?? undefined),
      )
      .toBe('2');
  });

  test('runs nothing that the policy of the page does not allow', async () => {
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.evil = 1';
      document.body.append(script);
      return 'evil' in globalThis;
    });
    expect(ran).toBe(false);
  });
});
