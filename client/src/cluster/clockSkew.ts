import { ms, type Instant, type Ms } from '../../../engine/units.ts';

/** The server's clock minus ours, as far as answers have told. */
export type ClockSkew = {
  readonly value: () => Ms;
  /** An answer that says `date` (in whole seconds) to a request that was sent and answered at these times of ours. */
  readonly heard: (date: Instant, sent: Instant, answered: Instant) => void;
};

/**
 * Narrows the skew down with every answer.
 *
 * A date in whole seconds leaves a second of doubt: while no skew at all explains every answer, none is claimed.
 */
export function clockSkew(): ClockSkew {
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  return {
    heard: (date, sent, answered) => {
      const least = date - answered;
      const most = date + 1000 - sent;
      const isMoved = least > high || most < low;
      low = isMoved ? least : Math.max(low, least);
      high = isMoved ? most : Math.min(high, most);
    },
    value: () => {
      if ((low <= 0 && high >= 0) || !Number.isFinite(low)) return ms(0);
      return ms(Math.round((low + high) / 2));
    },
  };
}
