import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { openSession } from '../../client/src/cluster/session.ts';
import { families } from '../../engine/families/index.ts';
import { certificate, certificateKind } from '../unit/cluster/fakeCluster.ts';
import { jobKind, podKind, setUp, widgetKind } from '../unit/cluster/setUp.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What this process holds, once everything that nobody needs is gone. */
function footprint(): { readonly heap: number; readonly handles: number } {
  collect();
  return {
    heap: process.memoryUsage().heapUsed,
    handles: process.getActiveResourcesInfo().length,
  };
}

const inMegabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(2)} MB`;

describe('a session stands', () => {
  it.each([0, 90_000, -3_600_000])('corrects a server clock that is %d ms ahead', async (skew) => {
    const { clock, cluster, open } = setUp();
    cluster.state.skew = skew;
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(1000);
    const { clockSkew, checkedAt } = session.snapshot();
    expect(Math.abs(clockSkew - skew)).toBeLessThanOrEqual(500);
    expect(Math.abs(checkedAt - (clock.now() + skew))).toBeLessThan(1500);
    session.dispose();
  });

  it('reads everything again when a controller was replaced by another version', async () => {
    const { clock, cluster, open } = setUp();
    const controller = (version: string) => [
      {
        metadata: { name: 'cert-manager', namespace: 'cert-manager' },
        spec: {
          template: {
            spec: {
              containers: [{ image: `quay.io/jetstack/cert-manager-controller:${version}` }],
            },
          },
        },
      },
    ];
    cluster.state.deployments = controller('v1.21.0');
    cluster.put(certificate('a', 4));
    const session = open();
    await clock.pass(1000);
    const wait = () => {
      const [row] = session.snapshot().rows.values();
      return row?.state.kind === 'waiting' && row.state.wait.how !== 'unknown'
        ? row.state.wait.value.hi
        : undefined;
    };
    expect(wait()).toBe(8 * 3_600_000);
    cluster.state.deployments = controller('v1.7.0');
    await clock.pass(601_000);
    expect(session.snapshot().versions).toContainEqual(
      expect.objectContaining({ system: 'cert-manager', version: '1.7.0' }),
    );
    expect(wait()).toBe(3_600_000);
    session.dispose();
  });

  it('a slow list, which holds nobody else up', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    cluster.state.hangs = ({ path }) => path.endsWith('/widgets');
    const session = open();
    await clock.pass(60_000);
    const { rows, isComplete, state } = session.snapshot();
    expect({ rows: rows.size, isComplete, state: state.kind }).toEqual({
      rows: 1,
      isComplete: false,
      state: 'live',
    });
    session.pause();
    cluster.state.hangs = () => false;
    session.resume();
    await clock.pass(1000);
    expect(session.snapshot().isComplete).toBe(true);
    session.dispose();
  });

  it('takes whatever an object lacks', async () => {
    const { clock, cluster, open } = setUp();
    const bare: readonly unknown[] = [
      { metadata: { name: 'no-spec', namespace: 'shop' } },
      { metadata: { name: 'odd', namespace: 'shop' }, spec: 7, status: 'broken' },
      { metadata: { name: 'list', namespace: 'shop' }, status: { conditions: 'none' } },
      { metadata: { name: 'null', namespace: 'shop' }, spec: null, status: null },
    ];
    for (const { apiVersion, kind } of [certificateKind, jobKind, podKind, widgetKind]) {
      for (const object of bare) {
        cluster.put({ apiVersion, kind, ...(object as { metadata: { name: string } }) });
      }
    }
    const failures: string[] = [];
    const session = openSession({
      port: cluster.port,
      clock,
      families,
      log: (line) => failures.push(line),
    });
    await clock.pass(1000);
    expect(failures).toEqual([]);
    expect(session.snapshot()).toMatchObject({ isComplete: true, state: { kind: 'live' } });
    open().dispose();
    session.dispose();
  });

  it('does not grow over an hour of changes', async () => {
    const { clock, cluster, open } = setUp({}, () => Math.random());
    for (let index = 0; index < 100; index += 1) cluster.put(certificate(`c${String(index)}`, 1));
    const session = open();
    await clock.pass(1000);
    const watches = cluster.watches();
    const timers = clock.timers();
    let early = footprint();
    for (let minute = 0; minute < 60; minute += 1) {
      for (let index = 0; index < 100; index += 1) {
        const name = `c${String((minute * 7 + index) % 300)}`;
        if (index % 3 === 0) cluster.drop(certificate(name));
        else cluster.put(certificate(name, (minute + index) % 3));
      }
      if (minute % 5 === 0) cluster.cut();
      if (minute % 7 === 0) cluster.cut({ kind: 'gone', detail: 'too old' });
      if (minute % 11 === 0) cluster.cut({ kind: 'unreachable', detail: 'cut' });
      await clock.pass(60_000);
      // What the server of the tests remembers is not the session's.
      cluster.requests.length = 0;
      cluster.watched.length = 0;
      if (minute === 9) early = footprint();
    }
    const late = footprint();
    console.log(
      `after 10 minutes ${inMegabytes(early.heap)}, after 60 ${inMegabytes(late.heap)}; handles ${String(early.handles)}, ${String(late.handles)}`,
    );
    expect(late.heap - early.heap).toBeLessThan(3 * 2 ** 20);
    expect(late.handles).toBeLessThanOrEqual(early.handles);
    expect(cluster.watches()).toBe(watches);
    expect(clock.timers()).toBeLessThanOrEqual(timers + 1);
    for (let index = 0; index < 300; index += 1) cluster.drop(certificate(`c${String(index)}`));
    await clock.pass(1000);
    expect(session.snapshot()).toMatchObject({ idle: 0 });
    expect(session.snapshot().rows.size).toBe(0);
    session.dispose();
    await clock.pass(0);
    expect(clock.timers()).toBe(0);
    expect(cluster.watches()).toBe(0);
  });
});
