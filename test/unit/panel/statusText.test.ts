import { describe, expect, it } from 'vitest';
import { demoPort } from '../../../client/src/cluster/demoPort.ts';
import { contextLine } from '../../../client/src/live/contextLines.ts';
import { statusText } from '../../../client/src/live/statusText.ts';
import { ms } from '../../../engine/units.ts';
import { at, demoSession, handClock, noon, shown, snapshot, waiting } from './samples.ts';

describe('the status bar', () => {
  const rows = [
    shown('a', waiting('12:02:14')),
    shown('b', waiting('13:00:00')),
    shown('c', waiting(undefined)),
  ];

  it('has nothing to say before a person connects', () => {
    expect(statusText([], [], false, noon)).toBeUndefined();
  });

  it('counts, and names the next retry', () => {
    expect(statusText([snapshot()], rows, false, noon)).toMatchObject({
      text: '$(watch) 3 backing off · next 02:14',
      spoken: 'Kube Backoff: 0 gave up, 3 backing off, next in 2 minutes 14 seconds',
    });
  });

  it('does not say that nothing backs off where nothing may be looked at', () => {
    const unseen = [{ resource: 'jobs.batch', why: 'forbidden', detail: '' }] as const;
    const said = statusText([snapshot({ listed: 0, idle: 0, unseen })], [], false, noon);
    expect(said?.text).toBe('$(lock) forbidden');
    expect(statusText([snapshot({ unseen })], [], false, noon)?.text).toContain('nothing backing');
  });

  it('says that it is paused, to the ear too', () => {
    const said = statusText([snapshot()], rows, true, noon);
    expect(said?.text).toMatch(/^\$\(debug-pause\) 3 backing off/);
    expect(said?.spoken).toMatch(/^Kube Backoff \(paused\): 0 gave up/);
  });

  it('counts by the clock of the server', () => {
    const skewed = snapshot({ clockSkew: ms(14_000) });
    expect(statusText([skewed], rows, false, noon)?.text).toContain('next 02:00');
  });

  it('tells its own back-off, and that it is signed out', () => {
    const state = {
      kind: 'reconnecting',
      retry: 2,
      wait: ms(4000),
      nextAt: at('12:00:04'),
      why: 'refused',
    } as const;
    expect(statusText([snapshot({ state })], rows, false, noon)?.text).toBe(
      '$(sync) reconnecting · retry 2 in 00:04',
    );
    const out = snapshot({ state: { kind: 'unauthorised', detail: '401' } });
    expect(statusText([out], rows, false, noon)?.text).toBe('$(key) signed out');
  });

  const connecting = snapshot({
    state: { kind: 'connecting', since: noon },
    isComplete: false,
    idle: 0,
  });
  const stopped = snapshot({ state: { kind: 'stopped', why: 'the certificate has expired' } });
  const failed = { resource: 'pods', why: 'failed', detail: 'timeout' } as const;
  const lost = snapshot({
    state: {
      kind: 'reconnecting',
      retry: 7,
      wait: ms(4000),
      nextAt: at('11:00:00'),
      why: 'refused',
    },
  });

  it.each([
    ['$(sync) connecting', connecting, false],
    ['$(sync) reading', snapshot({ isComplete: false }), false],
    ['$(error) stopped', stopped, false],
    ['$(error) stopped', stopped, true],
    ['$(warning) not everything could be read', snapshot({ unseen: [failed] }), false],
    ['$(debug-pause) paused', snapshot(), true],
    ['$(debug-pause) paused', lost, true],
    ['$(watch) nothing backing off', snapshot(), false],
  ])('says %s where no row is known', (text, known, isPaused) => {
    expect(statusText([known], [], isPaused, noon)?.text).toBe(text);
  });

  it('counts what is known while it is lost and paused, as nothing is retried then', () => {
    expect(statusText([lost], rows, true, noon)?.text).toMatch(/^\$\(debug-pause\) 3 backing off/);
  });

  it('says beside the count what could not be read', () => {
    const said = statusText([snapshot({ unseen: [failed] })], rows, false, noon);
    expect(said?.text).toBe('$(watch) 3 backing off · next 02:14');
    expect(said?.tooltip).toContain('prod-eu: could not be read: pods');
  });

  it('does not call the silence before the first answer a result, to the ear either', () => {
    expect(statusText([connecting], [], false, noon)?.spoken).toBe('Kube Backoff: connecting');
    expect(statusText([stopped], [], false, noon)?.spoken).toBe(
      'Kube Backoff has stopped asking prod-eu: the certificate has expired',
    );
  });
});

describe('a context that was refused', () => {
  it.each([
    ['unauthorised', { kind: 'unauthorised', detail: '401' }],
    ['stopped', { kind: 'stopped', why: 'x' }],
    ['paused', { kind: 'live', since: noon }],
  ] as const)('is not called paused: %s', async (expected, state) => {
    const { session } = await demoSession();
    const own = { ...session, snapshot: () => snapshot({ state }) };
    const connection = {
      name: 'x',
      session: own,
      port: demoPort(handClock().clock),
      isDemo: false,
    };
    expect(contextLine(connection, { isLocked: true, isPaused: true }).state).toBe(expected);
  });
});
