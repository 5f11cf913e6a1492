import { fix, renameKey } from '../../edits.ts';
import type { DocumentRule } from '../../family.ts';
import { nearest } from '../../format.ts';
import { child, nameSpan } from '../../source.ts';
import { knobSources } from './knobs.ts';
import { isParameterMap, parameterOf, selfHealKnobs } from './selfHealView.ts';

const known = selfHealKnobs.map(parameterOf);

/** A key of `argocd-cmd-params-cm` about self-healing that no component reads. */
export const unknownParameter: DocumentRule = {
  slug: 'unknown-self-heal-parameter',
  severity: 'warning',
  summary: 'A key about self-healing that Argo CD does not read.',
  explanation:
    "Argo CD's manifests read each key of `argocd-cmd-params-cm` by its exact name, with a dot between all words. Others are ignored without a word, and the default applies.",
  cite: knobSources.environment,
  sites: [{ group: '', kinds: ['ConfigMap'], needs: ['argocd-cmd-params-cm'] }],
  *check({ root }) {
    const data = child(root, 'data');
    if (!isParameterMap(root) || data?.kind !== 'map') return;
    for (const [key, node] of data.children) {
      const at = nameSpan(node);
      if (at === undefined || node.via !== undefined || known.includes(key)) continue;
      if (!/self[-_.]?heal/i.test(key)) continue;
      const word = nearest(key.replaceAll(/[-_]/g, '.'), known);
      yield {
        message: `Argo CD does not read \`${key}\`, so it changes nothing${word === undefined ? '' : `: did you mean \`${word}\`?`}`,
        at,
        unnecessary: true,
        fixes:
          word === undefined || data.children.has(word)
            ? []
            : fix(`Rename to ${word}`, true, renameKey(node, word)),
      };
    }
  },
};
