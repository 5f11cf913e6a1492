import { child, type SourceNode } from './source.ts';

/** A field's path, taken apart once: where it starts, and the keys from there. */
export type FieldPath = {
  readonly from: 'anchor' | 'root' | { readonly up: number };
  readonly keys: readonly string[];
};

/** `backoff.duration` starts at the anchor, `../x` one level up, `/spec/x` at the root. */
export function parseFieldPath(path: string): FieldPath {
  const levels = /^(?:\.\.\/)*/.exec(path)?.[0].length ?? 0;
  const keys = path
    .slice(levels)
    .split(/[/.]/)
    .filter((key) => key !== '');
  if (path.startsWith('/')) return { from: 'root', keys };
  return { from: levels === 0 ? 'anchor' : { up: levels / 3 }, keys };
}

/** The node that a path leads to, if the manifest has it. `parents` are nearest first. */
export function followFieldPath(
  { from, keys }: FieldPath,
  node: SourceNode | undefined,
  parents: readonly SourceNode[],
  root: SourceNode,
): SourceNode | undefined {
  let current = from === 'anchor' ? node : from === 'root' ? root : parents[from.up - 1];
  for (const key of keys) {
    if (current === undefined) return undefined;
    current = child(current, key);
  }
  return current;
}
