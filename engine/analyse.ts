import { resolveAnchor, type Anchored, type Walked } from './anchor.ts';
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
import { guard, type Failure } from './guard.ts';
import type { ResourceRef } from './live.ts';
import { fieldsAreQuiet, policyReports } from './policyRules.ts';
import { readSettings, valuesOf } from './readSettings.ts';
import type { Placed, Registry } from './registry.ts';
import { bound, type Schedule } from './schedule.ts';
import { isWritten, valueOf } from './setting.ts';
import {
  child,
  itemsOf,
  nameSpan,
  textAt,
  toJson,
  wholeSpan,
  type SourceNode,
  type SourceTree,
  type Span,
} from './source.ts';
import { wrappedIn } from './wrapped.ts';

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

export type TreeAnalysis = {
  readonly policies: readonly AnalysedPolicy[];
  readonly findings: readonly Finding[];
  /** Faults of ours; each is also a finding, so that the file does not look clean. */
  readonly failures: readonly Failure[];
};

/** Finds and judges every policy in one manifest; lists of objects are taken apart. */
export function analyseTree(tree: SourceTree, registry: Registry, env: Environment): TreeAnalysis {
  const policies: AnalysedPolicy[] = [];
  const findings: Finding[] = [];
  const failures: Failure[] = [];
  const texts = new Map<string, boolean>();
  for (const root of resourcesIn(tree.root)) {
    const ref = resourceRef(root);
    const group = groupOf(ref.apiVersion);
    const walked: Walked = new Map();
    for (const placed of registry.sitesOf(group, ref.kind)) {
      const { family } = placed;
      if (!mayStandIn(tree, placed, texts)) continue;
      const result = guard(`${family.id} in ${ref.kind}`, () =>
        analyseSite({ tree, root, walked }, ref, placed, env),
      );
      if (result.ok) {
        policies.push(...result.value.policies);
        findings.push(...result.value.findings);
      } else {
        failures.push(result.failure);
        findings.push(failedAnalysis(family, root));
      }
    }
    for (const { family, rule } of registry.rulesOf(group, ref.kind)) {
      const code = codeOf(family, rule);
      const result = guard(code, () =>
        [...rule.check({ root, tree, env })].map((report) =>
          toFinding(code, report, rule.severity, rule.cite),
        ),
      );
      if (result.ok) findings.push(...result.value);
      else {
        failures.push(result.failure);
        findings.push(failedAnalysis(family, root));
      }
    }
  }
  return { policies, findings: withoutTwins(findings), failures };
}

/** The objects of a manifest: itself with those that it holds, or the items of a `List`, however deep. */
export function* resourcesIn(root: SourceNode): Generator<SourceNode> {
  const kind = textAt(root, 'kind');
  if (kind === undefined) return;
  if (kind.endsWith('List') && child(root, 'items')?.kind === 'list') {
    for (const item of itemsOf(child(root, 'items'))) yield* resourcesIn(item);
    return;
  }
  yield root;
  const group = groupOf(textAt(root, 'apiVersion') ?? '');
  for (const inner of wrappedIn(root, group)) yield* resourcesIn(inner);
}

