import { emptyEnvironment } from '../../../engine/environment.ts';
import { describe, expect, it } from 'vitest';
import { formatInstant, seconds } from '../../../engine/units.ts';
import { certificate, certificatesPath } from './fakeCluster.ts';
import { namesIn, setUp } from './setUp.ts';

describe('a session', () => {
  it('lists in pages, keeps what backs off and counts the rest', async () => {
    const { clock, cluster, open } = setUp();
    for (let index = 0; index < 1200; index += 1) {
      cluster.put(certificate(`c${String(index)}`, index % 100 === 0 ? 4 : 0));
    }
    const session = open();
    await clock.pass(1000);
    const { rows, idle, isComplete, state } = session.snapshot();
    expect({ rows: rows.size, idle, isComplete, state: state.kind }).toEqual({
      rows: 12,
      idle: 1188,
      isComplete: true,
      state: 'live',
    });
    expect(cluster.lists(certificatesPath)).toEqual([undefined, '500', '1000']);
    expect(cluster.watched.filter(({ path }) => path === certificatesPath)).toHaveLength(1);
    const [row] = rows.values();
    expect(row?.state.kind === 'waiting' && row.state.next.how !== 'unknown').toBe(true);
    if (row?.state.kind === 'waiting' && row.state.next.how !== 'unknown') {
      expect(formatInstant(row.state.next.value.hi)).toBe('2026-01-10T16:00:00Z');
    }
    session.dispose();
  });

  it('follows additions, changes and deletions, and tells them as one change per burst', async () => {
    const { clock, cluster, open } = setUp();
    const session = open();
    await clock.pass(1000);
    const changes: (readonly [readonly string[], number])[] = [];
    session.subscribe(({ changed, removed }) => {
      changes.push([changed.map(({ resource }) => resource.name ?? ''), removed.length]);
    });
    cluster.put(certificate('a', 1));
    cluster.put(certificate('b', 2));
    await clock.pass(200);
    expect(namesIn(session)).toEqual(['a', 'b']);
    cluster.put(certificate('a'));
    cluster.drop(certificate('b', 2));
    await clock.pass(200);
    expect(namesIn(session)).toEqual([]);
    expect(session.snapshot().idle).toBe(1);
    expect(changes).toEqual([
      [['a', 'b'], 0],
      [[], 2],
    ]);
    session.dispose();
  });

  it('reads its rows again when what is set changes, and asks the server nothing for it', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(1000);
    const nextOf = () => {
      const [row] = session.snapshot().rows.values();
      const next = row?.state.kind === 'waiting' ? row.state.next : undefined;
      return next?.how === 'inferred' ? formatInstant(next.value.hi) : undefined;
    };
    const before = nextOf();
    const asked = cluster.requests.length;
    const minimum = 'cert-manager/certificateRequestMinimumBackoffDuration';
    const stated = { ...emptyEnvironment, controllers: new Map([[minimum, '2h']]) };
    let told = 0;
    session.subscribe(() => (told += 1));
    session.restate(stated);
    await clock.pass(200);
    expect([before, nextOf()]).toEqual(['2026-01-10T09:00:00Z', '2026-01-10T10:00:00Z']);
    expect(session.snapshot().env.controllers.get(minimum)).toBe('2h');
    session.restate({ ...stated });
    await clock.pass(200);
    expect(told).toBe(1);
    session.restate(emptyEnvironment);
    await clock.pass(200);
    expect(nextOf()).toBe(before);
    expect(cluster.requests).toHaveLength(asked);
    session.dispose();
  });

  it('starts the watch at the version of the list, with bookmarks and a time that chance chose', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(1000);
    expect(cluster.watched.find(({ path }) => path === certificatesPath)?.query).toEqual({
      allowWatchBookmarks: 'true',
      timeoutSeconds: '450',
      resourceVersion: '2',
    });
    cluster.state.version = 77;
    cluster.bookmark();
    await clock.pass(10_000);
    cluster.cut();
    await clock.pass(1000);
    const last = cluster.watched.findLast(({ path }) => path === certificatesPath);
    expect(last?.query['resourceVersion']).toBe('77');
    expect(cluster.lists(certificatesPath)).toHaveLength(1);
    session.dispose();
  });

  it('lists again after 410 and drops what is gone', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    cluster.put(certificate('b', 1));
    const session = open();
    await clock.pass(1000);
    cluster.forget(certificate('a', 1));
    cluster.cut({ kind: 'gone', detail: 'too old resource version' });
    await clock.pass(2000);
    expect(namesIn(session)).toEqual(['b']);
    expect(cluster.lists(certificatesPath)).toHaveLength(2);
    expect(session.snapshot().state.kind).toBe('live');
    session.dispose();
  });

  it('begins a list anew when its page token is too old', async () => {
    const { clock, cluster, open } = setUp();
    for (let index = 0; index < 600; index += 1) cluster.put(certificate(`c${String(index)}`, 1));
    let isStale = true;
    cluster.state.fault = ({ query }) => {
      if (query?.['continue'] === undefined || !isStale) return undefined;
      isStale = false;
      return { kind: 'gone', detail: 'the provided continue parameter is too old' };
    };
    const session = open();
    await clock.pass(5000);
    expect(session.snapshot().rows.size).toBe(600);
    expect(cluster.lists(certificatesPath)).toEqual([undefined, '500', undefined, '500']);
    session.dispose();
  });

  it('waits as long as Retry-After asks and goes on with the page that failed', async () => {
    const { clock, cluster, open } = setUp();
    for (let index = 0; index < 600; index += 1) cluster.put(certificate(`c${String(index)}`, 1));
    let isBusy = true;
    cluster.state.fault = ({ query }) =>
      query?.['continue'] !== undefined && isBusy
        ? { kind: 'throttled', detail: 'slow down', retryAfter: seconds(20) }
        : undefined;
    const session = open();
    await clock.pass(1000);
    isBusy = false;
    await clock.pass(18_000);
    expect(session.snapshot().isComplete).toBe(false);
    await clock.pass(5000);
    expect(session.snapshot()).toMatchObject({ isComplete: true });
    expect(cluster.lists(certificatesPath)).toEqual([undefined, '500', '500']);
    session.dispose();
  });

  it('shows its own back-off while the server is away, and comes back by itself', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(10_000);
    const away = { kind: 'unreachable', detail: 'test: the connection was refused' } as const;
    cluster.state.watchFault = () => away;
    cluster.state.fault = () => away;
    cluster.cut(away);
    await clock.pass(100);
    const first = session.snapshot().state;
    expect(first).toMatchObject({ kind: 'reconnecting', retry: 1, wait: 750, why: away.detail });
    await clock.pass(60_000);
    const later = session.snapshot();
    expect(later.state).toMatchObject({ kind: 'reconnecting', wait: 22_500 });
    expect(later.rows.size).toBe(1);
    expect(later.unseen.filter(({ why }) => why === 'stale').length).toBeGreaterThan(0);
    cluster.state.watchFault = () => undefined;
    cluster.state.fault = () => undefined;
    await clock.pass(31_000);
    expect(session.snapshot().state.kind).toBe('live');
    expect(session.snapshot().unseen.filter(({ why }) => why === 'stale')).toEqual([]);
    session.dispose();
  });

  it('counts a watch that ends at once as a failure', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(1000);
    for (let round = 0; round < 600; round += 1) {
      cluster.cut();
      await clock.pass(100);
    }
    const asked = cluster.watched.filter(({ path }) => path === certificatesPath).length;
    expect(asked).toBeLessThan(12);
    session.dispose();
  });

  it.each([
    { kind: 'unauthorised', detail: 'Unauthorized' } as const,
    { kind: 'credentials', detail: '"my-auth-plugin" not found on PATH' } as const,
  ])('asks nothing more after $kind, until a person comes back', async (refusal) => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(1000);
    cluster.state.fault = () => refusal;
    cluster.state.watchFault = () => refusal;
    cluster.cut({ kind: 'unreachable', detail: 'cut' });
    await clock.pass(2000);
    expect(session.snapshot().state).toEqual({ kind: 'unauthorised', detail: refusal.detail });
    const asked = cluster.requests.length + cluster.watched.length;
    await clock.pass(3_600_000);
    expect(cluster.requests.length + cluster.watched.length).toBe(asked);
    expect(clock.timers()).toBe(0);
    cluster.state.fault = () => undefined;
    cluster.state.watchFault = () => undefined;
    session.resume();
    await clock.pass(1000);
    expect(session.snapshot().state.kind).toBe('live');
    expect(namesIn(session)).toEqual(['a']);
    session.dispose();
  });

  it.each(['certificates', 'jobs', 'pods', 'widgets'])(
    'comes back whichever was refused: %s',
    async (plural) => {
      const { clock, cluster, open } = setUp();
      cluster.put(certificate('a', 1));
      const session = open();
      await clock.pass(1000);
      const refusal = { kind: 'unauthorised', detail: 'Unauthorized' } as const;
      cluster.state.watchFault = (path) => (path.endsWith(plural) ? refusal : undefined);
      cluster.cut();
      await clock.pass(10_000);
      const before = session.snapshot().state.kind;
      cluster.state.watchFault = () => undefined;
      session.resume();
      await clock.pass(1000);
      expect([before, session.snapshot().state.kind]).toEqual(['unauthorised', 'live']);
      session.dispose();
    },
  );

  it('asks nothing while it is paused and picks up where it left', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(1000);
    session.pause();
    await clock.pass(0);
    const asked = cluster.requests.length + cluster.watched.length;
    expect(cluster.watches()).toBe(0);
    await clock.pass(3_600_000);
    expect(cluster.requests.length + cluster.watched.length).toBe(asked);
    expect(clock.timers()).toBe(0);
    expect(session.snapshot().rows.size).toBe(1);
    session.resume();
    await clock.pass(1000);
    expect(cluster.lists(certificatesPath)).toHaveLength(1);
    cluster.put(certificate('b', 1));
    await clock.pass(200);
    expect(namesIn(session)).toEqual(['a', 'b']);
    session.dispose();
    expect(cluster.state.isDisposed).toBe(true);
  });

  it('looks namespace by namespace where the whole cluster is forbidden, and says where it may not', async () => {
    const { clock, cluster, open } = setUp({ estimates: false });
    cluster.put(certificate('a', 1, 'mine'));
    cluster.put(certificate('b', 1, 'theirs'));
    cluster.state.mayListAll = false;
    cluster.state.rules = (namespace) =>
      namespace === 'mine'
        ? [
            {
              verbs: ['list', 'watch'],
              apiGroups: ['cert-manager.io'],
              resources: ['certificates'],
            },
          ]
        : [];
    const session = open();
    await clock.pass(1000);
    expect(namesIn(session)).toEqual(['a']);
    // Empty lists count: what was looked at is known to be well.
    expect(session.snapshot().listed).toBe(1);
    expect(
      session
        .snapshot()
        .unseen.filter(({ resource }) => resource === 'certificates.cert-manager.io'),
    ).toEqual([
      {
        resource: 'certificates.cert-manager.io',
        namespace: 'theirs',
        why: 'forbidden',
        detail: 'listing certificates.cert-manager.io is not allowed in theirs',
      },
    ]);
    expect(session.snapshot().state.kind).toBe('live');
    session.dispose();
  });

  it('forgets what it may no longer see', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(10_000);
    const refusal = { kind: 'forbidden', detail: 'certificates is forbidden' } as const;
    cluster.state.fault = ({ path }) => (path === certificatesPath ? refusal : undefined);
    cluster.cut({ kind: 'gone', detail: 'too old' });
    await clock.pass(2000);
    expect(namesIn(session)).toEqual([]);
    expect(session.snapshot().unseen).toContainEqual({
      resource: 'certificates.cert-manager.io',
      why: 'forbidden',
      detail: refusal.detail,
    });
    session.dispose();
  });

  it('estimates other custom resources that say they fail, and marks it', async () => {
    const { clock, cluster, open } = setUp();
    const condition = { type: 'Ready', status: 'False', reason: 'ReconcileError' };
    cluster.put({
      apiVersion: 'example.test/v1',
      kind: 'Widget',
      metadata: { name: 'w1', namespace: 'shop' },
      status: { conditions: [condition] },
    });
    const session = open();
    await clock.pass(1000);
    const [row] = session.snapshot().rows.values();
    expect(row).toMatchObject({ family: 'controller-runtime/work-queue', isEstimate: true });
    session.dispose();
  });

  it('reads an object again when what belongs to it changes', async () => {
    const { clock, cluster, open } = setUp();
    const job = (failed: number) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'build', namespace: 'ci', uid: 'job-uid' },
      spec: { backoffLimit: 6, template: { spec: { restartPolicy: 'Never' } } },
      status: { failed, active: 0 },
    });
    const pod = (name: string, finishedAt: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace: 'ci',
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name: 'build', uid: 'job-uid', controller: true },
        ],
      },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main' }] },
      status: {
        phase: 'Failed',
        containerStatuses: [
          { name: 'main', restartCount: 0, state: { terminated: { exitCode: 1, finishedAt } } },
        ],
      },
    });
    const next = () => {
      const row = [...session.snapshot().rows.values()].find(
        ({ family }) => family === 'kubernetes/job',
      );
      return row?.state.kind === 'waiting' && row.state.next.how !== 'unknown'
        ? formatInstant(row.state.next.value.lo)
        : row?.state.kind;
    };
    cluster.put(job(1));
    cluster.put(pod('build-1', '2026-01-10T09:00:00Z'));
    const session = open();
    await clock.pass(1000);
    const before = next();
    cluster.put(pod('build-2', '2026-01-10T09:00:40Z'));
    await clock.pass(200);
    const later = next();
    expect(before).not.toBe(later);
    expect(later).toMatch(/^2026-01-10T09:01/);
    session.dispose();
  });
});
