import { describe, expect, it } from 'vitest';
import { certificate, certificatesPath } from './fakeCluster.ts';
import { namesIn, setUp } from './setUp.ts';

/** A session with one Certificate, as the only resource that a test looks at. */
async function watching() {
  const { clock, cluster, open } = setUp();
  cluster.put(certificate('a', 1));
  const session = open();
  await clock.pass(1000);
  const watched = () => cluster.watched.filter(({ path }) => path === certificatesPath);
  return { clock, cluster, session, watched, lists: () => cluster.lists(certificatesPath).length };
}

const tooOld = { kind: 'gone', detail: 'too old resource version' } as const;

describe('a watch', () => {
  it('that goes stale each time costs ever fewer lists', async () => {
    const { clock, cluster, session, lists } = await watching();
    cluster.state.watchFault = (path) => (path === certificatesPath ? tooOld : undefined);
    cluster.cut();
    await clock.pass(60_000);
    expect(lists()).toBeGreaterThan(3);
    expect(lists()).toBeLessThan(10);
    session.dispose();
  });

  it('that goes stale after it has lived is listed again at once, each time', async () => {
    const { clock, cluster, session, lists } = await watching();
    for (let round = 1; round <= 5; round += 1) {
      await clock.pass(10_000);
      cluster.cut(tooOld);
      await clock.pass(600);
      expect(lists()).toBe(1 + round);
    }
    session.dispose();
  });

  it('that goes stale while the server was away is listed again as soon as it is back', async () => {
    const { clock, cluster, session, lists } = await watching();
    const away = { kind: 'unreachable', detail: 'the connection was refused' } as const;
    await clock.pass(10_000);
    cluster.state.watchFault = () => away;
    cluster.cut(away);
    await clock.pass(300_000);
    const stale = [tooOld];
    cluster.state.watchFault = (path) => (path === certificatesPath ? stale.pop() : undefined);
    for (let second = 0; second < 40 && stale.length > 0; second += 1) await clock.pass(1000);
    await clock.pass(600);
    expect([stale.length, lists()]).toEqual([0, 2]);
    session.dispose();
  });

  it('that falls silent after bookmarks is begun anew from the last of them, and nobody is told', async () => {
    const { clock, cluster, session, watched, lists } = await watching();
    await clock.pass(60_000);
    cluster.state.version = 77;
    cluster.bookmark();
    const states: string[] = [];
    session.subscribe(() => states.push(session.snapshot().state.kind));
    await clock.pass(140_000);
    expect(watched()).toHaveLength(1);
    await clock.pass(20_000);
    expect(watched()).toHaveLength(2);
    expect(watched()[1]?.query['resourceVersion']).toBe('77');
    expect([lists(), cluster.watches()]).toEqual([1, 4]);
    expect(states.filter((one) => one !== 'live')).toEqual([]);
    cluster.put(certificate('b', 1));
    await clock.pass(200);
    expect(namesIn(session)).toEqual(['a', 'b']);
    session.dispose();
  });

  it('is left alone while bookmarks or events come', async () => {
    const { clock, cluster, session, watched } = await watching();
    cluster.bookmark();
    for (let round = 0; round < 10; round += 1) {
      await clock.pass(100_000);
      if (round % 2 === 0) cluster.bookmark();
      else cluster.put(certificate('a', 1));
    }
    expect(watched()).toHaveLength(1);
    session.dispose();
  });

  it.each(['never', 'before its end only'])(
    'is left alone where bookmarks come %s',
    async (when) => {
      const { clock, cluster, session, watched } = await watching();
      await clock.pass(290_000);
      if (when !== 'never') cluster.bookmark();
      await clock.pass(600_000);
      expect(watched()).toHaveLength(1);
      session.dispose();
    },
  );

  it('that is not accepted after such a silence tells that the server is away', async () => {
    const { clock, cluster, session, lists } = await watching();
    cluster.bookmark();
    cluster.state.watchHangs = () => true;
    await clock.pass(150_000);
    expect(session.snapshot().state.kind).toBe('live');
    await clock.pass(40_000);
    expect(session.snapshot().state).toMatchObject({
      kind: 'reconnecting',
      why: 'no answer within 30s',
    });
    cluster.state.watchHangs = () => false;
    await clock.pass(60_000);
    expect([session.snapshot().state.kind, lists()]).toEqual(['live', 1]);
    session.dispose();
  });
});
