import type { BaseLanguageClient } from 'vscode-languageclient';

/** What the server says of a file: how many policies it holds and which versions it computed with. */
export type FileStatus = {
  readonly policies: number;
  readonly families: number;
  readonly systems: readonly {
    readonly id: string;
    readonly title: string;
    readonly version: string;
    readonly assumed: boolean;
  }[];
};

/** The little of a language client that the rest of the extension needs. */
export type EditingClient = {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly fileStatus: (uri: string) => Promise<FileStatus | undefined>;
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
    answerReads: (read) => {
      client.onRequest('kubeBackoff/readFile', async ({ uri }: { readonly uri: string }) => {
        return (await read(uri)) ?? null;
      });
    },
  };
}
