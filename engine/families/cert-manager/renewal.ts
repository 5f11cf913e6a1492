import { atLeast, type Environment } from '../../environment.ts';
import { hours, ms, toNanoseconds, type Ms } from '../../units.ts';
import { issuanceWait, issuanceWaits, type IssuanceBackoff } from './backoff.ts';
import { certManager } from './system.ts';

/** The lifetime that is asked for where a Certificate names none: 90 days. */
export const defaultLifetime: Ms = hours(2160);

/** What decides when a certificate is renewed. */
export type RenewalRule = {
  readonly renewBefore?: Ms | undefined;
  readonly percentage?: number | undefined;
};

/** The part of a lifetime that remains when the renewal starts, and which setting decided it. */
export type RenewalWindow = {
  readonly window: Ms;
  readonly by: 'renewBefore' | 'renewBeforePercentage' | 'third';
};

/**
 * How long before expiry a certificate of some lifetime is renewed.
 *
 * A `renewBefore` that is not shorter than the lifetime does not count: a third of the lifetime does.
 */
export function renewalWindow(lifetime: Ms, rule: RenewalRule, env: Environment): RenewalWindow {
  const { renewBefore, percentage } = rule;
  if (renewBefore !== undefined && renewBefore > 0 && renewBefore < lifetime) {
    return { window: renewBefore, by: 'renewBefore' };
  }
  const known = atLeast(env, certManager, '1.16.0');
  if (known && percentage !== undefined && percentage > 0 && percentage < 100) {
    const share = isReversed(env) ? 100 - percentage : percentage;
    return { window: shareOf(lifetime, share, env), by: 'renewBeforePercentage' };
  }
  return { window: third(lifetime), by: 'third' };
}

/** 1.16.0 to 1.16.2 renewed at `percentage` of the lifetime instead of `percentage` before its end. */
export const isReversed = (env: Environment): boolean =>
  atLeast(env, certManager, '1.16.0') && !atLeast(env, certManager, '1.16.3');

/** A share of a lifetime in percent, as the version at hand computes it: before 1.21 in 64 bits that overflow. */
export function shareOf(lifetime: Ms, percent: number, env: Environment): Ms {
  if (atLeast(env, certManager, '1.21.0')) return ms((lifetime * percent) / 100);
  const product = BigInt.asIntN(64, toNanoseconds(lifetime) * BigInt(percent));
  return ms(Number(product / 100n) / 1e6);
}

const third = (lifetime: Ms): Ms => ms(Number(toNanoseconds(lifetime) / 3n) / 1e6);

/**
 * How many attempts start before a certificate expires when every one fails at once, the first at renewal time.
 *
 * `attemptsWithin(8h, defaults)` is 4: at 0, 1h, 3h and 7h. Nothing where there is no wait to limit them.
 */
export function attemptsWithin(window: Ms, backoff: IssuanceBackoff): number | undefined {
  if (backoff.min <= 0) return undefined;
  const { constantFrom = 1 } = issuanceWaits(backoff);
  let offset = 0;
  let attempts = window > 0 ? 1 : 0;
  for (let retry = 1; offset < window; retry += 1) {
    const wait = issuanceWait(backoff, retry);
    if (retry >= constantFrom)
      return attempts + Math.max(0, Math.ceil((window - offset) / wait) - 1);
    offset += wait;
    if (offset < window) attempts += 1;
  }
  return attempts;
}

/** When the first of those attempts start, counted from renewal time. */
export function attemptOffsets(window: Ms, backoff: IssuanceBackoff, most: number): readonly Ms[] {
  const offsets: Ms[] = [];
  let offset = 0;
  for (let retry = 1; offset < window && offsets.length < most; retry += 1) {
    offsets.push(ms(offset));
    offset += issuanceWait(backoff, retry);
  }
  return offsets;
}
