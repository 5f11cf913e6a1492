import { constant, exponential, waits } from '../../growth.ts';
import type { Waits } from '../../schedule.ts';
import { exactly, type Ms } from '../../units.ts';

/** The application controller's limiter per Application. */
export type QueueLimiter = {
  readonly base: Ms;
  readonly max: Ms;
  readonly factor: number;
  /** After this long without being queued an Application starts at the base again; 0 means always. */
  readonly cooldown: Ms;
};

/** How far waits are looked at for one that outlasts the cooldown. */
const horizon = 2000;

/**
 * Waits of an Application that is queued again as soon as it was handled.
 *
 * Without a cooldown every wait is the base. A wait as long as the cooldown makes the next one the base, and the
 * row starts over; so it never gets past the first wait that outlasts the cooldown.
 */
export function queueWaits(limiter: QueueLimiter): Waits {
  const { base, max, factor, cooldown } = limiter;
  if (cooldown <= 0 || base >= cooldown) return constant(base);
  const growing = exponential({ base, factor, cap: max });
  const row = rowUntilReset(growing, cooldown);
  if (row === undefined) return growing;
  return waits((retry) => exactly(row[(retry - 1) % row.length] ?? base));
}

/** The waits up to the one that outlasts the cooldown, and the base after it; nothing where none does. */
function rowUntilReset(growing: Waits, cooldown: Ms): readonly Ms[] | undefined {
  const row: Ms[] = [];
  const last = Math.min(horizon, growing.constantFrom ?? horizon);
  for (const { lo } of growing) {
    row.push(lo);
    if (lo >= cooldown) return [...row, row[0] ?? lo];
    if (row.length >= last) return undefined;
  }
  return undefined;
}
