import { describe, expect, it } from 'vitest';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { nodeAt, toJson, type SourceNode } from '../../../engine/source.ts';
import { parseYamlDocument } from '../../../server/src/analysis/yamlDocument.ts';

const rootOf = (text: string): SourceNode => {
  const parsed = parseYamlDocument(text);
  if (parsed === undefined) throw new Error('nothing was parsed');
  return parsed.tree.root;
};

const slice = (
  text: string,
  node: SourceNode | undefined,
  which: 'key' | 'span' | 'via' = 'span',
) => {
  const span = node?.[which];
  return span === undefined ? undefined : text.slice(span.start, span.end);
};

const problemsOf = (text: string) =>
  (parseYamlDocument(text)?.problems ?? []).map(({ slug, message, at }) => [
    slug,
    text.slice(at.start, at.end),
    message,
  ]);

describe('a YAML document as a tree', () => {
  it('has the spans of keys and values, quotes included, comments not', () => {
    const text = 'a:\n  b: "x y"  # c\n  l: [1, two]\n  m:\n    n: 1\n\n';
    const root = rootOf(text);
    const b = nodeAt(root, ['a', 'b']);
    expect([slice(text, b, 'key'), slice(text, b)]).toEqual(['b', '"x y"']);
    expect(b?.kind === 'scalar' && b.inner && text.slice(b.inner.start, b.inner.end)).toBe('x y');
    expect(slice(text, nodeAt(root, ['a', 'l', 1]))).toBe('two');
    expect(slice(text, nodeAt(root, ['a', 'm']))).toBe('n: 1');
  });

  it('gives the values that JSON would', () => {
    const text =
      'i: 5\nf: 1.5\ns: "5"\nt: true\nn:\nz: ~\nbig: 99999999999999999999\nneg: -3\nl: [a]\nm: {k: v}\n';
    expect(toJson(rootOf(text))).toEqual({
      i: 5,
      f: 1.5,
      s: '5',
      t: true,
      n: null,
      z: null,
      big: '99999999999999999999',
      neg: -3,
      l: ['a'],
      m: { k: 'v' },
    });
  });

  it.each<[string, unknown]>([
    ['yes', true],
    ['On', true],
    ['y', true],
    ['no', false],
    ['OFF', false],
    ['"yes"', 'yes'],
    ['yEs', 'yEs'],
    ['!!str yes', 'yes'],
    ['010', 8],
    ['-010', -8],
    ['0300', 192],
    ['0o10', 8],
    ['089', 89],
    ['0', 0],
    ['00', 0],
    ['"010"', '010'],
    ['0b11', 3],
    ['0x10', 16],
    ['1_000', 1000],
    ['+3', 3],
    ['1e1', 10],
    ['1_000s', '1_000s'],
    ['10e', '10e'],
    ['0.5', 0.5],
  ])('reads a bare %s as kubectl and Helm do', (written, value) => {
    expect(toJson(rootOf(`a: ${written}\n`))).toEqual({ a: value });
  });

  it('takes what ytt computes for the value', () => {
    const text = 'a: #@ data.values.a\nb: # a remark\nc: 1 #@ x\nd: #@ f(1)\r\n';
    expect(toJson(rootOf(text))).toEqual({ a: '#@ data.values.a', b: null, c: 1, d: '#@ f(1)' });
  });

  it('reads a flow map whose values a shell fills in', () => {
    const text = 'a: {b: ${B}, c: [${C:=3}, 2]}\nd: ${D}\ne: |\n  x ${E}\nf: 5\n';
    expect(problemsOf(text)).toEqual([]);
    expect(toJson(rootOf(text))).toEqual({
      a: { b: '${B}', c: ['${C:=3}', 2] },
      d: '${D}',
      e: 'x ${E}\n',
      f: 5,
    });
  });

  it('equals the tree of the same object in JSON', () => {
    const value = { a: [1, { b: 'x', c: null }], d: true, e: { f: 1.25, g: '' } };
    expect(toJson(rootOf(JSON.stringify(value)))).toEqual(toJson(jsonTree(value).root));
  });

  it('follows aliases and merge keys; own keys win, and say through what they came', () => {
    const text = 'x: &x {a: 1, b: 2}\ny: *x\nz:\n  <<: *x\n  b: 3\nw: {<<: [*x, {c: 4}]}\n';
    const root = rootOf(text);
    expect(toJson(nodeAt(root, ['z']) ?? root)).toEqual({ a: 1, b: 3 });
    expect(toJson(nodeAt(root, ['w']) ?? root)).toEqual({ a: 1, b: 2, c: 4 });
    expect(slice(text, nodeAt(root, ['y']))).toBe('*x');
    expect(slice(text, nodeAt(root, ['y', 'a']), 'via')).toBe('*x');
    expect(slice(text, nodeAt(root, ['z', 'a']), 'via')).toBe('<<');
    expect(slice(text, nodeAt(root, ['z', 'b']), 'via')).toBeUndefined();
  });

  it('ends in finite time on aliases that multiply without end', () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? 'a0: &a0 [x, x, x]'
        : `a${String(level)}: &a${String(level)} [${`*a${String(level - 1)}, `.repeat(9)}]`,
    );
    expect(parseYamlDocument(levels.join('\n'))).toBeDefined();
  });

  it('reads YAML inside a block scalar at its true place', () => {
    const text =
      'data:\n  config: |\n    spec:\n      limit: "7"\n  folded: >\n    a: 1\n  quoted: "b: 2"\n';
    const parsed = parseYamlDocument(text);
    const embedded = (key: string) => {
      const node = nodeAt(parsed?.tree.root, ['data', key]);
      return node?.kind === 'scalar' ? parsed?.tree.embedded(node)?.root : undefined;
    };
    const limit = nodeAt(embedded('config'), ['spec', 'limit']);
    expect([slice(text, limit, 'key'), slice(text, limit)]).toEqual(['limit', '"7"']);
    expect(limit?.path).toEqual(['data', 'config', 'spec', 'limit']);
    expect(slice(text, nodeAt(embedded('quoted'), ['b']))).toBe('2');
    expect(slice(text, nodeAt(embedded('folded'), ['a']))).toContain('a: 1');
  });
});

