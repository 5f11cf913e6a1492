import type { Anchored } from './anchor.ts';
import type { Environment } from './environment.ts';
import {
  codeOf,
  type Policy,
  type PolicyContext,
  type PolicyFamily,
  type Report,
  type Rule,
  type Site,
} from './family.ts';
import type { Code, Finding, Severity } from './finding.ts';
import type { ResourceRef } from './live.ts';
import { fieldsAreQuiet, policyReports } from './policyRules.ts';
import { readSettings, valuesOf } from './readSettings.ts';
import type { Seen } from './neighbours.ts';
import type { Placed } from './registry.ts';
import { bound, type Schedule } from './schedule.ts';
import { isWritten, valueOf } from './setting.ts';
import {
  child,
  nameSpan,
  textAt,
  toJson,
  wholeSpan,
  type SourceNode,
  type SourceTree,
  type Span,
} from './source.ts';

/** A policy with what was computed from it; plain data that outlives the tree. */
export type AnalysedPolicy = {
  readonly family: PolicyFamily;
  readonly policy: Policy;
  /** Absent where the formula needs a setting that is unreadable or not known. */
  readonly schedule?: Schedule;
  /** Those settings. */
  readonly missing: readonly string[];
  /** What the schedule takes for granted: expected values of run-time settings. */
  readonly assuming: readonly string[];
  /** The manifest's own object, kept where it carries a status that the family can read. */
  readonly object?: unknown;
};

/** One place of a manifest that holds a policy. What is not asked for is not computed. */
export type ReadPlace = {
  readonly findings: () => readonly Finding[];
  readonly policy: () => AnalysedPolicy;
};

export type Surroundings = {
  readonly tree: SourceTree;
  readonly root: SourceNode;
  readonly resource: ResourceRef;
  readonly env: Environment;
  /** The other objects of the file that a family looks at. */
  readonly seen: Seen;
  /** Whether a text stands anywhere in the document. */
  readonly has: (text: string) => boolean;
};

/** Reads the settings of a policy at one place, and makes the rest of it ready. */
export function readPlace(
  { tree, root, resource, env, seen, has }: Surroundings,
  placed: Placed,
  place: Anchored,
): ReadPlace {
  const { family, site } = placed;
  const { node, parents, path } = place;
  const neighbours = seen(family);
  const { settings, nodes } = readSettings(family, { node, parents, root, env, neighbours });
  const name = (node === undefined ? undefined : nameSpan(node)) ?? nearestName(parents, root);
  const policy = once(() => {
    const facts = family.facts?.({ node, parents, root, anchor: path, env, neighbours });
    return policyOf(family.id, resource, site, place, name, settings, facts, env);
  });
  const computed = once((): Pick<AnalysedPolicy, 'schedule' | 'missing'> => {
    const read = valuesOf(family, settings);
    return 'values' in read
      ? { schedule: family.schedule(read.values, policy()), missing: [] }
      : { missing: read.missing };
  });
  const context = once(() =>
    name === undefined
      ? undefined
      : contextOf({ tree, root, neighbours, place, policy: policy(), computed, name, nodes }),
  );
  return {
    findings: () => findingsOf(placed, settings, has, policy, context),
    policy: () => ({
      family,
      policy: policy(),
      ...computed(),
      assuming: assumptions(settings),
      ...statusOf(family, root),
    }),
  };
}

/** The value of a computation that is made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Written out for the common case: this object is made for every container of every manifest. */
function policyOf(
  family: string,
  resource: ResourceRef,
  site: Site,
  { node, path: anchor }: Anchored,
  key: Span | undefined,
  settings: Policy['settings'],
  facts: unknown,
  env: Environment,
): Policy {
  const span = node === undefined ? undefined : wholeSpan(node);
  if (key !== undefined && span !== undefined && node?.via === undefined) {
    return { family, resource, site, anchor, key, span, settings, facts, env };
  }
  return {
    family,
    resource,
    site,
    anchor,
    ...(key === undefined ? {} : { key }),
    ...(span === undefined ? {} : { span }),
    ...(node?.via === undefined ? {} : { via: node.via }),
    settings,
    facts,
    env,
  };
}

