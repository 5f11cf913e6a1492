import type { Citation } from './citation.ts';
import { codeOf, type PolicyFamily } from './family.ts';
import type { Field } from './field.ts';
import type { Code, Severity } from './finding.ts';
import { familyUrl } from './reference.ts';

export type FieldJson = {
  readonly name: string;
  readonly path: string;
  readonly type: string;
  readonly summary: string;
  readonly absent:
    | { readonly kind: 'default'; readonly text: string; readonly source: string }
    | { readonly kind: 'required'; readonly consequence: string }
    | { readonly kind: 'unset'; readonly means: string };
  readonly since?: string;
  readonly min?: string;
  readonly max?: string;
};

/** A family as `families` prints it. */
export type FamilyJson = {
  readonly id: string;
  readonly title: string;
  readonly system: { readonly id: string; readonly title: string; readonly version: string };
  readonly versions: string;
  readonly summary: string;
  readonly formula: string;
  readonly sites: readonly {
    readonly group: string;
    readonly kinds: readonly string[];
    readonly anchor: string;
  }[];
  readonly fields: readonly FieldJson[];
  readonly findings: readonly {
    readonly code: Code;
    readonly severity: Severity;
    readonly summary: string;
  }[];
  /** Whether live objects of this family can be read. */
  readonly live: boolean;
  readonly sources: readonly string[];
  readonly docs: string;
};

/** Writes a family in the public shape. */
export function familyJson(family: PolicyFamily): FamilyJson {
  const { id, title, system, cite, summary, formula, sites } = family;
  return {
    id,
    title,
    system: { id: system.id, title: system.title, version: system.assumes.version },
    versions: cite.versions,
    summary,
    formula,
    sites: sites.map(({ group, kinds, anchor }) => ({ group, kinds, anchor })),
    fields: Object.entries(family.fields).map(([name, field]) => fieldJson(name, field)),
    findings: [...family.rules, ...(family.documentRules ?? [])].map((rule) => ({
      code: codeOf(family, rule),
      severity: rule.severity,
      summary: rule.summary,
    })),
    live: family.live !== undefined,
    sources: sourcesOf(family).map(({ source }) => source),
    docs: familyUrl(id),
  };
}

/** Everything that a family cites, each source once. */
export function sourcesOf(family: PolicyFamily): readonly Citation[] {
  const cited = [family.cite, family.system.assumes];
  for (const { absent, bounds } of Object.values(family.fields)) {
    if (absent.kind === 'default') cited.push(absent.cite);
    if (bounds !== undefined) cited.push(bounds.cite);
  }
  for (const { cite } of [...family.rules, ...(family.documentRules ?? [])]) cited.push(cite);
  return [...new Map(cited.map((cite) => [cite.source, cite])).values()];
}

function fieldJson(name: string, field: Field<unknown>): FieldJson {
  const { path, summary, format, since, bounds } = field;
  return {
    name,
    path,
    type: format.name,
    summary,
    absent: absentJson(field),
    ...(since === undefined ? {} : { since: since.version }),
    ...(bounds?.min === undefined ? {} : { min: format.write(bounds.min) }),
    ...(bounds?.max === undefined ? {} : { max: format.write(bounds.max) }),
  };
}

function absentJson({ absent, format }: Field<unknown>): FieldJson['absent'] {
  switch (absent.kind) {
    case 'default':
      return { kind: 'default', text: format.write(absent.value), source: absent.cite.source };
    case 'required':
      return { kind: 'required', consequence: absent.consequence };
    case 'unset':
      return { kind: 'unset', means: absent.means };
  }
}
