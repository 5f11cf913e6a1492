import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { family as daemonSet } from '../../../engine/families/kubernetes/daemonSet.family.ts';
import { family as deployment } from '../../../engine/families/kubernetes/deployment.family.ts';
import { family as statefulSet } from '../../../engine/families/kubernetes/statefulSet.family.ts';
import type { PolicyFamily } from '../../../engine/family.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { emptyView, type ClusterView } from '../../../engine/live.ts';
import { itemExponential } from '../../../engine/goBackoff.ts';
import { take } from '../../../engine/growth.ts';
import { instant, ms, seconds } from '../../../engine/units.ts';
import { analyse, environment } from '../../support/analyse.ts';
import vectors from '../../vectors/kubernetes-components.json' with { type: 'json' };

const now = instant(Date.parse('2026-01-10T16:05:00Z'));

const policyIn = (kind: string, spec: string, id: string) => {
  const found = analyse(`apiVersion: apps/v1\nkind: ${kind}\nspec: ${spec}\n`).policies.find(
    ({ policy }) => policy.family === id,
  );
  if (found === undefined) throw new Error('no policy');
  return found;
};

const read = (
  { live }: Pick<PolicyFamily, 'live'>,
  kind: string,
  object: object,
  view: ClusterView = emptyView,
) =>
  live?.read({
    object: jsonTree({ apiVersion: 'apps/v1', kind, metadata: { name: 'a' }, ...object }).root,
    ref: { apiVersion: 'apps/v1', kind, namespace: 'n', name: 'a' },
    view,
    env: environment(),
    now,
  }) ?? [];

describe('a DaemonSet replaces a failed pod of a node', () => {
  it('after the waits of its back-off', () => {
    const { schedule } = policyIn('DaemonSet', '{}', daemonSet.id);
    const { waitsSeconds } = vectors.daemonSet;
    const waits = schedule === undefined ? [] : take(schedule.waits, waitsSeconds.length);
    expect(waits.map(({ lo }) => lo / 1000)).toEqual(waitsSeconds);
    expect(waits.at((schedule?.waits.constantFrom ?? 0) - 1)?.lo).toBe(900_000);
  });

  const withPods = (...pods: readonly object[]): ClusterView => ({
    get: () => undefined,
    related: () => pods.map((pod) => jsonTree(pod).root),
  });

  it('within 15 minutes of its creation', () => {
    const [state, ...others] = read(
      daemonSet,
      'DaemonSet',
      {},
      withPods(
        {
          metadata: { name: 'agent-x', creationTimestamp: '2026-01-10T16:00:00Z' },
          spec: { nodeName: 'node-1' },
          status: { phase: 'Failed', reason: 'Evicted' },
        },
        { metadata: { name: 'agent-y' }, status: { phase: 'Running' } },
      ),
    );
    expect(others).toEqual([]);
    expect(state?.part).toBe('node-1');
    expect(state?.state).toMatchObject({
      kind: 'waiting',
      next: {
        how: 'inferred',
        value: { lo: now, hi: instant(Date.parse('2026-01-10T16:15:00Z')) },
      },
      reason:
        'The pod failed (Evicted); it is deleted and created again once the wait of its node is over, at most 15m, and 30m without a failure reset that',
    });
  });

  it('that says nothing of a pod without a time', () => {
    const [state] = read(daemonSet, 'DaemonSet', {}, withPods({ status: { phase: 'Failed' } }));
    expect(state?.state).toMatchObject({ kind: 'waiting', next: { how: 'unknown' } });
  });
});

