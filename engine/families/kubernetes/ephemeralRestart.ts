import { fix, removeEntry } from '../../edits.ts';
import type { DocumentRule } from '../../family.ts';
import { child, itemsOf, nameSpan } from '../../source.ts';
import { sources } from './system.ts';

/** A restart policy where there is nothing to restart. */
export const ephemeralRestart: DocumentRule = {
  slug: 'ephemeral-restart-policy',
  severity: 'error',
  summary: 'A restart policy of an ephemeral container.',
  explanation:
    'An ephemeral container is for looking into a pod that runs, and is never restarted. The API server refuses a `restartPolicy` or `restartPolicyRules` there.',
  cite: sources.podValidation,
  sites: [{ group: '', kinds: ['Pod'], needs: ['ephemeralContainers'] }],
  *check({ root, tree }) {
    for (const container of itemsOf(child(child(root, 'spec'), 'ephemeralContainers'))) {
      for (const key of ['restartPolicy', 'restartPolicyRules']) {
        const node = child(container, key);
        const at = node === undefined ? undefined : nameSpan(node);
        if (node === undefined || at === undefined) continue;
        if (node.kind === 'scalar' && node.value === null) continue;
        yield {
          message: `The API server refuses \`${key}\` on an ephemeral container, which is never restarted: remove it`,
          at,
          fixes: fix(`Remove ${key}`, false, removeEntry(tree, node)),
        };
      }
    }
  },
};
