import type { Clock } from '../../../client/src/cluster/clock.ts';
import { instant, type Instant } from '../../../engine/units.ts';

export type FakeClock = Clock & {
  /** Lets time pass, running what falls due, and everything that follows from it. */
  readonly pass: (milliseconds: number) => Promise<void>;
  readonly timers: () => number;
};

/** A clock that stands still until it is told to go on. */
export function fakeClock(
  start = Date.parse('2026-01-10T09:00:00Z'),
  random = () => 0.5,
): FakeClock {
  let now = start;
  let next = 0;
  const timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  return {
    now: (): Instant => instant(now),
    random,
    after: (wait, run) => {
      const id = next;
      next += 1;
      timers.set(id, { at: now + Math.max(0, wait), run });
      return () => timers.delete(id);
    },
    timers: () => timers.size,
    pass: async (milliseconds) => {
      const end = now + milliseconds;
      await settle();
      for (;;) {
        let first: number | undefined;
        for (const [id, { at }] of timers) {
          if (at <= end && (first === undefined || at < (timers.get(first)?.at ?? 0))) first = id;
        }
        if (first === undefined) break;
        const due = timers.get(first);
        timers.delete(first);
        now = Math.max(now, due?.at ?? now);
        due?.run();
        await settle();
      }
      now = end;
    },
  };
}

/** Lets every promise that can go on do so. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
