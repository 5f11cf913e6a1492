import { codeOf, type PolicyFamily } from '../../engine/family.ts';
import { anchorOf, pageOfFamily, policyPage } from '../../engine/reference.ts';
import { code, pageHead, table } from './markdown.ts';

/** All families and all findings, with links to their pages. */
export function indexPage(families: readonly PolicyFamily[]): string {
  return [
    ...pageHead('Reference'),
    'One page for each kind of retry policy. `kube-backoff families` prints the same in a shell.',
    '',
    ...table(
      ['Policy', 'System', 'Formula'],
      families.map((family) => [
        `[${family.title}](${pageOfFamily(family.id)})`,
        `${family.system.title} ${family.system.assumes.version}`,
        family.formula,
      ]),
    ),
    '## Findings',
    '',
    `What holds in every family is on [a page of its own](${policyPage}).`,
    '',
    ...table(
      ['Finding', 'Severity', 'What it finds'],
      families.flatMap((family) =>
        [...family.rules, ...(family.documentRules ?? [])].map((rule) => {
          const own = codeOf(family, rule);
          return [
            `[${code(own)}](${pageOfFamily(family.id)}#${anchorOf(own)})`,
            rule.severity,
            rule.summary,
          ];
        }),
      ),
    ),
  ].join('\n');
}
