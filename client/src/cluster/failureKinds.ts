import type { Ms } from '../../../engine/units.ts';
import type { PortFailure } from './port.ts';

/** Something that was asked for, or why it is not known. */
export type Answer<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: PortFailure };

/** Whether trying again may help without anybody doing anything. */
export function mayPass({ kind }: PortFailure): boolean {
  return kind === 'throttled' || kind === 'server' || kind === 'unreachable' || kind === 'gone';
}

/** Whether every other request would be refused too, until a person does something. */
export function isForAll({ kind }: PortFailure): boolean {
  return (
    kind === 'unauthorised' ||
    kind === 'credentials' ||
    kind === 'changed' ||
    kind === 'certificate'
  );
}

/** Whether the server has said no to this one request, and would do so again. */
export function isRefused({ kind }: PortFailure): boolean {
  return kind === 'forbidden' || kind === 'not-found' || kind === 'invalid' || kind === 'conflict';
}

/** How long the server asks to be left alone. */
export const askedWait = (failure: PortFailure): Ms | undefined =>
  'retryAfter' in failure ? failure.retryAfter : undefined;

/** Of several failures the one that asks for the longest wait. */
export function longestOf(failures: readonly PortFailure[]): PortFailure | undefined {
  return failures.toSorted((a, b) => (askedWait(b) ?? 0) - (askedWait(a) ?? 0))[0];
}

/** The values of all answers, or the failure that asks for the longest wait. */
export function allOf<T>(answers: readonly Answer<T>[]): Answer<readonly T[]> {
  const failure = longestOf(answers.flatMap((one) => (one.ok ? [] : [one.failure])));
  if (failure !== undefined) return { ok: false, failure };
  return { ok: true, value: answers.flatMap((one) => (one.ok ? [one.value] : [])) };
}
