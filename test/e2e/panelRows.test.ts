/** The panel's own page with thousands of rows, in a real browser. */
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
  test('draws only those on the screen', async () => {
    const rows = Array.from({ length: rowCount }, (_, index) => makeRow(index));
    await page.evaluate((message) => window.postMessage(message, '*'), {
      type: 'all',
      rows,
      contexts: [],
    });
    await page.locator('tr.row').first().waitFor();
    expect(await page.locator('tr.row').count()).toBeLessThan(80);
    expect(await page.locator('table').getAttribute('aria-rowcount')).toBe(String(rowCount + 1));
  });

  test('touches only the rows that an update changes', async () => {
    const updates = Array.from({ length: 100 }, (_, index) => makeRow(index, { retry: 9 }));
    const touched = await page.evaluate(async (changed) => {
      const table = document.querySelector('table');
      if (table === null) throw new Error('there is no table');
      const titles = [...table.querySelectorAll('th')].map((cell) => cell.textContent);
      const frame = () => new Promise((next) => requestAnimationFrame(next));
      const rows = new Set<string>();
      let moved = 0;
      const observer = new MutationObserver((records) => {
        for (const { target, addedNodes, removedNodes } of records) {
          const element = target instanceof Element ? target : target.parentElement;
          const cell = element?.closest('td');
          // Countdowns tick by themselves.
          if (cell && titles[cell.cellIndex]?.startsWith('Next') !== true) {
            rows.add(String(cell.closest('tr')?.getAttribute('aria-rowindex')));
          }
          for (const node of [...addedNodes, ...removedNodes]) {
            if (node instanceof HTMLTableRowElement) moved += 1;
          }
        }
      });
      observer.observe(table, { childList: true, characterData: true, subtree: true });
      for (let turn = 0; turn < 50; turn += 1) {
        const own = changed.slice(0, 2).map((row) => ({ ...row, failures: 20 + turn }));
        window.postMessage({ type: 'patch', changed: own, removed: [] }, '*');
        await frame();
        await frame();
      }
      observer.disconnect();
      return { rows: [...rows].toSorted(), moved };
    }, updates);
    expect(touched).toEqual({ rows: ['2', '3'], moved: 0 });
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
