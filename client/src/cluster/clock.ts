import { instant, type Instant, type Ms } from '../../../engine/units.ts';

/** Time and chance, as far as sessions need them; tests bring their own. */
export type Clock = {
  readonly now: () => Instant;
  /** Runs something once after a wait, unless the returned function is called before. */
  readonly after: (wait: Ms, run: () => void) => () => void;
  /** From 0 up to, but never, 1. */
  readonly random: () => number;
};

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => instant(Date.now()),
  after: (wait, run) => {
    const timer = setTimeout(run, wait);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Waits; shorter where it is called off. */
export function sleep(clock: Clock, wait: Ms, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(wait, wake);
    signal.addEventListener('abort', wake);
  });
}

/** Runs something again and again, until the returned function is called. */
export function every(clock: Clock, wait: Ms, run: () => void): () => void {
  let cancel = () => undefined as void;
  const again = () => {
    run();
    cancel = clock.after(wait, again);
  };
  cancel = clock.after(wait, again);
  return () => cancel();
}
