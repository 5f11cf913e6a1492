import { describe, expect, it } from 'vitest';
import { analyse } from '../support/analyse.ts';
import { fixtures } from '../support/fixtures.ts';

describe('results outlive the tree', () => {
  it.each(fixtures())('and hold on to no node of it: $name', ({ text }) => {
    const { policies } = analyse(text);
    for (const { policy } of policies) {
      const held = nodesIn([policy.facts, policy.settings], policy.family);
      expect(held).toEqual([]);
    }
  });
});

/** The paths at which a value holds a node that has places in a text. */
function nodesIn(value: unknown, path: string, seen = new Set<unknown>()): readonly string[] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  if ('kind' in value && 'path' in value && 'span' in value) return [path];
  if (value instanceof Map || value instanceof Set)
    return [...value].flatMap((one) => nodesIn(one, path, seen));
  return Object.entries(value).flatMap(([key, inner]) => nodesIn(inner, `${path}.${key}`, seen));
}
