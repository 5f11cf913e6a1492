import type { Ms } from '../../../engine/units.ts';
import type { PortFailure } from './port.ts';

/** Whether trying again may help without anybody doing anything. */
export function mayPass({ kind }: PortFailure): boolean {
  return kind === 'throttled' || kind === 'server' || kind === 'unreachable' || kind === 'gone';
}

/** Whether every other request would be refused too, until a person does something. */
export function isForAll({ kind }: PortFailure): boolean {
  return kind === 'unauthorised' || kind === 'credentials' || kind === 'certificate';
}

/** How long the server asks to be left alone. */
export const askedWait = (failure: PortFailure): Ms | undefined =>
  'retryAfter' in failure ? failure.retryAfter : undefined;
