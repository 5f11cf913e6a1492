import { formatDuration } from '../../durations/format.ts';
import type { Ms } from '../../units.ts';
import type { IssuanceBackoff } from './backoff.ts';
import { attemptOffsets, attemptsWithin } from './renewal.ts';

const listed = 6;

/** When the attempts of a renewal start, from renewal time on: `at 0s, 1h, 3h and 7h`. */
export function summariseOffsets(window: Ms, backoff: IssuanceBackoff): string {
  const offsets = attemptOffsets(window, backoff, listed).map(formatDuration);
  const all = attemptsWithin(window, backoff) ?? listed;
  if (all > listed) return `at ${offsets.join(', ')} and so on`;
  const last = offsets.at(-1) ?? '0s';
  return offsets.length < 2 ? `at ${last}` : `at ${offsets.slice(0, -1).join(', ')} and ${last}`;
}
