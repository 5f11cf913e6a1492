import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { families } from '../../../engine/families/index.ts';
import { codeOf } from '../../../engine/family.ts';
import type { Code } from '../../../engine/finding.ts';
import { policyCodes } from '../../../engine/policyRules.ts';
import { repository, version } from '../../../engine/project.ts';
import { docsUrl, familyUrl } from '../../../engine/reference.ts';

const root = path.join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const base = `${repository}/blob/main/`;

const codes: readonly Code[] = [
  ...Object.keys(policyCodes).map((slug): Code => `policy/${slug}`),
  ...families.flatMap((family) =>
    [...family.rules, ...(family.documentRules ?? [])].map((rule) => codeOf(family, rule)),
  ),
];

describe('the reference', () => {
  it.each([...new Set(codes)])('has a place for the link of %s', (code) => {
    const url = docsUrl(code);
    expect(url.startsWith(base)).toBe(true);
    const [file = '', anchor = ''] = url.slice(base.length).split('#');
    expect(read(file)).toContain(`<a id="${anchor}"></a>`);
  });

  it.each(families.map(({ id }) => id))('has a page for %s', (id) => {
    expect(read(familyUrl(id).slice(base.length))).toContain(`\`${id}\``);
  });

  it('leads only to pages that are there', () => {
    for (const [, target = ''] of read('docs/reference/README.md').matchAll(/\]\(([^)#]+\.md)/g)) {
      expect(read(`docs/reference/${target}`)).not.toBe('');
    }
  });
});

describe('the project', () => {
  it('is called what package.json says', () => {
    const manifest = JSON.parse(read('package.json')) as {
      readonly version: string;
      readonly repository: { readonly url: string };
    };
    expect({ version, repository }).toEqual({
      version: manifest.version,
      repository: manifest.repository.url,
    });
  });
});
