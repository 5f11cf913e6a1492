import { describe, expect, it } from 'vitest';
import { planAccess } from '../../../client/src/cluster/access.ts';
import type { Asker } from '../../../client/src/cluster/asker.ts';
import type { PortFailure, PortRequest } from '../../../client/src/cluster/port.ts';
import { openSession, type SessionOptions } from '../../../client/src/cluster/session.ts';
import { families } from '../../../engine/families/index.ts';
import { seconds } from '../../../engine/units.ts';
import { fakeClock } from './fakeClock.ts';
import {
  certificate,
  certificateKind,
  certificatesPath,
  fakeCluster,
  type FakeCluster,
} from './fakeCluster.ts';
import { namesIn, podKind, setUp } from './setUp.ts';

type Session = ReturnType<typeof openSession>;

const rediscovery = 600_000;
const minute = 60_000;
const groupPath = '/apis/cert-manager.io/v1';
const deploymentsPath = '/apis/apps/v1/deployments';

const busy: PortFailure = { kind: 'throttled', detail: 'too many requests' };
const away: PortFailure = { kind: 'unreachable', detail: 'the connection was cut' };
const broken: PortFailure = { kind: 'server', status: 503, detail: 'not available' };
const passing = [busy, away, broken];

const failing =
  (part: string, failure: PortFailure) =>
  ({ path }: PortRequest): PortFailure | undefined =>
    path.endsWith(part) ? failure : undefined;

const asked = (cluster: FakeCluster, part: string): number =>
  cluster.requests.filter(({ path }) => path.endsWith(part)).length;

const missed = (session: Session) =>
  session.snapshot().unseen.filter(({ why }) => why !== 'unserved');

/** Somebody who may list in every namespace, but nothing in the whole cluster. */
function inNamespaces(options: Partial<SessionOptions> = {}) {
  const made = setUp(options);
  made.cluster.state.mayListAll = false;
  made.cluster.state.rules = () => [
    { verbs: ['*'], apiGroups: ['*'], resources: ['certificates', 'jobs', 'pods', 'widgets'] },
  ];
  made.cluster.put(certificate('a', 1, 'team-a'));
  made.cluster.put(certificate('b', 1, 'team-b'));
  return made;
}

