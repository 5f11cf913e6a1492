import { cited } from '../../citation.ts';
import { atLeast, type Environment } from '../../environment.ts';
import { exponential, waits } from '../../growth.ts';
import type { Origin, Waits } from '../../schedule.ts';
import { between, exactly, minutes, ms, seconds, zero, type Ms, type Window } from '../../units.ts';
import { kubernetes, sources } from './system.ts';

/** The wait after the first failed pod; it doubles from there. */
export const podFailureBase = cited(seconds(10), sources.jobWaits);

const newCap = cited(minutes(10), sources.jobWaits);
const oldCap = cited(minutes(6), sources.oldJobWaits);

/** The longest wait between two pods of a Job: 10m, and 6m up to 1.27. */
export const podFailureCap = (env: Environment): typeof newCap =>
  atLeast(env, kubernetes, '1.28.0') ? newCap : oldCap;

/** The cap that the other versions have, for a note where it makes a difference. */
export const otherPodFailureCap = (env: Environment): typeof newCap =>
  atLeast(env, kubernetes, '1.28.0') ? oldCap : newCap;

/** The wait after so many failed pods in a row: 10s, 20s, 40s… */
export const podFailureWait = (failures: number, cap: Ms): Ms =>
  ms(Math.min(podFailureBase.value * 2 ** Math.min(Math.max(0, failures - 1), 60), cap));

/**
 * What may be left of the wait when the last of so many pods in a row has failed.
 *
 * From 1.27 on the wait counts from that pod's end. Before, the work queue had it count from when it made that pod:
 * the first replacement came at once, and the time a pod ran had used up some or all of the wait for the next.
 * Source: kubernetes PR 114768; measured on 1.20.2: 0s, then 10s, 20s and 40s after the pod before was made.
 */
export function podFailureWindow(failures: number, env: Environment): Window<Ms> {
  const cap = podFailureCap(env).value;
  if (atLeast(env, kubernetes, '1.27.0')) return exactly(podFailureWait(failures, cap));
  return failures <= 1 ? exactly(zero) : between(zero, podFailureWait(failures - 1, cap));
}

/**
 * The waits before replacement 1, 2, 3… where one pod fails at a time, and takes no time to.
 *
 * Before 1.27 the first replacement came at once, and the others one step later than since: 0s, 10s, 20s, 40s…
 */
export function jobWaits(env: Environment): Waits {
  const cap = podFailureCap(env).value;
  const now = podFailureWaits(cap);
  if (atLeast(env, kubernetes, '1.27.0')) return now;
  const before = (retry: number): Window<Ms> =>
    exactly(retry === 1 ? zero : podFailureWait(retry - 1, cap));
  return waits(before, (now.constantFrom ?? 1) + 1);
}

/** The same as since 1.27, whatever the version: `10s`, `20s`, `40s`… up to a cap. */
export const podFailureWaits = (cap: Ms): Waits =>
  exponential({ base: podFailureBase.value, factor: 2, cap });

export const podFailureCapOf = (
  env: Environment,
): { readonly value: Ms; readonly origin: Origin<never> } => {
  const { value, cite } = podFailureCap(env);
  return { value, origin: { kind: 'built-in', name: 'the longest wait', cite } };
};
