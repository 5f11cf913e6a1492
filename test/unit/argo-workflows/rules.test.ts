import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { bound } from '../../../engine/schedule.ts';
import { summarise } from '../../../engine/summary.ts';
import { formatPath } from '../../../engine/source.ts';
import { analyse, endOf, waitsOf, type Given } from '../../support/analyse.ts';

/** A template's strategy, its lines as they stand below the key. */
const template = (strategy: string): string => `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: rules-}
spec:
  entrypoint: main
  templates:
    - name: main
      retryStrategy:
${strategy.replaceAll(/^/gm, '        ')}
      container: {image: registry.example/a:1}
`;

/** The text that each finding marks: `expression-fails: lastRetry.exitCode > 1`. */
function marks(text: string, given: Given = {}): readonly string[] {
  const { findings, failures } = analyse(text, given);
  expect(failures).toEqual([]);
  return findings.map(
    ({ code, at }) => `${code.replace('argo-workflows/', '')}: ${text.slice(at.start, at.end)}`,
  );
}

describe('an expression is marked where it stands', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ['plain', 'expression: retries < 3', ['retries < 3']],
    ['in single quotes', "expression: 'retries < 3'", ['retries < 3']],
    ['in double quotes', 'expression: "retries < 3"', ['retries < 3']],
    [
      'behind an emoji',
      'expression: "\'🚀\' == lastRetry.message and retries < 3"',
      ['retries < 3'],
    ],
    [
      'with escapes',
      'expression: "retries < 3 and \\"a\\" == \'a\'"',
      ['"retries < 3 and \\"a\\" == \'a\'"'],
    ],
    ['over two lines', 'expression: retries\n  < 3', ['retries\n          < 3']],
    ['as a block', 'expression: >-\n  retries < 3', ['>-\n          retries < 3']],
    ['as a literal', 'expression: |-\n  retries < 3', ['|-\n          retries < 3']],
  ];
  it.each(rows)('%s', (_, line, expected) => {
    expect(marks(template(`limit: 2\n${line}`))).toEqual(
      expected.map((text) => `expression-does-not-compile: ${text}`),
    );
  });

  it('offers a fix only where the text stands letter by letter', () => {
    const fixesOf = (line: string) =>
      analyse(template(`limit: 2\n${line}`)).findings.flatMap(({ fixes }) =>
        fixes.map(({ title }) => title),
      );
    expect(fixesOf('expression: retries < 3')).toEqual(['Write `asInt(retries)`']);
    expect(fixesOf('expression: >-\n  retries < 3')).toEqual([]);
  });
});

describe('an expression that decides alone', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['retries < 3', 'after 0 retries'],
    ['lastRetry.exitCode == 2', 'after 0 retries'],
    ['"{{retries}} < 3"', 'after 0 retries'],
    ['"false"', 'after 0 retries'],
    ['asInt(retries) < 3', 'after 2 retries'],
    ["lastRetry.exitCode == '2'", 'after 2 retries'],
    ['"{{inputs.parameters.condition}}"', 'after 2 retries'],
  ];
  it.each(rows)('%s ends %s', (expression, ends) => {
    const [policy] = analyse(template(`limit: 2\nexpression: ${expression}`)).policies;
    expect(endOf(policy)).toBe(ends);
  });
});

describe('a message of the last run', () => {
  const strategy = template(
    "limit: 2\nretryPolicy: Always\nexpression: lastRetry.message contains 'timeout'",
  );

  it('can be asked for from 3.5 on', () => {
    expect(marks(strategy, { versions: { 'argo-workflows': '3.5.0' } })).toEqual([]);
    expect(marks(strategy, { versions: { 'argo-workflows': '3.4.17' } })).not.toEqual([]);
  });
});

describe('settings of two levels', () => {
  const text = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: levels-}
spec:
  entrypoint: own
  templateDefaults:
    retryStrategy:
      limit: 4
      backoff: {duration: 10s, factor: 2}
  templates:
    - name: own
      retryStrategy:
        backoff: {factor: 3}
      container: {image: registry.example/a:1}
    - name: none
      retryStrategy:
      container: {image: registry.example/a:1}
`;

  it('are merged setting by setting', () => {
    const { policies } = analyse(text);
    expect(
      policies.map((policy) => [formatPath(policy.policy.anchor), waitsOf(policy, 4).join(' ')]),
    ).toEqual([
      ['spec.templates[0].retryStrategy', '10s 30s 1m30s 4m30s'],
      ['spec.templateDefaults.retryStrategy', '10s 20s 40s 1m20s'],
    ]);
  });

  it('are judged once, where they are written', () => {
    expect(marks(text.replace('factor: 2', 'factor: 2, cap: 1d'))).toEqual([
      'policy/bad-duration: 1d',
    ]);
  });
});

it('says how much time maxDuration leaves for the runs', () => {
  const [analysed] = analyse(
    template('limit: 4\nbackoff:\n  duration: 12s\n  factor: 5\n  maxDuration: 200m'),
  ).policies;
  expect(analysed?.schedule).toBeDefined();
  if (analysed?.schedule === undefined) return;
  expect(bound(analysed.schedule).kind).toBe('bounded');
  expect(summarise(analysed.schedule)).toBe(
    '4 retries (5 attempts): 12s, 1m, 5m, 25m; 31m12s of waiting in all',
  );
  const notes = [...(analysed.family.notes?.(analysed.policy, analysed.schedule) ?? [])];
  expect(notes.map(({ text }) => text)).toContain(
    'The waits take 31m12s, which leaves 2h48m48s for 5 runs, about 33m45s each',
  );
});

describe('retries that avoid nodes', () => {
  const notes = (limit: string) => {
    const [analysed] = analyse(template(`${limit}affinity: {nodeAntiAffinity: {}}`)).policies;
    return analysed === undefined ? [] : explain(analysed).notes;
  };

  it('are told to end Pending without a node left', () => {
    expect(notes('limit: 50\n')).toContain(
      'A retry avoids the nodes where earlier runs failed: with fewer nodes than runs (51) the last ones stay Pending',
    );
    expect(notes('')).toContain(
      'A retry avoids the nodes where earlier runs failed: once every node has failed the next one stays Pending',
    );
  });
});
