import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { families } from '../../../engine/families/index.ts';
import {
  emptyConfiguration,
  knownNames,
  readConfiguration,
} from '../../../server/src/analysis/configuration.ts';
import { ignoredFor, isIgnored } from '../../../server/src/analysis/ignored.ts';

const known = knownNames(families);
const read = (...lines: readonly string[]) => readConfiguration(lines.join('\n'), known);

const whole = [
  '# where it runs',
  'versions:',
  '  argo-workflows: 3.7.9',
  '  cert-manager: 1.20',
  'gates: { ReduceDefaultCrashLoopBackOffDecay: true, Other: false }',
  'controllers:',
  '  cert-manager: { certificateRequestMinimumBackoffDuration: 10m, workers: 5 }',
  'disabledSystems: [captf]',
  'severity:',
  '  policy/unknown-field: error',
  '  policy/empty-value: off',
  'ignore:',
  '  - vendor/',
  '  - { path: "charts/**", codes: [policy/unknown-field] }',
];

describe('a configuration', () => {
  it('is read whole, with texts as they are written', () => {
    const { configuration, problems } = read(...whole);
    expect(problems).toEqual([]);
    expect(configuration).toEqual({
      env: {
        versions: new Map([
          ['argo-workflows', '3.7.9'],
          ['cert-manager', '1.20'],
        ]),
        gates: new Map([
          ['ReduceDefaultCrashLoopBackOffDecay', true],
          ['Other', false],
        ]),
        controllers: new Map([
          ['cert-manager/certificateRequestMinimumBackoffDuration', '10m'],
          ['cert-manager/workers', '5'],
        ]),
      },
      disabledSystems: new Set(['captf']),
      severities: new Map([
        ['policy/unknown-field', 'error'],
        ['policy/empty-value', 'off'],
      ]),
      ignore: [{ path: 'vendor/' }, { path: 'charts/**', codes: ['policy/unknown-field'] }],
    });
    expect(Object.isFrozen(configuration)).toBe(true);
  });

  it.each([[''], ['# nothing\n'], ['---\n'], ['versions:\nignore:\n'], ['{}']])(
    'may be as good as empty: %j',
    (text) => {
      expect(readConfiguration(text, known)).toEqual({
        configuration: emptyConfiguration,
        problems: [],
      });
    },
  );
});

describe('a mistake', () => {
  it.each([
    ['severty: {}', 'severty', 'did you mean `severity`?'],
    ['nonsense: 1', 'nonsense', 'there are versions, gates'],
    ['- a', '', 'Write the keys versions'],
    ['versions: 3', 'versions', 'Write a version per system here'],
    ['versions: { argo: "3.7" }', 'versions.argo', 'no system called `argo`'],
    [
      'versions: { argo-workflow: "3.7" }',
      'versions.argo-workflow',
      'did you mean `argo-workflows`?',
    ],
    [
      'versions: { argo-workflows: latest }',
      'versions.argo-workflows',
      '`latest` is not a version',
    ],
    ['versions: { argo-workflows: }', 'versions.argo-workflows', 'no value to read'],
    ['gates: { A: "yes" }', 'gates.A', 'write true or false'],
    ['controllers: { cert-manager: 10m }', 'controllers.cert-manager', 'Write a value per setting'],
    ['controllers: { cert-manager: { a: [1] } }', 'controllers.cert-manager.a', 'write one value'],
    ['disabledSystems: captf', 'disabledSystems', 'Write a list of systems'],
    ['disabledSystems: [captff]', 'disabledSystems[0]', 'did you mean `captf`?'],
    [
      'severity: { policy/syntax: fatal }',
      'severity["policy/syntax"]',
      'error, warning, info, hint, off',
    ],
    [
      'severity: { policy/sintax: off }',
      'severity["policy/sintax"]',
      'did you mean `policy/syntax`?',
    ],
    ['ignore: vendor/', 'ignore', 'Write a list of paths'],
    ['ignore: [{ codes: [policy/syntax] }]', 'ignore[0]', 'names no path'],
    ['ignore: [{ path: a, code: b }]', 'ignore[0].code', 'did you mean `codes`?'],
    [
      'ignore: [{ path: a, codes: policy/syntax }]',
      'ignore[0].codes',
      'Write a list of finding codes',
    ],
    ['ignore: [{ path: a, codes: [x] }]', 'ignore[0].codes[0]', 'no finding called `x`'],
    ['a: [', '', 'not YAML'],
    ['versions: {}\nversions: {}', '', 'written twice'],
  ])('is a problem with its path: %s', (text, at, words) => {
    const { problems } = readConfiguration(text, known);
    expect(problems[0]).toMatchObject({ path: at, message: expect.stringContaining(words) });
    expect(problems[0]?.at).toBeDefined();
    expect(accepts(parseLoosely(text)), 'the schema refuses it too').toBe(false);
  });

  it('takes nothing else with it', () => {
    const { configuration, problems } = read(...whole, 'oops: 1');
    expect(problems.map(({ path: at }) => at)).toEqual(['oops']);
    expect(configuration.severities.size).toBe(2);
  });
});

describe('ignored paths', () => {
  it('are patterns as in .gitignore, in their order', () => {
    const { configuration } = read('ignore: [vendor/, "*.gen.yaml", "!keep.gen.yaml", /top.yaml]');
    const ignored = (file: string) => isIgnored(configuration, file);
    expect(ignored('vendor/a.yaml')).toBe(true);
    expect(ignored('deep/vendor/a.yaml')).toBe(true);
    expect(ignored('deep/x.gen.yaml')).toBe(true);
    expect(ignored('deep/keep.gen.yaml')).toBe(false);
    expect(ignored('top.yaml')).toBe(true);
    expect(ignored('deep/top.yaml')).toBe(false);
    expect(ignored('../outside/vendor/a.yaml')).toBe(false);
  });

  it('add up where they name codes', () => {
    const { configuration } = read(
      'ignore:',
      '  - { path: a/, codes: [policy/syntax] }',
      '  - { path: "*.yaml", codes: [policy/empty-value] }',
      '  - b/',
    );
    expect([...ignoredFor(configuration, 'a/x.yaml')]).toEqual([
      'policy/syntax',
      'policy/empty-value',
    ]);
    expect([...ignoredFor(configuration, 'b/x.yml')]).toEqual(['*']);
    expect([...ignoredFor(configuration, 'c/x.yml')]).toEqual([]);
  });
});

describe('the schema', () => {
  it('accepts what is read without a problem', () => {
    for (const text of [
      whole.join('\n'),
      'versions:\nignore:\n',
      '{}',
      'versions: { captf: v0.1 }',
    ]) {
      expect(readConfiguration(text, known).problems).toEqual([]);
      expect(accepts(parse(text)), text).toBe(true);
    }
  });
});

const schemaFile = path.join(import.meta.dirname, '../../../schemas/kube-backoff.schema.json');
const validate = new Ajv({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(schemaFile, 'utf8')) as object,
);
const accepts = (value: unknown): boolean => validate(value);

/** What a YAML editor would check: broken YAML counts as refused. */
function parseLoosely(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return 'broken';
  }
}
