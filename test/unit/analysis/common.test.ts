import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonPrefix, commonSuffix } from '../../../server/src/analysis/common.ts';

describe('what two texts have in common', () => {
  it.each([
    ['', '', 0, 0],
    ['abc', 'abc', 3, 3],
    ['abc', 'abd', 2, 0],
    ['xbc', 'abc', 0, 2],
    ['aXa', 'aa', 1, 1],
    ['aaa', 'aa', 2, 2],
  ])('%j and %j', (a, b, prefix, suffix) => {
    expect([commonPrefix(a, b), commonSuffix(a, b)]).toEqual([prefix, suffix]);
  });

  it('is what a character by character comparison finds, also in long texts', () => {
    const part = fc.string({ maxLength: 5 });
    fc.assert(
      fc.property(fc.nat({ max: 200_000 }), part, part, fc.nat({ max: 70_000 }), (n, x, y, m) => {
        const a = 'a'.repeat(n) + x + 'b'.repeat(m);
        const b = 'a'.repeat(n) + y + 'b'.repeat(m);
        const most = Math.min(a.length, b.length);
        const prefix = commonPrefix(a, b);
        const suffix = commonSuffix(a, b);
        expect(a.slice(0, prefix)).toBe(b.slice(0, prefix));
        expect(prefix === most || a[prefix] !== b[prefix]).toBe(true);
        expect(a.slice(a.length - suffix)).toBe(b.slice(b.length - suffix));
        expect(suffix === most || a.at(-1 - suffix) !== b.at(-1 - suffix)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
