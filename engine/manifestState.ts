import type { AnalysedPolicy } from './analysePlace.ts';
import { jsonTree } from './jsonTree.ts';
import { emptyView, type LiveState, type Unpack } from './live.ts';
import { child, textAt, type Path, type SourceNode } from './source.ts';
import type { Instant } from './units.ts';

/**
 * The states of one policy in a manifest that was printed from a cluster, status and all.
 *
 * Where the object has a state for each of its parts, a policy that belongs to one part gets that part's.
 */
export function manifestStates(
  analysed: AnalysedPolicy,
  now: Instant,
  unpack: Unpack = (packed) => packed,
): readonly LiveState[] {
  const { family, policy, object } = analysed;
  if (object === undefined || family.live === undefined) return [];
  const root = jsonTree(unpack(object)).root;
  const { resource: ref, env } = policy;
  const states = family.live.read({ object: root, ref, view: emptyView, env, now });
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
