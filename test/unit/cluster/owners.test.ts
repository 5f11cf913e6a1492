import { expect, it } from 'vitest';
import { readRows } from '../../../client/src/cluster/readRows.ts';
import { liveKinds } from '../../../client/src/cluster/liveKinds.ts';
import { emptyEnvironment } from '../../../engine/environment.ts';
import { families } from '../../../engine/families/index.ts';
import { emptyView, type ResourceRef } from '../../../engine/live.ts';
import { instant } from '../../../engine/units.ts';

const now = instant(Date.parse('2026-01-10T12:00:00Z'));
const terraform = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
  kind: 'TerraformCluster',
  name: 'prod',
  uid: 'p',
};

const failedJob = (owners: readonly object[]) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'run', namespace: 'ci', ownerReferences: owners },
  spec: { backoffLimit: 0 },
  status: {
    failed: 1,
    conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }],
  },
});

const crashingPod = (owners: readonly object[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'run', namespace: 'ci', ownerReferences: owners },
  spec: { restartPolicy: 'Always', containers: [{ name: 'main', image: 'main:1' }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'main',
        restartCount: 4,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 1m20s restarting' } },
        lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-10T11:59:00Z' } },
      },
    ],
  },
});

/** What is shown of an object, as `family state`. */
function shown(object: { apiVersion: string; kind: string }, chosen = families): string[] {
  const ref: ResourceRef = { ...object, name: 'run', namespace: 'ci' };
  const input = { object, ref, uid: 'u', view: emptyView, env: emptyEnvironment, now };
  const { rows } = readRows(input, liveKinds(chosen), false);
  return rows.map(({ family, state }) => `${family} ${state.kind}`);
}

it('shows no attempt that gave up where its owner tells of the next', () => {
  expect(shown(failedJob([]))).toEqual(['kubernetes/job gave-up']);
  expect(shown(failedJob([terraform]))).toEqual([]);
  expect(shown(failedJob([{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'n' }]))).toEqual([]);
  expect(shown(failedJob([{ apiVersion: 'x.test/v1', kind: 'Runner', name: 'r' }]))).toEqual([
    'kubernetes/job gave-up',
  ]);
});

it('says the same where the families of the owner are not asked for', () => {
  const own = families.filter(({ system }) => system.id === 'kubernetes');
  expect(shown(failedJob([terraform]), own)).toEqual([]);
});

it('shows what retries within itself, whoever owns it', () => {
  const daemon = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd' };
  expect(shown(crashingPod([daemon]))).toContain('kubernetes/container-restart waiting');
});
