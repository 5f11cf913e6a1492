import { describe, expect, it } from 'vitest';
import { nodeAt, toJson, type Path } from '../../../engine/source.ts';
import { readCommonForm } from '../../../server/src/analysis/commonForm.ts';

/** The text of a node in a document of the common form. */
function written(text: string, ...path: Path): string | undefined {
  const root = readCommonForm(text);
  const span = nodeAt(root, path)?.span;
  return span && text.slice(span.start, span.end);
}

describe('a manifest of the common form', () => {
  const text = `---
# A comment
kind: Job # a kind
metadata:
  name: 'it''s'
  labels: {app: web, "tier": "b: c"}
  empty:
spec:
  list:
  - a
  - - b
    - 5
  - key: value
    other: [1, yes, {x: z}]
  args: [--retries=3, -v, "a\\"b"]

  script: |
    set -e

      run
  folded: >-
    one
    two
  url: http://a:80/#x
  below:
    {}
  lines: [
    a, {b:
      c}
    ]
  port: :8080
`;

  it('has its values', () => {
    const root = readCommonForm(text);
    expect(root && toJson(root)).toEqual({
      kind: 'Job',
      metadata: { name: "it's", labels: { app: 'web', tier: 'b: c' }, empty: null },
      spec: {
        list: ['a', ['b', 5], { key: 'value', other: [1, true, { x: 'z' }] }],
        args: ['--retries=3', '-v', 'a"b'],
        script: 'set -e\n\n  run\n',
        folded: 'one two',
        url: 'http://a:80/#x',
        below: {},
        lines: ['a', { b: 'c' }],
        port: ':8080',
      },
    });
  });

  it('has their places', () => {
    expect(written(text, 'kind')).toBe('Job');
    expect(written(text, 'metadata', 'name')).toBe("'it''s'");
    expect(written(text, 'metadata', 'empty')).toBe('');
    expect(written(text, 'spec', 'list', 1)).toBe('- b\n    - 5');
    expect(written(text, 'spec', 'list', 2, 'other', 2)).toBe('{x: z}');
    expect(written(text, 'spec', 'script')).toBe('|\n    set -e\n\n      run\n');
    expect(written('a:\n  b: 1 # c\n\n# d\ne: 2\n', 'a')).toBe('b: 1 # c');
  });

  it.each([
    ['an anchor', 'a: &x 1\n'],
    ['an alias', 'a: *x\n'],
    ['a tag', 'a: !!str 5\n'],
    ['a merge key', 'a:\n  <<: {b: 1}\n'],
    ['a value over two lines', 'a: b\n  c\n'],
    ['a quoted value over two lines', 'a: "b\n  c"\n'],
    ['a flow collection that stands too far left', 'a: [b,\nc]\n'],
    ['a comment between a key and a value below it', 'a:\n# c\n  b\n'],
    ['a key twice', 'a: 1\na: 2\n'],
    ['a tab', 'a:\tb\n'],
    ['a carriage return', 'a: b\r\n'],
    ['a second document', 'a: b\n---\nc: d\n'],
    ['a text with an indentation of its own', 'a: |2\n    b\n'],
    ['a text that is kept to its last break', 'a: |+\n  b\n\n'],
    ['a map on the line of its key', 'a: b: c\n'],
    ['a list on the line of its key', 'a: - b\n'],
    ['a key further in', 'a: 1\n  b: 2\n'],
    ['a key between two levels', 'a:\n    b: 1\n  c: 2\n'],
    ['an open quote', 'a: "b\n'],
    ['something behind a quote', 'a: "b" c\n'],
    ['an open bracket', 'a: [b\n'],
    ['a template tag', 'a: {{b}}\n'],
    ['a reserved character', 'a: @b\n'],
    ['a comment that may belong to either of two maps', 'a:\n  b:\n    c: 1\n    # d\n'],
    ['nothing', ''],
    ['a comment alone', '# a\n'],
  ])('is not what has %s', (_, uncommon) => {
    expect(readCommonForm(uncommon)).toBeUndefined();
  });
});
