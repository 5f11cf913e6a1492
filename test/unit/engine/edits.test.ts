import { describe, expect, it } from 'vitest';
import {
  applyEdits,
  fix,
  insertEntry,
  overlap,
  removeEntry,
  removeItem,
  renameKey,
  replaceText,
  replaceValue,
  writeSameKey,
} from '../../../engine/edits.ts';
import type { Edit } from '../../../engine/finding.ts';
import { nodeAt, type Path, type SourceTree } from '../../../engine/source.ts';
import { parseYamlDocument } from '../../../server/src/analysis/yamlDocument.ts';

const treeOf = (text: string): SourceTree => {
  const parsed = parseYamlDocument(text);
  if (parsed === undefined) throw new Error('no document');
  return parsed.tree;
};

const edited = (text: string, edit: Edit | undefined): string | undefined =>
  edit === undefined ? undefined : applyEdits(text, [edit]);

const found = (text: string, path: Path) => {
  const tree = treeOf(text);
  const node = nodeAt(tree.root, path);
  if (node === undefined) throw new Error(`nothing at ${path.join('.')}`);
  return { tree, node };
};

describe('replacing', () => {
  it.each([
    ['a: 90d # long', 'a: 2160h # long'],
    ['a: "90d"', 'a: "2160h"'],
    ["a: '90d'", "a: '2160h'"],
    ['{"a": "90d"}', '{"a": "2160h"}'],
    ['a: |\n  90d\n', undefined],
  ])('keeps quotes: %j', (text, expected) => {
    const { node } = found(text, ['a']);
    expect(node.kind === 'scalar' ? edited(text, replaceText(node, '2160h')) : '').toBe(expected);
  });

  it('takes quotes along with a value', () => {
    const { node } = found('a: "5" # five', ['a']);
    expect(edited('a: "5" # five', replaceValue(node, '5'))).toBe('a: 5 # five');
  });

  it('renames a key', () => {
    const { node } = found('b: 1\nlimt: 5\n', ['limt']);
    expect(edited('b: 1\nlimt: 5\n', renameKey(node, 'limit'))).toBe('b: 1\nlimit: 5\n');
  });
});

describe('inserting', () => {
  const insert = (text: string, path: Path, afterKey?: string) => {
    const { tree, node } = found(text, path);
    return node.kind === 'map'
      ? edited(text, insertEntry(tree, node, 'n', '1', afterKey))
      : 'no map';
  };

  it.each([
    ['first', 'a:\n  b: 2\n  c: 3\n', undefined, 'a:\n  n: 1\n  b: 2\n  c: 3\n'],
    ['after a neighbour', 'a:\n  b: 2\n  c: 3\n', 'b', 'a:\n  b: 2\n  n: 1\n  c: 3\n'],
    ['after the last, without a line break', 'a:\n  b: 2', 'b', 'a:\n  b: 2\n  n: 1'],
    ['after a comment', 'a:\n  b: 2 # two\n  c: 3\n', 'b', 'a:\n  b: 2 # two\n  n: 1\n  c: 3\n'],
    ['after a map', 'a:\n  b:\n    d: 4\n  c: 3\n', 'b', 'a:\n  b:\n    d: 4\n  n: 1\n  c: 3\n'],
    ['after a block', 'a:\n  b: |\n    x\n  c: 3\n', 'b', 'a:\n  b: |\n    x\n  n: 1\n  c: 3\n'],
    ['in a flow map', 'a: {b: 2}\n', undefined, 'a: {n: 1, b: 2}\n'],
    ['in an empty flow map', 'a: {}\n', undefined, 'a: {n: 1}\n'],
    ['with the breaks of the file', 'a:\r\n  b: 2\r\n', 'b', 'a:\r\n  b: 2\r\n  n: 1\r\n'],
  ])('%s', (_, text, afterKey, expected) => {
    expect(insert(text, ['a'], afterKey)).toBe(expected);
  });

  it('indents below a list item', () => {
    expect(insert('a:\n  - b: 2\n', ['a', 0])).toBe('a:\n  - n: 1\n    b: 2\n');
    expect(insert('a:\n  - b: 2\n', ['a', 0], 'b')).toBe('a:\n  - b: 2\n    n: 1\n');
  });
});

describe('an entry that is written already', () => {
  it.each([
    ['without a value', 'a:\n  b: 2\n  n:\n', 'a:\n  b: 2\n  n: 1\n'],
    ['without a value, and a comment', 'a:\n  n: # none\n  b: 2\n', 'a:\n  n: 1 # none\n  b: 2\n'],
    ['as null', 'a: {n: null, b: 2}\n', 'a: {n: 1, b: 2}\n'],
    ['as a tilde', 'a:\n  n: ~\n', 'a:\n  n: 1\n'],
    ['with a value', 'a:\n  n: 5\n', undefined],
    ['as a map', 'a:\n  n: {b: 2}\n', undefined],
  ])('%s is never written twice', (_, text, expected) => {
    const { tree, node } = found(text, ['a']);
    expect(node.kind === 'map' ? edited(text, insertEntry(tree, node, 'n', '1')) : '').toBe(
      expected,
    );
  });
});

