import { formatDuration, formatWindow } from './durations/format.ts';
import type { Known, LiveBackoff } from './live.ts';
import { formatInstant, ms, type Instant, type Window } from './units.ts';

/** A live state in one sentence: `waiting for retry 5, next at 2026-01-10T16:00:00Z (in 2h11m)`. */
export function describeLive(state: LiveBackoff, now: Instant): string {
  switch (state.kind) {
    case 'idle':
      return `${state.because === 'not-started' ? 'not started' : state.because}. ${state.reason}`;
    case 'attempting':
      return `attempting${retryText(state.retry)}. ${state.reason}`;
    case 'waiting': {
      const wait =
        state.wait.how === 'unknown' ? '' : ` after a wait of ${formatWindow(state.wait.value)}`;
      return `waiting${retryText(state.retry)}, ${nextText(state.next, now)}${wait}. ${state.reason}`;
    }
    case 'gave-up':
      return state.owner === undefined
        ? `gave up: nothing will retry it by itself. ${state.reason}`
        : `gave up: this one is not retried. ${state.reason}`;
    case 'unseen':
      return `not seen (${state.why}). ${state.detail}`;
  }
}

const retryText = (retry: Known<number>): string =>
  retry.how === 'unknown' ? '' : ` for retry ${String(retry.value)}`;

/** `next at 2026-01-10T16:00:00Z (in 2h11m)`, or `due since …` where the time has passed. */
export function nextText(next: Known<Window<Instant>>, now: Instant): string {
  if (next.how === 'unknown') return `next time unknown (${next.why})`;
  const { lo, hi } = next.value;
  const at =
    lo === hi ? formatInstant(lo) : `between ${formatInstant(lo)} and ${formatInstant(hi)}`;
  if (hi <= now) return `due since ${formatInstant(hi)}`;
  if (lo <= now) return `due now, at the latest at ${formatInstant(hi)}`;
  const left = Math.round((lo - now) / 1000) * 1000;
  return `next ${lo === hi ? 'at ' : ''}${at} (in ${formatDuration(ms(left))})`;
}
