import { atLeast, type Environment } from '../../environment.ts';
import { waits } from '../../growth.ts';
import type { Together, Waits } from '../../schedule.ts';
import { between, ms, type Ms } from '../../units.ts';
import { podFailureCap, podFailureWait } from './podFailures.ts';
import { kubernetes } from './system.ts';

/** So many waits after the first the cap is reached, whatever the version. */
const toTheCap = 7;

/**
 * The waits of a Job that runs several pods at once: pods that fail in one look of the controller double the wait
 * each, so wait k follows after k failures at the least, and after k times as many as run at once at the most.
 *
 * Up to 1.26 every look doubled it once, however many pods had failed.
 */
export function sharedWaits(inner: Waits, { atOnce, limit }: Shared, env: Environment): Waits {
  if (!atLeast(env, kubernetes, '1.27.0')) return inner;
  const cap = podFailureCap(env).value;
  return waits(
    (retry) =>
      between(
        podFailureWait(retry, cap),
        podFailureWait(Math.max(retry, Math.min(retry * atOnce, limit)), cap),
      ),
    inner.constantFrom,
  );
}

export type Shared = {
  /** Pods that run at one time. */
  readonly atOnce: number;
  /** Failures that are made up for. */
  readonly limit: number;
};

/** What it comes to where up to so many pods fail at a time: their failures use up the limit together. */
export function sharedFailures(
  { atOnce, limit }: Shared,
  inner: Waits,
  env: Environment,
): Together {
  const fewest = Math.floor(limit / atOnce);
  if (!atLeast(env, kubernetes, '1.27.0')) return oneSeries(inner, fewest);
  const cap = podFailureCap(env).value;
  // The last failures come all at once, and before each wait as many as there can be.
  const first = limit + 1 - fewest * atOnce;
  return {
    fewest,
    least: sumOf(fewest, (wait) => podFailureWait(first + (wait - 1) * atOnce, cap)),
    most: (retry) =>
      sumOf(retry, (wait) =>
        podFailureWait(Math.max(wait, Math.min(wait * atOnce, limit - retry + wait)), cap),
      ),
  };
}

/** The same where each pod has a series of waits of its own, and restarts are added up. */
export const sharedRestarts = ({ atOnce, limit }: Shared, inner: Waits): Together =>
  oneSeries(inner, Math.ceil(limit / atOnce));

function oneSeries(inner: Waits, fewest: number): Together {
  const most = (retry: number): Ms => addedUp(inner, retry);
  return { fewest, least: most(fewest), most };
}

/** The sum of so many terms, which are all equal from some term on. */
function sumOf(count: number, at: (term: number) => Ms): Ms {
  const counted = Math.min(count, toTheCap);
  let total = 0;
  for (let term = 1; term <= counted; term += 1) total += at(term);
  return ms(count > counted ? total + (count - counted) * at(count) : total);
}

/** The first waits of an endless series, added up. */
function addedUp(inner: Waits, count: number): Ms {
  const constantFrom = inner.constantFrom ?? count;
  let total = 0;
  let counted = 0;
  for (const { lo } of inner) {
    if (counted >= count) break;
    counted += 1;
    if (counted >= constantFrom) return ms(total + (count - counted + 1) * lo);
    total += lo;
  }
  return ms(total);
}
