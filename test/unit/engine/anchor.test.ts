import { describe, expect, it } from 'vitest';
import { parseAnchor, resolveAnchor } from '../../../engine/anchor.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { formatPath, textAt } from '../../../engine/source.ts';
import { parseYamlDocument } from '../../../server/src/analysis/yamlDocument.ts';

const places = (text: string, anchor: string, implied = false): readonly string[] => {
  const parsed = parseYamlDocument(text);
  if (parsed === undefined) throw new Error('no document');
  const { tree } = parsed;
  return resolveAnchor(tree, tree.root, parseAnchor(anchor), implied).map(
    ({ node, path, parents }) =>
      `${formatPath(path)}${node === undefined ? ' (not written)' : ''} below ${String(parents.length)}`,
  );
};

it('reads steps', () => {
  expect(parseAnchor('a.b[*].c>d')).toEqual([
    { kind: 'key', key: 'a' },
    { kind: 'key', key: 'b' },
    { kind: 'each' },
    { kind: 'key', key: 'c' },
    { kind: 'embedded' },
    { kind: 'key', key: 'd' },
  ]);
});

describe('places', () => {
  const text = 'spec:\n  items:\n    - {retry: 1}\n    - {}\n    - {retry: 2}\n';

  it('are all that are written', () => {
    expect(places(text, 'spec.items[*].retry')).toEqual([
      'spec.items[0].retry below 4',
      'spec.items[2].retry below 4',
    ]);
    expect(places(text, 'spec')).toEqual(['spec below 1']);
    expect(places(text, 'spec.none.retry')).toEqual([]);
    expect(places(text, 'spec[*].retry')).toEqual([]);
  });

  it('are all there can be where the policy is implied', () => {
    expect(places(text, 'spec.items[*].retry', true)).toEqual([
      'spec.items[0].retry below 4',
      'spec.items[1].retry (not written) below 4',
      'spec.items[2].retry below 4',
    ]);
    expect(places('kind: X', 'spec.a.b', true)).toEqual(['spec.a.b (not written) below 1']);
    expect(places('kind: X', 'spec.items[*].b', true)).toEqual([]);
    expect(places('spec: text', 'spec.a', true)).toEqual(['spec.a (not written) below 2']);
  });

  it('reach into texts that are YAML', () => {
    const map = 'data:\n  config: |\n    retry:\n      limit: 5\n';
    const parsed = parseYamlDocument(map);
    if (parsed === undefined) throw new Error('no document');
    const [place] = resolveAnchor(
      parsed.tree,
      parsed.tree.root,
      parseAnchor('data.config>retry'),
      false,
    );
    expect(textAt(place?.node, 'limit')).toBe('5');
    const at = place?.node?.span;
    expect(map.slice(at?.start, at?.end)).toBe('limit: 5');
    expect(places('data:\n  config: {}\n', 'data.config>retry')).toEqual([]);
  });

  it('are the same in live objects', () => {
    const tree = jsonTree({ spec: { items: [{ retry: 1 }, {}] } });
    const found = resolveAnchor(tree, tree.root, parseAnchor('spec.items[*].retry'), true);
    expect(found.map(({ path }) => formatPath(path))).toEqual([
      'spec.items[0].retry',
      'spec.items[1].retry',
    ]);
  });
});
