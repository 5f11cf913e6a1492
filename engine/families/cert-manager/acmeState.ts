import type { Evidence, LiveState } from '../../live.ts';
import type { Stop } from '../../schedule.ts';
import type { LiveInput } from '../../live.ts';
import { textAt } from '../../source.ts';
import { final } from './queue.ts';

/** States that an ACME order or challenge never leaves, other than success. */
const failed = new Set(['invalid', 'expired', 'errored']);

/** The state of an Order or Challenge that is decided; nothing while it is not. */
export function decidedState(
  { object, ref }: LiveInput,
  by: Stop<never>,
  then: string,
): LiveState | undefined {
  const state = textAt(object, 'status', 'state');
  const reason = textAt(object, 'status', 'reason');
  const seen: readonly Evidence[] = [
    { object: ref, path: 'status.state', value: state ?? null },
    ...(reason === undefined ? [] : [{ object: ref, path: 'status.reason', value: reason }]),
  ];
  if (state === 'valid') {
    return { state: { kind: 'idle', because: 'finished', reason: 'It is valid', seen } };
  }
  if (state === undefined || !failed.has(state)) return undefined;
  const why = reason === undefined ? '' : ` (${reason})`;
  const text = `It is ${state}${why} and never tried again: ${then}`;
  return final(by, textAt(object, 'status', 'failureTime'), text, seen);
}
