import { demoPort } from '../../../client/src/cluster/demoPort.ts';
import { openSession } from '../../../client/src/cluster/session.ts';
import type { Clock } from '../../../client/src/cluster/clock.ts';
import type { ClusterPort } from '../../../client/src/cluster/port.ts';
import type {
  ClusterSession,
  LiveRow,
  SessionSnapshot,
} from '../../../client/src/cluster/sessionTypes.ts';
import { panelRow, type PanelRow } from '../../../client/src/panel/model/panelRow.ts';
import { emptyEnvironment } from '../../../engine/environment.ts';
import { families } from '../../../engine/families/index.ts';
import { inferred, reported, unknown, type LiveBackoff } from '../../../engine/live.ts';
import { instant, ms, type Instant, type Ms } from '../../../engine/units.ts';

export const noon: Instant = instant(Date.parse('2026-01-10T12:00:00Z'));

export const at = (clock: string): Instant => instant(Date.parse(`2026-01-10T${clock}Z`));

export const waiting = (
  next: string | undefined,
  more: Partial<Extract<LiveBackoff, { kind: 'waiting' }>> = {},
): LiveBackoff => ({
  kind: 'waiting',
  retry: reported(4),
  failures: reported(4),
  wait: inferred({ lo: ms(28_800_000), hi: ms(28_800_000) }, 'four failures'),
  lastFailureAt: reported(at('08:00:00')),
  next:
    next === undefined
      ? unknown('nobody writes it down')
      : inferred({ lo: at(next), hi: at(next) }, 'the last failure and the wait'),
  capped: reported(false),
  reason: 'Issuance failed',
  seen: [],
  ...more,
});

export const gaveUp = (time: string): LiveBackoff => ({
  kind: 'gave-up',
  by: reported({
    kind: 'retries',
    limit: 3,
    then: 'the node fails',
    origin: { kind: 'field', field: 'limit' },
  }),
  at: reported(at(time)),
  failures: reported(4),
  reason: 'All retries are used up',
  seen: [],
});

export const trying: LiveBackoff = {
  kind: 'attempting',
  retry: reported(2),
  failures: reported(2),
  reason: 'The retry runs',
  seen: [],
};

export const liveRow = (
  name: string,
  state: LiveBackoff,
  more: Partial<LiveRow> = {},
): LiveRow => ({
  key: `${name}/cert-manager/issuance/`,
  family: 'cert-manager/issuance',
  resource: { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', namespace: 'shop', name },
  uid: name,
  state,
  isEstimate: false,
  ...more,
});

export const shown = (
  name: string,
  state: LiveBackoff,
  more: Partial<LiveRow> = {},
  context = 'prod-eu',
): PanelRow => panelRow(context, liveRow(name, state, more));

/** A session that is live, has read everything, and has nothing to tell. */
export const snapshot = (more: Partial<SessionSnapshot> = {}): SessionSnapshot => ({
  context: { name: 'prod-eu', cluster: 'c', server: 'https://x', user: 'u', files: [] },
  state: { kind: 'live', since: noon },
  rows: new Map(),
  idle: 12,
  listed: 3,
  unseen: [],
  versions: [],
  flags: { controllers: new Map(), gates: new Map() },
  env: emptyEnvironment,
  clockSkew: ms(0),
  checkedAt: noon,
  isComplete: true,
  ...more,
});

/** A clock that stands still until it is told to go on. */
export function handClock(start: Instant = noon) {
  let now = start;
  let timers: { readonly due: Instant; readonly run: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    after: (wait, run) => {
      const timer = { due: instant(now + wait), run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    random: () => 0.5,
  };
  /** Lets what waits for an answer go on; answers come in microtasks. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
  };
  const pass = async (span: Ms): Promise<void> => {
    const end = instant(now + span);
    await settle();
    for (;;) {
      const next = timers.toSorted((a, b) => a.due - b.due)[0];
      if (next === undefined || next.due > end) break;
      timers = timers.filter((one) => one !== next);
      now = instant(Math.max(now, next.due));
      next.run();
      await settle();
    }
    now = end;
  };
  return { clock, pass, settle, waiting: () => timers.length };
}

/** The demo, as a session sees it a moment after it was opened. */
export async function demoSession(): Promise<{
  readonly session: ClusterSession;
  readonly time: ReturnType<typeof handClock>;
  /** How many requests there have been, watches included. */
  readonly asked: () => number;
}> {
  const time = handClock();
  const port = demoPort(time.clock);
  let count = 0;
  const counted: ClusterPort = {
    ...port,
    request: (request) => {
      count += 1;
      return port.request(request);
    },
    watch: (...given) => {
      count += 1;
      return port.watch(...given);
    },
  };
  const session = openSession({ port: counted, families, clock: time.clock });
  await time.pass(ms(2000));
  return { session, time, asked: () => count };
}
