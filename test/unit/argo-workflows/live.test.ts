import { describe, expect, it } from 'vitest';
import { now, only, read, workflow, type Json } from './liveStates.ts';

describe('a node whose runs fail', () => {
  const doubling = { limit: 4, backoff: { duration: '30s', factor: 2 } };
  const failing = ['Failed', 'Failed'];
  const rows: readonly (readonly [string, Json, string])[] = [
    [
      'waits from the end of the last run',
      workflow(doubling, failing),
      'waiting, retry 2, 1m, 2026-01-10T10:04:00Z',
    ],
    [
      'is held at the cap',
      workflow({ limit: 4, backoff: { duration: '30s', factor: 2, cap: '45s' } }, failing),
      'waiting, retry 2, 45s, 2026-01-10T10:03:45Z, capped',
    ],
    [
      'is retried at once without a limit',
      workflow({ backoff: { duration: '30s', factor: 2 } }, failing),
      'waiting, retry 2, 0s, 2026-01-10T10:03:00Z',
    ],
    [
      'is retried at once without a backoff',
      workflow({ limit: '4' }, failing),
      'waiting, retry 2, 0s, 2026-01-10T10:03:00Z',
    ],
    [
      'has no retry left',
      workflow({ ...doubling, limit: 1 }, failing),
      'gave up by limit (retries, inferred) at 2026-01-10T10:03:00Z',
    ],
    [
      'would wait beyond maxDuration',
      workflow({ limit: 4, backoff: { duration: '30s', factor: 2, maxDuration: '3m' } }, failing),
      'gave up by maxDuration (elapsed, inferred) at 2026-01-10T10:03:00Z',
    ],
    [
      'sits the wait out when the policy does not cover it',
      workflow(doubling, ['Failed', 'Error']),
      'gave up by retryPolicy (condition, inferred) at 2026-01-10T10:04:00Z',
    ],
    [
      'is covered by Always',
      workflow({ ...doubling, retryPolicy: 'Always' }, ['Failed', 'Error']),
      'waiting, retry 2, 1m, 2026-01-10T10:04:00Z',
    ],
    [
      'is decided by the expression alone',
      workflow({ ...doubling, expression: "lastRetry.status == 'Error'" }, ['Failed', 'Error']),
      'waiting, retry 2, 1m, 2026-01-10T10:04:00Z',
    ],
    [
      'ends by its expression',
      workflow({ ...doubling, expression: 'asInt(lastRetry.exitCode) > 1' }, failing),
      'gave up by expression (condition, inferred) at 2026-01-10T10:04:00Z',
    ],
    [
      'takes the limit from its inputs',
      workflow({ ...doubling, limit: '{{inputs.parameters.tries}}' }, failing, {
        inputs: { parameters: [{ name: 'tries', value: '7' }] },
      }),
      'waiting, retry 2, 1m, 2026-01-10T10:04:00Z',
    ],
    [
      'takes what is left out from templateDefaults',
      workflow(
        { limit: 4 },
        failing,
        {},
        {
          templateDefaults: { retryStrategy: { backoff: { duration: '10s' } } },
        },
      ),
      'waiting, retry 2, 10s, 2026-01-10T10:03:10Z',
    ],
    [
      'uses the strategy of the spec where the template has none',
      workflow(
        {},
        failing,
        {},
        {
          templates: [{ name: 'main' }],
          retryStrategy: { limit: 2, backoff: { duration: '20s' } },
        },
      ),
      'waiting, retry 2, 20s, 2026-01-10T10:03:20Z',
    ],
    [
      'goes by the message when its template is not at hand',
      workflow(doubling, failing, {
        templateName: 'elsewhere',
        message: 'Backoff for 1 minute 30 seconds',
      }),
      'waiting, retry 2, 1m30s..1m31s, 2026-01-10T10:04:30Z..2026-01-10T10:04:31Z',
    ],
    [
      'admits that it does not know',
      workflow(doubling, failing, { templateName: 'elsewhere' }),
      'waiting, retry 2, wait ?, next ?',
    ],
  ];
  it.each(rows)('%s', (_, object, expected) => {
    expect(only(read(object))).toBe(expected);
  });

  it('finds templates of other objects among the stored ones', () => {
    const object = workflow(
      doubling,
      failing,
      { templateName: undefined, templateRef: { name: 'lib', template: 'load' } },
      {},
      {
        storedTemplates: {
          'namespaced/lib/load': { retryStrategy: { limit: 9, backoff: { duration: '5s' } } },
        },
      },
    );
    expect(only(read(object))).toBe('waiting, retry 2, 5s, 2026-01-10T10:03:05Z');
  });

  it('says that a retry is due instead of counting below zero', () => {
    const [state] = read(workflow(doubling, failing));
    expect(state?.state.kind === 'waiting' ? state.state.reason : '').toBe(
      'The last run ended Failed with exit code 1; retry 2 of 4 is due since 2026-01-10T10:04:00Z; a wait for a lock, a quota or a busy controller holds it. A run that succeeds ends the waiting, `argo retry` or a new call of the template starts from the first wait',
    );
  });

  it('leaves hooks out of the count', () => {
    const object = workflow(doubling, ['Failed', 'Failed', 'Hook']);
    expect(only(read(object))).toBe('waiting, retry 2, 1m, 2026-01-10T10:04:00Z');
  });
});

