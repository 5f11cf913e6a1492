/** Drives the live panel as a person would, and asks axe-core what others would find hard. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Frame, Locator, Page } from 'playwright-core';
import { webview } from './workbench.ts';

export const activity = (page: Page): Locator =>
  page.locator('.activitybar .action-label[aria-label="Kube Backoff"]');

/** Shows the overview, where it is not shown yet. */
export async function openOverview(page: Page): Promise<Locator> {
  const pane = page.locator('.pane', { has: page.locator('[aria-label*="Backing Off"]') }).first();
  if (!(await pane.isVisible())) await activity(page).first().click();
  await pane.waitFor();
  return page.locator('.sidebar');
}

/** Presses a button of the welcome that the empty overview shows. */
export async function pressWelcome(page: Page, label: string): Promise<void> {
  await page
    .locator('.sidebar .welcome-view-content')
    .getByRole('button', { name: label, exact: true })
    .click();
}

/** The text of that welcome. */
export const welcomeText = (page: Page): Promise<string> =>
  page.locator('.sidebar .welcome-view-content').innerText();

export const row = (page: Page, text: string): Locator =>
  webview(page).locator('tr.row', { hasText: text });

/** One cell of a row by the name of its column. */
export const cell = (page: Page, text: string, column: string): Locator =>
  row(page, text).locator(`td.${column}`);

export const detail = (page: Page): Locator => webview(page).locator('.detail');

/** Answers the modal dialog that is open, and gives what it said. */
export async function answerDialog(page: Page, button: string): Promise<string> {
  const dialog = page.locator('.monaco-dialog-box');
  await dialog.waitFor();
  const text = await dialog.innerText();
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  return text;
}

export type Violation = {
  readonly id: string;
  readonly impact: string;
  readonly where: readonly string[];
};

/** What axe-core finds in the panel's page; only what is serious or worse. */
export async function seriousViolations(page: Page): Promise<readonly Violation[]> {
  const frame = await panelFrame(page);
  const source = await readFile(
    createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
    'utf8',
  );
  await frame.evaluate(source);
  return frame.evaluate(async (): Promise<readonly Violation[]> => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (node: Document) => Promise<{
          violations: readonly {
            id: string;
            impact: string | null;
            nodes: readonly { html: string; failureSummary: string }[];
          }[];
        }>;
      };
    };
    const { violations } = await axe.run(document);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, nodes }) => ({
        id,
        impact: impact ?? '',
        where: nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`),
      }));
  });
}

/** The frame of the panel's own page, inside the two that the editor puts around it. */
export async function panelFrame(page: Page): Promise<Frame> {
  const outer = await page.locator('iframe.webview.ready').first().elementHandle();
  const middle = await outer?.contentFrame();
  const inner = await middle?.locator('#active-frame').elementHandle();
  const frame = await inner?.contentFrame();
  if (frame === null || frame === undefined) throw new Error('The panel is not on the screen.');
  return frame;
}

/** What has the keyboard in the panel: its role or tag, and its name or text. */
export async function focused(page: Page): Promise<string> {
  const frame = await panelFrame(page);
  return frame.evaluate(() => {
    let element = document.activeElement;
    const host = element;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const name =
      element?.getAttribute('aria-label') ??
      host?.getAttribute('aria-label') ??
      (host?.textContent ?? '').trim().slice(0, 60);
    return `${host?.tagName.toLowerCase() ?? 'nothing'} ${name}`.trim();
  });
}
