import type { Configuration } from '../analysis/configuration.ts';
import type { Feature } from '../feature.ts';

/** What a folder's own `.kube-backoff.yaml` says of where its manifests run. */
export type FolderConfiguration = {
  readonly versions: Readonly<Record<string, string>>;
  readonly gates: Readonly<Record<string, boolean>>;
  readonly controllers: Readonly<Record<string, string>>;
  readonly disabledSystems: readonly string[];
};

/** Answers our own client's question what a folder's file says, so that its panel reads a cluster alike. */
export const folderConfiguration: Feature = {
  capabilities: () => ({}),
  register: (connection, workspace) => {
    // Another client has no use for the news, and some of them log what they do not know.
    let isAsked = false;
    connection.onRequest(
      'kubeBackoff/folderConfiguration',
      async ({ uri }: { readonly uri: string }): Promise<FolderConfiguration | null> => {
        isAsked = true;
        const found = await workspace.configurationIn(uri);
        return found === undefined ? null : plain(found);
      },
    );
    workspace.onSettingsChanged(() => {
      if (isAsked) void connection.sendNotification('kubeBackoff/configurationChanged');
    });
  },
};

const plain = ({ env, disabledSystems }: Configuration): FolderConfiguration => ({
  versions: Object.fromEntries(env.versions),
  gates: Object.fromEntries(env.gates),
  controllers: Object.fromEntries(env.controllers),
  disabledSystems: [...disabledSystems],
});