describe('what may be seen', () => {
  const questions = ['/namespaces', '/selfsubjectaccessreviews', '/selfsubjectrulesreviews'];
  const cases = questions.flatMap((path, index) => {
    const failure = passing[index];
    return failure === undefined ? [] : [{ path, ...failure }];
  });

  it.each(cases)('stays when $path is $kind later, and is asked soon', async (failure) => {
    const { clock, cluster, open } = inNamespaces();
    const session = open();
    await clock.pass(1000);
    cluster.put(certificate('c', 1, 'team-c'));
    cluster.state.fault = failing(failure.path, failure);
    await clock.pass(rediscovery);
    expect(namesIn(session)).toEqual(['a', 'b']);
    expect(missed(session)).toEqual([]);
    cluster.state.fault = () => undefined;
    await clock.pass(minute);
    expect(namesIn(session)).toEqual(['a', 'b', 'c']);
    session.dispose();
  });

  it.each(cases)('is asked for again when $path is $kind at first', async (failure) => {
    const { clock, cluster, open } = inNamespaces();
    cluster.state.fault = failing(failure.path, failure);
    const session = open();
    await clock.pass(10_000);
    expect(session.snapshot().state).toMatchObject({ kind: 'reconnecting', why: failure.detail });
    // What was answered is not asked again.
    expect(asked(cluster, '/apis')).toBe(1);
    expect(asked(cluster, groupPath)).toBe(1);
    cluster.state.fault = () => undefined;
    await clock.pass(minute);
    expect(namesIn(session)).toEqual(['a', 'b']);
    expect([session.snapshot().state.kind, missed(session)]).toEqual(['live', []]);
    session.dispose();
  });

  it.each(cases)('stays when $path is $kind after a pause', async (failure) => {
    const { clock, cluster, open } = inNamespaces();
    const session = open();
    await clock.pass(1000);
    session.pause();
    cluster.state.fault = failing(failure.path, failure);
    session.resume();
    await clock.pass(1000);
    expect([namesIn(session), session.snapshot().state.kind]).toEqual([['a', 'b'], 'reconnecting']);
    cluster.state.fault = () => undefined;
    await clock.pass(minute);
    expect([namesIn(session), session.snapshot().state.kind]).toEqual([['a', 'b'], 'live']);
    expect(cluster.lists('/apis/cert-manager.io/v1/namespaces/team-b/certificates')).toHaveLength(
      1,
    );
    session.dispose();
  });

  it('is not cut short by a page of namespaces that fails', async () => {
    const answered = (body: unknown) => Promise.resolve({ ok: true, answer: { body } } as const);
    const ask: Asker = {
      get: (_path, query) =>
        query?.['continue'] === undefined
          ? answered({ metadata: { continue: 'more' }, items: [{ metadata: { name: 'one' } }] })
          : Promise.resolve({ ok: false, failure: busy }),
      post: () => answered({ status: { allowed: false } }),
    };
    const type = { group: 'cert-manager.io', version: 'v1', kind: 'Certificate', plural: 'c' };
    const wish = {
      served: [{ type, isNamespaced: true }],
      quiet: [],
      namespaces: undefined,
      ownNamespace: 'default',
    };
    expect(await planAccess(ask, wish)).toEqual({ ok: false, failure: busy });
  });

  it('is said to be one namespace where namespaces may not be listed', async () => {
    const { clock, cluster, open } = inNamespaces();
    cluster.put(certificate('own', 1, 'default'));
    cluster.state.fault = failing('/namespaces', { kind: 'forbidden', detail: 'no' });
    const session = open();
    await clock.pass(1000);
    expect(namesIn(session)).toEqual(['own']);
    expect(missed(session)).toEqual([
      {
        resource: 'namespaces',
        why: 'forbidden',
        detail:
          'listing namespaces is not allowed: only default, the namespace of the context, is looked at, and others are not known. Choose namespaces to see them',
      },
    ]);
    session.dispose();
  });
});

describe('a group that does not answer', () => {
  it('is asked again by back-off, no sooner than the server asks for, and alone', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    cluster.state.fault = failing(groupPath, { ...busy, retryAfter: seconds(20) });
    const session = open();
    await clock.pass(1000);
    expect(session.snapshot().state.kind).toBe('live');
    expect(missed(session)).toContainEqual({
      resource: 'certificates.cert-manager.io',
      why: 'failed',
      detail: busy.detail,
    });
    cluster.state.fault = () => undefined;
    await clock.pass(18_000);
    expect(asked(cluster, groupPath)).toBe(1);
    await clock.pass(6000);
    expect([namesIn(session), missed(session)]).toEqual([['a'], []]);
    expect([asked(cluster, groupPath), asked(cluster, '/apis')]).toEqual([2, 1]);
    session.dispose();
  });

  it.each(passing)('keeps what is known of it when it is $kind', async (failure) => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(1000);
    cluster.state.fault = failing(groupPath, failure);
    await clock.pass(rediscovery);
    const later = [namesIn(session), missed(session), session.snapshot().state.kind];
    session.pause();
    session.resume();
    await clock.pass(1000);
    const resumed = [namesIn(session), missed(session), session.snapshot().state.kind];
    expect([later, resumed]).toEqual([
      [['a'], [], 'live'],
      [['a'], [], 'live'],
    ]);
    cluster.put(certificate('b', 1));
    await clock.pass(1000);
    expect(namesIn(session)).toEqual(['a', 'b']);
    expect(cluster.lists(certificatesPath)).toHaveLength(1);
    session.dispose();
  });

  it('keeps nobody from what is new, and is left alone where no family reads it', async () => {
    const clock = fakeClock();
    const extension = { apiVersion: 'extension.test/v1', kind: 'Thing', plural: 'things' };
    const kinds = [podKind, extension];
    const cluster = fakeCluster(clock, kinds);
    cluster.state.fault = failing('/apis/extension.test/v1', broken);
    const session = openSession({ port: cluster.port, clock, families });
    await clock.pass(1000);
    kinds.push(certificateKind);
    cluster.put(certificate('a', 1));
    await clock.pass(rediscovery);
    expect(namesIn(session)).toEqual(['a']);
    expect(asked(cluster, '/apis/extension.test/v1')).toBe(2);
    session.dispose();
  });
});

