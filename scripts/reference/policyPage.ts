import type { Code } from '../../engine/finding.ts';
import { policyCodes } from '../../engine/policyRules.ts';
import { anchorOf } from '../../engine/reference.ts';
import type { Showcase } from './findings.ts';
import { shownFinding } from './familyPage.ts';
import { code, pageHead } from './markdown.ts';

/** The findings that hold in every family. */
export function generalPage(shown: Showcase): string {
  return [
    ...pageHead('Findings in every family'),
    'These are found wherever a policy stands, from its fields alone or from the YAML around it.',
    '',
    ...Object.entries(policyCodes).flatMap(([slug, text]) => {
      const own: Code = `policy/${slug}`;
      return [
        `## <a id="${anchorOf(own)}"></a>${code(own)}`,
        '',
        text,
        '',
        ...shownFinding(own, shown),
      ];
    }),
  ].join('\n');
}
