/** What people see who may see little, on a real control plane with real access rules. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  launchControlPlane,
  type RunningControlPlane,
} from '../../scripts/controlPlane/launch.mjs';
import { answerDialog, openOverview, pressWelcome, welcomeText } from './panelPage.ts';
import { openEditor, readStatusBar, screenshot, type Editor } from './workbench.ts';

const extension = fileURLToPath(new URL('../../dist/kube-backoff.vsix', import.meta.url));
const patience = { timeout: 30_000 };

let folder: string;
let plane: RunningControlPlane;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-backoff-access-'));
  plane = await launchControlPlane({ controllerManager: false });
  return async () => {
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  };
});

describe('people who may see little', () => {
  const connectWith = async (kubeconfig: string): Promise<Editor> => {
    const other = await openEditor({
      folder,
      extensions: [extension],
      env: { KUBECONFIG: kubeconfig },
    });
    await openOverview(other.page);
    await expect.poll(() => welcomeText(other.page), patience).toContain('Not connected');
    await pressWelcome(other.page, 'Connect to a cluster (read-only)');
    await answerDialog(other.page, 'Connect');
    return other;
  };

  test('who may list nothing is told what to ask for', async () => {
    const other = await connectWith(plane.kubeconfigs.nobody);
    try {
      await expect.poll(() => welcomeText(other.page), patience).toContain('Forbidden here');
      await screenshot(other.page, 'panel-forbidden');
    } finally {
      await other.close();
    }
  });

  test('who is not known is signed out, and has a way back', async () => {
    const good = await readFile(plane.kubeconfigs.viewer, 'utf8');
    const file = join(plane.folder, 'stale.kubeconfig');
    await writeFile(file, good.replace(plane.tokens.viewer, 'expired'));
    const other = await connectWith(file);
    try {
      await expect.poll(() => welcomeText(other.page), patience).toContain('Signed out');
      const items = [...(await readStatusBar(other.page)).values()];
      expect(items).toContain('Kube Backoff is signed out of viewer');
      await screenshot(other.page, 'panel-signed-out');
      await writeFile(file, good);
      await pressWelcome(other.page, 'Connect again');
      // This person may look into one namespace, where there is nothing.
      await expect
        .poll(() => welcomeText(other.page), patience)
        .toContain('Nothing is backing off in what you may list');
      await screenshot(other.page, 'panel-forbidden-in-part');
    } finally {
      await other.close();
    }
  });
});
