/** Drives a real VS Code in a real browser, as a person would: with the mouse, the keyboard and what is on the screen. */
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  chromium,
  type Browser,
  type FrameLocator,
  type Locator,
  type Page,
} from 'playwright-core';
import { browserPackages, ensurePackages } from '../../scripts/workbench/debian.mjs';
import {
  launchWorkbench,
  type LaunchOptions,
  type RunningWorkbench,
  type Theme,
} from '../../scripts/workbench/launch.mjs';
import { findCommand } from '../../scripts/workbench/run.mjs';

export type Editor = {
  readonly page: Page;
  readonly workbench: RunningWorkbench;
  close(): Promise<void>;
};

/** A place in the open file: `token`, where it first stands at or after the start of `line` on the screen. */
export type Place = { readonly line: string; readonly token: string };

export type Problem = {
  readonly severity: string;
  readonly message: string;
  readonly source: string;
  readonly code: string;
  /** Where the code's link leads. */
  readonly href: string | undefined;
  readonly line: number;
  readonly column: number;
};

const artefacts = fileURLToPath(new URL('../../.artefacts/e2e/', import.meta.url));

/** Starts a workbench and a browser on it, and waits until the editor can be used. */
export async function openEditor(options: LaunchOptions): Promise<Editor> {
  const workbench = await launchWorkbench({
    endsWhenIdleFor: 120,
    ...options,
    // The minimap would lie over the ends of long lines, where a test may point.
    settings: { 'editor.minimap.enabled': false, ...options.settings },
  });
  let browser: Browser | undefined;
  const close = async (): Promise<void> => {
    await browser?.close();
    await workbench.stop();
  };
  try {
    browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 960 } });
    page.setDefaultTimeout(30_000);
    await page.goto(workbench.url);
    await page.locator('.monaco-workbench').waitFor();
    // The last part of the status bar to appear; the editor takes the keyboard from then on.
    await page.locator('[id="status.notifications"]').waitFor();
    return { page, workbench, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function launchBrowser(): Promise<Browser> {
  const chosen = process.env['CHROMIUM_PATH'];
  if (chosen === undefined) await ensurePackages(browserPackages, console.log);
  return chromium.launch({
    executablePath: chosen ?? findCommand('chromium') ?? 'chromium',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      // Everything these tests need is on this machine; a request that is not shows as a failure.
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  });
}

/** Opens a file of the workspace with Ctrl+P; `path` is relative to the folder. */
export async function openFile(page: Page, path: string): Promise<void> {
  const name = basename(path);
  const tab = page.locator('.tab.active').filter({ hasText: name });
  await untilItHolds(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+p');
    const input = page.locator('.quick-input-widget:visible input.input');
    await input.fill(path);
    const row = page
      .locator('.quick-input-list .monaco-list-row.focused')
      .filter({ hasText: name });
    await row.waitFor({ timeout: 5_000 });
    await page.keyboard.press('Enter');
    await tab.waitFor({ timeout: 5_000 });
  });
  await page.locator('.editor-instance .view-line').first().waitFor();
}

/** Brings a line of the open file onto the screen, with Ctrl+G; a place can be pointed at only there. */
export async function goToLine(page: Page, line: number): Promise<void> {
  await page.keyboard.press('Control+g');
  await page.locator('.quick-input-widget:visible input.input').fill(`:${String(line)}`);
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await page
    .locator('.editor-instance .line-numbers.active-line-number')
    .getByText(String(line), { exact: true })
    .waitFor();
}

/** Runs a command from the palette; `title` as the palette shows it, category included. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Escape');
  await page.keyboard.press('F1');
  const input = page.locator('.quick-input-widget:visible input.input');
  await input.fill(`>${title}`);
  const label = page.locator('.quick-input-list .label-name').getByText(title, { exact: true });
  await label.first().click();
}

/** Shows a colour theme through the editor's own picker. */
export async function setTheme(page: Page, theme: Theme): Promise<void> {
  const { label, mark } = themes[theme];
  await runCommand(page, 'Preferences: Color Theme');
  await page.locator('.quick-input-widget:visible input.input').fill(label);
  await page
    .locator('.quick-input-list .monaco-list-row.focused .label-name')
    .getByText(label, { exact: true })
    .waitFor();
  await page.keyboard.press('Enter');
  await page.locator(`.monaco-workbench.${mark}`).waitFor();
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

const themes = {
  light: { label: 'Light Modern', mark: 'vscode-theme-defaults-themes-light_modern-json' },
  dark: { label: 'Dark Modern', mark: 'vscode-theme-defaults-themes-dark_modern-json' },
  'high-contrast': { label: 'Dark High Contrast', mark: 'hc-black' },
  'high-contrast-light': { label: 'Light High Contrast', mark: 'hc-light' },
} as const satisfies Readonly<Record<Theme, unknown>>;

/** Moves the mouse onto a place and returns the hover that appears, once its content holds `expected`. */
export async function hoverOver(page: Page, place: Place, expected: string): Promise<Locator> {
  const hover = page.locator('.monaco-hover:visible').filter({ hasText: expected });
  await untilItHolds(async () => {
    await page.keyboard.press('Escape');
    await page.mouse.move(0, 0);
    const at = await positionOf(page, place);
    await page.mouse.move(at.x, at.y, { steps: 4 });
    await hover.first().waitFor({ timeout: 5_000 });
  });
  return hover.first();
}

/** The cells of the first table in a hover, header row first. */
export async function tableIn(hover: Locator): Promise<string[][]> {
  return hover
    .locator('table')
    .first()
    .locator('tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')),
    );
}

