import { atLeast, fixedIn, versionOf, type Environment } from '../../environment.ts';
import { nanoseconds, toNanoseconds, type Ms } from '../../units.ts';
import { system } from './system.ts';

/** The numbers of a `backoff` block, all read. */
export type Backoff = {
  readonly base: Ms;
  readonly factor: number | undefined;
  readonly cap: Ms | undefined;
};

/** What a release does differently with the same numbers. */
export type Behaviour = {
  /** A product beyond 2^63 ns becomes the longest duration there is; older releases let it wrap around. */
  readonly saturates: boolean;
  /** `always`: before there was a check; `with-limit`: only while retries are left. */
  readonly waitsWhen: 'always' | 'with-limit';
  /** A `limit` in quotes reads as 0 where the wait is decided, so there is none. */
  readonly misreadsQuotedLimit: boolean;
  /** A missing `limit` is dereferenced: the workflow ends in Error. */
  readonly failsWithoutLimit: boolean;
};

// argo-workflows PR 15277: the product is checked before it is made.
const overflowFixes = ['3.6.18', '3.7.9', '4.0.1', '4.1.0'] as const;

/** What the release at hand does: `3.3.8` misreads quoted limits, `4.1.2` does none of it. */
export function behaviourOf(env: Environment): Behaviour {
  const { version } = versionOf(env, system);
  const since = (bound: string) => atLeast(env, system, bound);
  const isBetween = (first: string, fixed: string) => since(first) && !since(fixed);
  return {
    saturates: fixedIn(version, overflowFixes),
    // workflow/controller/operator.go, tags v3.3.4 to v3.3.9.
    waitsWhen: since('3.3.5') ? 'with-limit' : 'always',
    misreadsQuotedLimit: isBetween('3.3.5', '3.3.9'),
    failsWithoutLimit: isBetween('3.3.5', '3.3.7'),
  };
}

const largest = 2n ** 63n - 1n;

// factor^k passes 2^63 at k = 63 for every factor there is; nothing changes after that.
const horizon = 66;

/**
 * The waits the controller computes, in nanoseconds, up to the one that repeats for ever.
 *
 * Negative ones come from a negative `duration` or from a product that wraps: they are no wait at all.
 */
export function computedWaits(backoff: Backoff, behaviour: Behaviour): readonly bigint[] {
  const base = toNanoseconds(backoff.base);
  const factor = Math.trunc(backoff.factor ?? 0);
  const cap = backoff.cap === undefined ? undefined : toNanoseconds(backoff.cap);
  const capped = (wait: bigint) => (cap !== undefined && wait > cap ? cap : wait);
  if (factor <= 1) return [capped(base)];
  const waits: bigint[] = [];
  let power = 1n;
  while (waits.length < horizon) {
    const wait = capped(product(base, power, behaviour.saturates));
    waits.push(wait);
    // What only grows stays at its bound; what wraps around has to be followed to the end.
    if (behaviour.saturates && base > 0n && (wait === cap || wait === largest)) return waits;
    power *= BigInt(factor);
  }
  const last = waits.at(-1);
  const changes = waits.findLastIndex((wait) => wait !== last);
  return waits.slice(0, changes + 2);
}

/** `duration * time.Duration(math.Pow(factor, exponent))`, as Go has it on amd64. */
function product(base: bigint, exact: bigint, saturates: boolean): bigint {
  // The power is a float64 in Go; here too, from an exact one.
  const power = Number(exact);
  if (saturates && power > Number(largest) / Number(base)) return largest;
  const whole = power < 2 ** 63 ? BigInt(power) : -(2n ** 63n);
  return BigInt.asIntN(64, base * whole);
}

/** The retry whose product no longer fits 64 bits, before `cap` is looked at. */
export function overflowsAt({ base, factor }: Backoff): number | undefined {
  const whole = toNanoseconds(base);
  if (factor === undefined || factor < 2 || whole <= 0n) return undefined;
  let wait = whole;
  for (let retry = 1; retry <= horizon + 1; retry += 1) {
    if (wait > largest) return retry;
    wait *= BigInt(Math.trunc(factor));
  }
  return undefined;
}

/** A computed wait as it is waited: a negative one is none. */
export const waited = (computed: bigint): Ms => nanoseconds(computed < 0n ? 0n : computed);
