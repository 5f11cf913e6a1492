import { fix, removeEntry, renameKey } from '../../edits.ts';
import type { DocumentRule } from '../../family.ts';
import { nearest } from '../../format.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, nameSpan } from '../../source.ts';
import { sources } from './system.ts';

/** The settings of a Certificate that decide when it is renewed. */
const judged = ['duration', 'renewBefore', 'renewBeforePercentage'];

/** Other words for them, which spelling alone does not lead to. */
const meant: ReadonlyMap<string, string> = new Map([
  ['validity', 'duration'],
  ['validityperiod', 'duration'],
  ['validfor', 'duration'],
  ['lifetime', 'duration'],
  ['ttl', 'duration'],
  ['renewbeforeexpiry', 'renewBefore'],
]);

/** A key that is nearly the name of such a setting. */
export const misspelledField: DocumentRule = {
  slug: 'misspelled-field',
  severity: 'warning',
  summary: 'A key in the spec of a Certificate that is nearly the name of a setting.',
  explanation:
    'Names are read letter by letter, capitals included. kubectl refuses a key that the API does not know; other clients drop it, and the default applies.',
  cite: sources.certificateSpec,
  sites: [{ group: 'cert-manager.io', kinds: ['Certificate'] }],
  *check({ root, tree }) {
    const spec = child(root, 'spec');
    if (spec?.kind !== 'map') return;
    for (const [key, node] of spec.children) {
      const at = nameSpan(node);
      if (at === undefined || node.via !== undefined || node.kind !== 'scalar') continue;
      if (judged.includes(key) || isRunTimeText(key)) continue;
      const word = meant.get(key.toLowerCase()) ?? nearest(key, judged);
      if (word === undefined) continue;
      yield {
        message: `A Certificate has no \`${key}\`, so it is refused or has no effect: did you mean \`${word}\`?`,
        at,
        unnecessary: true,
        fixes: spec.children.has(word)
          ? fix(`Remove ${key}`, false, removeEntry(tree, node))
          : fix(`Rename to ${word}`, true, renameKey(node, word)),
      };
    }
  },
};
