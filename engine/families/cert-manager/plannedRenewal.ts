import { formatGoDuration } from '../../durations/format.ts';
import { isWritten, valueOf } from '../../setting.ts';
import type { Ms } from '../../units.ts';
import { knownBackoff, type KnownBackoff } from './backoff.ts';
import type { IssuancePolicy } from './issuanceFields.ts';
import { attemptsWithin, renewalWindow, type RenewalWindow } from './renewal.ts';

/** When a Certificate will be renewed, and how many attempts that leaves before it expires. */
export type PlannedRenewal = RenewalWindow & {
  readonly lifetime: Ms;
  readonly backoff: KnownBackoff;
  /** Absent where the controller does not wait at all. */
  readonly attempts: number | undefined;
};

/**
 * The renewal that a manifest plans, if the issuer grants the lifetime that it asks for.
 *
 * Nothing where a setting is unreadable or known only at run time, where a patch leaves out what counts, where
 * the webhook refuses the settings, or where renewals are disabled.
 */
export function plannedRenewal(policy: IssuancePolicy): PlannedRenewal | undefined {
  const { settings, facts, env } = policy;
  const { duration, renewBefore, renewBeforePercentage, renewalPolicy } = settings;
  const deciding = [duration, renewBefore, renewBeforePercentage];
  if (deciding.some((setting) => isWritten(setting) && setting.from !== 'document')) {
    return undefined;
  }
  const decided =
    isWritten(duration) && (isWritten(renewBefore) || isWritten(renewBeforePercentage));
  if (!facts.whole && !decided) return undefined;
  if (valueOf(renewalPolicy) === 'Disabled' || renewalPolicy.from === 'runtime') return undefined;
  const lifetime = valueOf(duration);
  const before = valueOf(renewBefore);
  const percentage = valueOf(renewBeforePercentage);
  if (lifetime === undefined || (before !== undefined && before >= lifetime)) return undefined;
  if (percentage !== undefined && (percentage < 1 || percentage > 99)) return undefined;
  const renewal = renewalWindow(lifetime, { renewBefore: before, percentage }, env);
  if (renewal.window <= 0 || renewal.window >= lifetime) return undefined;
  const backoff = knownBackoff(env);
  return { ...renewal, lifetime, backoff, attempts: attemptsWithin(renewal.window, backoff) };
}

/** A duration as a manifest would have it: `720h`, `1h30m`. */
export const goText = (value: Ms): string =>
  formatGoDuration(value).replace(/m0s$/, 'm').replace(/h0m$/, 'h');
