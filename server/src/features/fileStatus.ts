import { versionOf } from '../../../engine/environment.ts';
import type { System } from '../../../engine/environment.ts';
import type { Feature } from '../feature.ts';

/** Answers our own client's question for its status item: what a file holds, and what it is computed for. */
export const fileStatus: Feature = {
  capabilities: () => ({}),
  register: (connection, workspace) => {
    connection.onRequest('kubeBackoff/fileStatus', async ({ uri }: { readonly uri: string }) => {
      const file = await workspace.analysedFile(uri);
      if (file === undefined) return null;
      const policies = file.analysis.documents.flatMap((document) => document.analyse().policies);
      const systems = new Map<string, System>(
        policies.map(({ family }) => [family.system.id, family.system]),
      );
      const { env, registry } = file.analysis.context;
      return {
        policies: policies.length,
        families: registry.families.length,
        systems: [...systems.values()].map((system) => ({
          id: system.id,
          title: system.title,
          ...versionOf(env, system),
        })),
      };
    });
  },
};
