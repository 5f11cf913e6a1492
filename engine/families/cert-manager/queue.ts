import { exponential } from '../../growth.ts';
import { inferred, reported, unknown, type Evidence, type LiveState } from '../../live.ts';
import type { Schedule, Stop } from '../../schedule.ts';
import { between, minutes, parseInstant, seconds, type Ms } from '../../units.ts';
import { sources } from './system.ts';

/** A work queue's limiter: waits between two tries of one object that end with an error. */
export type QueueLimiter = { readonly base: Ms; readonly cap: Ms };

/** CertificateRequests, Issuers and most others. */
export const defaultLimiter: QueueLimiter = { base: seconds(5), cap: minutes(5) };
/** Orders and Challenges. */
export const acmeLimiter: QueueLimiter = { base: seconds(5), cap: minutes(30) };

/** The schedule of an object on a queue; it ends when the object reaches a final state. */
export function queueSchedule(limiter: QueueLimiter, end: Stop<never>): Schedule<never> {
  const { base, cap } = limiter;
  const origin = { kind: 'built-in', name: 'the work queue', cite: sources.queues } as const;
  return {
    waits: exponential({ base, factor: 2, cap }),
    cap: { value: cap, origin },
    stops: [end],
    resets: [{ text: 'a try without an error, or a restart of the controller', origin }],
    clock: 'after-attempt',
  };
}

/** An object that is not decided yet: it waits for events or for its queue, whose times nobody reports. */
export function queued(
  limiter: QueueLimiter,
  reason: string,
  seen: readonly Evidence[],
): LiveState {
  const inMemory = 'the work queue keeps its retries in memory only';
  return {
    state: {
      kind: 'waiting',
      retry: unknown(inMemory),
      failures: unknown(inMemory),
      wait: inferred(between(limiter.base, limiter.cap), "the work queue's limiter"),
      lastFailureAt: unknown(inMemory),
      next: unknown(inMemory),
      capped: unknown(inMemory),
      reason,
      seen,
    },
  };
}

/** An object in a final state that is no success: nothing tries it again. */
export function final(
  by: Stop<never>,
  at: unknown,
  reason: string,
  seen: readonly Evidence[],
): LiveState {
  const time = parseInstant(at);
  return {
    state: {
      kind: 'gave-up',
      by: reported(by),
      at: time === undefined ? unknown('no failureTime is reported') : reported(time),
      failures: unknown('a request is tried once; its Certificate counts the failures'),
      reason,
      seen,
    },
  };
}