describe('removing an entry', () => {
  it.each([
    ['a line', 'a: 1\nb: 2\nc: 3\n', ['b'], 'a: 1\nc: 3\n'],
    ['the last line', 'a: 1\nb: 2', ['b'], 'a: 1\n'],
    ['with its comment', 'a: 1\nb: 2 # two\nc: 3\n', ['b'], 'a: 1\nc: 3\n'],
    ['with its map', 'a: 1\nb:\n  d: 4\n  e: 5\nc: 3\n', ['b'], 'a: 1\nc: 3\n'],
    ['with its block', 'a: 1\nb: |\n  x\n  y\nc: 3\n', ['b'], 'a: 1\nc: 3\n'],
    ['first in a flow map', 'x: {a: 1, b: 2}\n', ['x', 'a'], 'x: {b: 2}\n'],
    ['last in a flow map', 'x: {a: 1, b: 2}\n', ['x', 'b'], 'x: {a: 1}\n'],
    ['beside the dash of its item', 'x:\n  - a: 1\n    b: 2\n', ['x', 0, 'b'], 'x:\n  - a: 1\n'],
  ])('%s', (_, text, path, expected) => {
    const { tree, node } = found(text, path);
    expect(edited(text, removeEntry(tree, node))).toBe(expected);
  });
});

describe('removing an item', () => {
  const remove = (text: string, path: Path) => {
    const { tree, node } = found(text, path);
    const list = nodeAt(tree.root, path.slice(0, -1));
    return list === undefined ? 'no list' : edited(text, removeItem(tree, list, node));
  };

  it.each([
    ['a line', 'a:\n  - x\n  - y\n', 0, 'a:\n  - y\n'],
    ['the last line', 'a:\n- x\n- y', 1, 'a:\n- x\n'],
    ['a map', 'a:\n  - n: 1\n    v: 2\n  - n: 3\n', 0, 'a:\n  - n: 3\n'],
    ['with its comment', 'a:\n  - x # ex\n  - y\n', 0, 'a:\n  - y\n'],
    ['first in a flow list', 'a: ["x", y]\n', 0, 'a: [y]\n'],
    ['last in a flow list', 'a: [x, {n: 1}]\n', 1, 'a: [x]\n'],
    ['the only one: not', 'a:\n  - x\n', 0, undefined],
  ])('%s', (_, text, index, expected) => {
    expect(remove(text, ['a', index])).toBe(expected);
  });
});

describe('fixes', () => {
  it('are none where an edit is not to be had', () => {
    const edit = { at: { start: 0, end: 0 }, text: 'x' };
    expect(fix('x', true, edit, undefined)).toEqual([]);
    expect(fix('x', true)).toEqual([]);
    expect(fix('x', false, edit)).toEqual([{ title: 'x', preferred: false, edits: [edit] }]);
  });

  it('apply from the back', () => {
    const edits = [
      { at: { start: 0, end: 1 }, text: 'AA' },
      { at: { start: 2, end: 3 }, text: '' },
      { at: { start: 3, end: 3 }, text: '!' },
    ];
    expect(applyEdits('abc', edits)).toBe('AAb!');
  });

  it('know which of them touch', () => {
    expect(overlap({ start: 0, end: 2 }, { start: 1, end: 3 })).toBe(true);
    expect(overlap({ start: 0, end: 2 }, { start: 2, end: 3 })).toBe(false);
    expect(overlap({ start: 2, end: 2 }, { start: 2, end: 2 })).toBe(true);
  });
});

describe('two renames to one name', () => {
  const both = (text: string): boolean => {
    const [a, b] = [...text.matchAll(/old\d/g)].map(({ index, 0: key }) => ({
      at: { start: index, end: index + key.length },
      text: 'new',
    }));
    return (
      a !== undefined && b !== undefined && writeSameKey(text, a, b) && writeSameKey(text, b, a)
    );
  };

  it.each([
    ['in one map', 'a:\n  old1: 1\n  b: {c: 2}\n\n  old2: 2\n', true],
    ['in one item', 'a:\n  - b: 1\n    old1: 1\n    old2: 2\n', true],
    ['in one flow map', 'a: {old1: {b: 1}, old2: 2}\n', true],
    ['in JSON', '{"a": {"old1": [1],\n  "old2": 2}}\n'.replaceAll(/"(old\d)"/g, '$1'), true],
    ['in two items', 'a:\n  - old1: 1\n  - old2: 2\n', false],
    ['in two maps', 'a:\n  b:\n    old1: 1\n  c:\n    old2: 2\n', false],
    ['in a map and one below it', 'a:\n  old1:\n    old2: 2\n', false],
    ['in two flow maps', 'a: [{old1: 1}, {old2: 2}]\n', false],
    ['as values', 'a: old1\nb: old2\n', false],
  ])('%s', (_, text, expected) => {
    expect(both(text)).toBe(expected);
  });
});
