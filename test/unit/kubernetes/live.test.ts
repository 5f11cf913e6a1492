import { describe, expect, it } from 'vitest';
import { family as cronJob } from '../../../engine/families/kubernetes/cronJob.family.ts';
import { family as imagePull } from '../../../engine/families/kubernetes/imagePull.family.ts';
import { family as job } from '../../../engine/families/kubernetes/job.family.ts';
import { family as jobIndex } from '../../../engine/families/kubernetes/jobIndex.family.ts';
import { family as probe } from '../../../engine/families/kubernetes/probe.family.ts';
import { family as restart } from '../../../engine/families/kubernetes/restart.family.ts';
import { waitInMessage } from '../../../engine/families/kubernetes/restartLive.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import type { ClusterView, LiveReader, LiveState } from '../../../engine/live.ts';
import { formatInstant, instant } from '../../../engine/units.ts';
import { environment } from '../../support/analyse.ts';

const now = instant(Date.parse('2026-11-30T10:00:30Z'));

function states(
  { live }: { readonly live?: LiveReader },
  object: unknown,
  related: readonly unknown[] = [],
  version = '1.36.3',
): readonly LiveState[] {
  if (live === undefined) throw new Error('no reader');
  const view: ClusterView = {
    get: () => undefined,
    related: () => related.map((one) => jsonTree(one).root),
  };
  return live.read({
    object: jsonTree(object).root,
    ref: { apiVersion: 'x/v1', kind: 'X', namespace: 'shop', name: 'x' },
    view,
    env: environment({ versions: { kubernetes: version } }),
    now,
  });
}

/** `kind; retry; wait; next; capped`, the facts that a row shows. */
function told({ part, state }: LiveState): string {
  const at = part === undefined ? '' : `${part}: `;
  if (state.kind === 'idle') return `${at}idle (${state.because})`;
  if (state.kind === 'unseen') return `${at}unseen`;
  if (state.kind === 'gave-up') {
    const by = state.by.how === 'unknown' ? '?' : state.by.value.kind;
    return `${at}gave up by ${by}`;
  }
  const retry = state.retry.how === 'unknown' ? '?' : String(state.retry.value);
  if (state.kind === 'attempting') return `${at}attempting, retry ${retry}`;
  const wait =
    state.wait.how === 'unknown'
      ? '?'
      : `${String(state.wait.value.lo / 1000)}..${String(state.wait.value.hi / 1000)}s ${state.wait.how}`;
  const next =
    state.next.how === 'unknown'
      ? '?'
      : `${formatInstant(state.next.value.lo)}..${formatInstant(state.next.value.hi)}`;
  const capped = state.capped.how === 'unknown' ? '?' : String(state.capped.value);
  return `${at}waiting, retry ${retry}, wait ${wait}, next ${next}, capped ${capped}`;
}

const one = (list: readonly LiveState[]): string => list.map(told).join('\n');

const crashing = (message: string, restartCount: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'shop-1', namespace: 'shop' },
  spec: { containers: [{ name: 'app' }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'app',
        ready: false,
        restartCount,
        state: { waiting: { reason: 'CrashLoopBackOff', message } },
        lastState: {
          terminated: { exitCode: 1, reason: 'Error', finishedAt: '2026-11-30T10:00:05Z' },
        },
      },
    ],
  },
});

const message = 'back-off 2m40s restarting failed container=app pod=shop-1_shop(0b7f)';

describe('a container in CrashLoopBackOff', () => {
  it('has its wait from the message, and a little more on older kubelets', () => {
    expect(one(states(restart, crashing(message, 5), [], '1.34.2'))).toBe(
      'app: waiting, retry 6, wait 160..160s reported, next 2026-11-30T10:02:45Z..2026-11-30T10:03:01Z, capped false',
    );
  });

  it('can start up to half the wait later from 1.35 on', () => {
    expect(one(states(restart, crashing(message, 5)))).toBe(
      'app: waiting, retry 6, wait 160..160s reported, next 2026-11-30T10:02:45Z..2026-11-30T10:03:17Z, capped false',
    );
  });

  it('has only an upper bound where the message says nothing', () => {
    expect(one(states(restart, crashing('', 3)))).toBe(
      'app: waiting, retry 4, wait 10..40s inferred, next 2026-11-30T10:00:15Z..2026-11-30T10:01:07Z, capped false',
    );
  });

  it('is at the cap', () => {
    const capped = 'back-off 5m0s restarting failed container=app pod=shop-1_shop(0b7f)';
    expect(one(states(restart, crashing(capped, 40)))).toContain('capped true');
  });

  it.each([
    [message, 160_000],
    ['back-off 10s restarting failed container=a pod=b_c(d)', 10_000],
    ['back-off soon restarting failed container=a pod=b_c(d)', undefined],
    ['Back-off pulling image "x"', undefined],
    [undefined, undefined],
  ])('reads %j', (text, wait) => {
    expect(waitInMessage(text)).toBe(wait);
  });
});

