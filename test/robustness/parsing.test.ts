import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explain } from '../../engine/explain.ts';
import { families } from '../../engine/families/index.ts';
import { defineFamily, type PolicyFamily } from '../../engine/family.ts';
import { buildRegistry } from '../../engine/registry.ts';
import { renderMarkdown, plainMarkdown } from '../../engine/renderMarkdown.ts';
import { analyseFile } from '../../server/src/analysis/file.ts';
import { pointedAt } from '../../server/src/atPosition.ts';
import { analyse, environment } from '../support/analyse.ts';
import { fixtures } from '../support/fixtures.ts';
import { examples, yamlTestSuite } from '../support/texts.ts';

/** Reads a text and explains everything in it, as opening and hovering would. */
function readAll(text: string): void {
  const { policies, findings, failures } = analyse(text);
  expect(failures).toEqual([]);
  for (const policy of policies) renderMarkdown(explain(policy), plainMarkdown);
  for (const { at, fixes } of findings) {
    for (const span of [at, ...fixes.flatMap(({ edits }) => edits.map((edit) => edit.at))]) {
      expect(span.start).toBeGreaterThanOrEqual(0);
      expect(span.end).toBeGreaterThanOrEqual(span.start);
      expect(span.end).toBeLessThanOrEqual(text.length);
    }
  }
}

describe('texts that are no manifests', () => {
  it('random bytes, alone and behind a kind that holds policies', () => {
    const bytes = fc
      .uint8Array({ maxLength: 400 })
      .map((list) => Buffer.from(list).toString('utf8'));
    fc.assert(
      fc.property(bytes, (text) => {
        readAll(text);
        readAll(`apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec:\n  ${text}`);
      }),
      { numRuns: 300 },
    );
  });

  it('characters that mean something in YAML, in any order', () => {
    const token = fc.constantFrom(
      ...[
        '- ',
        ': ',
        '{',
        '}',
        '[',
        ']',
        '&a ',
        '*a',
        '<<: ',
        '|\n',
        '>-\n',
        '"',
        "'",
        '#',
        '%',
        '!t ',
        '? ',
      ],
      ...[
        '\n',
        '\n  ',
        '\t',
        '\r\n',
        '---\n',
        '{{',
        '}}',
        '{{- if }}',
        'limit',
        'retryStrategy:',
        '1',
        'null',
        '\u0000',
        '🚀',
      ],
    );
    const head =
      'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec:\n  templates:\n    - retryStrategy:\n        ';
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        readAll(head + tokens.join(''));
      }),
      { numRuns: 1500 },
    );
  });
});

describe("the inputs of YAML's own test suite", async () => {
  const inputs = await yamlTestSuite();

  it('are many', () => {
    expect(inputs.length).toBeGreaterThan(200);
  });

  it('are read alone, and as a workflow', () => {
    for (const input of inputs) {
      readAll(input);
      readAll(`apiVersion: argoproj.io/v1alpha1\nkind: Workflow\n${input}`);
    }
  });
});

describe('half-typed manifests', () => {
  it.each(examples)('every truncation of $name', ({ text }) => {
    const step = Math.max(1, Math.floor(text.length / 250));
    for (let end = 0; end < text.length; end += step) readAll(text.slice(0, end));
  });

  it.each(examples)('every cursor position in $name', ({ text }) => {
    const file = analyseFile(text, {
      registry: buildRegistry(families),
      env: environment(),
    });
    for (const document of file.documents) {
      for (let offset = 0; offset <= document.text.length; offset += 1) {
        for (const { analysed, field, at } of pointedAt(
          document.text,
          document.policies().policies,
          offset,
        )) {
          expect(at.start).toBeLessThanOrEqual(offset);
          expect(at.end).toBeGreaterThanOrEqual(offset);
          if (offset % 7 === 0) renderMarkdown(explain(analysed, field), plainMarkdown);
        }
      }
    }
  });

  it('every fixture with each of its lines taken out', () => {
    for (const { text } of fixtures()) {
      const lines = text.split('\n');
      for (let index = 0; index < lines.length; index += 3)
        readAll(lines.toSpliced(index, 1).join('\n'));
    }
  });
});

describe('a fault in one family', () => {
  const sound = families.find(({ id }) => id === 'argo-workflows/retry-strategy');
  if (sound === undefined) throw new Error('the family is gone');
  const provoked = (): never => {
    throw new Error('provoked');
  };
  const head = {
    ...sound,
    id: 'faulty/policy',
    title: 'Faulty policy',
    system: { ...sound.system, id: 'faulty' },
  } as const;
  const [rule] = sound.rules;
  if (rule === undefined) throw new Error('the family has no rule');
  const inARule = defineFamily({ ...head, rules: [{ ...rule, check: provoked }] });
  const inTheFormula = defineFamily({ ...head, rules: [], schedule: provoked });
  const text = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
spec:
  templates:
    - {name: a, container: {}, retryStrategy: {limit: 2, backoff: {duration: 1s}, retryOn: x}}
`;
  const documentWith = (faulty: PolicyFamily) => {
    const registry = buildRegistry([faulty, sound]);
    const [document] = analyseFile(text, { registry, env: environment() }).documents;
    if (document === undefined) throw new Error('the file has no document');
    return document;
  };

  it('is told as a failed analysis, and leaves the other families working', () => {
    const { findings, failures } = documentWith(inARule).analyse();
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['policy/failed-analysis', 'error'],
      ['policy/unknown-field', 'warning'],
    ]);
    expect(findings[0]?.message).toContain('Faulty policy');
    expect(failures).toHaveLength(1);
    expect(failures[0]?.error).toContain('provoked');
  });

  it('is kept from the explanations of the others', () => {
    const { policies, failures } = documentWith(inTheFormula).policies();
    expect(policies.map(({ family }) => family.id)).toEqual([sound.id]);
    expect(failures.map(({ doing }) => doing)).toEqual(['faulty/policy in Workflow']);
  });
});
