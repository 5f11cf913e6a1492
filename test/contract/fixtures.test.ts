import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../engine/edits.ts';
import { analyseFile } from '../../server/src/analysis/file.ts';
import { analyse, contextOf, findingsIn } from '../support/analyse.ts';
import { expectations, findingLines, fixtures, versionsIn } from '../support/fixtures.ts';

describe.each(fixtures())('fixture $name', ({ text }) => {
  const versions = versionsIn(text);

  it('gives exactly the findings marked in it', () => {
    const { findings, failures } = analyse(text, { versions });
    expect(failures).toEqual([]);
    expect(findingLines(text, findings)).toEqual(expectations(text));
  });

  it('loses each finding by each of its fixes, and gains no error by a preferred one', () => {
    const context = contextOf({ versions });
    const file = analyseFile(text, context);
    const findings = findingsIn(file);
    for (const finding of findings) {
      for (const fix of finding.fixes) {
        const mended = findingsIn(analyseFile(applyEdits(text, fix.edits), context, file));
        const same = mended.filter(
          ({ code, message }) => code === finding.code && message === finding.message,
        );
        const before = findings.filter(
          ({ code, message }) => code === finding.code && message === finding.message,
        );
        expect.soft(same.length, `${finding.code}: ${fix.title}`).toBeLessThan(before.length);
        const syntax = mended.filter(({ code }) => code === 'policy/syntax');
        expect.soft(syntax, `${finding.code}: ${fix.title}`).toEqual([]);
      }
    }
  });
});
