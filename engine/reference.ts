import { codeOf, type PolicyFamily } from './family.ts';
import { families } from './families/index.ts';
import type { Code } from './finding.ts';
import { repository } from './project.ts';

/** The address of what the reference says about a finding: `…/argo-workflows-retry-strategy.md#argo-workflows-…`. */
export const docsUrl = (code: Code): string =>
  `${referenceUrl}/${pageOfCode(code)}#${anchorOf(code)}`;

/** The address of a family's page. */
export const familyUrl = (id: string): string => `${referenceUrl}/${pageOfFamily(id)}`;

/** The file of a family's page in the reference: `argo-workflows-retry-strategy.md`. */
export const pageOfFamily = (id: string): string => `${id.replaceAll('/', '-')}.md`;

/** The anchor of a code on its page; headings get theirs by hand so that no renderer changes it. */
export const anchorOf = (code: Code): string => code.replaceAll('/', '-');

/** The page of the codes that hold in every family. */
export const policyPage = 'policy.md';

const referenceUrl = `${repository}/blob/main/docs/reference`;

const pages = new Map<string, string>(families.flatMap((family) => pagesOf(family)));

/** Families of one system may share a code; its page is the first one's. */
function pageOfCode(code: Code): string {
  return pages.get(code) ?? policyPage;
}

function pagesOf(family: PolicyFamily): readonly (readonly [string, string])[] {
  return [...family.rules, ...(family.documentRules ?? [])]
    .map((rule) => [codeOf(family, rule), pageOfFamily(family.id)] as const)
    .toReversed();
}
