import type { BaseLanguageClient } from 'vscode-languageclient';
import type { VersionOrigin } from '../../engine/environment.ts';
import type { ResourceRef } from '../../engine/live.ts';

/** What the server says of a file: how many policies it holds and which versions it computed with. */
export type FileStatus = {
  readonly policies: number;
  readonly families: number;
  readonly systems: readonly {
    readonly id: string;
    readonly title: string;
    readonly version: string;
    readonly from: VersionOrigin;
  }[];
};

export type Position = { readonly line: number; readonly character: number };
export type Range = { readonly start: Position; readonly end: Position };

/** One policy of a manifest, as the server answers `kubeBackoff/liveAnchors`. */
export type AnchoredPolicy = {
  readonly family: string;
  readonly anchor: string;
  /** The names of the templates, containers and the like that the anchor leads through. */
  readonly names: readonly string[];
  readonly at: Range;
  readonly block: Range;
  readonly settings: readonly {
    readonly name: string;
    readonly text: string;
    readonly value?: string;
  }[];
};

/** One object of a manifest, and where it stands. */
export type AnchoredResource = {
  readonly resource: ResourceRef;
  readonly generateName?: string;
  readonly at: readonly Range[];
  readonly range: Range;
  readonly policies: readonly AnchoredPolicy[];
};

/** What a folder's own `.kube-backoff.yaml` says, as the server answers `kubeBackoff/folderConfiguration`. */
export type FolderConfiguration = {
  readonly versions: Readonly<Record<string, string>>;
  readonly gates: Readonly<Record<string, boolean>>;
  readonly controllers: Readonly<Record<string, string>>;
  readonly disabledSystems: readonly string[];
};

/** The little of a language client that the rest of the extension needs. */
export type EditingClient = {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly fileStatus: (uri: string) => Promise<FileStatus | undefined>;
  /** The objects and policies of an open file. */
  /** Nothing where the server does not run, or does not know the manifest yet. */
  readonly liveAnchors: (uri: string) => Promise<readonly AnchoredResource[] | undefined>;
  /** What the configuration file in a folder says; absent where there is none. */
  readonly folderConfiguration: (uri: string) => Promise<FolderConfiguration | undefined>;
  /** Settings or configuration files changed; told once they have been asked for. */
  readonly onConfigurationChanged: (run: () => void) => void;
  /** Has the server ask for all settings again. */
  readonly settingsChanged: () => Promise<void>;
  readonly answerReads: (read: (uri: string) => Promise<string | undefined>) => void;
};

export function languageClient(client: BaseLanguageClient): EditingClient {
  return {
    start: () => client.start(),
    stop: () => client.dispose(),
    fileStatus: async (uri) => {
      if (!client.isRunning()) return undefined;
      return (
        (await client.sendRequest<FileStatus | null>('kubeBackoff/fileStatus', { uri })) ??
        undefined
      );
    },
    liveAnchors: async (uri) => {
      if (!client.isRunning()) return undefined;
      return (
        (await client.sendRequest<readonly AnchoredResource[] | null>('kubeBackoff/liveAnchors', {
          uri,
        })) ?? undefined
      );
    },
    folderConfiguration: async (uri) => {
      if (!client.isRunning()) return undefined;
      return (
        (await client.sendRequest<FolderConfiguration | null>('kubeBackoff/folderConfiguration', {
          uri,
        })) ?? undefined
      );
    },
    onConfigurationChanged: (run) => {
      client.onNotification('kubeBackoff/configurationChanged', run);
    },
    settingsChanged: async () => {
      if (!client.isRunning()) return;
      await client.sendNotification('workspace/didChangeConfiguration', { settings: null });
    },
    answerReads: (read) => {
      client.onRequest('kubeBackoff/readFile', async ({ uri }: { readonly uri: string }) => {
        return (await read(uri)) ?? null;
      });
    },
  };
}