type Judged = {
  readonly tree: SourceTree;
  readonly root: SourceNode;
  readonly neighbours: readonly SourceNode[];
  readonly place: Anchored;
  readonly policy: Policy;
  readonly computed: () => Pick<AnalysedPolicy, 'schedule'>;
  readonly name: Span;
  readonly nodes: ReadonlyMap<string, SourceNode>;
};

function contextOf(judged: Judged): PolicyContext {
  const { tree, root, neighbours, place, policy, computed, name, nodes } = judged;
  const { node, parents } = place;
  const { settings, env } = policy;
  const nodeOf = (field: string) => nodes.get(field);
  const keyOf = (field: string): Span => {
    const found = nodeOf(field);
    return (found === undefined ? undefined : nameSpan(found)) ?? name;
  };
  const end = once(() => {
    const { schedule } = computed();
    return schedule === undefined ? undefined : bound(schedule);
  });
  return {
    policy,
    settings,
    env,
    node,
    parents,
    root,
    tree,
    neighbours,
    get schedule() {
      return computed().schedule;
    },
    get bound() {
      return end();
    },
    keyOf,
    valueSpanOf: (field) => {
      const found = nodeOf(field);
      return found?.span ?? keyOf(field);
    },
    name,
    nodeOf,
  };
}

const none: readonly Finding[] = [];

/** What fields and rules have to say; most policies are as quiet as their settings, and cost no more. */
function findingsOf(
  placed: Placed,
  settings: Policy['settings'],
  has: (text: string) => boolean,
  policyOnce: () => Policy,
  contextOnce: () => PolicyContext | undefined,
): readonly Finding[] {
  const { family } = placed;
  let findings: Finding[] | undefined;
  if (!fieldsAreQuiet(placed, settings)) {
    const context = contextOnce();
    if (context === undefined) return none;
    for (const report of policyReports(placed, context)) {
      findings ??= [];
      findings.push(toFinding(`policy/${report.slug}`, report, report.severity, family.cite));
    }
  }
  for (const rule of family.rules) {
    if (!isAboutWritten(rule, settings) || rule.needs?.some(has) === false) continue;
    if (rule.when !== undefined && !rule.when(policyOnce())) continue;
    const context = contextOnce();
    if (context === undefined) return none;
    for (const report of rule.check(context)) {
      findings ??= [];
      findings.push(toFinding(codeOf(family, rule), report, rule.severity, rule.cite));
    }
  }
  return findings ?? none;
}

/** Whether a rule can have something to say: a setting that it is about is written. */
function isAboutWritten({ about }: Rule, settings: Policy['settings']): boolean {
  if (about === undefined) return true;
  for (const name of about) {
    const setting = settings[name];
    if (setting !== undefined && (isWritten(setting) || setting.at !== undefined)) return true;
  }
  return false;
}

export function toFinding(
  code: Code,
  report: Report,
  severity: Severity,
  cite: Finding['cite'] & object,
): Finding {
  return {
    code,
    severity: report.severity ?? severity,
    message: report.message,
    at: report.at,
    unnecessary: report.unnecessary ?? false,
    related: report.related ?? [],
    fixes: report.fixes ?? [],
    cite,
  };
}

const nearestName = (parents: readonly SourceNode[], root: SourceNode): Span | undefined =>
  parents.map((parent) => parent.key).find((key) => key !== undefined) ?? kindSpan(root);

/** The kind's value, which stands for a manifest as a whole. */
export const kindSpan = (root: SourceNode): Span | undefined => {
  const kind = child(root, 'kind');
  return kind?.span ?? kind?.key;
};

const nothingAssumed: readonly string[] = [];

function assumptions(settings: Policy['settings']): readonly string[] {
  const isCertain = Object.values(settings).every(({ from }) => from !== 'runtime');
  if (isCertain) return nothingAssumed;
  return Object.entries(settings).flatMap(([name, setting]) =>
    setting.from === 'runtime' && setting.likely !== undefined && valueOf(setting) !== undefined
      ? [`${name} is ${setting.text.trim()}: ${setting.likely.because}`]
      : [],
  );
}

/** Objects as `kubectl get -o yaml` prints them carry their live state along. */
function statusOf(family: PolicyFamily, root: SourceNode): { readonly object?: unknown } {
  if (child(root, 'status') === undefined) return {};
  const kind = textAt(root, 'kind');
  const isRead = family.live?.reads.some((type) => type.kind === kind) ?? false;
  return isRead ? { object: toJson(root) } : {};
}
