import { versionOf, type System } from '../../../engine/environment.ts';
import type { Feature } from '../feature.ts';

/** Answers our own client's question for its status item: what a file holds, and what it is computed for. */
export const fileStatus: Feature = {
  capabilities: () => ({}),
  register: (connection, workspace) => {
    connection.onRequest('kubeBackoff/fileStatus', async ({ uri }: { readonly uri: string }) => {
      const file = await workspace.countedFile(uri);
      if (file === undefined) return null;
      const { env, registry } = file.analysis.context;
      const systems = new Map<string, System>();
      let policies = 0;
      for (const document of file.analysis.documents) {
        for (const [id, count] of document.counts()) {
          const system = registry.byId.get(id)?.system;
          if (system !== undefined) systems.set(system.id, system);
          policies += count;
        }
      }
      return {
        policies,
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
