import { describe, expect, it } from 'vitest';
import { now, only, read, workflow, type Json } from './liveStates.ts';

const doubling = { limit: 4, backoff: { duration: '30s', factor: 2 } };
const failing = ['Failed', 'Failed'];
// The last run ends at 10:03:00, the next one starts at 10:04:00.
const before = '2026-01-10T10:03:10Z';
const startedAt = '2026-01-10T10:00:00Z';

const reasonOf = (object: Json, at = before) => {
  const [first] = read(object, at);
  return first !== undefined && 'reason' in first.state ? first.state.reason : '';
};

describe('a workflow that lets no retry start', () => {
  const rows: readonly (readonly [string, Json, Json, string])[] = [
    [
      'has a deadline before it',
      { activeDeadlineSeconds: 239 },
      { startedAt },
      'gave up by activeDeadlineSeconds of the workflow (condition, inferred) at 2026-01-10T10:03:59Z',
    ],
    [
      'has a deadline in the template it was made from',
      {},
      { startedAt, storedWorkflowTemplateSpec: { activeDeadlineSeconds: 100, templates: [] } },
      'gave up by activeDeadlineSeconds of the workflow (condition, inferred) at 2026-01-10T10:01:40Z',
    ],
    [
      'is stopped',
      { shutdown: 'Stop' },
      { startedAt },
      'gave up by shutdown strategy Stop (condition, inferred) at ?',
    ],
    [
      'is over',
      {},
      { phase: 'Failed', finishedAt: '2026-01-10T10:03:05Z' },
      'gave up by the end of the workflow (condition, inferred) at 2026-01-10T10:03:05Z',
    ],
  ];
  it.each(rows)('%s', (_, spec, status, expected) => {
    expect(only(read(workflow(doubling, failing, {}, spec, status), before))).toBe(expected);
  });

  it('may have a deadline behind it, or one that does not hold for what runs at its end', () => {
    const waiting = 'waiting, retry 2, 1m, 2026-01-10T10:04:00Z';
    const at = (limit: number, node: Json = {}) =>
      only(
        read(
          workflow(doubling, failing, node, { activeDeadlineSeconds: limit }, { startedAt }),
          before,
        ),
      );
    expect(at(240)).toBe(waiting);
    expect(at(100, { name: 'etl.onExit' })).toBe(waiting);
  });

  it('has no time left for one that is due', () => {
    const object = workflow(doubling, failing, {}, { activeDeadlineSeconds: 250 }, { startedAt });
    expect(only(read(object, now))).toContain('gave up by activeDeadlineSeconds');
  });

  it('is over for a node that still runs, too', () => {
    const object = workflow(doubling, ['Failed', 'Running'], {}, {}, { phase: 'Error' });
    expect(only(read(object))).toBe('idle, finished');
  });
});

it('waits without a time while the workflow is suspended', () => {
  const object = workflow(doubling, failing, {}, { suspend: true });
  expect(only(read(object, before))).toBe('waiting, retry 2, 1m, next ?');
  expect(reasonOf(object)).toMatch(
    /^The workflow is suspended: nothing starts until it is resumed/,
  );
});

describe('OnTransientError', () => {
  const strategy = { ...doubling, retryPolicy: 'OnTransientError' };
  const given = (pattern: string) => ({
    controllers: { 'argo-workflows/TRANSIENT_ERROR_PATTERN': pattern },
  });
  const object = workflow(strategy, failing);
  const waiting = 'waiting, retry 2, 1m, 2026-01-10T10:04:00Z';
  const over = 'gave up by retryPolicy (condition, inferred) at 2026-01-10T10:04:00Z';

  it('is told to hang on a pattern that is not known', () => {
    expect(only(read(object, before))).toBe(waiting);
    expect(reasonOf(object)).toContain('without a match the node fails instead');
  });

  it('is decided by the pattern that is set', () => {
    expect(only(read(object, before, given('exit code 1')))).toBe(waiting);
    expect(only(read(object, before, given('exit code 2')))).toBe(over);
    expect(only(read(object, before, given('')))).toBe(over);
    // Go reads this one, and we do not.
    expect(only(read(object, before, given('(?i)EXIT')))).toBe(waiting);
  });

  it('covers the faults that the controller knows', () => {
    const text = JSON.stringify(object).replaceAll('Failed (exit code 1)', 'dial: i/o timeout');
    const known: Json = JSON.parse(text);
    expect(only(read(known, before))).toBe(waiting);
    expect(reasonOf(known)).not.toContain('TRANSIENT_ERROR_PATTERN');
  });
});
