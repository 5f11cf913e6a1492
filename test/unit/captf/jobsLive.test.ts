import { describe, expect, it } from 'vitest';
import { parseRetryNote } from '../../../engine/families/captf/retryNotes.ts';
import { minutes } from '../../../engine/units.ts';
import { at, job, partOf, read, waitingLine, type Recorded } from './recorded.ts';

const apply = (recorded: Recorded) => partOf(read(recorded), 'apply');
const failed = (sequence: number, time: string, marks = {}) =>
  job('apply', sequence, { at: time }, marks);
const done = (op: string, sequence: number, time: string) =>
  job(op, sequence, { at: time, as: 'Complete' });

describe('a failed apply', () => {
  const rows: readonly (readonly [string, Recorded, string])[] = [
    [
      'waits 1m after the first failure',
      { jobs: [done('apply', 1, '09:00:00'), failed(2, '10:00:00')] },
      'retry 1, 1 failures, 60..60s, 10:01:00..10:01:00 inferred, not capped',
    ],
    [
      'waits 10m once the default limit of 3 is reached',
      { jobs: [failed(3, '10:04:00'), failed(1, '10:00:00'), failed(2, '10:01:30')] },
      'retry 3, 3 failures, 600..600s, 10:14:00..10:14:00 inferred, capped',
    ],
    [
      'follows the limit of its own policy',
      {
        spec: { jobs: { failedJobsHistoryLimit: 5 } },
        jobs: [failed(3, '10:04:00'), failed(2, '10:01:30'), failed(1, '10:00:00')],
      },
      'retry 3, 3 failures, 240..240s, 10:08:00..10:08:00 inferred, not capped',
    ],
    [
      'counts a limit of 0 as 1',
      { spec: { jobs: { failedJobsHistoryLimit: 0 } }, jobs: [failed(1, '10:00:00')] },
      'retry 1, 1 failures, 600..600s, 10:10:00..10:10:00 inferred, capped',
    ],
    [
      'takes nothing from the defaults, which are for machines and pools',
      {
        spec: { defaults: { jobs: { failedJobsHistoryLimit: 1 } } },
        jobs: [failed(1, '10:00:00')],
      },
      'retry 1, 1 failures, 60..60s, 10:01:00..10:01:00 inferred, not capped',
    ],
    [
      'is made up for at once after an interruption, two failures before it notwithstanding',
      {
        jobs: [
          failed(1, '10:00:00'),
          failed(2, '10:02:00'),
          failed(3, '10:05:00', { interrupted: 'true' }),
        ],
      },
      'retry 3, 2 failures, 120..120s, 10:04:00..10:04:00 inferred, not capped',
    ],
    [
      'waits nothing where only an interruption happened',
      { jobs: [failed(1, '10:05:00', { interrupted: 'true' })] },
      'retry 1, 0 failures, 0..0s, 10:05:00..10:05:00 inferred, not capped',
    ],
    [
      'counts a Job that its deadline killed, interrupted or not',
      {
        jobs: [
          job('apply', 1, { at: '10:00:00', reason: 'DeadlineExceeded' }, { interrupted: 'true' }),
        ],
      },
      'retry 1, 1 failures, 60..60s, 10:01:00..10:01:00 inferred, not capped',
    ],
    [
      'learns of an interruption from the status while the Job is not bookkept',
      {
        status: {
          lastRun: { job: 'captf-c-prod-apply-a1-0f1e2d', error: { kind: 'interrupted' } },
        },
        jobs: [failed(1, '10:05:00', { bookkept: 'false' })],
      },
      'retry 1, 0 failures, 0..0s, 10:05:00..10:05:00 inferred, not capped',
    ],
    [
      'ignores the Jobs of an earlier object of that name',
      {
        jobs: [failed(2, '10:00:00'), job('apply', 1, { at: '09:59:00' }, {}, 'another-uid')],
      },
      'retry 1, 1 failures, 60..60s, 10:01:00..10:01:00 inferred, not capped',
    ],
    [
      'believes the controller where its event is at hand',
      {
        jobs: [failed(1, '10:00:00')],
        events: [
          {
            apiVersion: 'events.k8s.io/v1',
            kind: 'Event',
            metadata: { name: 'prod.1', namespace: 'team-a' },
            reason: 'JobFailed',
            note: 'ApplyJobSucceeded: False/ApplyFailed: Job captf-c-prod-apply-a1-0f1e2d: step apply failed; next attempt not before 2026-10-01T10:01:00Z (backoff 1m0s after 1 failure)',
          },
        ],
      },
      'retry 1, 1 failures, 60..60s, 10:01:00..10:01:00 reported, not capped',
    ],
  ];
  it.each(rows)('%s', (_, recorded, line) => {
    expect(waitingLine(apply(recorded))).toBe(line);
  });

  it('says why it waits, what the metric will count and what resets it', () => {
    const state = apply({
      jobs: [
        failed(1, '10:00:00'),
        failed(2, '10:02:00'),
        failed(3, '10:05:00', { interrupted: 'true' }),
      ],
    });
    expect(state?.kind === 'waiting' && state.reason).toBe(
      'Job captf-c-prod-apply-a2-0f1e2d failed, the 2nd failure in a row: apply waits 2m from its end; ' +
        'Job captf-c-prod-apply-a3-0f1e2d was interrupted since and lengthens nothing, and as that wait was over at 2026-10-01T10:04:00Z it starts again at once; ' +
        '`captf_job_attempts` will count the next Job as 4; a success of apply resets the count, nothing skips the wait',
    );
    expect(state?.kind === 'waiting' && state.seen.map(({ value }) => value)).toEqual([
      'interrupted 2026-10-01T10:05:00Z',
      'failed 2026-10-01T10:02:00Z',
      'failed 2026-10-01T10:00:00Z',
      '3',
    ]);
  });
});