describe('a container that ended or runs', () => {
  const pod = (status: unknown, restartPolicy = 'Always') => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'shop-1' },
    spec: { restartPolicy, containers: [{ name: 'app' }] },
    status: { phase: 'Running', containerStatuses: [status] },
  });
  const ended = (exitCode: number, restartCount: number) => ({
    name: 'app',
    restartCount,
    state: { terminated: { exitCode, finishedAt: '2026-11-30T10:00:20Z' } },
  });

  it.each([
    ['the first restart is immediate', pod(ended(1, 0)), 'wait 0..0s'],
    ['the second one may wait', pod(ended(1, 1)), 'wait 0..10s'],
    ['success is restarted too', pod(ended(0, 1)), 'wait 0..10s'],
    ['success ends it with OnFailure', pod(ended(0, 1), 'OnFailure'), 'idle (finished)'],
    ['nothing restarts it with Never', pod(ended(1, 0), 'Never'), 'idle (finished)'],
    [
      'it runs for the first time',
      pod({
        name: 'app',
        restartCount: 0,
        state: { running: { startedAt: '2026-11-30T10:00:00Z' } },
      }),
      'idle (healthy)',
    ],
    [
      'it runs again',
      pod({
        name: 'app',
        restartCount: 3,
        state: { running: { startedAt: '2026-11-30T10:00:00Z' } },
      }),
      'attempting, retry 3',
    ],
    [
      'it has run for long enough',
      pod({
        name: 'app',
        restartCount: 3,
        state: { running: { startedAt: '2026-11-30T09:00:00Z' } },
      }),
      'idle (healthy)',
    ],
  ])('%s', (_name, object, expected) => {
    expect(one(states(restart, object))).toContain(expected);
  });
});

const failedPod = (name: string, finishedAt: string, extra: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...extra },
  status: {
    phase: 'Failed',
    containerStatuses: [{ name: 'work', state: { terminated: { exitCode: 1, finishedAt } } }],
  },
});

const aJob = (status: object, spec: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'migrate', namespace: 'shop' },
  spec: { backoffLimit: 6, template: { spec: { restartPolicy: 'Never' } }, ...spec },
  status,
});

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

it('tells what a CronJob does after a failed run', () => {
  const object = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'report' },
    spec: { schedule: '0 * * * *' },
    status: { lastScheduleTime: '2026-11-30T10:00:00Z' },
  };
  const failed = {
    kind: 'Job',
    metadata: { creationTimestamp: '2026-11-30T10:00:00Z' },
    status: {
      conditions: [{ type: 'Failed', status: 'True', lastTransitionTime: '2026-11-30T10:00:10Z' }],
    },
  };
  expect(one(states(cronJob, object, [failed]))).toBe(
    'waiting, retry 1, wait 3600..3600s inferred, next 2026-11-30T11:00:00Z..2026-11-30T11:00:00Z, capped ?',
  );
  expect(one(states(cronJob, object))).toBe('idle (healthy)');
});

it('does not pretend to know when an image is pulled again', () => {
  const pod = {
    kind: 'Pod',
    metadata: { name: 'p' },
    status: {
      containerStatuses: [
        {
          name: 'app',
          image: 'registry.example/app:typo',
          state: {
            waiting: {
              reason: 'ImagePullBackOff',
              message:
                'Back-off pulling image "registry.example/app:typo": ErrImagePull: manifest unknown',
            },
          },
        },
        { name: 'odd', state: { waiting: { reason: 'ErrImageNeverPull' } } },
        { name: 'fine', state: { waiting: { reason: 'ContainerCreating' } } },
      ],
    },
  };
  const found = states(imagePull, pod);
  expect(one(found)).toBe(
    'app: waiting, retry ?, wait 10..300s inferred, next ?, capped ?\nodd: attempting, retry ?',
  );
  expect(found[0]?.state).toMatchObject({
    reason:
      'registry.example/app:typo cannot be pulled (manifest unknown); the next pull comes within 5m, without end, and a new pod resets the wait',
  });
});

it('says which probe keeps a container out', () => {
  const pod = (status: object) => ({
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'app', startupProbe: {}, readinessProbe: {} }] },
    status: { containerStatuses: [{ name: 'app', state: { running: {} }, ...status }] },
  });
  const reasonOf = (status: object): string => {
    const [found] = states(probe, pod(status));
    return found?.state.kind === 'attempting' ? found.state.reason : 'nothing';
  };
  expect(reasonOf({ started: false, ready: false })).toContain('startup probe');
  expect(reasonOf({ started: true, ready: false })).toContain('readiness probe');
  expect(reasonOf({ started: true, ready: true })).toBe('nothing');
});
