import { analyseTree } from '../../../engine/analyse.ts';
import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import type { Environment } from '../../../engine/environment.ts';
import { guard } from '../../../engine/guard.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import type { Registry } from '../../../engine/registry.ts';
import { child, textAt, type Path, type SourceNode } from '../../../engine/source.ts';

/** The policies in a live object, as the editor would find them in its manifest. */
export function livePolicies(
  object: unknown,
  registry: Registry,
  env: Environment,
): readonly AnalysedPolicy[] {
  const result = guard('reading the policies of a live object', () =>
    analyseTree(jsonTree(object), registry, env),
  );
  return result.ok ? result.value.policies : [];
}

/** The policy that a row is about; nothing where the object does not tell which of several it is. */
export function livePolicy(
  object: unknown,
  row: { readonly family: string; readonly part?: string },
  registry: Registry,
  env: Environment,
): AnalysedPolicy | undefined {
  const own = livePolicies(object, registry, env).filter(({ family }) => family.id === row.family);
  if (own.length < 2) return own[0];
  const { part } = row;
  if (part === undefined) return undefined;
  const { root } = jsonTree(object);
  return own.find(({ policy }) =>
    namesAlong(root, policy.anchor).some((name) => isPart(part, name)),
  );
}

/** A part is named after its container, template or node, which may carry a number: `build`, `build(2)`. */
const isPart = (part: string, name: string): boolean =>
  part === name || part.startsWith(`${name}(`) || part.split(/[./]/).includes(name);

function namesAlong(root: SourceNode, path: Path): readonly string[] {
  const names: string[] = [];
  let node: SourceNode | undefined = root;
  for (const step of path) {
    if (node?.kind === 'list' && typeof step === 'number') node = node.items[step];
    else node = child(node, String(step));
    const name = textAt(node, 'name');
    if (name !== undefined) names.push(name);
  }
  return names;
}
