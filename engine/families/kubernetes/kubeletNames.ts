import { fix, renameKey } from '../../edits.ts';
import type { DocumentRule } from '../../family.ts';
import { nearest } from '../../format.ts';
import { nameSpan } from '../../source.ts';
import { sources } from './system.ts';

const block = 'crashLoopBackOff';
const setting = 'maxContainerRestartPeriod';

/** The block of restart waits under another name, or its setting outside of it. */
export const kubeletMisspelled: DocumentRule = {
  slug: 'kubelet-setting-misspelled',
  severity: 'warning',
  summary:
    'A key of the kubelet configuration that is nearly `crashLoopBackOff`, or belongs into it.',
  explanation:
    'The kubelet warns in its log of keys that it does not know, and starts without them. Names are read letter by letter, capitals included.',
  cite: sources.kubeletValidation,
  sites: [
    {
      group: 'kubelet.config.k8s.io',
      kinds: ['KubeletConfiguration'],
      needs: ['estart', 'ack'],
    },
  ],
  *check({ root }) {
    if (root.kind !== 'map') return;
    for (const [key, node] of root.children) {
      const at = nameSpan(node);
      if (key === block || at === undefined || node.via !== undefined) continue;
      const isBlock = nearest(key, [block]) !== undefined;
      if (!isBlock && nearest(key, [setting]) === undefined) continue;
      yield {
        message: isBlock
          ? `The kubelet does not know \`${key}\`, so containers wait as ever: did you mean \`${block}\`?`
          : `The kubelet does not know \`${key}\` here, so containers wait as ever: it belongs below \`${block}\``,
        at,
        unnecessary: true,
        fixes:
          isBlock && !root.children.has(block)
            ? fix(`Rename to ${block}`, true, renameKey(node, block))
            : [],
      };
    }
  },
};
