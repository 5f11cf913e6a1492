import { describe, expect, it } from 'vitest';
import { family as job } from '../../../engine/families/kubernetes/job.family.ts';
import { family as jobIndex } from '../../../engine/families/kubernetes/jobIndex.family.ts';
import { aJob, crashing, failedPod, one, states } from './liveStates.ts';

describe('a Job', () => {
  const pods = ['09:00:00', '09:00:15', '09:00:40'].map((time, index) =>
    failedPod(`p${String(index)}`, `2026-11-30T${time}Z`),
  );

  it('waits after the failures since the last success', () => {
    expect(one(states(job, aJob({ failed: 3, startTime: '2026-11-30T08:59:00Z' }), pods))).toBe(
      'waiting, retry 3, wait 40..40s inferred, next 2026-11-30T09:01:20Z..2026-11-30T09:01:21Z, capped false',
    );
  });

  it('starts over after a success', () => {
    const success = {
      kind: 'Pod',
      metadata: { name: 'good' },
      status: {
        phase: 'Succeeded',
        containerStatuses: [{ state: { terminated: { finishedAt: '2026-11-30T09:00:20Z' } } }],
      },
    };
    expect(one(states(job, aJob({ failed: 3 }), [...pods, success]))).toContain('wait 10..10s');
  });

  it('does not know when, without its pods', () => {
    expect(one(states(job, aJob({ failed: 1 })))).toBe(
      'waiting, retry 1, wait 10..10s inferred, next ?, capped false',
    );
  });

  it.each([
    ['BackoffLimitExceeded', 'gave up by retries'],
    ['DeadlineExceeded', 'gave up by elapsed'],
    ['PodFailurePolicy', 'gave up by condition'],
    ['MaxFailedIndexesExceeded', 'gave up by condition'],
    ['Whatever', 'gave up by ?'],
  ])('gave up with %s', (reason, expected) => {
    const condition = {
      type: 'Failed',
      status: 'True',
      reason,
      lastTransitionTime: '2026-11-30T09:10:00Z',
    };
    expect(one(states(job, aJob({ failed: 7, conditions: [condition] })))).toBe(expected);
  });

  it('is finished, suspended, running or not started', () => {
    const condition = (type: string) => ({ conditions: [{ type, status: 'True' }] });
    expect(one(states(job, aJob(condition('Complete'))))).toBe('idle (finished)');
    expect(one(states(job, aJob(condition('Suspended'))))).toBe('idle (not-started)');
    expect(one(states(job, aJob({ active: 1 })))).toBe('idle (healthy)');
    expect(one(states(job, aJob({ active: 1, failed: 2 })))).toBe('attempting, retry 2');
    expect(one(states(job, aJob({})))).toBe('idle (not-started)');
  });

  it('does not count a pod that cannot start', () => {
    const stuck = {
      kind: 'Pod',
      metadata: { name: 'p' },
      status: {
        phase: 'Pending',
        containerStatuses: [{ name: 'work', state: { waiting: { reason: 'ImagePullBackOff' } } }],
      },
    };
    const [state] = states(job, aJob({ active: 1 }), [stuck]);
    expect(state?.state).toMatchObject({
      kind: 'attempting',
      reason:
        'A pod is Pending with ImagePullBackOff, 0 of 6 retries used: such a pod never fails, so nothing ends it, as `activeDeadlineSeconds` is not set',
    });
  });

  it('adds up restarts in place', () => {
    const object = aJob({ active: 1 }, { template: { spec: { restartPolicy: 'OnFailure' } } });
    const message = 'back-off 2m40s restarting failed container=app pod=shop-1_shop(0b7f)';
    const [state] = states(job, object, [crashing(message, 5)]);
    expect(state?.state).toMatchObject({ kind: 'waiting', failures: { value: 5 } });
  });
});

it('reads the failures of an index from the annotations of its newest pod', () => {
  const object = aJob({}, { completionMode: 'Indexed', backoffLimitPerIndex: 3 });
  const annotations = (index: number, failures: number) => ({
    annotations: {
      'batch.kubernetes.io/job-completion-index': String(index),
      'batch.kubernetes.io/job-index-failure-count': String(failures),
    },
  });
  const pods = [
    failedPod('a', '2026-11-30T10:00:00Z', annotations(0, 1)),
    failedPod('b', '2026-11-30T10:00:00Z', annotations(1, 3)),
    failedPod('old', '2026-11-30T09:00:00Z', { ...annotations(0, 0), creationTimestamp: '' }),
  ];
  expect(one(states(jobIndex, object, pods.toReversed()))).toBe(
    [
      'index 0: waiting, retry 2, wait 20..20s inferred, next 2026-11-30T10:00:20Z..2026-11-30T10:00:21Z, capped false',
      'index 1: gave up by retries',
    ].join('\n'),
  );
});

