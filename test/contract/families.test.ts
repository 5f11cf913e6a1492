import { describe, expect, it } from 'vitest';
import { codeOf, type PolicyFamily } from '../../engine/family.ts';
import { families } from '../../engine/families/index.ts';
import { jsonTree } from '../../engine/jsonTree.ts';
import { emptyView } from '../../engine/live.ts';
import { formatPath } from '../../engine/source.ts';
import { take } from '../../engine/growth.ts';
import { instant } from '../../engine/units.ts';
import { analyse, endOf, environment, waitsOf } from '../support/analyse.ts';
import { expectations, fixtures } from '../support/fixtures.ts';

const expectedCodes = new Set(
  fixtures().flatMap(({ text }) => expectations(text).map((line) => line.split(' ')[2])),
);

describe.each(families.map((family) => ({ id: family.id, family })))('$id', ({ family }) => {
  describe.each(family.examples)('example: $name', (example) => {
    const analysed = () => analyse(example.yaml, example);
    const meant = () =>
      analysed().policies.find(
        ({ policy }) =>
          policy.family === family.id &&
          (example.anchor === undefined || formatPath(policy.anchor) === example.anchor),
      );

    it('waits as it says', () => {
      expect(waitsOf(meant(), example.waits.length)).toEqual(example.waits);
    });

    it('ends as it says', () => {
      expect(endOf(meant())).toBe(example.ends);
    });

    it('has the findings it names and no other', () => {
      const codes = analysed().findings.map(({ code }) => code);
      expect([...new Set(codes)].toSorted()).toEqual([...example.findings].toSorted());
      expect(analysed().failures).toEqual([]);
    });

    it('has restartable waits with ordered windows', () => {
      const schedule = meant()?.schedule;
      if (schedule === undefined) return;
      const first = take(schedule.waits, 40);
      expect(take(schedule.waits, 40)).toEqual(first);
      for (const { lo, hi } of first) expect(lo).toBeLessThanOrEqual(hi);
    });
  });

  it('has examples', () => {
    expect(family.examples.length).toBeGreaterThan(0);
  });

  it('cites every default, bound and rule', () => {
    for (const field of Object.values(family.fields)) {
      if (field.absent.kind === 'default') expect(field.absent.cite.source).not.toBe('');
      if (field.bounds !== undefined) expect(field.bounds.cite.source).not.toBe('');
    }
    for (const rule of family.rules) expect(rule.cite.source, rule.slug).not.toBe('');
  });

  it('shows each of its finding codes in a fixture', () => {
    const missing = [...family.rules, ...(family.documentRules ?? [])]
      .map((rule) => codeOf(family, rule))
      .filter((code) => !expectedCodes.has(code));
    expect(missing).toEqual([]);
  });

  it('reads any JSON as live state without throwing', () => {
    if (family.live === undefined) return;
    for (const value of strangeObjects(family)) {
      const object = jsonTree(value).root;
      const states = family.live.read({
        object,
        ref: { apiVersion: 'x/v1', kind: 'X' },
        view: emptyView,
        env: environment(),
        now: instant(1_770_000_000_000),
      });
      expect(Array.isArray(states)).toBe(true);
    }
  });
});

/** Objects of the family's kinds with each part missing or of the wrong type. */
function* strangeObjects(family: PolicyFamily): Generator {
  yield* [null, 1, 'x', [], {}, { metadata: 1, spec: [], status: 'x' }];
  for (const { kind, group, version } of family.live?.reads ?? []) {
    const head = { apiVersion: group === '' ? version : `${group}/${version}`, kind };
    yield head;
    yield { ...head, metadata: {}, spec: {}, status: {} };
    yield { ...head, metadata: { name: 'a' }, spec: null, status: { conditions: 'x', nodes: [1] } };
    yield {
      ...head,
      status: { conditions: [null, 1, { type: 'Ready' }], nodes: { a: null, b: 1 } },
    };
  }
}