describe('the limit of a machine', () => {
  const machine = (others: readonly unknown[], spec = {}): string =>
    waitingLine(
      apply({
        kind: 'TerraformMachine',
        spec,
        metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'prod' } },
        jobs: [job('apply', 1, { at: '10:00:00' })].map((value) => ({
          ...(value as object),
          metadata: {
            name: 'captf-m-prod-apply-a1-0f1e2d',
            labels: { 'captf.infrastructure.cluster.x-k8s.io/op': 'apply' },
          },
        })),
        others,
      }),
    );
  const cluster = (spec: unknown) => ({
    kind: 'TerraformCluster',
    metadata: { name: 'infra' },
    spec,
  });
  const owner = {
    kind: 'Cluster',
    metadata: { name: 'prod' },
    spec: { infrastructureRef: { kind: 'TerraformCluster', name: 'infra' } },
  };

  it.each([
    [
      'its own first',
      [owner, cluster({ defaults: { jobs: { failedJobsHistoryLimit: 1 } } })],
      { jobs: { failedJobsHistoryLimit: 3 } },
      '60..60s',
    ],
    [
      "then its cluster's defaults",
      [owner, cluster({ defaults: { jobs: { failedJobsHistoryLimit: 1 } } })],
      {},
      '600..600s',
    ],
    ['then the built-in one', [owner, cluster({})], {}, '60..60s'],
    [
      "unless the build also looks at the cluster's own",
      [owner, cluster({ jobs: { failedJobsHistoryLimit: 1 } })],
      {},
      '60..600s',
    ],
    ['unknown without the cluster', [], {}, '60..600s'],
  ] as const)('%s', (_, others, spec, wait) => {
    expect(machine(others, spec)).toContain(`, ${wait}, `);
  });
});

describe('each operation by itself', () => {
  it('counts drift and apply apart, and holds drift back while an apply is due', () => {
    const states = read({
      jobs: [
        failed(1, '10:00:00'),
        job('drift', 4, { at: '10:03:00' }),
        job('drift', 3, { at: '09:30:00' }),
      ],
    });
    expect(states.map(({ part }) => part)).toEqual(['apply', 'drift']);
    expect(waitingLine(partOf(states, 'drift'))).toBe(
      'retry 2, 2 failures, 120..120s, 10:05:00..10:05:00 inferred, not capped',
    );
    const drift = partOf(states, 'drift');
    expect(drift?.kind === 'waiting' && drift.reason).toContain(
      'it does not run while the failed apply is due',
    );
  });

  it('counts a plan that nobody can read as a failure', () => {
    const states = read({
      jobs: [job('plan', 1, { at: '10:00:00', as: 'Complete' }, { 'plan-unreadable': 'true' })],
    });
    expect(waitingLine(partOf(states, 'plan'))).toContain('1 failures, 60..60s');
  });

  it('shows only the destroy of an object that is being deleted', () => {
    const states = read({
      metadata: { deletionTimestamp: '2026-10-01T10:00:00Z' },
      jobs: [failed(1, '09:00:00'), job('destroy', 1, { at: '10:01:00' })],
    });
    expect(states.map(({ part }) => part)).toEqual(['destroy']);
    expect(waitingLine(partOf(states, 'destroy'))).toContain('10:02:00..10:02:00');
  });

  it('shows the Job that runs, and its number', () => {
    const state = apply({ jobs: [failed(1, '10:00:00'), job('apply', 2, 'running')] });
    expect(state?.kind).toBe('attempting');
    expect(state?.kind === 'attempting' && state.reason).toBe(
      'Job captf-c-prod-apply-a2-0f1e2d runs: apply again, after 1 counted failure; `captf_job_attempts` will count it as 2',
    );
  });

  it('is healthy after a success', () => {
    const state = apply({ jobs: [failed(1, '10:00:00'), done('apply', 2, '10:02:00')] });
    expect(state?.kind === 'idle' && state.because).toBe('healthy');
  });
});

