import { cited } from '../../citation.ts';
import { listed } from '../../growth.ts';
import type { Waits } from '../../schedule.ts';
import { minutes, ms, seconds, type Ms, type Window } from '../../units.ts';
import { captfSource } from './system.ts';

/** The wait after the first failure; it doubles from there. */
export const retryBase = cited(
  minutes(1),
  captfSource('internal/controllers/shared/decide.go RetryBase'),
);

/** The longest wait, and the wait from the history limit on. */
export const retryMax = cited(
  minutes(10),
  captfSource('internal/controllers/shared/decide.go RetryMax'),
);

/** The failed Jobs that are kept, and counted, where nobody says otherwise. */
export const defaultFailedLimit = cited(
  3,
  captfSource('internal/controllers/shared/bookkeeping.go defaultFailedLimit'),
);

/** From this limit on no wait changes any more: the fourth wait is 8m, the fifth would pass the cap. */
export const limitOfGrowth = 5;

/** A limit of 0 counts as 1: pruning always keeps the newest unresolved failure. */
export const countedLimit = (limit: number): number => Math.max(limit, 1);

/** The wait after `failures` failures in a row: `retryDelay(2, 3)` → 2m, `retryDelay(3, 3)` → 10m. */
export function retryDelay(failures: number, limit: number): Ms {
  if (failures >= countedLimit(limit)) return retryMax.value;
  return ms(Math.min(retryBase.value * 2 ** (failures - 1), retryMax.value));
}

/** The waits before retry 1, 2, 3… under a history limit. */
export function retryWaits(limit: number): Waits {
  const last = Math.min(countedLimit(limit), limitOfGrowth);
  return listed(Array.from({ length: last }, (_, index) => retryDelay(index + 1, limit)));
}

/** The first refresh while health is pending. */
export const pendingBase = cited(
  seconds(30),
  captfSource('internal/controllers/shared/decide.go RefreshPendingInterval'),
);

/** The longest wait between refreshes while health is pending. */
export const pendingMax = cited(
  minutes(5),
  captfSource('internal/controllers/shared/decide.go RefreshPendingCeiling'),
);

/** The wait between refreshes of a pool whose health is pending or whose members still join. */
export const convergingWait = cited(
  seconds(30),
  captfSource('internal/controllers/shared/decide.go MembershipConvergingInterval'),
);

/** The wait after so many pending readings in a row, before jitter: 30s, 1m, 2m, 4m, 5m. */
export const pendingDelay = (readings: number): Ms =>
  ms(Math.min(pendingBase.value * 2 ** Math.max(0, readings - 1), pendingMax.value));

/** An interval with the jitter that any object may have: up to a tenth on top. */
export const spread = (interval: Ms): Window<Ms> => ({
  lo: interval,
  hi: ms(interval + interval / 10),
});

/**
 * The jitter of one object: FNV-1a of its uid, modulo a tenth of the interval in nanoseconds.
 *
 * Source: internal/controllers/shared/decide.go `Jitter`.
 */
export function jitterOf(uid: string, interval: Ms): Ms {
  const tenth = BigInt(Math.floor(interval * 1e5));
  if (uid === '' || tenth <= 0n) return ms(0);
  return ms(Number(fnv64a(uid) % tenth) / 1e6);
}

/** FNV-1a with 64 bits over a text's UTF-8 bytes, as Go's `fnv.New64a`. */
export function fnv64a(text: string): bigint {
  let hash = 0xcb_f2_9c_e4_84_22_23_25n;
  for (const byte of utf8(text)) {
    hash = ((hash ^ BigInt(byte)) * 0x1_00_00_00_01_b3n) & 0xff_ff_ff_ff_ff_ff_ff_ffn;
  }
  return hash;
}

function* utf8(text: string): Generator<number> {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) yield code;
    else if (code < 0x8_00) yield* [0xc0 | (code >> 6), 0x80 | (code & 0x3f)];
    else if (code < 0x1_00_00) {
      yield* [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
    } else {
      yield 0xf0 | (code >> 18);
      yield* [0x80 | ((code >> 12) & 0x3f), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
    }
  }
}
