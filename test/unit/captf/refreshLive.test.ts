import { describe, expect, it } from 'vitest';
import { jitterOf } from '../../../engine/families/captf/delays.ts';
import { refreshLive } from '../../../engine/families/captf/refreshLive.ts';
import { minutes, seconds, type Ms } from '../../../engine/units.ts';
import { at, job, read, uid, type Recorded } from './recorded.ts';

const pending = [{ type: 'InfrastructureHealthy', status: 'False', reason: 'InstancePending' }];

const stateOf = (recorded: Recorded) => read(recorded, refreshLive)[0]?.state;

const machine = (readings: number, more: Recorded = {}): Recorded => ({
  kind: 'TerraformMachine',
  status: {
    conditions: pending,
    pendingRefreshes: readings,
    lastRefresh: '2026-10-01T10:00:00Z',
    initialization: { provisioned: true },
  },
  ...more,
});

const withJitter = (interval: Ms) => interval + jitterOf(uid, interval);

describe('a pending health', () => {
  it.each([
    [0, seconds(30), 1],
    [1, seconds(30), 1],
    [2, minutes(1), 2],
    [4, minutes(4), 4],
    [9, minutes(5), 9],
  ])('after %i readings is read again after %i ms and its jitter', (readings, wait, retry) => {
    const state = stateOf(machine(readings));
    expect(state).toMatchObject({
      kind: 'waiting',
      retry: { value: retry },
      wait: { how: 'inferred', value: { lo: withJitter(wait), hi: withJitter(wait) } },
      next: { value: { lo: at('10:00:00') + withJitter(wait) } },
      capped: { value: wait === minutes(5) },
    });
  });

  it('is read at the health check of a provisioned machine where that comes first', () => {
    const spec = { remediation: { annotateMachine: true, healthCheckIntervalSeconds: 60 } };
    expect(stateOf(machine(5, { spec }))).toMatchObject({
      wait: { value: { lo: withJitter(minutes(1)), hi: withJitter(minutes(1)) } },
    });
  });

  it('of a pool is read every 30s, or as often as its members', () => {
    const pool = (spec: unknown) => stateOf({ ...machine(7), kind: 'TerraformMachinePool', spec });
    expect(pool({})).toMatchObject({ wait: { value: { hi: withJitter(seconds(30)) } } });
    expect(pool({ membershipRefreshIntervalSeconds: 15 })).toMatchObject({
      wait: { value: { hi: withJitter(seconds(15)) } },
    });
  });

  it('waits for the backoff of a refresh that failed', () => {
    const jobs = [job('refresh', 2, { at: '10:04:00' })].map((value) => ({
      ...Object(value),
      metadata: { name: 'r', labels: { 'captf.infrastructure.cluster.x-k8s.io/op': 'refresh' } },
    }));
    expect(stateOf({ ...machine(1, { jobs }), kind: 'TerraformCluster' })).toMatchObject({
      next: { value: { lo: at('10:05:00'), hi: at('10:05:00') } },
    });
  });

  it('is being read while a refresh runs', () => {
    expect(
      stateOf({ ...machine(1), kind: 'TerraformCluster', jobs: [job('refresh', 2, 'running')] })
        ?.kind,
    ).toBe('attempting');
  });

  it('is read at once where it never was', () => {
    const state = stateOf({ status: { conditions: pending } });
    expect(state?.kind === 'waiting' && state.next.how).toBe('unknown');
  });
});

describe('any other health', () => {
  it.each([
    ['Healthy', 'True', 'healthy'],
    ['Provisioning', 'False', 'not-started'],
  ])('%s waits for nothing', (reason, status, because) => {
    const conditions = [{ type: 'InfrastructureHealthy', status, reason }];
    expect(stateOf({ status: { conditions } })).toMatchObject({ kind: 'idle', because });
  });

  it('gives no state where the object does not say', () => {
    expect(read({}, refreshLive)).toEqual([]);
  });
});