describe('a text within a template', () => {
  it('holds the actions as they are written', () => {
    const text =
      'a: {{ .Values.a }}\ndata:\n  c: |2\n\n    n: {{ .Values.n }}\n    {{- if .x }}\n    m: "{{ .Values.m }}-{{ .Values.o }}"\n    {{- end }}\n    k: 5\n  f: >-\n    x {{ .Values.x }}\n    y {{ .Values.y }}\n';
    const parsed = parseYamlDocument(text);
    const root = parsed?.tree.root;
    const config = nodeAt(root, ['data', 'c']);
    const inner = config?.kind === 'scalar' ? parsed?.tree.embedded(config)?.root : undefined;
    expect(toJson(inner ?? rootOf('nothing: read'))).toEqual({
      n: '{{ .Values.n }}',
      m: '{{ .Values.m }}-{{ .Values.o }}',
      k: 5,
    });
    expect(slice(text, nodeAt(inner, ['n']))).toBe('{{ .Values.n }}');
    expect(slice(text, nodeAt(inner, ['k']))).toBe('5');
    expect(toJson(nodeAt(root, ['data', 'f']) ?? rootOf('nothing: read'))).toBe(
      'x {{ .Values.x }} y {{ .Values.y }}',
    );
  });
});

describe('a block scalar within a template', () => {
  const embeddedAt = (text: string, ...path: readonly (string | number)[]) => {
    const parsed = parseYamlDocument(text);
    const node = nodeAt(parsed?.tree.root, path);
    const inner = node?.kind === 'scalar' ? parsed?.tree.embedded(node)?.root : undefined;
    return [parsed?.problems, inner === undefined ? undefined : toJson(inner)];
  };

  it.each<[string, string, readonly (string | number)[]]>([
    [
      'at the text',
      'd:\n  c: |\n    {{- if .x }}\n    a: 1\n    {{- end }}\n    b: 2\n',
      ['d', 'c'],
    ],
    ['left of it', 'd:\n  c: |\n{{ if .x }}\n    a: 1\n{{ end }}\n    b: 2\n', ['d', 'c']],
    [
      'right of it',
      'd:\n  c: |\n      {{- if .x }}\n    a: 1\n      {{- end }}\n    b: 2\n',
      ['d', 'c'],
    ],
    [
      'of a key in a list',
      'd:\n  - c: |-\n      a: 1\n{{ if .x }}\n      b: 2\n{{ end }}\n    k: 1\n',
      ['d', 0, 'c'],
    ],
    ['of an item', 'd:\n  - |\n    a: 1\n  {{ if .x }}\n    b: 2\n  {{ end }}\n  - k\n', ['d', 0]],
  ])('goes on behind an action %s', (_, text, path) => {
    expect(embeddedAt(text, ...path)).toEqual([[], { a: 1, b: 2 }]);
  });
});