const atNine = (name: string, extra: object = {}) => failedPod(name, '2026-11-30T09:00:00Z', extra);
const threeAtNine = ['a', 'b', 'c'].map((name) => atNine(name));
const ignoreAll = {
  podFailurePolicy: {
    rules: [{ action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [42] } }],
  },
};
const reasonOf = (list: ReturnType<typeof states>): string => {
  const [first] = list;
  return first === undefined || first.state.kind === 'unseen' ? '' : first.state.reason;
};

describe('failed pods that do not count', () => {
  it('make the next one wait all the same', () => {
    expect(one(states(job, aJob({}, ignoreAll), threeAtNine))).toBe(
      'waiting, retry 3, wait 40..40s inferred, next 2026-11-30T09:00:40Z..2026-11-30T09:00:41Z, capped false',
    );
    expect(reasonOf(states(job, aJob({}, ignoreAll), threeAtNine))).toContain(
      '3 pods failed, 3 of which `podFailurePolicy` ignores',
    );
  });

  it('are not called none while another pod runs', () => {
    const running = { kind: 'Pod', metadata: { name: 'd' }, status: { phase: 'Running' } };
    const found = states(job, aJob({ active: 1 }, ignoreAll), [...threeAtNine, running]);
    expect(one(found)).toBe('attempting, retry 3');
    expect(reasonOf(found)).toContain('6 further failures are made up for');
  });

  it('do not use up the limit', () => {
    const found = states(job, aJob({}, { ...ignoreAll, backoffLimit: 2 }), threeAtNine);
    expect(one(found)).toContain('waiting, retry 3');
  });
});

describe('the count of failures', () => {
  it('takes in those that `status.failed` has not taken up yet', () => {
    const status = { failed: 1, uncountedTerminatedPods: { failed: ['a', 'b'] } };
    const found = states(job, aJob(status), threeAtNine);
    expect(one(found)).toContain('waiting, retry 3, wait 40..40s inferred');
    expect(reasonOf(found)).toContain('3 further failures are made up for');
  });

  it('leaves open how many of the pods that are gone failed since the last success', () => {
    expect(one(states(job, aJob({ failed: 5 }), [atNine('a')]))).toBe(
      'waiting, retry 5, wait 10..160s inferred, next 2026-11-30T09:00:10Z..2026-11-30T09:02:41Z, capped false',
    );
    expect(one(states(job, aJob({ failed: 5 })))).toContain('wait 10..160s inferred, next ?');
  });

  it('starts over at once after a success', () => {
    const success = {
      kind: 'Pod',
      metadata: { name: 'good' },
      status: {
        phase: 'Succeeded',
        containerStatuses: [{ state: { terminated: { finishedAt: '2026-11-30T09:00:20Z' } } }],
      },
    };
    expect(one(states(job, aJob({ failed: 3 }), [...threeAtNine, success]))).toBe(
      'attempting, retry 3',
    );
  });
});

