import { describe, expect, it } from 'vitest';
import {
  behaviourOf,
  computedWaits,
  overflowsAt,
} from '../../../engine/families/argo-workflows/waits.ts';
import { policyJson } from '../../../engine/policyJson.ts';
import { bound, firstSteps } from '../../../engine/schedule.ts';
import { nameOf } from '../../../engine/summary.ts';
import { instant, minutes, ms, seconds } from '../../../engine/units.ts';
import { analyse, endOf, environment, waitsOf, type Given } from '../../support/analyse.ts';
import vectors from '../../vectors/argo-workflows.json' with { type: 'json' };

const manifest = (strategy: unknown): string =>
  JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { generateName: 'vector-' },
    spec: {
      entrypoint: 'main',
      templates: [
        { name: 'main', retryStrategy: strategy, container: { image: 'registry.example/a:1' } },
      ],
    },
  });

const policyOf = (strategy: unknown, given: Given = {}) =>
  analyse(manifest(strategy), given).policies[0];

describe('the recorded waits', () => {
  it.each(vectors.entries)('$retryStrategy', ({ retryStrategy, waitsMs, ends }) => {
    const schedule = policyOf(retryStrategy)?.schedule;
    expect(schedule).toBeDefined();
    if (schedule === undefined) return;
    const { steps, more } = firstSteps(schedule, waitsMs.length);
    expect(steps.map(({ wait }) => wait.lo)).toEqual(waitsMs);
    const end = bound(schedule);
    if (ends === 'never') {
      expect([more, end.kind]).toEqual([true, 'unbounded']);
      return;
    }
    expect(more).toBe(false);
    const by = end.kind === 'bounded' ? nameOf(end.by) : end.kind;
    expect(by).toBe(ends.startsWith('error') ? 'duration' : ends);
  });
});

describe('the releases', () => {
  const quoted = { limit: '3', backoff: { duration: '30s' } };
  const bare = { limit: 3, backoff: { duration: '30s' } };
  const without = { backoff: { duration: '30s' } };
  const rows: readonly (readonly [string, unknown, readonly string[], string])[] = [
    ['3.2.4', quoted, ['30s', '30s', '30s'], 'after 3 retries'],
    ['3.2.4', without, ['30s', '30s', '30s'], 'never'],
    ['3.3.5', quoted, ['0s', '0s', '0s'], 'after 3 retries'],
    ['3.3.6', without, [], 'after 0 retries'],
    ['3.3.7', without, ['0s', '0s', '0s'], 'never'],
    ['3.3.8', quoted, ['0s', '0s', '0s'], 'after 3 retries'],
    ['3.3.8', bare, ['30s', '30s', '30s'], 'after 3 retries'],
    ['3.3.9', quoted, ['30s', '30s', '30s'], 'after 3 retries'],
    ['4.1.2', quoted, ['30s', '30s', '30s'], 'after 3 retries'],
  ];
  it.each(rows)('%s %j', (version, strategy, waits, ends) => {
    const policy = policyOf(strategy, { versions: { 'argo-workflows': version } });
    expect([waitsOf(policy, 3), endOf(policy)]).toEqual([waits, ends]);
  });
});

describe('a product beyond 64 bits', () => {
  const waitsIn = (version: string, base = minutes(5), factor = 2) =>
    computedWaits(
      { base, factor, cap: undefined },
      behaviourOf(environment({ versions: { 'argo-workflows': version } })),
    );

  it.each(['3.6.18', '3.7.9', '4.0.1', '4.1.0', '4.2.0'])('is cut off in %s', (version) => {
    expect(waitsIn(version).at(-1)).toBe(2n ** 63n - 1n);
  });

  it.each(['3.4.17', '3.5.15', '3.6.17', '3.7.8', '4.0.0'])('wraps around in %s', (version) => {
    const waits = waitsIn(version);
    expect(waits[24]).toBe(300_000_000_000n * 2n ** 24n);
    expect(waits[25]).toBe(BigInt.asIntN(64, 300_000_000_000n * 2n ** 25n));
    expect(Number(waits[25])).toBeLessThan(0);
    expect(waits.at(-1)).toBe(0n);
  });

  it('is named by its retry', () => {
    expect(overflowsAt({ base: seconds(5), factor: 2, cap: undefined })).toBe(32);
    expect(overflowsAt({ base: minutes(5), factor: 2, cap: undefined })).toBe(26);
    expect(overflowsAt({ base: seconds(5), factor: 1, cap: undefined })).toBeUndefined();
    expect(overflowsAt({ base: ms(-5), factor: 2, cap: undefined })).toBeUndefined();
  });
});

