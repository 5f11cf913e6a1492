import { kindSpan, readPlace, toFinding, type AnalysedPolicy } from './analysePlace.ts';
import { resolveAnchor, type Anchored, type Walked } from './anchor.ts';
import type { Environment } from './environment.ts';
import { codeOf, type PolicyFamily } from './family.ts';
import type { Finding } from './finding.ts';
import { guard, type Failure } from './guard.ts';
import { listItems } from './listItems.ts';
import type { ResourceRef } from './live.ts';
import { nobody, seenIn, type Seen } from './neighbours.ts';
import type { Placed, Registry } from './registry.ts';
import { textAt, type SourceNode, type SourceTree } from './source.ts';
import { wrappedIn } from './wrapped.ts';

/**
 * What is wanted of a manifest: what is to be said of it, or its policies too.
 *
 * Most policies are never looked at; their findings alone cost a fraction of them.
 */
export type Wanted = 'findings' | 'policies';

export type TreeAnalysis = {
  /** Empty where only findings are wanted. */
  readonly policies: readonly AnalysedPolicy[];
  /** How many policies of each family there are. */
  readonly counts: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
  /** Faults of ours; each is also a finding, so that the file does not look clean. */
  readonly failures: readonly Failure[];
};

/** Finds and judges every policy in one manifest; lists are taken apart. `outside`: what stands beside it in its file. */
export function analyseTree(
  tree: SourceTree,
  registry: Registry,
  env: Environment,
  wanted: Wanted = 'policies',
  outside: Seen = nobody,
): TreeAnalysis {
  const policies: AnalysedPolicy[] = [];
  const counts = new Map<string, number>();
  const findings: Finding[] = [];
  const failures: Failure[] = [];
  const has = textsIn(tree);
  const resources = [...resourcesIn(tree.root)];
  const seen = seenIn(resources, outside);
  for (const root of resources) {
    const ref = resourceRef(root);
    const group = groupOf(ref.apiVersion);
    const walked: Walked = new Map();
    const visited: Visited = { tree, root, resource: ref, env, seen, walked, has };
    for (const placed of registry.sitesOf(group, ref.kind)) {
      const { family } = placed;
      if (placed.site.needs?.some(has) === false) continue;
      const result = guard(`${family.id} in ${ref.kind}`, () =>
        analyseSite(visited, placed, wanted),
      );
      if (result.ok) {
        const { value } = result;
        policies.push(...value.policies);
        findings.push(...value.findings);
        if (value.count > 0) counts.set(family.id, (counts.get(family.id) ?? 0) + value.count);
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
  return { policies, counts, findings: withoutTwins(findings), failures };
}

/** The objects of a manifest: itself with those that it holds, or the items of a `List`, however deep. */
export function* resourcesIn(root: SourceNode): Generator<SourceNode> {
  const kind = textAt(root, 'kind');
  if (kind === undefined) return;
  const items = listItems(root);
  if (items !== undefined) {
    for (const item of items) yield* resourcesIn(item);
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
  readonly count: number;
  readonly policies: readonly AnalysedPolicy[];
  readonly findings: readonly Finding[];
};

/** One object of a manifest, with what was already found in it. */
type Visited = {
  readonly tree: SourceTree;
  readonly root: SourceNode;
  readonly resource: ResourceRef;
  readonly env: Environment;
  readonly seen: Seen;
  readonly walked: Walked;
  readonly has: (text: string) => boolean;
};

/** Whether a text stands anywhere in a document; asked of many sites, searched once. Unknown texts may. */
function textsIn({ text }: SourceTree): (wanted: string) => boolean {
  if (text === undefined) return () => true;
  const known = new Map<string, boolean>();
  return (wanted) => {
    const before = known.get(wanted);
    if (before !== undefined) return before;
    const found = text.includes(wanted);
    known.set(wanted, found);
    return found;
  };
}

const noFindings: readonly Finding[] = [];

function analyseSite(visited: Visited, placed: Placed, wanted: Wanted): SiteAnalysis {
  const places = placesOf(visited, placed);
  const isQuiet = placed.quietWithout?.some(visited.has) === false;
  if (wanted === 'findings' && isQuiet) {
    return { count: places.length, policies: [], findings: noFindings };
  }
  const policies: AnalysedPolicy[] = [];
  const findings: Finding[] = [];
  for (const place of places) {
    const read = readPlace(visited, placed, place);
    if (wanted === 'policies') policies.push(read.policy());
    if (placed.site.isCopy === true) continue;
    for (const finding of read.findings()) findings.push(finding);
  }
  return { count: places.length, policies, findings };
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
