import { describe, expect, it } from 'vitest';
import type { Connection } from 'vscode-languageserver';
import { families } from '../../../engine/families/index.ts';
import { buildRegistry } from '../../../engine/registry.ts';
import type { Client } from '../../../server/src/feature.ts';
import {
  folderConfiguration,
  type FolderConfiguration,
} from '../../../server/src/features/folderConfiguration.ts';
import { createSettingsSource } from '../../../server/src/settings.ts';
import { createWorkspace } from '../../../server/src/workspace.ts';

/** The feature over files in memory, and the two ends of its connection. */
function served(files: Map<string, string>) {
  const answers = new Map<string, (params: unknown) => unknown>();
  const told: string[] = [];
  const connection: Pick<Connection, 'onRequest' | 'sendNotification'> = {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of its many forms
    onRequest: ((method: string, answer: (params: unknown) => unknown) => {
      answers.set(method, answer);
      return { dispose: () => undefined };
    }) as Connection['onRequest'],
    sendNotification: (method: unknown) => {
      told.push(String(method));
      return Promise.resolve();
    },
  };
  const client: Client = {
    capabilities: {},
    options: { html: false, images: false, readsFiles: true },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
  const whole = connection as Connection;
  const settings = createSettingsSource({
    registry: buildRegistry(families),
    connection: whole,
    client,
    folders: ['file:///a'],
    readFile: (uri) => Promise.resolve(files.get(uri)),
  });
  const workspace = createWorkspace({
    document: () => undefined,
    uris: () => [],
    settings,
    pause: () => Promise.resolve(),
    clock: () => 0,
    failed: () => undefined,
  });
  folderConfiguration.register(whole, workspace, client);
  const ask = (uri: string) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the feature says it answers
    answers.get('kubeBackoff/folderConfiguration')?.({
      uri,
    }) as Promise<FolderConfiguration | null>;
  return { ask, told, workspace };
}

describe("a folder's configuration file", () => {
  const address = 'file:///a/.kube-backoff.yaml';

  it('is told as it stands, anew after it changed', async () => {
    const files = new Map([
      [address, 'versions: {cert-manager: "1.7.1"}\ndisabledSystems: [captf]\n'],
    ]);
    const { ask, told, workspace } = served(files);
    workspace.settingsChanged();
    expect(told).toEqual([]);
    expect(await ask('file:///a')).toEqual({
      versions: { 'cert-manager': '1.7.1' },
      gates: {},
      controllers: {},
      disabledSystems: ['captf'],
    });
    files.set(address, 'gates: {ServerSideApply: true}\n');
    workspace.settingsChanged();
    expect(told).toEqual(['kubeBackoff/configurationChanged']);
    expect(await ask('file:///a/')).toMatchObject({
      versions: {},
      gates: { ServerSideApply: true },
    });
  });

  it('is absent where there is none', async () => {
    const { ask } = served(new Map());
    expect(await ask('file:///a')).toBeNull();
  });
});
