import { describe, expect, it } from 'vitest';
import { actionsOn } from '../../../client/src/cluster/actions.ts';
import { demoPort } from '../../../client/src/cluster/demoPort.ts';
import { textIn } from '../../../client/src/cluster/json.ts';
import type { ClusterPort } from '../../../client/src/cluster/port.ts';
import { contextLine } from '../../../client/src/live/contextLines.ts';
import { createLocks } from '../../../client/src/live/locks.ts';
import { demoSession, handClock, noon } from './samples.ts';

describe('a context', () => {
  it('is read-only until it is unlocked, and then asks what the person may do', async () => {
    const { session } = await demoSession();
    const port = demoPort(handClock().clock);
    const connection = { name: 'x', session, port, isDemo: true };
    const locks = createLocks();
    const [renew] = actionsOn(
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { name: 'a', namespace: 'b' },
      },
      noon,
    );
    if (renew === undefined) throw new Error('nothing is offered');
    expect(locks.blocked(connection, renew)).toContain('read-only');
    expect(
      contextLine(connection, { isLocked: locks.isLocked('x'), isPaused: false }),
    ).toMatchObject({
      isLocked: true,
      state: 'live',
    });
    locks.set('x', false);
    expect(locks.blocked(connection, renew)).toContain('Asking the cluster');
    expect(await locks.review(connection, [renew])).toBe(true);
    expect(locks.blocked(connection, renew)).toBeUndefined();
    expect(await locks.review(connection, [renew])).toBe(false);
    const refusing = {
      ...connection,
      name: 'y',
      port: {
        ...port,
        request: () =>
          Promise.resolve({ ok: true, answer: { body: { status: { allowed: false } } } } as const),
      },
    };
    locks.set('y', false);
    await locks.review(refusing, [renew]);
    expect(locks.blocked(refusing, renew)).toBe(
      'You may not patch certificates.cert-manager.io/status a in b.',
    );
  });

  it('asks about each object, again after a minute, and anew over another connection', async () => {
    const { session } = await demoSession();
    const asked: string[] = [];
    const granted = new Set(['a']);
    const port: ClusterPort = {
      ...demoPort(handClock().clock),
      request: ({ body }) => {
        const name = textIn(body, 'spec', 'resourceAttributes', 'name') ?? '';
        asked.push(name);
        return Promise.resolve({
          ok: true,
          answer: { body: { status: { allowed: granted.has(name) } } },
        });
      },
    };
    const renewOf = (name: string) => {
      const metadata = { name, namespace: 'b' };
      const [renew] = actionsOn(
        { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata },
        noon,
      );
      if (renew === undefined) throw new Error('nothing is offered');
      return renew;
    };
    const connection = { name: 'x', session, port, isDemo: false };
    let now = 0;
    const locks = createLocks(() => now);
    locks.set('x', false);
    await locks.review(connection, [renewOf('b'), renewOf('a')]);
    expect(locks.blocked(connection, renewOf('a'))).toBeUndefined();
    expect(locks.blocked(connection, renewOf('b'))).toContain('You may not');
    granted.add('b');
    now = 59_000;
    expect(await locks.review(connection, [renewOf('b')])).toBe(false);
    now = 60_000;
    expect(await locks.review(connection, [renewOf('b')])).toBe(true);
    expect(locks.blocked(connection, renewOf('b'))).toBeUndefined();
    expect(asked).toEqual(['b', 'a', 'b']);
    const again = { ...connection };
    expect(locks.blocked(again, renewOf('a'))).toContain('Asking the cluster');
    await locks.review(again, [renewOf('a')]);
    expect(asked).toEqual(['b', 'a', 'b', 'a']);
  });
});
