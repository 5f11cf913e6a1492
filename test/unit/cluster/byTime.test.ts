import { describe, expect, it } from 'vitest';
import { families } from '../../../engine/families/index.ts';
import type { PolicyFamily } from '../../../engine/family.ts';
import { certificate, type FakeObject } from './fakeCluster.ts';
import { setUp } from './setUp.ts';

const minute = 60_000;

/** A pod whose container was restarted and has run since a minute before the clock of the tests begins. */
const restarted: FakeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'shop' },
  spec: { containers: [{ name: 'app' }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'app',
        restartCount: 3,
        state: { running: { startedAt: '2026-01-10T08:59:00Z' } },
        lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-10T08:58:00Z' } },
      },
    ],
  },
};

/** The families, with a count of what they read. */
function counting() {
  const counts = { reads: 0 };
  const counted = families.map((family): PolicyFamily =>
    family.live === undefined
      ? family
      : {
          ...family,
          live: {
            ...family.live,
            read: (input) => {
              counts.reads += 1;
              return family.live?.read(input) ?? [];
            },
          },
        },
  );
  return { counts, counted };
}

describe('a state that changes by time alone', () => {
  it('is right within a minute', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(restarted);
    const session = open();
    await clock.pass(8 * minute + 50_000);
    const kinds = () => [...session.snapshot().rows.values()].map(({ state }) => state.kind);
    expect(kinds()).toEqual(['attempting']);
    const { idle } = session.snapshot();
    let gone = 0;
    session.subscribe(({ removed }) => {
      gone += removed.length;
    });
    await clock.pass(10_000 + minute);
    expect([kinds(), session.snapshot().idle, gone]).toEqual([[], idle + 1, 1]);
    session.dispose();
  });

  it('is looked at once a minute, and nothing is asked or told for it', async () => {
    const { counts, counted } = counting();
    const { clock, cluster, open } = setUp({ families: counted, estimates: false });
    for (let index = 0; index < 60; index += 1) cluster.put(certificate(`c${String(index)}`, 4));
    const session = open();
    await clock.pass(1000);
    expect(session.snapshot().rows.size).toBe(60);
    const asked = cluster.requests.length;
    let told = 0;
    session.subscribe(({ changed }) => {
      told += changed.length;
    });
    counts.reads = 0;
    await clock.pass(5 * minute);
    expect(counts.reads).toBeGreaterThanOrEqual(60 * 5);
    expect(counts.reads).toBeLessThanOrEqual(60 * 6);
    expect([cluster.requests.length, told]).toEqual([asked, 0]);
    session.dispose();
  });

  it('is read when it falls due, and no more often than others after that', async () => {
    const { counts, counted } = counting();
    const { clock, cluster, open } = setUp({ families: counted, estimates: false });
    const failed = certificate('a', 1);
    // An hour after this it is due: 20 seconds after the clock of the tests begins.
    const status = { ...Object(failed['status']), lastFailureTime: '2026-01-10T08:00:20Z' };
    cluster.put({ ...failed, status });
    const session = open();
    const isDue = () => {
      const [row] = session.snapshot().rows.values();
      return row?.state.kind === 'waiting' && row.state.reason.includes('it is due');
    };
    await clock.pass(19_000);
    const before = isDue();
    await clock.pass(7000);
    expect([before, isDue()]).toEqual([false, true]);
    counts.reads = 0;
    await clock.pass(5 * minute);
    expect(counts.reads).toBeLessThanOrEqual(6);
    session.dispose();
  });
});
