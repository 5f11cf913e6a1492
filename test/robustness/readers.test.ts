import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SourceNode } from '../../engine/source.ts';
import { readCommonForm } from '../../server/src/analysis/commonForm.ts';
import { splitDocuments } from '../../server/src/analysis/split.ts';
import { readAnyForm } from '../../server/src/analysis/yamlTree.ts';
import { fixtures } from '../support/fixtures.ts';
import { examples, yamlTestSuite } from '../support/texts.ts';

/** A tree as plain data: the reader of any form makes children when they are asked for. */
function plain(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'list') return { ...node, items: node.items.map(plain) };
  return { ...node, children: [...node.children].map(([key, inner]) => [key, plain(inner)]) };
}

/** Holds the readers side by side; whether the text is of the common form. */
function compare(text: string): boolean {
  const common = readCommonForm(text);
  if (common === undefined) return false;
  const any = readAnyForm(text, { text, isTemplate: false });
  expect(any?.problems, text).toEqual([]);
  expect(any && plain(any.root), text).toEqual(plain(common));
  return true;
}

const documents = [...examples, ...fixtures()].flatMap(({ text }) =>
  splitDocuments(text).map((segment) => segment.text),
);

describe('the readers of the common form and of any form', () => {
  it('read the examples alike, nearly all of which are common', () => {
    const common = documents.filter(compare);
    expect(common.length).toBeGreaterThan(documents.length * 0.7);
  });

  it("read the inputs of YAML's own test suite alike", async () => {
    const inputs = await yamlTestSuite();
    expect(inputs.filter(compare).length).toBeGreaterThan(10);
  });

  it.each([
    'a:\n-\n#\nb:\n',
    'a:\n- # c\nb: 1\n',
    'x:\n  a:\n  - #\n  b:\n',
    'a:\n#c\n 1\nb:\n',
    '"<<": {a: b}\n',
    'a: {b: 1,\n  c: [d,\n    e]\n  }\n',
    'a:\n  {}\nb:\n  - \n    "c"\n',
    'a: |\n  b',
    `a${' '.repeat(1024)}: b\n`,
  ])('read %j alike', (text) => {
    expect(compare(text)).toBeTypeOf('boolean');
  });

  it('read what is left of a manifest alike, with anything in it', () => {
    const piece = fc.record({
      document: fc.nat(),
      line: fc.nat(),
      lines: fc.integer({ min: 1, max: 14 }),
      endsLine: fc.boolean(),
    });
    const edit = fc.record({
      at: fc.nat(),
      removed: fc.nat({ max: 3 }),
      added: fc.constantFrom(...added),
    });
    let common = 0;
    fc.assert(
      fc.property(piece, fc.array(edit, { maxLength: 3 }), (cut, edits) => {
        if (compare(edits.reduce(apply, excerpt(cut)))) common += 1;
      }),
      { numRuns: 6000 },
    );
    expect(common).toBeGreaterThan(500);
  });

  it('read what means something in YAML alike, in any order', () => {
    const word = fc.constantFrom(...words, ...added);
    let common = 0;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (some) => {
        if (compare(some.join(''))) common += 1;
      }),
      { numRuns: 6000 },
    );
    expect(common).toBeGreaterThan(100);
  });
});

const words = [
  'a',
  'key',
  '1',
  'x y',
  'a: 1',
  '- a',
  'k:\n  v: 1',
  'a:',
  '-',
  '\n- ',
  '\n  - ',
  '\n#',
  '\nb:',
];

const added = [
  ...['', ' ', '  ', '\n', '\n  ', '\n\n', '\t', '\r\n', '---', '...', '- ', '-', ': ', ':', '? '],
  ...['#', ' # c', '\n# c\n', '\n      # c\n', '#@ x', '"', "'", "''", '\\', '\\n', '\\x41'],
  ...['|', '>', '|-', ': |\n', ' >-\n', ' |2\n', '{', '}', '[', ']', ',', ', ', '{a: b}', '[a, b]'],
  ...[
    '&a ',
    '*a',
    '<<: ',
    '!t ',
    '%',
    '@',
    '`',
    '~',
    'null',
    '0x1',
    '=',
    '"q": ',
    '\n- x',
    '\n  k:',
  ],
  ...['\u2028', '\uFEFF', '\u0085', 'é', '🚀', '{{', '}}'],
];

type Piece = { readonly document: number; readonly line: number; readonly lines: number };

/** Some lines of a document, moved to the left. */
function excerpt(cut: Piece & { readonly endsLine: boolean }): string {
  const all = (documents[cut.document % documents.length] ?? '').split('\n');
  const from = cut.line % all.length;
  const lines = all.slice(from, from + cut.lines);
  const indents = lines.map((line) => line.search(/\S/)).filter((indent) => indent >= 0);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => line.slice(indent)).join('\n') + (cut.endsLine ? '\n' : '');
}

type Edit = { readonly at: number; readonly removed: number; readonly added: string };

function apply(text: string, one: Edit): string {
  const at = one.at % (text.length + 1);
  return text.slice(0, at) + one.added + text.slice(at + one.removed);
}