describe('a node that runs or has ended', () => {
  const strategy = { limit: 2, backoff: { duration: '10s', maxDuration: '10m' } };
  const over = (phase: string, message: string, phases = ['Failed', 'Failed']) =>
    workflow(strategy, phases, { phase, message, finishedAt: '2026-01-10T10:04:00Z' });
  const rows: readonly (readonly [string, Json, string])[] = [
    ['first run', workflow(strategy, ['Running']), 'attempting, first run'],
    ['retry', workflow(strategy, ['Failed', 'Running']), 'attempting, retry 1'],
    ['no run yet', workflow(strategy, []), 'idle, not-started'],
    ['success', over('Succeeded', '', ['Failed', 'Succeeded']), 'idle, finished'],
    [
      'limit',
      over('Failed', 'No more retries left'),
      'gave up by limit (retries, reported) at 2026-01-10T10:04:00Z',
    ],
    [
      'window passed',
      over('Failed', 'Max duration limit exceeded'),
      'gave up by maxDuration (elapsed, reported) at 2026-01-10T10:04:00Z',
    ],
    [
      'window too short',
      over('Failed', 'Backoff would exceed max duration limit'),
      'gave up by maxDuration (elapsed, reported) at 2026-01-10T10:04:00Z',
    ],
    [
      'expression',
      over('Failed', 'retryStrategy.expression evaluated to false'),
      'gave up by expression (condition, reported) at 2026-01-10T10:04:00Z',
    ],
    [
      'deadline',
      over('Failed', 'retry exceeded workflow deadline 2026-01-10 10:03:00 +0000 UTC'),
      'gave up by activeDeadlineSeconds of the workflow (condition, reported) at 2026-01-10T10:04:00Z',
    ],
    [
      'shutdown',
      over('Failed', "Stopped with strategy 'Terminate'"),
      'gave up by shutdown strategy Terminate (condition, reported) at 2026-01-10T10:04:00Z',
    ],
    [
      'policy',
      over('Error', 'Error (exit code 1)', ['Failed', 'Error']),
      'gave up by retryPolicy (condition, inferred) at 2026-01-10T10:04:00Z',
    ],
    [
      'no base',
      over('Error', 'no base duration specified for retryStrategy', ['Failed']),
      'gave up by duration (retries, reported) at 2026-01-10T10:04:00Z',
    ],
    [
      'broken expression',
      over('Error', 'unknown name foo', ['Failed']),
      'gave up by error in retryStrategy (condition, inferred) at 2026-01-10T10:04:00Z',
    ],
  ];
  it.each(rows)('%s', (_, object, expected) => {
    expect(only(read(object))).toBe(expected);
  });
});

describe('nodes kept elsewhere', () => {
  it('says that packed nodes cannot be seen', () => {
    expect(read({ status: { compressedNodes: 'KLUv/Q==' } })).toEqual([
      {
        state: {
          kind: 'unseen',
          why: 'absent',
          detail:
            'The nodes of this workflow are packed (status.compressedNodes) in a way that cannot be unpacked here: `argo get etl` shows them',
        },
      },
    ]);
  });

  it('says where offloaded nodes are', () => {
    const [state] = read({
      status: { offloadNodeStatusVersion: 'fnv:3841231', compressedNodes: '' },
    });
    expect(state?.state.kind === 'unseen' ? state.state.detail : '').toBe(
      "The nodes of this workflow are in the controller's database, not in the object (status.offloadNodeStatusVersion fnv:3841231): `argo get etl` with the Argo Server shows them",
    );
  });

  it('has nothing to say about a workflow without retries', () => {
    expect(read({ status: { nodes: { a: { type: 'Pod', phase: 'Running' } } } })).toEqual([]);
    expect(read({})).toEqual([]);
  });
});

it('reads an old object without flags and names', () => {
  const state = read(
    {
      spec: {
        templates: [
          { name: 'main', retryStrategy: { limit: 4, backoff: { duration: '30s', factor: 2 } } },
        ],
      },
      status: {
        nodes: {
          a: {
            type: 'Retry',
            phase: 'Running',
            name: 'a',
            message: 'Backoff for 1 minute 0 seconds',
            children: ['a-1', 'a-2'],
          },
          'a-1': {
            type: 'Pod',
            phase: 'Failed',
            startedAt: '2026-01-10T10:00:00Z',
            finishedAt: '2026-01-10T10:01:00Z',
          },
          'a-2': {
            type: 'Pod',
            phase: 'Failed',
            startedAt: '2026-01-10T10:01:30Z',
            finishedAt: '2026-01-10T10:05:00Z',
          },
        },
      },
    },
    now,
    { versions: { 'argo-workflows': '3.4.17' } },
  );
  expect(state[0]?.part).toBe('a');
  expect(only(state)).toBe('waiting, retry 2, 1m, 2026-01-10T10:06:00Z');
});
