import { describe, expect, it } from 'vitest';
import { job, partOf, read, waitingLine, type Recorded } from './recorded.ts';

const apply = (recorded: Recorded) => partOf(read(recorded), 'apply');
const failed = (sequence: number, time: string, marks = {}) =>
  job('apply', sequence, { at: time }, marks);
const done = (op: string, sequence: number, time: string) =>
  job(op, sequence, { at: time, as: 'Complete' });

describe('what no timer ends', () => {
  it.each([
    ['destructive-plan-blocked', 'stopped before a plan that deletes or replaces resources'],
    ['plan-changed', 'found another plan than the approved one'],
  ])('an apply marked %s waits for a person', (mark, text) => {
    const state = apply({
      status: { pendingPlanRef: { name: 'prod-7f' } },
      jobs: [failed(1, '10:00:00', { [mark]: 'true' })],
    });
    expect(state?.kind).toBe('gave-up');
    expect(state?.kind === 'gave-up' && state.reason).toContain(text);
    expect(state?.kind === 'gave-up' && state.reason).toContain('approve TerraformPlan prod-7f');
  });

  it('a blocked apply without a plan to approve is planned again after 10m', () => {
    const message = 'Job x: the plan deletes resources. The runner reported no plan to approve, so';
    const conditions = [
      { type: 'ApplyJobSucceeded', status: 'False', reason: 'DestructivePlanBlocked', message },
    ];
    const state = apply({
      status: { conditions },
      jobs: [failed(1, '10:00:00', { 'destructive-plan-blocked': 'true' })],
    });
    expect(waitingLine(state)).toBe(
      'retry ?, 0 failures, 600..600s, 10:10:00..10:10:00 inferred, not capped',
    );
  });

  it.each(['PlanAwaitingApproval', 'JobPolicyInvalid', 'InputsTooLarge', 'IdentityNotAllowed'])(
    'the condition %s holds the apply',
    (reason) => {
      const conditions = [{ type: 'ApplyJobSucceeded', status: 'Unknown', reason, message: '' }];
      const state = apply({ status: { conditions }, jobs: [done('apply', 1, '09:00:00')] });
      expect(state?.kind).toBe('gave-up');
      expect(state?.kind === 'gave-up' && state.reason).toContain('every 10m and on every change');
    },
  );

  it('a failed restore is not tried again for its serial', () => {
    const states = read({
      status: { lastRestoredSerial: 12 },
      jobs: [job('restore', 1, { at: '10:00:00' }, { 'restore-serial': '12' })],
    });
    const state = partOf(states, 'restore');
    expect(state?.kind === 'gave-up' && state.reason).toContain('failed to restore serial 12');
  });

  it('a paused object starts nothing', () => {
    const state = apply({
      metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } },
      jobs: [failed(1, '10:00:00')],
    });
    expect(state?.kind === 'gave-up' && state.reason).toContain(
      'until the pause ends; 1 counted failure',
    );
  });
});

describe('drift remediation', () => {
  const repair = (sequence: number, time: string, more = {}) =>
    failed(sequence, time, { 'drift-remediation': 'true', ...more });
  const pending = [{ type: 'DriftDetected', status: 'True', reason: 'DriftPending' }];

  it('goes on below the limit', () => {
    const state = apply({
      status: { lastDriftCheck: '2026-10-01T09:59:00Z', conditions: pending },
      jobs: [repair(1, '10:00:00'), repair(2, '10:02:00')],
    });
    expect(waitingLine(state)).toContain('2 failures, 120..120s');
    expect(state?.kind === 'waiting' && state.reason).toContain(
      'after 3 failed repairs since the last drift check none runs any more',
    );
  });

  it('ends at the limit until a drift check succeeds', () => {
    const state = apply({
      spec: { drift: { intervalSeconds: 3600 } },
      status: { lastDriftCheck: '2026-10-01T09:59:00Z', conditions: pending },
      jobs: [
        repair(1, '10:00:00'),
        repair(2, '10:02:00'),
        repair(3, '10:05:00', { interrupted: 'true' }),
      ],
    });
    expect(state?.kind).toBe('gave-up');
    if (state?.kind !== 'gave-up') return;
    expect(state.by).toMatchObject({ how: 'inferred', value: { kind: 'retries', limit: 3 } });
    expect(state.reason).toMatch(
      /^3 drift remediations failed since the last successful drift check: none runs again until a drift check succeeds, which starts the count anew; the next check is due at 2026-10-01T1[01]:/,
    );
  });

  it('starts anew after a drift check', () => {
    const state = apply({
      status: { lastDriftCheck: '2026-10-01T10:04:00Z', conditions: pending },
      jobs: [repair(1, '10:00:00'), repair(2, '10:02:00'), repair(3, '10:05:00')],
    });
    expect(waitingLine(state)).toContain('3 failures, 600..600s, 10:15:00');
  });

  it('is not repeated once the drift is gone', () => {
    const state = apply({
      status: { conditions: [{ type: 'DriftDetected', status: 'False', reason: 'NoDrift' }] },
      jobs: [repair(1, '10:00:00')],
    });
    expect(state?.kind).toBe('idle');
  });

  it('believes the event that says so', () => {
    const state = apply({
      jobs: [repair(1, '10:00:00')],
      events: [
        {
          kind: 'Event',
          note: 'ApplyJobSucceeded: False/ApplyFailed: Job captf-c-prod-apply-a1-0f1e2d: step apply failed; 5 drift remediations failed, so none runs again until a drift check succeeds',
        },
      ],
    });
    expect(state?.kind === 'gave-up' && state.by.how).toBe('reported');
  });
});