describe('a Job about to end', () => {
  const failing = (spec: object) =>
    aJob({ failed: 3, startTime: '2026-11-30T08:59:00Z' }, { activeDeadlineSeconds: 0, ...spec });

  it('is ended by a deadline that is over', () => {
    const found = states(job, failing({ activeDeadlineSeconds: 600 }));
    expect(one(found)).toBe('gave up by elapsed');
    expect(found[0]?.state).toMatchObject({ at: { value: Date.parse('2026-11-30T09:09:00Z') } });
  });

  it('starts no further pod where the deadline comes before the wait is over', () => {
    const pods = threeAtNine.map((_pod, index) =>
      failedPod(`p${String(index)}`, '2026-11-30T10:00:20Z'),
    );
    const object = (length: number) =>
      aJob({ failed: 3, startTime: '2026-11-30T10:00:00Z' }, { activeDeadlineSeconds: length });
    expect(one(states(job, object(50), pods))).toBe('gave up by elapsed');
    expect(one(states(job, object(60), pods))).toBe('gave up by elapsed');
    expect(reasonOf(states(job, object(61), pods))).toContain('and may come first');
    expect(reasonOf(states(job, object(600), pods))).toMatch(
      /deadline is at 2026-11-30T10:10:00Z$/,
    );
  });

  it('is not ended while it is suspended', () => {
    const suspended = { conditions: [{ type: 'Suspended', status: 'True' }] };
    const object = aJob(
      { ...suspended, startTime: '2026-11-30T09:00:00Z' },
      { activeDeadlineSeconds: 60 },
    );
    expect(one(states(job, object))).toBe('idle (not-started)');
  });

  it('waits for nothing once its limit is passed', () => {
    const found = states(job, aJob({ failed: 7 }), threeAtNine);
    expect(one(found)).toBe('gave up by retries');
    expect(reasonOf(found)).toContain('marked as failed about a second later');
  });

  it('waited once more in versions before 1.27', () => {
    const found = states(job, aJob({ failed: 7 }), threeAtNine, '1.26.5');
    expect(reasonOf(found)).toContain('the Job is marked as failed 0s..5m20s after');
  });

  it('counts restarts in place against its limit', () => {
    const object = aJob({ active: 1 }, { template: { spec: { restartPolicy: 'OnFailure' } } });
    expect(one(states(job, object, [crashing('', 6)]))).toBe('gave up by retries');
    expect(one(states(job, object, [crashing('', 5)]))).toContain('waiting');
  });

  it('fails with one index more than it tolerates', () => {
    const object = (failedIndexes: string) =>
      aJob(
        { failed: 4, failedIndexes },
        { completionMode: 'Indexed', backoffLimitPerIndex: 0, maxFailedIndexes: 3 },
      );
    expect(one(states(job, object('0,2-3')))).toContain('waiting');
    expect(one(states(job, object('0,2-4')))).toBe('gave up by condition');
  });
});

describe('a Job whose indexes wait on their own', () => {
  const annotations = (failures: number) => ({
    annotations: {
      'batch.kubernetes.io/job-completion-index': '0',
      'batch.kubernetes.io/job-index-failure-count': String(failures),
    },
  });
  const indexed = (status: object, spec: object = {}) =>
    aJob(status, {
      completionMode: 'Indexed',
      completions: 4,
      backoffLimit: 2_147_483_647,
      backoffLimitPerIndex: 3,
      ...spec,
    });

  it('leaves the time to the index', () => {
    const pods = [atNine('a', annotations(1))];
    expect(one(states(job, indexed({ failed: 2 }), pods))).toBe(
      'waiting, retry 2, wait ?, next ?, capped ?',
    );
    expect(one(states(jobIndex, indexed({ failed: 2 }), pods))).toBe(
      'index 0: waiting, retry 2, wait 20..20s inferred, next 2026-11-30T09:00:20Z..2026-11-30T09:00:21Z, capped false',
    );
  });

  it('does not say that none failed where all failures are ignored', () => {
    expect(one(states(job, indexed({}, ignoreAll), [atNine('a', annotations(0))]))).toContain(
      'waiting',
    );
  });

  it('ends an index at once where a rule says so, and not for a failure that is ignored', () => {
    const failIndex = {
      podFailurePolicy: {
        rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }],
      },
    };
    expect(one(states(jobIndex, indexed({}, failIndex), [atNine('a', annotations(0))]))).toBe(
      'index 0: gave up by condition',
    );
    expect(one(states(jobIndex, indexed({}, ignoreAll), [atNine('a', annotations(3))]))).toContain(
      'index 0: waiting',
    );
  });

  it('says what a failed index means for the others', () => {
    const pods = [atNine('a', annotations(3))];
    const reason = (maxFailedIndexes: number) =>
      reasonOf(states(jobIndex, indexed({}, { maxFailedIndexes }), pods));
    expect(reason(0)).toContain('the Job fails with it');
    expect(reason(1)).toContain('the other indexes go on until 2 indexes have failed');
  });

  it('has no wait of an index once the Job is over or its deadline comes first', () => {
    const pods = [atNine('a', annotations(1))];
    const over = { conditions: [{ type: 'FailureTarget', status: 'True' }] };
    expect(states(jobIndex, indexed(over), pods)).toEqual([]);
    const late = indexed({ startTime: '2026-11-30T10:00:00Z' }, { activeDeadlineSeconds: 40 });
    const failing = failedPod('a', '2026-11-30T10:00:25Z', annotations(1));
    expect(one(states(jobIndex, late, [failing]))).toBe('index 0: gave up by elapsed');
  });
});
