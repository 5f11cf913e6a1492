import { cited, type Cited } from '../../citation.ts';
import { formatDuration } from '../../durations/format.ts';
import { minutes, seconds, type Ms } from '../../units.ts';
import { retryMax } from './delays.ts';
import { captfSource } from './system.ts';

/** A wait that stays the same however often it repeats: it is no retry and counts no failure. */
export type FixedRequeue = { readonly waitsFor: string; readonly every: Cited<Ms> };

const reconcile = (name: string) => captfSource(`internal/controllers/shared/reconcile.go ${name}`);

export const fixedRequeues = {
  cacheLag: {
    waitsFor: 'the Job cache to catch up',
    every: cited(seconds(5), reconcile('LagRequeue')),
  },
  jobSlot: {
    waitsFor: 'a free Job slot',
    every: cited(seconds(15), captfSource('internal/controllers/shared/slots.go SlotRequeue')),
  },
  gate: {
    waitsFor: 'a lease, credentials, a dependency or an owner',
    every: cited(seconds(30), reconcile('GateRequeue')),
  },
  state: {
    waitsFor: 'a state that is lost or cannot be read',
    every: cited(minutes(1), reconcile('StateRequeue')),
  },
  activeJob: {
    waitsFor: 'a Job that runs',
    every: cited(minutes(1), captfSource('internal/controllers/shared/decide.go ActiveJobRequeue')),
  },
  person: {
    waitsFor: 'an approval, or for a policy or inputs that no Job can run with',
    every: retryMax,
  },
} as const satisfies Readonly<Record<string, FixedRequeue>>;

/** All of them in one sentence, rendered from the values. */
export const fixedRequeuesText = (): string => {
  const listed = Object.values(fixedRequeues).map(
    ({ waitsFor, every }) => `every ${formatDuration(every.value)} for ${waitsFor}`,
  );
  return `What does not back off and counts no failure: CAPTF looks again ${listed.join(', ')}`;
};
