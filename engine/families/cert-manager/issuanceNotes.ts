import { formatDuration } from '../../durations/format.ts';
import { atLeast } from '../../environment.ts';
import type { Note } from '../../family.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { after, formatInstant, parseInstant } from '../../units.ts';
import { describeBounds, issuanceWait, knownBackoff } from './backoff.ts';
import { summariseOffsets } from './describe.ts';
import type { FieldName, IssuancePolicy } from './issuanceFields.ts';
import { goText, plannedRenewal, type PlannedRenewal } from './plannedRenewal.ts';
import { certManager } from './system.ts';

/** What the explanation of a Certificate says beside the waits. */
export function* issuanceNotes(policy: IssuancePolicy): Generator<Note<FieldName>> {
  const { env, settings, facts } = policy;
  const backoff = knownBackoff(env);
  yield { text: describeBounds(backoff, env) };
  const renewal = plannedRenewal(policy);
  if (renewal !== undefined) yield { text: describeRenewal(renewal), ...fieldOf(policy, renewal) };
  if (renewal?.by === 'renewBefore') {
    yield {
      text: `Renewal counts from the lifetime that the issuer grants, not the one asked for: at ${goText(renewal.window)} or less, renewBefore does not count and renewal starts when a third is left`,
      field: 'renewBefore',
    };
  }
  if (backoff.min <= 0) {
    yield {
      text: 'With a minimum of 0 there is no wait at all: every failure is tried again at once',
    };
  }
  if (facts.annotated) {
    yield {
      text: 'This is the Certificate that cert-manager makes for this object: look there for its status',
    };
  }
  yield {
    text: 'A failed, denied or invalid CertificateRequest counts as a failure; one that stays Pending does not, and is looked at again within minutes',
  };
  yield {
    text: 'A changed spec or `cmctl renew` starts an attempt at once, but only success resets the count. Deleting the Secret or the failed CertificateRequest does not, nor does expiry',
  };
  if (valueOf(settings.renewalPolicy) === 'Disabled') {
    yield { text: 'It is never renewed and expires', field: 'renewalPolicy' };
  }
  if (isWritten(settings.renewalWindows)) {
    yield {
      text: 'A renewal that falls outside the windows moves to the next one, which leaves less time before expiry. Retries do not wait for a window',
      field: 'renewalWindows',
    };
  }
}

const fieldOf = (
  { settings }: IssuancePolicy,
  { by }: PlannedRenewal,
): { readonly field?: FieldName } => {
  if (by !== 'third') return { field: by };
  return isWritten(settings.duration) ? { field: 'duration' } : {};
};

/** When the renewal starts and how many attempts fit before expiry; one sentence. */
export function describeRenewal({ lifetime, window, backoff, attempts }: PlannedRenewal): string {
  const start = `With a lifetime of ${goText(lifetime)} the renewal starts ${goText(window)} before expiry`;
  if (attempts === undefined) return start;
  return attempts === 1
    ? `${start}: only one attempt fits, the first retry comes too late`
    : `${start}: ${String(attempts)} attempts fit if each fails at once, ${summariseOffsets(window, backoff)}`;
}

/** What one field of a Certificate does; one sentence. */
export function issuanceEffect(policy: IssuancePolicy, name: FieldName): string | undefined {
  switch (name) {
    case 'duration':
    case 'renewBefore':
    case 'renewBeforePercentage': {
      const renewal = plannedRenewal(policy);
      return renewal === undefined ? undefined : describeRenewal(renewal);
    }
    case 'renewalPolicy':
      return valueOf(policy.settings.renewalPolicy) === 'Disabled'
        ? 'No renewal is ever started; the first issuance is still retried'
        : undefined;
    case 'renewalWindows':
      return 'A renewal waits for a window, retries do not';
    case 'rotationPolicy':
      return rotationText(policy);
    case 'revisionHistoryLimit':
      return 'Only failed and finished attempts of the past are deleted: no wait depends on it';
    case 'failedIssuanceAttempts':
    case 'lastFailureTime':
      return nextIssuance(policy);
  }
}

/** What the status of a manifest that came from a cluster says about the next issuance. */
function nextIssuance({ settings, env }: IssuancePolicy): string | undefined {
  const backoff = knownBackoff(env);
  const failures = valueOf(settings.failedIssuanceAttempts);
  const lastFailure = parseInstant(valueOf(settings.lastFailureTime));
  if (lastFailure === undefined) return undefined;
  const wait = issuanceWait(backoff, failures);
  const next = formatInstant(after(lastFailure, wait));
  const later = issuanceWait(backoff, Math.max(failures ?? 0, 0) + 1);
  return `The next issuance starts ${formatDuration(wait)} after the last failure, at ${next}; should it fail too, the wait is ${formatDuration(later)}`;
}

function rotationText(policy: IssuancePolicy): string {
  return keepsKey(policy)
    ? 'The key stays the same, so a failed request that its issuer left without a `failureTime` is not replaced: each retry fails on it at once until it is deleted'
    : 'Each attempt makes a new key, so that a failed request is replaced';
}

/** Whether attempts reuse the private key: as written, or the default before 1.18. */
export function keepsKey({ settings, env }: Pick<IssuancePolicy, 'settings' | 'env'>): boolean {
  const policy = valueOf(settings.rotationPolicy);
  return policy === undefined ? !atLeast(env, certManager, '1.18.0') : policy === 'Never';
}
