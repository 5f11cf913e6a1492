import type { AnalysedPolicy } from './analysePlace.ts';
import { jsonTree } from './jsonTree.ts';
import { emptyView, type ClusterView, type LiveState, type Unpack } from './live.ts';
import { child, textAt, type Path, type SourceNode } from './source.ts';
import type { Instant } from './units.ts';

/** What helps to read a manifest's status: what else its file holds, and what opens what it carries packed. */
export type Beside = { readonly view?: ClusterView; readonly unpack?: Unpack };

/**
 * The states of one policy in a manifest that was printed from a cluster, status and all.
 *
 * Where the object has a state for each of its parts, a policy that belongs to one part gets that part's.
 */
export function manifestStates(
  analysed: AnalysedPolicy,
  now: Instant,
  { view: file = emptyView, unpack = (packed) => packed }: Beside = {},
): readonly LiveState[] {
  const { family, policy, object } = analysed;
  if (object === undefined || family.live === undefined) return [];
  const root = jsonTree(unpack(object)).root;
  const { resource: ref, env } = policy;
  const view = family.live.fromFile === true ? file : emptyView;
  const states = family.live.read({ object: root, ref, view, env, now });
  const names = namesAlong(root, policy.anchor);
  const own = states.filter(({ part }) => part !== undefined && names.has(part));
  return own.length > 0 ? own : states;
}

/** The names of the containers, templates and the like that a path leads through. */
function namesAlong(root: SourceNode, path: Path): ReadonlySet<string> {
  const names = new Set<string>();
  let node: SourceNode | undefined = root;
  for (const step of path) {
    if (node?.kind === 'list' && typeof step === 'number') node = node.items[step];
    else node = child(node, String(step));
    const name = textAt(node, 'name');
    if (name !== undefined) names.add(name);
  }
  return names;
}
