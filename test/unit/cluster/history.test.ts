import { describe, expect, it } from 'vitest';
import type { PortFailure } from '../../../client/src/cluster/port.ts';
import { formatInstant } from '../../../engine/units.ts';
import { certificate } from './fakeCluster.ts';
import { setUp } from './setUp.ts';

const ref = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  namespace: 'shop',
  name: 'a',
};

describe('what happened to an object', () => {
  it.each([
    [
      { kind: 'forbidden', detail: 'events is forbidden' },
      'The events of this object may not be read: events is forbidden',
    ],
    [
      { kind: 'unreachable', detail: 'the connection was cut' },
      'The events of this object could not be read: the connection was cut',
    ],
  ] satisfies readonly (readonly [PortFailure, string])[])(
    'is not said to be nothing where events are not to be had: $0.kind',
    async (failure, what) => {
      const { clock, cluster, open } = setUp();
      cluster.put(certificate('a', 1));
      cluster.state.skew = 3_600_000;
      const session = open();
      await clock.pass(1000);
      cluster.state.fault = ({ path }) => (path.endsWith('/events') ? failure : undefined);
      const [entry, ...more] = await session.history(ref);
      expect(entry).toMatchObject({ what, kind: 'note', source: ref });
      // By the server's clock, as events are.
      expect(formatInstant(entry?.at ?? clock.now())).toMatch(/^2026-01-10T10:00:0/);
      expect(more).toEqual([]);
      session.dispose();
    },
  );

  it('is nothing where there are no events', async () => {
    const { clock, cluster, open } = setUp();
    cluster.put(certificate('a', 1));
    const session = open();
    await clock.pass(1000);
    expect(await session.history(ref)).toEqual([]);
    session.dispose();
  });
});
