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
