/** The packaged extension in a real VS Code, on the manifests that a newcomer opens first. */
import { access, cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  chooseCodeAction,
  goToLine,
  hoverOver,
  openCodeActions,
  openEditor,
  openFile,
  readProblems,
  readStatusBar,
  runCommand,
  saveFile,
  screenshot,
  setTheme,
  showProblems,
  tableIn,
  visibleText,
  type Editor,
  type Problem,
} from './workbench.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const extension = join(repository, 'dist/kube-backoff.vsix');
const manifest = 'cert-manager/short-lived.yaml';
const renewal = { line: 'renewBefore: 30m', token: 'renewBefore' };
const renewalProblem = problem('cert-manager/expires-before-retry', 24, 3);
const unitProblem = problem('policy/bad-duration', 37, 13);
/** Issuance waits 1h after the first failure, and twice as long after each further one. */
const issuanceWaits = [
  ['1', '1h', '1h'],
  ['2', '2h', '3h'],
  ['3', '4h', '7h'],
];
const patience = { timeout: 30_000 };

let folder: string;
let editor: Editor;

/** A workbench on a copy of the examples, for the tests of one `describe`. */
function useEditor(trust: 'trusted' | 'restricted'): void {
  beforeAll(async () => {
    await access(extension).catch(() => {
      throw new Error(`${extension} is missing: run \`npm run build\` first.`);
    });
    folder = await mkdtemp(join(tmpdir(), 'kube-backoff-examples-'));
    await cp(join(repository, 'examples'), folder, { recursive: true });
    editor = await openEditor({ folder, extensions: [extension], trust });
    return async () => {
      await editor.close();
      await rm(folder, { recursive: true, force: true });
    };
  });

  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    await screenshot(editor.page, `failed-${trust}-${task.name.replaceAll(/\W+/g, '-')}`);
  });
}

describe('in a trusted folder', () => {
  useEditor('trusted');

  test('underlines what an example gets wrong, and links to where that is documented', async () => {
    await openFile(editor.page, manifest);
    await editor.page.locator('.squiggly-error').first().waitFor({ state: 'attached' });
    await showProblems(editor.page);
    await expect.poll(shownProblems, patience).toContainEqual(renewalProblem);
    await screenshot(editor.page, 'problems');
  });

  test('shows the waits of a policy in a hover', async () => {
    await openFile(editor.page, manifest);
    expect(await shownWaits()).toEqual(issuanceWaits);
  });

  test('writes the waits beside a policy', async () => {
    await openFile(editor.page, 'argo-workflows/conditions.yaml');
    await expect
      .poll(() => visibleText(editor.page), patience)
      .toMatch(/retryStrategy:.*20s, 40s, 1m20s, 2m40s/);
    await screenshot(editor.page, 'hints');
  });

  test('writes what works, through a quick fix', async () => {
    const { page } = editor;
    await openFile(page, manifest);
    await showProblems(page);
    await expect.poll(shownProblems, patience).toContainEqual(unitProblem);
    await goToLine(page, unitProblem.line);
    const [first] = await openCodeActions(page, { line: 'duration: 90d', token: '90d' });
    await screenshot(page, 'quick-fix');
    await chooseCodeAction(page, first ?? '');
    await expect.poll(shownProblems, patience).not.toContainEqual(unitProblem);
    await saveFile(page);
    expect(await readFile(join(folder, manifest), 'utf8')).toContain('duration: 2160h\n');
  });

  test('counts the policies of a file in the language status', async () => {
    await openFile(editor.page, manifest);
    await expect
      .poll(async () => (await readStatusBar(editor.page)).get('status.languageStatus'), patience)
      .toContain('3 retry policies');
  });

  test('shows its log on request', async () => {
    const { page } = editor;
    await runCommand(page, 'Kube Backoff: Show Log');
    await page.locator('.output-view').waitFor();
    const channel = page
      .getByRole('toolbar', { name: 'Output actions' })
      .getByLabel('Switch Output');
    await expect.poll(() => channel.inputValue(), patience).toBe('Kube Backoff');
  });

  for (const theme of ['light', 'dark', 'high-contrast', 'high-contrast-light'] as const) {
    test(`shows problems and hovers in the ${theme} theme`, async () => {
      const { page } = editor;
      await openFile(page, manifest);
      await setTheme(page, theme);
      await showProblems(page);
      await expect.poll(shownProblems, patience).toContainEqual(renewalProblem);
      expect(await shownWaits()).toEqual(issuanceWaits);
      await screenshot(page, `theme-${theme}`);
    });
  }

  test('does all that without an error in the logs', async () => {
    const host = await editor.workbench.readLog('remoteexthost');
    expect(host).toContain('kube-backoff.kube-backoff');
    expect(host).not.toMatch(/\[error\].*kube-?backoff/i);
    expect(await editor.workbench.readLog('Kube Backoff')).not.toContain('[error]');
  });
});

describe('in a folder that is not trusted', () => {
  useEditor('restricted');

  test('still checks and explains a manifest', async () => {
    const { page } = editor;
    await page.locator('.part.banner').getByText('Restricted Mode').waitFor();
    await openFile(page, manifest);
    await showProblems(page);
    await expect.poll(shownProblems, patience).toContainEqual(renewalProblem);
    expect(await shownWaits()).toEqual(issuanceWaits);
    await screenshot(page, 'restricted');
  });
});

/** The first rows of the table in the hover on the example's `renewBefore`. */
async function shownWaits(): Promise<string[][]> {
  await goToLine(editor.page, renewalProblem.line);
  const hover = await hoverOver(editor.page, renewal, 'Certificate issuance');
  const [, ...rows] = await tableIn(hover);
  return rows.slice(0, 3);
}

const shownProblems = (): Promise<readonly Problem[]> => readProblems(editor.page);

function problem(code: string, line: number, column: number): Problem {
  const [system = ''] = code.split('/');
  return {
    code,
    line,
    column,
    severity: 'error',
    source: 'Kube Backoff',
    message: expect.stringMatching(/\w+/),
    href: expect.stringMatching(new RegExp(`/${system}[^/]*#${code.replace('/', '-')}$`)),
  };
}