describe('what is detected', () => {
  const flags = ['--certificate-request-minimum-backoff-duration=5m'];
  const setting = 'cert-manager/certificateRequestMinimumBackoffDuration';
  const certManager = (version: string) => ({
    metadata: { name: 'cert-manager', namespace: 'cert-manager' },
    spec: {
      template: {
        spec: {
          containers: [
            { image: `quay.io/jetstack/cert-manager-controller:v${version}`, args: flags },
          ],
        },
      },
    },
  });
  const told = (session: Session) => {
    const { versions, env } = session.snapshot();
    return {
      versions: versions.map(({ system, version }) => `${system} ${version}`),
      detected: [...(env.detected ?? [])].map((one) => one.join(' ')),
      minimum: env.controllers.get(setting),
    };
  };
  const of = (version: string) => {
    const versions = ['kubernetes 1.36.0', `cert-manager ${version}`];
    return { versions, detected: versions, minimum: '5m' };
  };
  const detecting = async () => {
    const made = setUp();
    made.cluster.state.deployments = [certManager('1.7.1')];
    made.cluster.put(certificate('a', 3));
    const session = made.open();
    await made.clock.pass(1000);
    expect(told(session)).toEqual(of('1.7.1'));
    return { ...made, session };
  };

  it.each(
    ['/deployments', '/version'].flatMap((path) =>
      passing.map((failure) => ({ path, ...failure })),
    ),
  )('stays when $path is $kind, and is asked for again soon', async (failure) => {
    const { clock, cluster, session } = await detecting();
    cluster.state.fault = failing(failure.path, failure);
    await clock.pass(rediscovery);
    expect(told(session)).toEqual(of('1.7.1'));
    cluster.state.fault = () => undefined;
    const before = asked(cluster, failure.path);
    await clock.pass(minute);
    expect(asked(cluster, failure.path)).toBe(before + 1);
    expect(told(session)).toEqual(of('1.7.1'));
    session.dispose();
  });

  it('stays when a pause ends the question', async () => {
    const { clock, cluster, session } = await detecting();
    cluster.state.hangs = ({ path }) => path === deploymentsPath;
    await clock.pass(rediscovery);
    session.pause();
    await clock.pass(1000);
    expect(told(session)).toEqual(of('1.7.1'));
    session.dispose();
  });

  it('changes with the controller', async () => {
    const { clock, cluster, session } = await detecting();
    cluster.state.deployments = [certManager('1.20.1')];
    await clock.pass(rediscovery);
    expect(told(session)).toEqual(of('1.20.1'));
    session.dispose();
  });

  it('is looked for in no namespace that was not chosen', async () => {
    const { clock, cluster, open } = setUp({ namespaces: ['shop', 'argo'] });
    cluster.state.rules = () => [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(1000);
    expect(namesIn(session)).toEqual(['a']);
    expect(asked(cluster, '/deployments')).toBe(0);
    session.dispose();
  });

  it('is not looked for where an access review says that it is not allowed', async () => {
    const { clock, cluster, open } = inNamespaces();
    const session = open();
    await clock.pass(1000);
    expect(namesIn(session)).toEqual(['a', 'b']);
    expect(asked(cluster, '/deployments')).toBe(0);
    session.dispose();
  });
});
