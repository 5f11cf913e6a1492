import { ms, seconds, type Ms } from '../../../engine/units.ts';

const first = seconds(1);
const longest = seconds(30);
const mostDoublings = 10;

/**
 * How long we ourselves wait before a retry: 1s doubling to 30s, of which the second half is left to chance.
 *
 * A wait that the server asks for is never cut short. Retries count from 1; `random` is from 0 up to 1.
 */
export function reconnectWait(retry: number, random: number, asked?: Ms): Ms {
  const doublings = Math.min(Math.max(retry, 1) - 1, mostDoublings);
  const whole = Math.min(first * 2 ** doublings, longest);
  const own = whole / 2 + (whole / 2) * random;
  if (asked === undefined) return ms(own);
  // Everybody was told the same time: a little chance keeps them from coming back at once.
  return ms(Math.max(own, asked * (1 + random / 10)));
}