describe('what is wrong with the YAML', () => {
  it.each<[string, string, unknown]>([
    ['nothing', 'a: 1\n', []],
    [
      'a key twice',
      'a: 1\nb: 2\na: 3\n',
      [
        [
          'duplicate-key',
          'a',
          'a is written twice: most tools keep this last one, strict ones refuse the file. Keep one of the two',
        ],
      ],
    ],
    [
      'one tab, told once',
      'a:\n\tb: 1\n\tc: 2\n',
      [
        [
          'tab-indentation',
          '\t',
          'A tab cannot indent YAML: the file is refused. Indent with spaces',
        ],
      ],
    ],
    [
      'a conflict, told once',
      'a:\n<<<<<<< HEAD\n  b: 1\n=======\n  b: 2\n>>>>>>> x\n',
      [
        [
          'merge-conflict',
          '<<<<<<< HEAD',
          'This merge conflict is not resolved, so the policy is undecided: nothing else is checked in this document',
        ],
      ],
    ],
    [
      'an alias without anchor',
      'a: *b\n',
      [
        [
          'unresolved-alias',
          '*b',
          '*b names no anchor in this document: the manifest cannot be read. Define &b above it',
        ],
      ],
    ],
    [
      'a tag without quotes',
      'limit: {{workflow.parameters.n}}\n',
      [
        [
          'unquoted-template',
          '{{workflow.parameters.n}}',
          '{{workflow.parameters.n}} without quotes is a map in YAML, so the manifest is refused: write "{{workflow.parameters.n}}"',
        ],
      ],
    ],
    [
      'a quoted value over lines, one of them outdented',
      'a:\n  b: ["\n    x \'y\n  "]\n  c: 1\n',
      [],
    ],
    [
      'a Helm template',
      '{{- if .Values.x }}\na: {{ .Values.a }}\n{{- end }}\nb: {{ include "x" . | nindent 2 }}\n',
      [],
    ],
    [
      'calls of functions that Helm, or a program of its own, brings along',
      'a: {{ add 1 (default 1 .Values.n) }}\nb: {{ join ";" $x }}\nc: {{ annotation .Meta `x/y` 1 }}\nd: {{ n | int }}\n',
      [],
    ],
    ['a tag of another template engine', 'a: {{cell}}\nb: {{ backoff_limit }}\n', []],
    ...['item', 'retries', 'inputs.parameters.n', '=asInt(item) + 1', 'cronworkflow.name'].map(
      (name): [string, string, unknown] => [
        `the tag ${name} without quotes`,
        `a: {{${name}}}\n`,
        [
          [
            'unquoted-template',
            `{{${name}}}`,
            `{{${name}}} without quotes is a map in YAML, so the manifest is refused: write "{{${name}}}"`,
          ],
        ],
      ],
    ),
  ])('%s', (_, text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  it('keeps reading behind an outdented quoted line', () => {
    expect(toJson(rootOf('a:\n  b: ["\n    x\n  "]\n  c: 1\n'))).toMatchObject({ a: { c: 1 } });
  });

  it('converts the tabs it names', () => {
    const text = 'a:\n\tb: 1\n\t\tc: 2\n';
    const [problem] = parseYamlDocument(text)?.problems ?? [];
    const edits = problem?.fixes[0]?.edits ?? [];
    expect(edits.map(({ at, text: to }) => [text.slice(at.start, at.end), to])).toEqual([
      ['\t', '  '],
      ['\t\t', '    '],
    ]);
  });
});

describe('spans', () => {
  it.each(['a: &b ', 'a: - &b ', '&a ', 'a: !!str ', 'a: |', 'a: >-\n  ', '- &x\n- *x'])(
    'end with the text: %j',
    (text) => {
      const ends: number[] = [];
      const walk = (node: SourceNode): void => {
        ends.push(node.span?.end ?? 0, node.key?.end ?? 0);
        if (node.kind === 'map') for (const inner of node.children.values()) walk(inner);
        if (node.kind === 'list') for (const inner of node.items) walk(inner);
      };
      const parsed = parseYamlDocument(text);
      if (parsed !== undefined) walk(parsed.tree.root);
      expect(Math.max(0, ...ends)).toBeLessThanOrEqual(text.length);
    },
  );
});
