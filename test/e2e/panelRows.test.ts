/** The panel's own page in a real browser: thousands of rows, and where the keyboard is while they change. */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Detail } from '../../client/src/panel/model/detail.ts';
import type { ContextLine, ToPanel } from '../../client/src/panel/model/messages.ts';
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
    const heardBy = (place: object) => (place as { heard: unknown[] }).heard;
    Object.assign(globalThis, {
      heard: [],
      acquireVsCodeApi: () => ({
        postMessage: (message: unknown) => heardBy(globalThis).push(message),
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

describe('the keyboard', () => {
  const line: ContextLine = {
    name: 'big',
    server: 'https://big.example.test',
    isDemo: false,
    isProduction: false,
    isLocked: true,
    state: 'live',
    skew: ms(0),
    checkedAt: instant(now),
    idle: 3,
    listed: 2,
    isComplete: true,
    unseen: [{ resource: 'jobs.batch', namespace: 'web', why: 'forbidden', detail: 'no' }],
    versions: [],
    flags: [],
  };
  const tell = (message: ToPanel): Promise<void> =>
    page.evaluate((own) => window.postMessage(own, '*'), message);
  /** What the panel has told the extension since the last call. */
  const heard = (): Promise<readonly unknown[]> =>
    page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard.splice(0));
  const focusText = (): Promise<string> =>
    page.evaluate(() => {
      const focused = document.activeElement;
      return focused === null || focused === document.body
        ? 'nothing'
        : (focused.getAttribute('aria-label') ?? focused.textContent ?? '');
    });
  const begin = async (): Promise<void> => {
    const rows = [0, 1, 2].map((index) => {
      const next = instant(now + 3_600_000 + index * 1700);
      return makeRow(index, { next: { lo: next, hi: next } });
    });
    await tell({ type: 'all', rows, contexts: [line] });
    await expect.poll(() => page.locator('tr.row').count()).toBe(3);
    await heard();
  };
  const row = (index: number) => page.locator('tr.row', { hasText: `web-${String(index)}` });
  const pane = () => page.locator('.detail');

  test('is in the table after the details are closed, and nothing is selected any more', async () => {
    await begin();
    for (const way of ['Escape', 'Close']) {
      await row(1).click();
      await page.keyboard.press('Enter');
      await expect.poll(focusText).toBe('Details');
      await heard();
      if (way === 'Escape') await page.keyboard.press('Escape');
      else await pane().getByText('Close').click();
      await expect.poll(() => pane().isHidden()).toBe(true);
      expect(await focusText()).toContain('Certificate web-1');
      expect(await page.locator('tr[aria-selected="true"]').count()).toBe(0);
      expect(await heard()).toEqual([{ type: 'deselect' }]);
    }
    await page.keyboard.press('Enter');
    await expect.poll(focusText).toBe('Details');
    expect(await heard()).toEqual([{ type: 'select', id: makeRow(1).id }]);
  });

  test('stays on the button of a band, whose details stay open, when the counts change', async () => {
    await begin();
    await page.locator('.band summary').click();
    const button = page.locator('.band vscode-button', { hasText: 'Copy a role' });
    await button.focus();
    const more = { resource: 'pods', why: 'forbidden', detail: 'no' } as const;
    await tell({
      type: 'contexts',
      contexts: [{ ...line, idle: 4, unseen: [more, ...line.unseen] }],
    });
    await expect.poll(() => page.locator('.band').innerText()).toContain('4 policies idle');
    expect(await page.locator('.band details').getAttribute('open')).not.toBeNull();
    expect(await focusText()).toBe('Copy a role that allows it');
    await page.keyboard.press('Enter');
    expect(await heard()).toContainEqual({
      type: 'role',
      name: 'big',
      resource: 'jobs.batch',
      namespace: 'web',
    });
    await page.locator('.band vscode-button', { hasText: 'Read-only: unlock' }).focus();
    await tell({ type: 'contexts', contexts: [{ ...line, isLocked: false }] });
    await expect.poll(focusText).toBe('Unlocked: make read-only');
    await page.keyboard.press('Enter');
    expect(await heard()).toContainEqual({ type: 'context', name: 'big', does: 'lock' });
  });

  test('stays on an action while its row and its details change', async () => {
    const { id } = makeRow(1);
    const action = { id: 'renew', title: 'Renew now', effect: 'It is tried at once.' };
    const detail: Detail = {
      id,
      policy: 'Issuance',
      formula: 'f',
      version: 'Computed for 1.',
      past: 'loading',
      evidence: [],
      links: ['sentence'],
      actions: [action],
    };
    await begin();
    await row(1).click();
    await tell({ type: 'detail', detail });
    const button = pane().locator('vscode-button', { hasText: 'Renew now' });
    await button.focus();
    await tell({ type: 'patch', changed: [makeRow(1, { failures: 77 })], removed: [] });
    await tell({
      type: 'detail',
      detail: {
        ...detail,
        past: [],
        actions: [{ ...action, id: 'other', title: 'Other' }, action],
      },
    });
    await expect.poll(() => pane().innerText()).toContain('77');
    await expect.poll(() => pane().innerText()).toContain('Other');
    expect(await focusText()).toBe('Renew now …');
    await page.keyboard.press('Enter');
    expect(await heard()).toContainEqual({ type: 'action', id, action: 'renew' });
    await tell({ type: 'detail', detail: { ...detail, actions: [] } });
    await expect.poll(focusText).toBe('Details');
    await tell({ type: 'patch', changed: [], removed: [id] });
    await expect.poll(() => pane().isHidden()).toBe(true);
    await expect.poll(focusText).toContain('Certificate web-');
  });

  test('stays on a row that moves, and is in the search when all rows are gone', async () => {
    await begin();
    await row(2).click();
    await page.evaluate(() => {
      const focused = document.activeElement;
      focused?.addEventListener('blur', () => focused.setAttribute('data-lost', ''));
    });
    const soon = { lo: instant(now - 5000), hi: instant(now - 5000) };
    await tell({ type: 'patch', changed: [makeRow(2, { next: soon })], removed: [] });
    await expect.poll(() => row(2).getAttribute('aria-rowindex')).toBe('2');
    expect(await focusText()).toContain('Certificate web-2');
    expect(await row(2).getAttribute('data-lost')).toBeNull();
    await tell({ type: 'patch', changed: [], removed: [0, 1, 2].map((one) => makeRow(one).id) });
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.tagName))
      .toBe('VSCODE-TEXTFIELD');
    expect(await page.locator('.empty').innerText()).toContain(
      'Nothing is backing off in what you may list',
    );
  });

  test('hears the time of a row as it is when the row gets it', async () => {
    await begin();
    await row(1).click();
    await page.keyboard.press('/');
    expect(await row(0).getAttribute('aria-label')).not.toContain('due');
    await page.clock.setFixedTime(now + 86_400_000);
    await row(1).focus();
    expect(await focusText()).toContain('next retry due');
    await row(0).hover();
    expect(await row(0).getAttribute('aria-label')).toContain('next retry due');
    expect(await row(0).locator('td.next').getAttribute('title')).toContain('overdue by');
  });
});
