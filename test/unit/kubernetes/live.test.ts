import { describe, expect, it } from 'vitest';
import { family as cronJob } from '../../../engine/families/kubernetes/cronJob.family.ts';
import { family as imagePull } from '../../../engine/families/kubernetes/imagePull.family.ts';
import { family as probe } from '../../../engine/families/kubernetes/probe.family.ts';
import { family as restart } from '../../../engine/families/kubernetes/restart.family.ts';
import { waitInMessage } from '../../../engine/families/kubernetes/restartLive.ts';
import { crashing, one, states } from './liveStates.ts';

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
