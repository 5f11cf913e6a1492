import { describe, expect, it } from 'vitest';
import { jsonText, masked, oneLine } from '../../../cli/foreignText.ts';
import { renderGithub } from '../../../cli/formats/github.ts';
import { renderJunit } from '../../../cli/formats/junit.ts';
import { renderLintText } from '../../../cli/formats/text.ts';
import type { LintDetails } from '../../../cli/lintReport.ts';

const same = (text: string): string => text;
const styles = { bold: same, dim: same, red: same, yellow: same, blue: same, cyan: same };

// oxlint-disable-next-line no-control-regex -- that is what must not reach a terminal
const obeyed = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/;
const evil = 'a\u001B[2J\u0007\u007F\u009B31mb\u202E\u2066c\rd';

describe('a foreign text', () => {
  it('is one line without anything that a terminal obeys', () => {
    expect(oneLine('one\n  two\r\nthree\u2028four\tfive')).toBe('one two three four five');
    expect(oneLine(evil)).toBe('a\uFFFD[2J\uFFFD\uFFFD\uFFFD31mb\uFFFD\uFFFDc d');
  });

  it('keeps its length, tabs and lines where places in it matter', () => {
    expect(masked(evil)).toHaveLength(evil.length);
    expect(masked('\ta\n')).toBe('\ta\n');
    expect(masked('naïve — 日本 🙂')).toBe('naïve — 日本 🙂');
  });
});

describe('a value as JSON', () => {
  it('is the same value, and nothing that a terminal obeys', () => {
    const value = { [evil]: [evil, 'naïve\n'], more: undefined };
    expect(JSON.parse(jsonText(value))).toEqual({ [evil]: [evil, 'naïve\n'] });
    expect(jsonText(value)).not.toMatch(obeyed);
    expect(jsonText({ a: [1, 'b'] }, 0)).toBe('{"a":[1,"b"]}');
    expect(jsonText({ a: 1 })).toBe('{\n  "a": 1\n}');
  });
});

describe('findings that quote a manifest', () => {
  const start = { line: 1, column: 1 };
  const details: LintDetails = {
    report: {
      version: 1,
      files: 1,
      documents: 1,
      policies: 1,
      findings: [
        {
          file: evil,
          document: 0,
          code: 'policy/x',
          severity: 'error',
          message: evil,
          range: { start, end: { line: 1, column: 20 } },
          docs: 'https://example.test',
          related: [{ range: { start, end: start }, message: evil }],
          fixes: [{ title: evil, preferred: true, edits: [] }],
        },
      ],
      problems: [{ file: evil, message: evil }],
      fixed: [{ file: evil, code: 'policy/x', title: evil }],
    },
    names: [evil],
    texts: new Map([[evil, `\t${evil}`]]),
    failOn: 'error',
  };

  it.each([
    ['text', renderLintText(details, styles)],
    ['github', renderGithub(details)],
  ])('reach a terminal without what it would obey, as %s', (_, text) => {
    expect(text).toContain('\uFFFD[2J');
    expect(text).not.toMatch(obeyed);
  });

  it('are XML without control characters for JUnit', () => {
    const text = renderJunit(details).replaceAll(/[\r\u202E\u2066]/g, '');
    expect(text).toContain('\uFFFD[2J');
    expect(text).not.toMatch(obeyed);
  });

  it('keep their carets under what they are about', () => {
    const [, shown = '', carets = ''] = renderLintText(details, styles).split('\n');
    expect(shown).toBe('  1 │ \ta\uFFFD[2J\uFFFD\uFFFD\uFFFD31mb\uFFFD\uFFFDc');
    expect(carets).toMatch(/^ {4}│ \^+$/);
  });
});
