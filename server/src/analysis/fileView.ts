import { resourcesIn } from '../../../engine/analyse.ts';
import type { ClusterView } from '../../../engine/live.ts';
import { manifestView } from '../../../engine/manifestView.ts';
import type { FileAnalysis } from './file.ts';
import { parseYamlDocument } from './yamlDocument.ts';

/** The objects of all documents of a file as each other's neighbours. They are read when one is first asked for. */
export function fileView({ documents }: FileAnalysis): ClusterView {
  let made: ClusterView | undefined;
  const view = (): ClusterView =>
    (made ??= manifestView(
      documents.flatMap(({ text }) => {
        const root = parseYamlDocument(text)?.tree.root;
        return root === undefined ? [] : [...resourcesIn(root)];
      }),
    ));
  return {
    get: (ref) => view().get(ref),
    related: (ref, type) => view().related(ref, type),
  };
}