describe('a Deployment', () => {
  const condition = (reason: string, status = 'True') => ({
    type: 'Progressing',
    status,
    reason,
    lastUpdateTime: '2026-01-10T16:00:00Z',
  });

  it.each([
    [
      'goes on until its deadline',
      { spec: {}, status: { conditions: [condition('ReplicaSetUpdated')] } },
      'idle',
      'A rollout goes on; without further progress it counts as failed at 2026-01-10T16:10:00Z',
    ],
    [
      'has no deadline',
      {
        spec: { progressDeadlineSeconds: 2147483647 },
        status: { conditions: [condition('ReplicaSetUpdated')] },
      },
      'idle',
      'A rollout goes on',
    ],
    [
      'counts as failed and goes on',
      {
        spec: { progressDeadlineSeconds: 120 },
        status: { conditions: [condition('ProgressDeadlineExceeded', 'False')] },
      },
      'attempting',
      'The rollout made no progress for 2m and counts as failed; nothing is rolled back, it goes on trying, and any progress clears the mark',
    ],
    [
      'is complete',
      { spec: {}, status: { conditions: [condition('NewReplicaSetAvailable')] } },
      'idle',
      'The last rollout is complete; its deadline is not looked at any more',
    ],
    [
      'is paused',
      { spec: { paused: true }, status: { conditions: [condition('DeploymentPaused')] } },
      'idle',
      'It is paused: no rollout starts or goes on until it is resumed',
    ],
    [
      'cannot create pods',
      {
        spec: {},
        status: {
          conditions: [
            condition('ReplicaSetUpdated'),
            { type: 'ReplicaFailure', status: 'True', message: 'exceeded quota: q' },
          ],
        },
      },
      'waiting',
      'Pods cannot be created (exceeded quota: q); the ReplicaSet tries again after a wait that doubles, and a pod that can be created resets it',
    ],
  ])('%s', (_, object, kind, reason) => {
    expect(read(deployment, 'Deployment', object)).toMatchObject([{ state: { kind, reason } }]);
  });

  it('without conditions has no state yet', () => {
    expect(read(deployment, 'Deployment', { spec: {} })).toEqual([]);
  });

  it.each([
    [
      '{progressDeadlineSeconds: 300}',
      'progressDeadlineSeconds',
      'A rollout without progress for 5m is marked as failed, and goes on',
    ],
    [
      '{progressDeadlineSeconds: 2147483647}',
      'progressDeadlineSeconds',
      'A rollout is never marked as failed',
    ],
    [
      '{revisionHistoryLimit: 0}',
      'revisionHistoryLimit',
      'No old ReplicaSet is kept: there is nothing that `kubectl rollout undo` could go back to',
    ],
    [
      '{minReadySeconds: 30}',
      'minReadySeconds',
      'A new pod is available once it has been ready for 30s without a break',
    ],
  ])('with %s says what %s does', (spec, name, effect) => {
    const policy = policyIn('Deployment', spec, deployment.id);
    expect(explain(policy, name).field?.effect).toBe(effect);
  });

  it('is tried as often by its controller as the note says', () => {
    const { retries, lastMs, sumMs } = vectors.deploymentQueue;
    const waits = take(itemExponential(ms(5), seconds(1000)), retries).map(({ lo }) => lo);
    expect(waits.at(-1)).toBe(lastMs);
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(sumMs);
    const notes = explain(policyIn('Deployment', '{}', deployment.id)).notes.join('\n');
    expect(notes).toContain('15 times (5ms to 1m22s, 2m44s in all)');
  });
});

describe('a StatefulSet', () => {
  it.each([
    ['{}', undefined, 'setting the template back is not enough'],
    [
      '{updateStrategy: {rollingUpdate: {maxUnavailable: 2}}}',
      'maxUnavailable',
      'MaxUnavailableStatefulSet',
    ],
  ])('with %s', (spec, field, note) => {
    const { notes } = explain(policyIn('StatefulSet', spec, statefulSet.id), field);
    expect(notes.join('\n')).toContain(note);
  });

  it('does not stop at a pod where all start at once', () => {
    const policy = policyIn('StatefulSet', '{podManagementPolicy: Parallel}', statefulSet.id);
    expect(explain(policy).notes.join('\n')).not.toContain('stops at a pod');
  });
});