describe('a window', () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [
      { limit: 5, backoff: { duration: '10s', maxDuration: '0' } },
      'after 0 retries, by maxDuration',
    ],
    [{ limit: 5, backoff: { duration: '0', maxDuration: '0' } }, 'after 0 retries, by maxDuration'],
    [
      { limit: 5, backoff: { duration: '10s', maxDuration: '-5' } },
      'after 0 retries, by maxDuration',
    ],
    [{ backoff: { duration: '15s', maxDuration: '5m' } }, 'after 4m45s, by maxDuration'],
    [{ backoff: { duration: '6m', maxDuration: '5m' } }, 'after 0 retries, by maxDuration'],
    [{ limit: 5, backoff: { duration: '10s', factor: 2, cap: '-1' } }, 'after 5 retries'],
  ];
  it.each(rows)('%j ends %s', (strategy, ends) => {
    expect(endOf(policyOf(strategy))).toBe(ends);
  });
});

describe('a number of seconds beyond 64 bits of nanoseconds', () => {
  const given = (duration: string) =>
    analyse(`apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: huge}
spec:
  templates:
    - name: main
      retryStrategy: {limit: 1, backoff: {duration: ${duration}}}
      container: {image: a}
`);
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ['"9223372036"', '292 years', ['bare-seconds']],
    ['"9223372037"', '0s', ['bare-seconds']],
    ['"99999999999"', '246 years', ['bare-seconds']],
    ['"9223372036854775807"', '0s', ['bare-seconds']],
    ['"9223372036854775808"', 'no wait', ['bad-duration']],
    ['9223372037s', 'no wait', ['bad-duration']],
  ];
  it.each(rows)('%s waits %s', (duration, wait, codes) => {
    const { policies, findings } = given(duration);
    expect(waitsOf(policies[0], 1)[0] ?? 'no wait').toBe(wait);
    expect(findings.map(({ code }) => code.split('/')[1])).toEqual(codes);
  });

  it('is told apart from one that is short', () => {
    expect(given('"99999999999"').findings[0]?.message).toBe(
      '"99999999999" seconds do not fit 64 bits of nanoseconds and wrap around to 246 years. Write a smaller number',
    );
    expect(given('"9223372037"').findings[0]?.message).toContain('wrap around to less than 0');
  });
});

it('says of a window without waits when the last retry can start', () => {
  const [policy] = analyse(`apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: window}
spec:
  templates:
    - name: main
      retryStrategy: {backoff: {duration: 10s, factor: 2, maxDuration: 1m, cap: 5s}}
      container: {image: a}
`).policies;
  if (policy === undefined) throw new Error('no policy');
  const json = policyJson(policy, {
    retries: 1,
    now: instant(0),
    rangeOf: () => ({ start: { line: 1, column: 1 }, end: { line: 1, column: 1 } }),
  });
  expect(JSON.stringify(json)).toContain('"the node fails after 55s, by maxDuration"');
  const notes = [...(policy.family.notes?.(policy.policy, policy.schedule) ?? [])];
  expect(notes.map(({ text }) => text)).toContain(
    'No wait is taken without `limit`, and yet retries end 55s after the first run began: from then on the next wait, 5s, would reach beyond `maxDuration` of 1m',
  );
});
