import { openSession, type SessionOptions } from '../../../client/src/cluster/session.ts';
import { families } from '../../../engine/families/index.ts';
import { fakeClock } from './fakeClock.ts';
import { certificateKind, fakeCluster } from './fakeCluster.ts';

export const widgetKind = { apiVersion: 'example.test/v1', kind: 'Widget', plural: 'widgets' };
export const jobKind = { apiVersion: 'batch/v1', kind: 'Job', plural: 'jobs' };
export const podKind = { apiVersion: 'v1', kind: 'Pod', plural: 'pods' };

export function setUp(options: Partial<SessionOptions> = {}, random?: () => number) {
  const clock = fakeClock(undefined, random);
  const cluster = fakeCluster(clock, [certificateKind, widgetKind, jobKind, podKind]);
  const open = () => openSession({ port: cluster.port, clock, families, ...options });
  return { clock, cluster, open };
}

export const namesIn = (session: ReturnType<typeof openSession>) =>
  [...session.snapshot().rows.values()].flatMap(({ resource }) => resource.name ?? []).toSorted();
