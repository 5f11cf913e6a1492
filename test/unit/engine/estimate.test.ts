import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateWorkQueue, limitsOf, usualLimits } from '../../../engine/estimate.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { instant, minutes, ms, seconds } from '../../../engine/units.ts';

const now = instant(Date.parse('2026-01-10T12:00:00Z'));

const estimate = (conditions: unknown, rest: object = {}, apiVersion = 'example.test/v1') => {
  const ref = { apiVersion, kind: 'Widget', name: 'w1' };
  const object = { ...ref, metadata: { name: 'w1' }, ...rest, status: { conditions } };
  return estimateWorkQueue({ object: jsonTree(object).root, ref, now });
};

const ready = {
  type: 'Ready',
  status: 'False',
  reason: 'ReconcileError',
  message: 'transient precondition not met',
  lastTransitionTime: '2026-01-10T11:00:00Z',
};

describe('an object that fails', () => {
  it('is retried within the longest wait of the last attempt', () => {
    const state = estimate([ready]);
    expect(state).toMatchObject({
      kind: 'waiting',
      retry: { how: 'unknown' },
      failures: { how: 'unknown' },
      wait: { how: 'inferred', value: { lo: 5, hi: 1_000_000 } },
      lastFailureAt: { how: 'unknown' },
      next: { how: 'inferred', value: { lo: now, hi: now + 1_000_000 } },
      capped: { how: 'unknown' },
      reason:
        "Ready is False (ReconcileError): its controller's work queue keeps the wait in memory, so the next retry comes within 16m40s of the last attempt (an estimate, controller-runtime's default); any change to the object triggers it sooner, and a success or a restart of the controller resets the wait",
    });
    expect(state?.kind === 'waiting' && state.seen.map(({ path }) => path)).toEqual([
      'status.conditions[0].status',
      'status.conditions[0].reason',
      'status.conditions[0].message',
      'status.conditions[0].lastTransitionTime',
    ]);
  });

  it('is narrowed by a heartbeat', () => {
    expect(estimate([{ ...ready, lastHeartbeatTime: '2026-01-10T11:50:00Z' }])).toMatchObject({
      lastFailureAt: { how: 'reported', value: now - 600_000 },
      next: { value: { lo: now, hi: now + 400_000 } },
    });
    expect(estimate([{ ...ready, lastHeartbeatTime: '2026-01-10T11:00:00Z' }])).toMatchObject({
      lastFailureAt: { how: 'unknown' },
    });
  });

  it('has the bounds of its own controller', () => {
    expect(estimate([ready], {}, 'helm.toolkit.fluxcd.io/v2')).toMatchObject({
      wait: { value: { lo: 750, hi: 900_000 } },
    });
  });

  it.each([
    [{ type: 'Synced', status: 'False', reason: 'ReconcileError' }],
    [{ type: 'Degraded', status: 'True' }],
    [{ type: 'Ready', status: 'False' }],
    [{ type: 'Ready', status: 'False', reason: 'CreateFailed' }],
  ])('is recognised: %j', (condition) => {
    expect(estimate([{ type: 'Other', status: 'True' }, condition])?.kind).toBe('waiting');
  });

  it('is given up where it is stalled', () => {
    expect(estimate([ready, { ...ready, type: 'Stalled', status: 'True' }])).toMatchObject({
      kind: 'gave-up',
      at: { how: 'reported' },
      reason:
        'Stalled is True (ReconcileError): by convention its controller does not retry it until the object changes',
    });
  });
});

describe('an object that does not say it fails', () => {
  it.each([
    [[{ ...ready, status: 'True' }]],
    [[{ ...ready, status: 'Unknown' }]],
    [[{ ...ready, reason: 'Progressing' }]],
    [[{ ...ready, reason: 'WaitingForNodes' }]],
    [[{ type: 'Failed', status: 'False' }]],
    [[]],
    ['x'],
    [[null, 1, { type: 1 }]],
  ])('has no estimate: %j', (conditions) => {
    expect(estimate(conditions)).toBeUndefined();
  });

  it('has none while it is suspended', () => {
    expect(estimate([ready], { spec: { suspend: true } })).toBeUndefined();
    expect(estimate([ready], { spec: { paused: true } })).toBeUndefined();
  });
});

it('knows the bounds of controllers by their groups', () => {
  expect(limitsOf('kustomize.toolkit.fluxcd.io').max).toBe(minutes(15));
  expect(limitsOf('acme.cert-manager.io').max).toBe(minutes(30));
  expect(limitsOf('cert-manager.io').max).toBe(minutes(5));
  expect(limitsOf('notcert-manager.io')).toBe(usualLimits);
  expect(limitsOf('')).toMatchObject({ base: ms(5), max: seconds(1000) });
});

it('reads any JSON without throwing', () => {
  const ref = { apiVersion: 'x/v1', kind: 'X' };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const object of [value, { status: value }, { status: { conditions: [value] } }]) {
        const state = estimateWorkQueue({ object: jsonTree(object).root, ref, now });
        expect(state === undefined || state.kind === 'waiting').toBe(true);
      }
    }),
  );
});