/** Puts the caret on a place and opens the menu of code actions; returns what it offers. */
export async function openCodeActions(page: Page, place: Place): Promise<readonly string[]> {
  const actions = page.locator('.action-widget .monaco-list-row.action');
  await untilItHolds(async () => {
    await page.keyboard.press('Escape');
    await clickOn(page, place);
    await page.keyboard.press('Control+.');
    await actions.first().waitFor({ timeout: 5_000 });
  });
  return actions.locator('.title').allInnerTexts();
}

/** Applies an action of the open menu. */
export async function chooseCodeAction(page: Page, title: string): Promise<void> {
  const menu = page.locator('.action-widget .actionList');
  await menu.locator('.monaco-list-row.action').getByText(title, { exact: true }).click();
  await menu.waitFor({ state: 'hidden' });
}

export async function clickOn(page: Page, place: Place): Promise<void> {
  const at = await positionOf(page, place);
  await page.mouse.click(at.x, at.y);
}

/** The text of the lines that are on the screen. */
export async function visibleText(page: Page): Promise<string> {
  const lines = await page.locator('.editor-instance .view-line').evaluateAll((elements) =>
    elements
      .map((element) => ({
        top: element.getBoundingClientRect().top,
        text: element.textContent ?? '',
      }))
      .sort((a, b) => a.top - b.top)
      .map((line) => line.text),
  );
  return lines.join('\n').replaceAll('\u00a0', ' ');
}

/** Saves the file and waits until the editor says that it is saved. */
export async function saveFile(page: Page): Promise<void> {
  await page.keyboard.press('Control+s');
  await page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
}

/** Opens the Problems panel. */
export async function showProblems(page: Page): Promise<void> {
  const panel = page.locator('.markers-panel');
  if (!(await panel.isVisible())) await page.keyboard.press('Control+Shift+m');
  await panel.waitFor();
}

/** What the open Problems panel shows now; poll it for what should come. */
export async function readProblems(page: Page): Promise<readonly Problem[]> {
  const rows = page.locator('.markers-panel .monaco-list-row[aria-level="2"]');
  const found = await rows.evaluateAll((elements) =>
    elements.map((row) => {
      const text = (selector: string): string => row.querySelector(selector)?.textContent ?? '';
      return {
        label: row.getAttribute('aria-label') ?? '',
        message: text('.marker-message'),
        source: text('.marker-source'),
        code: text('.marker-code'),
        href: row.querySelector('a.monaco-link')?.getAttribute('href') ?? undefined,
        position: text('.marker-line'),
      };
    }),
  );
  return found.map(({ label, position, ...problem }) => {
    const [line, column] = [...position.matchAll(/\d+/g)].map(Number);
    return {
      ...problem,
      severity: label.slice(0, label.indexOf(':')).toLowerCase(),
      line: line ?? 0,
      column: column ?? 0,
    };
  });
}

/** What the items of the status bar say to a screen reader, by id. */
export async function readStatusBar(page: Page): Promise<ReadonlyMap<string, string>> {
  const items = await page
    .locator('.statusbar-item')
    .evaluateAll((elements) =>
      elements.map((item) => [item.id, item.getAttribute('aria-label') ?? ''] as const),
    );
  return new Map(items);
}

/** The webview that is shown in the editor area, as its page sees itself. */
export function webview(page: Page): FrameLocator {
  return page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
}

/** Saves a picture of the window to `.artefacts/e2e`. */
export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir(artefacts, { recursive: true });
  await page.screenshot({ path: join(artefacts, `${name}.png`) });
}

async function positionOf(page: Page, place: Place): Promise<{ x: number; y: number }> {
  const lines = page.locator('.editor-instance .view-line');
  await lines.first().waitFor();
  const at = await lines.evaluateAll(findToken, place);
  if (at === undefined) {
    const text = await visibleText(page);
    throw new Error(`${JSON.stringify(place)} is not on the screen, which shows:\n${text}`);
  }
  return at;
}

/** Runs in the page: a token's middle, though the colours of a line split it over many elements. */
function findToken(lines: Element[], place: Place): { x: number; y: number } | undefined {
  for (const line of lines) {
    // The editor writes spaces as no-break spaces.
    const text = (line.textContent ?? '').replaceAll('\u00a0', ' ');
    const start = text.indexOf(place.line);
    if (start < 0) continue;
    const token = text.indexOf(place.token, start);
    if (token < 0) continue;
    const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    const target = token + Math.floor(place.token.length / 2);
    let offset = 0;
    while (nodes.nextNode()) {
      const node = nodes.currentNode;
      const length = node.textContent?.length ?? 0;
      if (target < offset + length) {
        const range = document.createRange();
        range.setStart(node, target - offset);
        range.setEnd(node, target - offset + 1);
        const box = range.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }
      offset += length;
    }
  }
  return undefined;
}

/** Does something to the editor again until it has the effect: what is done before a provider is ready has none. */
async function untilItHolds(attempt: () => Promise<void>): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
