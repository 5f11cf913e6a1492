import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseFile, type FileAnalysis } from '../../../server/src/analysis/file.ts';
import { hasContent, splitDocuments } from '../../../server/src/analysis/split.ts';
import { contextOf } from '../../support/analyse.ts';

const context = contextOf();

const places = (file: FileAnalysis) =>
  file.documents.map(({ text, start, startLine, index }) => ({ text, start, startLine, index }));

describe('splitting a stream', () => {
  it.each([
    ['', ['']],
    ['a: 1\n', ['a: 1\n']],
    ['a: 1\n---\nb: 2\n', ['a: 1\n', '---\nb: 2\n']],
    ['---\na\n---\n---\n# c\n', ['---\na\n', '---\n', '---\n# c\n']],
    ['a\n...\nb\n', ['a\n', '...\nb\n']],
    ['a: |\n  ---\n  x\n ---\nb: ---c\n', ['a: |\n  ---\n  x\n ---\nb: ---c\n']],
    ['a\r\n---\r\nb', ['a\r\n', '---\r\nb']],
    ['--- # c\na', ['--- # c\na']],
    ['----\n', ['----\n']],
  ])('%j', (text, expected) => {
    expect(splitDocuments(text).map((one) => one.text)).toEqual(expected);
  });

  it.each([
    ['# only\n\n', false],
    ['---\n', false],
    ['--- # c\n# d\n', false],
    ['...\n', false],
    ['%YAML 1.2\n', false],
    ['---\na: 1\n', true],
    ['--- a\n', true],
    ['  x', true],
  ])('content of %j: %s', (text, expected) => {
    expect(hasContent(text)).toBe(expected);
  });

  it('numbers documents as the stream does, comments before the first marker aside', () => {
    const file = analyseFile('# head\n---\na: 1\n---\n# empty\n---\nb: 2\n', context);
    expect(file.documents.map(({ index }) => index)).toEqual([undefined, 0, 1, 2]);
    expect(file.documents.map(({ startLine }) => startLine)).toEqual([0, 1, 3, 5]);
  });
});

const piece = fc.constantFrom(
  '---\n',
  '...\n',
  '\n',
  'a: 1\n',
  'kind: Workflow\n',
  '# c\n',
  '--',
  '-',
  ' ',
  'x',
  '\r\n',
  '🚀',
  '---\r\n',
);
const stream = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

describe('an edit', () => {
  it('leaves the same documents as reading the new text from scratch', () => {
    fc.assert(
      fc.property(stream, stream, fc.nat(), fc.nat(), (text, insert, from, length) => {
        const start = from % (text.length + 1);
        const end = Math.min(text.length, start + (length % 20));
        const edited = text.slice(0, start) + insert + text.slice(end);
        const before = analyseFile(text, context);
        const after = analyseFile(edited, context, before);
        expect(places(after)).toEqual(places(analyseFile(edited, context)));
        expect(after.documents.map((one) => one.text).join('')).toBe(edited);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the results of the documents it did not touch', () => {
    const one = 'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec: {}\n';
    const before = analyseFile(`${one}---\n${one}---\n${one}`, context);
    for (const document of before.documents) document.analyse();
    const after = analyseFile(`${one}---\n# new\n${one}---\n${one}`, context, before);
    expect(after.documents.map((document) => document.isAnalysed())).toEqual([true, false, true]);
    const [first, , third] = after.documents;
    expect(first?.analyse()).toBe(before.documents[0]?.analyse());
    expect(third?.analyse()).toBe(before.documents[2]?.analyse());
    expect(third?.startLine).toBe(8);
  });

  it('keeps nothing when the context is another one', () => {
    const text = 'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec: {}\n';
    const before = analyseFile(text, context);
    before.documents[0]?.analyse();
    const after = analyseFile(text, contextOf(), before);
    expect(after.documents[0]?.isAnalysed()).toBe(false);
  });
});

describe('a document that cannot be parsed', () => {
  const findingsOf = (text: string) =>
    analyseFile(text, context).documents.flatMap((document) =>
      document.analyse().findings.map(({ code }) => code),
    );
  const head = 'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec:\n  templates:\n';
  const policy = '    - retryStrategy:\n        retryOn: x\n        backoff: {duration: 1s}\n';

  it('tells a tab and nothing that follows from it', () => {
    expect(findingsOf(`${head}${policy}\t- name: a\n`)).toEqual(['policy/tab-indentation']);
  });

  it('tells of values before the error, and nothing that rests on what may stand behind it', () => {
    expect(findingsOf(`${head}${policy}      container: {image: "a\n`)).toEqual([
      'policy/unknown-field',
      'policy/syntax',
    ]);
  });
});
