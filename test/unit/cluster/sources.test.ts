import { describe, expect, it } from 'vitest';
import { openSession } from '../../../client/src/cluster/session.ts';
import { families } from '../../../engine/families/index.ts';
import { fakeClock } from './fakeClock.ts';
import { certificate, certificatesPath, fakeCluster, type FakeObject } from './fakeCluster.ts';
import { namesIn, podKind, setUp } from './setUp.ts';

const planeKind = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmControlPlane',
  plural: 'kubeadmcontrolplanes',
};
const machineKind = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  plural: 'machines',
};
const machinesPath = '/apis/cluster.x-k8s.io/v1beta2/machines';
const rediscovery = 600_000;

/** A control plane, whose state is read together with its Machines. */
const plane = (name: string): FakeObject => ({
  apiVersion: planeKind.apiVersion,
  kind: planeKind.kind,
  metadata: { name, namespace: 'prod' },
  status: { conditions: [{ type: 'Remediating', status: 'True' }] },
});

describe('what is looked at beside a kind', () => {
  it('is listed with the first object that is added after an empty list', async () => {
    const clock = fakeClock();
    const cluster = fakeCluster(clock, [planeKind, machineKind]);
    const session = openSession({ port: cluster.port, clock, families });
    await clock.pass(2000);
    expect(cluster.lists(machinesPath)).toEqual([]);
    cluster.put(plane('late'));
    await clock.pass(2000);
    expect(namesIn(session)).toEqual(['late']);
    cluster.put(plane('later'));
    await clock.pass(2000);
    expect(namesIn(session)).toEqual(['late', 'later']);
    expect(cluster.lists(machinesPath)).toHaveLength(1);
    session.dispose();
  });

  it('is listed where it is served later than the first object was there', async () => {
    const clock = fakeClock();
    const kinds = [podKind, planeKind];
    const cluster = fakeCluster(clock, kinds);
    cluster.put(plane('early'));
    const session = openSession({ port: cluster.port, clock, families });
    await clock.pass(2000);
    kinds.push(machineKind);
    await clock.pass(rediscovery);
    expect(cluster.lists(machinesPath)).toHaveLength(1);
    expect(namesIn(session)).toEqual(['early']);
    session.dispose();
  });
});

describe('a list that was refused', () => {
  it.each(['forbidden', 'not-found', 'invalid'] as const)(
    'as %s in mid-session is made again when all is looked at anew',
    async (kind) => {
      const { clock, cluster, open } = setUp();
      cluster.put(certificate('a', 1));
      const session = open();
      await clock.pass(2000);
      const refusal = { kind, detail: 'no' } as const;
      cluster.state.fault = ({ path }) => (path === certificatesPath ? refusal : undefined);
      cluster.state.watchFault = (path) => (path === certificatesPath ? refusal : undefined);
      cluster.cut({ kind: 'unreachable', detail: 'cut' });
      await clock.pass(120_000);
      const told = () =>
        session.snapshot().unseen.filter(({ resource }) => resource.startsWith('certificates.'));
      expect(told()).toHaveLength(1);
      cluster.state.fault = () => undefined;
      cluster.state.watchFault = () => undefined;
      await clock.pass(rediscovery);
      expect(namesIn(session)).toEqual(['a']);
      expect(told()).toEqual([]);
      cluster.put(certificate('b', 1));
      await clock.pass(1000);
      expect(namesIn(session)).toEqual(['a', 'b']);
      session.dispose();
    },
  );

  it('stays told as such while it is made again and refused again', async () => {
    const { clock, cluster, open } = setUp();
    const refusal = { kind: 'forbidden', detail: 'no' } as const;
    cluster.state.fault = ({ path }) => (path === certificatesPath ? refusal : undefined);
    const session = open();
    await clock.pass(2000);
    let untold = 0;
    session.subscribe(() => {
      const { unseen, isComplete } = session.snapshot();
      if (!unseen.some(({ why }) => why === 'forbidden') || !isComplete) untold += 1;
    });
    await clock.pass(3 * rediscovery);
    expect(untold).toBe(0);
    expect(cluster.lists(certificatesPath)).toHaveLength(4);
    session.dispose();
  });
});