describe('waits that are no backoff', () => {
  it.each([
    ['WaitingForRunLease', '30..30s'],
    ['WaitingForClusterOperation', '30..30s'],
    ['WaitingForJobSlot', '15..15s'],
  ])('%s looks again at a fixed interval', (reason, wait) => {
    const conditions = [{ type: 'ApplyJobSucceeded', status: 'Unknown', reason, message: 'later' }];
    const state = apply({ status: { conditions }, jobs: [done('apply', 1, '09:00:00')] });
    expect(waitingLine(state)).toBe(`retry ?, ? failures, ${wait}, ?, not capped`);
  });

  it('tells refresh and drift apart, which share a condition', () => {
    const conditions = [
      {
        type: 'DriftJobSucceeded',
        status: 'Unknown',
        reason: 'WaitingForJobSlot',
        message: 'Waiting for a Job slot; the refresh starts once one finishes',
      },
    ];
    const states = read({ status: { conditions }, jobs: [done('drift', 1, '09:00:00')] });
    expect(partOf(states, 'drift')?.kind).toBe('idle');
    expect(waitingLine(partOf(states, 'refresh'))).toContain('15..15s');
  });

  it('an apply Job that disappeared makes an apply due at once', () => {
    const conditions = [
      {
        type: 'ApplyJobSucceeded',
        status: 'False',
        reason: 'ApplyFailed',
        message: 'Job captf-c-prod-apply-a9-0f1e2d: disappeared while it ran',
      },
    ];
    const state = apply({ status: { conditions }, jobs: [done('apply', 1, '09:00:00')] });
    expect(waitingLine(state)).toContain('0..0s');
  });
});

describe('without its Jobs', () => {
  it('names the Job that runs from the status', () => {
    const [state] = read({
      status: { activeJob: { name: 'captf-c-prod-apply-a1-x', operation: 'apply' } },
    });
    expect(state?.part).toBe('apply');
    expect(state?.state.kind).toBe('attempting');
  });

  it('says that the failures cannot be counted', () => {
    const conditions = [{ type: 'ApplyJobSucceeded', status: 'False', reason: 'ApplyFailed' }];
    const [state] = read({ status: { conditions, lastRun: { job: 'captf-c-prod-apply-a1-x' } } });
    expect(state?.state.kind === 'unseen' && state.state.why).toBe('absent');
  });

  it('has not started without any status', () => {
    const [state] = read({});
    expect(state?.state.kind === 'idle' && state.state.because).toBe('not-started');
  });
});

describe('the text of an event', () => {
  it.each([
    [
      'drift Job x exceeded activeDeadlineSeconds: DriftJobSucceeded: False/DriftJobDeadlineExceeded: Job x; next attempt not before 2026-10-01T10:12:00Z (backoff 10m0s after 3 consecutive failures)',
      { kind: 'waits', notBefore: at('10:12:00'), backoff: minutes(10), failures: 3 },
    ],
    [
      'Job x failed; next attempt not before 2026-10-01T10:01:00Z (backoff 1m0s after 1 failure)',
      { kind: 'waits', notBefore: at('10:01:00'), backoff: minutes(1), failures: 1 },
    ],
    ['Job x failed; next attempt not before 2026-10-01T10:0', undefined],
    [
      'apply Job x was interrupted (drain, eviction or deletion); it is retried without backoff',
      undefined,
    ],
  ])('%s', (text, says) => {
    expect(parseRetryNote(text)).toEqual(says);
  });
});
