import { after, ms, seconds, type Instant, type Ms } from '../../../engine/units.ts';
import type { Clock } from './clock.ts';

/** Ends a stream that has gone silent. */
export type Watchdog = {
  /** Aborts with the outer signal, and when it was silent for too long. */
  readonly signal: AbortSignal;
  readonly heard: () => void;
  /** When it was heard first. */
  readonly openedAt: () => Instant | undefined;
  /** Whether it was ended for its silence. */
  readonly isDead: () => boolean;
  readonly end: () => void;
};

const lookEvery = seconds(30);

/**
 * Watches over one stream; `most` says how long it may be silent, before and after its first word, and nothing while
 * its silence tells nothing.
 *
 * It looks now and then, so that a stream that tells much costs no timer for each word.
 */
export function watchdog(
  clock: Clock,
  outer: AbortSignal,
  most: (isOpen: boolean) => Ms | undefined,
): Watchdog {
  const own = new AbortController();
  let last = clock.now();
  let opened: Instant | undefined;
  let isDead = false;
  const abort = () => own.abort();
  const look = () => {
    const limit = most(opened !== undefined);
    const left = limit === undefined ? lookEvery : ms(after(last, limit) - clock.now());
    if (left > 0) {
      cancel = clock.after(left, look);
      return;
    }
    isDead = true;
    own.abort();
  };
  let cancel = clock.after(lookEvery, look);
  if (outer.aborted) own.abort();
  outer.addEventListener('abort', abort);
  return {
    signal: own.signal,
    heard: () => {
      last = clock.now();
      opened ??= last;
    },
    openedAt: () => opened,
    isDead: () => isDead,
    end: () => {
      cancel();
      outer.removeEventListener('abort', abort);
    },
  };
}