export function resourceRef(root: SourceNode): ResourceRef {
  const name = textAt(root, 'metadata', 'name') ?? textAt(root, 'metadata', 'generateName');
  const namespace = textAt(root, 'metadata', 'namespace');
  return {
    apiVersion: textAt(root, 'apiVersion') ?? '',
    kind: textAt(root, 'kind') ?? '',
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

type SiteAnalysis = {
  readonly policies: readonly AnalysedPolicy[];
  readonly findings: readonly Finding[];
};

/** One object of a manifest, with what was already found in it. */
type Visited = {
  readonly tree: SourceTree;
  readonly root: SourceNode;
  readonly walked: Walked;
};

/** Whether the document has one of the texts that a site cannot do without. */
function mayStandIn(tree: SourceTree, { site }: Placed, texts: Map<string, boolean>): boolean {
  const { text } = tree;
  if (site.needs === undefined || text === undefined) return true;
  return site.needs.some((need) => {
    const known = texts.get(need);
    if (known !== undefined) return known;
    const found = text.includes(need);
    texts.set(need, found);
    return found;
  });
}

function analyseSite(
  visited: Visited,
  resource: ResourceRef,
  placed: Placed,
  env: Environment,
): SiteAnalysis {
  const policies: AnalysedPolicy[] = [];
  const findings: Finding[] = [];
  const { tree, root } = visited;
  for (const place of placesOf(visited, placed)) {
    const { analysed, context } = analysePlace(tree, root, resource, placed, place, env);
    policies.push(analysed);
    for (const finding of findingsOf(placed, analysed, context)) findings.push(finding);
  }
  return { policies, findings };
}

function placesOf(
  { tree, root, walked }: Visited,
  { site, anchor, beginnings }: Placed,
): readonly Anchored[] {
  if (site.when?.(root) === false) return [];
  const places = resolveAnchor(tree, root, anchor, site.implied === true, walked, beginnings);
  const { view } = site;
  if (view === undefined) return places;
  const seen: Anchored[] = [];
  for (const { node: whole, parents, path } of places) {
    const node = whole === undefined ? undefined : view(whole, root);
    if (node !== undefined) seen.push({ node, parents, path });
  }
  return seen;
}

function analysePlace(
  tree: SourceTree,
  root: SourceNode,
  resource: ResourceRef,
  { family, site }: Placed,
  place: Anchored,
  env: Environment,
): { readonly analysed: AnalysedPolicy; readonly context: () => PolicyContext | undefined } {
  const { node, parents, path } = place;
  const around = { node, parents, root, env };
  const { settings, nodes } = readSettings(family, around);
  const facts = family.facts?.({ node, parents, root, anchor: path, env });
  const name = (node === undefined ? undefined : nameSpan(node)) ?? nearestName(parents, root);
  const policy = policyOf(family.id, resource, site, place, name, settings, facts, env);
  const read = valuesOf(family, settings);
  const schedule = 'values' in read ? family.schedule(read.values, policy) : undefined;
  const analysed: AnalysedPolicy = {
    family,
    policy,
    ...(schedule === undefined ? {} : { schedule }),
    missing: 'missing' in read ? read.missing : [],
    assuming: assumptions(settings),
    ...statusOf(family, root),
  };
  let made: PolicyContext | undefined;
  return {
    analysed,
    context: () => {
      if (name === undefined) return undefined;
      made ??= contextOf({ tree, root, place, policy, schedule, name, nodes });
      return made;
    },
  };
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
  readonly place: Anchored;
  readonly policy: Policy;
  readonly schedule: Schedule | undefined;
  readonly name: Span;
  readonly nodes: ReadonlyMap<string, SourceNode>;
};

function contextOf({ tree, root, place, policy, schedule, name, nodes }: Judged): PolicyContext {
  const { node, parents } = place;
  const { settings, env } = policy;
  const nodeOf = (field: string) => nodes.get(field);
  const keyOf = (field: string): Span => {
    const found = nodeOf(field);
    return (found === undefined ? undefined : nameSpan(found)) ?? name;
  };
  return {
    policy,
    settings,
    env,
    node,
    parents,
    root,
    tree,
    schedule,
    get bound() {
      return schedule === undefined ? undefined : bound(schedule);
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
  { policy }: AnalysedPolicy,
  contextOnce: () => PolicyContext | undefined,
): readonly Finding[] {
  const { family } = placed;
  let findings: Finding[] | undefined;
  if (!fieldsAreQuiet(placed, policy.settings)) {
    const context = contextOnce();
    if (context === undefined) return none;
    for (const report of policyReports(placed, context)) {
      findings ??= [];
      findings.push(toFinding(`policy/${report.slug}`, report, report.severity, family.cite));
    }
  }
  for (const rule of family.rules) {
    if (!maySpeak(rule, policy)) continue;
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
function maySpeak(rule: Rule, policy: Policy): boolean {
  if (rule.when?.(policy) === false) return false;
  const { about } = rule;
  if (about === undefined) return true;
  const { settings } = policy;
  for (const name of about) {
    const setting = settings[name];
    if (setting !== undefined && (isWritten(setting) || setting.at !== undefined)) return true;
  }
  return false;
}

function toFinding(
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

function failedAnalysis(family: PolicyFamily, root: SourceNode): Finding {
  return {
    code: 'policy/failed-analysis',
    severity: 'error',
    message: `Kube Backoff failed on the ${family.title} here: its settings were not checked. The log has the details; please report it`,
    at: kindSpan(root) ?? { start: 0, end: 0 },
    unnecessary: false,
    related: [],
    fixes: [],
  };
}

const kindSpan = (root: SourceNode): Span | undefined => {
  const kind = child(root, 'kind');
  return kind?.span ?? kind?.key;
};

const nearestName = (parents: readonly SourceNode[], root: SourceNode): Span | undefined =>
  parents.map((parent) => parent.key).find((key) => key !== undefined) ?? kindSpan(root);

/** Text shared through aliases is judged once per user; the reader needs to see it once. */
function withoutTwins(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ code, at, message }) => {
    const identity = `${code}:${String(at.start)}:${String(at.end)}:${message}`;
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}

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
