import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../engine/edits.ts';
import { families } from '../../../engine/families/index.ts';
import type { Finding } from '../../../engine/finding.ts';
import { buildRegistry } from '../../../engine/registry.ts';
import {
  emptyConfiguration,
  knownNames,
  readConfiguration,
} from '../../../server/src/analysis/configuration.ts';
import { analyseFile } from '../../../server/src/analysis/file.ts';
import { judge } from '../../../server/src/analysis/judge.ts';
import { ignoreComment } from '../../../server/src/analysis/suppressions.ts';

const known = knownNames(families);
const context = { registry: buildRegistry(families), env: emptyConfiguration.env };

function findingsOf(text: string, configuration = ''): readonly Finding[] {
  const file = analyseFile(text, context);
  const judgement = {
    configuration: readConfiguration(configuration, known).configuration,
    ignoredCodes: new Set<string>(),
    known,
  };
  return file.documents.flatMap((document) => judge(document, file, judgement));
}

const lines = (text: string, configuration = ''): readonly string[] =>
  findingsOf(text, configuration).map(
    ({ code, severity, message }) => `${severity} ${code} ${message}`,
  );

const odd = (above: string, end = ''): string =>
  [
    'kind: Workflow',
    'apiVersion: argoproj.io/v1alpha1',
    'spec:',
    '  templates:',
    '    - retryStrategy:',
    '        limit: 2',
    ...(above === '' ? [] : above.split('\n').map((line) => `        ${line}`)),
    `        retryOn: Always${end}`,
    '',
  ].join('\n');

const unknownField = expect.stringMatching(/^warning policy\/unknown-field /);
const unused = expect.stringMatching(/^info policy\/unused-suppression /);

describe('a comment', () => {
  it.each([
    ['above the line', odd('# kube-backoff-ignore policy/unknown-field')],
    [
      'with a reason',
      odd('# kube-backoff-ignore policy/unknown-field: an older controller, see docs'),
    ],
    ['at the end of the line', odd('', ' # kube-backoff-ignore policy/unknown-field')],
    ['above other comments', odd('# kube-backoff-ignore policy/unknown-field\n\n# as it was')],
    ['without a blank', odd('#kube-backoff-ignore policy/unknown-field')],
    ['for the file, below', `${odd('')}# kube-backoff-ignore-file policy/unknown-field\n`],
    [
      'for the file, in a document above',
      `# kube-backoff-ignore-file policy/unknown-field: x\n---\n${odd('')}`,
    ],
    [
      'for the file, with other line breaks',
      `# kube-backoff-ignore-file policy/unknown-field\n${odd('')}`.replaceAll('\n', '\r\n'),
    ],
  ])('hides what it names: %s', (_, text) => {
    expect(lines(text)).toEqual([]);
  });

  it.each([
    ['on another line', odd('# kube-backoff-ignore policy/unknown-field\nretryPolicy: Always')],
    ['of another code', odd('# kube-backoff-ignore policy/empty-value')],
    ['with a misspelt code', odd('# kube-backoff-ignore policy/unknown-fields')],
    ['without a code', odd('# kube-backoff-ignore')],
    ['with only a reason', odd('# kube-backoff-ignore: because')],
  ])('hides nothing else, and is told to be unused: %s', (_, text) => {
    expect(lines(text)).toEqual([unknownField, unused]);
  });

  it('can name several codes, each of which is judged alone', () => {
    const text = odd('# kube-backoff-ignore policy/unknown-field, policy/empty-value: both');
    expect(lines(text)).toEqual([
      'info policy/unused-suppression policy/empty-value is not found on that line, so this comment hides nothing: remove it',
    ]);
    const [finding] = findingsOf(text);
    expect(text.slice(finding?.at.start, finding?.at.end)).toBe('policy/empty-value');
  });

  it('is not meant by a longer word or by text in a value', () => {
    const text = odd('# kube-backoff-ignored policy/unknown-field');
    expect(lines(text)).toEqual([unknownField]);
    expect(lines(odd('', '#kube-backoff-ignore policy/unknown-field'))).toEqual([unknownField]);
  });

  it('is not called unused where the configuration switches its code or system off', () => {
    const text = odd('# kube-backoff-ignore policy/empty-value');
    expect(lines(text, 'severity: { policy/empty-value: off }')).toEqual([unknownField]);
    expect(lines(text, 'severity: { policy/unused-suppression: off }')).toEqual([unknownField]);
  });

  it('cannot hide a fault of ours', () => {
    expect(known.codes.has('policy/failed-analysis')).toBe(true);
    const text = odd('# kube-backoff-ignore policy/failed-analysis');
    expect(lines(text)).toEqual([unknownField, unused]);
  });
});

describe('the fixes', () => {
  it.each([
    ['# kube-backoff-ignore policy/empty-value', ''],
    [
      '# kube-backoff-ignore policy/unknown-field, policy/empty-value: x',
      '# kube-backoff-ignore policy/unknown-field: x',
    ],
    [
      '# kube-backoff-ignore policy/empty-value, policy/unknown-field',
      '# kube-backoff-ignore policy/unknown-field',
    ],
  ])('take out what is unused: %s', (comment, left) => {
    const text = odd(comment);
    const finding = findingsOf(text).find(({ code }) => code === 'policy/unused-suppression');
    expect(applyEdits(text, finding?.fixes[0]?.edits ?? [])).toBe(odd(left));
  });

  it('take a comment from the end of a line', () => {
    const text = odd('', ' # kube-backoff-ignore policy/empty-value');
    const finding = findingsOf(text).find(({ code }) => code === 'policy/unused-suppression');
    expect(applyEdits(text, finding?.fixes[0]?.edits ?? [])).toBe(odd(''));
  });

  it('put a comment above a finding that hides it', () => {
    for (const text of [odd(''), odd('').replaceAll('\n', '\r\n')]) {
      const [finding] = findingsOf(text);
      if (finding === undefined) throw new Error('nothing is found');
      const edited = applyEdits(text, [ignoreComment(text, finding)]);
      expect(lines(edited)).toEqual([]);
      expect(edited.replaceAll('\r\n', '\n')).toBe(
        odd('# kube-backoff-ignore policy/unknown-field'),
      );
    }
  });
});
