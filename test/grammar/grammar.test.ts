import * as fc from 'fast-check';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { contributed, tokenizer, type Token, type Tokenizer } from './engine.ts';
import { annotated, cases, yamlOf } from './fixture.ts';
import { manifest } from './manifest.ts';
import { policyLines } from './policyLines.ts';

const folder = new URL('fixtures/', import.meta.url);
const fixtures = readdirSync(folder)
  .sort()
  .map((name) => ({
    name,
    root: name === 'helm.fixture' ? ('source.helm' as const) : ('source.yaml' as const),
    cases: cases(readFileSync(new URL(name, folder), 'utf8')),
  }));

describe.each(fixtures)('$name', ({ root, cases: table }) => {
  test.each(table)('$name', async (one) => {
    const tokenize = await tokenizer(root, 'injected');
    expect(annotated(yamlOf(one), tokenize)).toBe(one.body);
  });

  test.each(table)('only the policy changes: $name', async (one) => {
    expect(changedOutside(yamlOf(one), await pair(root))).toEqual([]);
  });
});

test('generated manifests: no line outside a policy changes', async () => {
  const both = await pair('source.yaml');
  fc.assert(
    fc.property(manifest, (yaml) => {
      expect(changedOutside(yaml, both)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('a generated policy is coloured wherever it stands', async () => {
  const tokenize = await tokenizer('source.yaml', 'injected');
  fc.assert(
    fc.property(manifest, (yaml) => {
      const lines = yaml.split('\n');
      const opened = tokenize(yaml).flatMap((tokens, at) =>
        /^ *(?:- )?retryStrategy:/.test(lines[at] ?? '') ? [tokens] : [],
      );
      expect(opened.every((tokens) => tokens.some(isPolicyKey))).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test('every rule is included, and every include is a rule', () => {
  const grammars = [...contributed.values()].map((path) => readFileSync(path, 'utf8'));
  const included = grammars.flatMap((text) =>
    [...text.matchAll(/"include": "(?:kube-backoff\.injection)?#([^"]+)"/g)].map(
      ([, name]) => name,
    ),
  );
  const rules = grammars.flatMap((text) => Object.keys(JSON.parse(text).repository));
  expect(new Set(included)).toEqual(new Set(rules));
});

type Pair = { readonly plain: Tokenizer; readonly injected: Tokenizer };

async function pair(root: 'source.yaml' | 'source.helm'): Promise<Pair> {
  return { plain: await tokenizer(root, 'plain'), injected: await tokenizer(root, 'injected') };
}

/** Lines outside every policy that the injection shows differently; a blank line shows nothing. */
function changedOutside(yaml: string, { plain, injected }: Pair): readonly string[] {
  const lines = yaml.split('\n');
  const policy = policyLines(lines);
  const before = plain(yaml);
  const after = injected(yaml);
  return lines.filter(
    (line, at) => line.trim() !== '' && !policy.has(at) && shown(before[at]) !== shown(after[at]),
  );
}

function shown(tokens: readonly Token[] | undefined): string {
  return JSON.stringify(tokens);
}

function isPolicyKey(token: Token): boolean {
  return token.scopes.includes('support.type.retry.kube-backoff');
}
