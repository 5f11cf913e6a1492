import { fix, insertEntry, replaceText } from '../../edits.ts';
import { formatDuration } from '../../durations/format.ts';
import type { Fix } from '../../finding.ts';
import { summariseOffsets } from './describe.ts';
import { issuanceWait, longestWait, type KnownBackoff } from './backoff.ts';
import { keyFor, writtenValue, type IssuanceContext, type IssuanceRule } from './issuanceFields.ts';
import { goText, plannedRenewal, type PlannedRenewal } from './plannedRenewal.ts';
import { attemptsWithin } from './renewal.ts';
import { hours, minutes, ms, type Ms } from '../../units.ts';
import { isWritten } from '../../setting.ts';
import { sources } from './system.ts';

/** Fewer attempts than this before expiry are worth a word. */
const enoughAttempts = 3;

const expiresBeforeRetry: IssuanceRule = {
  slug: 'expires-before-retry',
  severity: 'error',
  summary: 'One failed renewal, and the certificate expires before the first retry.',
  explanation:
    'The first retry comes a whole minimum back-off after the failure (1h unless the controller is set otherwise). Where the renewal starts later than that before expiry, no retry can save the certificate. Renew earlier, ask for a longer lifetime, or lower `certificateRequestMinimumBackoffDuration` on the controller.',
  cite: sources.trigger,
  *check(context) {
    const renewal = plannedRenewal(context.policy);
    if (renewal?.attempts !== 1) return;
    const { window, backoff, lifetime } = renewal;
    const first = issuanceWait(backoff, 1);
    const better = betterWindow(lifetime, backoff);
    const advice =
      better === undefined
        ? "lower the controller's minimum, or ask for a longer lifetime"
        : `renew earlier, with \`${keyFor(context, 'renewBefore')}: ${goText(better)}\``;
    yield {
      message: `Renewal starts ${formatDuration(window)} before expiry and the first retry comes ${formatDuration(first)} after a failure, so one failed renewal lets the certificate expire: ${advice}`,
      at: decidingKey(context, renewal),
      fixes: setRenewBefore(context, better),
    };
  },
};

const fewAttempts: IssuanceRule = {
  slug: 'few-attempts',
  severity: 'warning',
  summary: 'Fewer than three attempts fit between renewal and expiry.',
  explanation:
    'Every failed attempt doubles the wait for the next one. With less than three attempts before expiry a short outage of the issuer is enough to lose the certificate.',
  cite: sources.trigger,
  *check(context) {
    const renewal = plannedRenewal(context.policy);
    if (renewal?.attempts === undefined) return;
    const { attempts, window, backoff, lifetime } = renewal;
    if (attempts < 2 || attempts >= enoughAttempts) return;
    const better = betterWindow(lifetime, backoff);
    const advice =
      better === undefined
        ? "lower the controller's minimum, or ask for a longer lifetime"
        : `renew earlier, with \`${keyFor(context, 'renewBefore')}: ${goText(better)}\``;
    yield {
      message: `Only ${String(attempts)} attempts fit in the ${formatDuration(window)} between renewal and expiry (${summariseOffsets(window, backoff)}): ${advice}`,
      at: decidingKey(context, renewal),
      fixes: setRenewBefore(context, better),
    };
  },
};

const waitsOutgrow: IssuanceRule = {
  slug: 'waits-outgrow-window',
  severity: 'info',
  summary: 'The longest wait is longer than the time between renewal and expiry.',
  explanation:
    'The waits keep doubling past the expiry: after the attempts that fit, the next one comes only when it has expired. A lower `certificateRequestMaximumBackoffDuration` on the controller (1.21) fits more of them.',
  cite: sources.trigger,
  *check(context) {
    const renewal = plannedRenewal(context.policy);
    if (renewal?.attempts === undefined || renewal.attempts < enoughAttempts) return;
    const { attempts, window, backoff, lifetime } = renewal;
    if (lifetime - window <= nothingLeft) return;
    const cap = longestWait(backoff);
    if (cap <= window) return;
    const next = totalWait(backoff, attempts);
    yield {
      message: `${String(attempts)} attempts fit in the ${formatDuration(window)} between renewal and expiry (${summariseOffsets(window, backoff)}); the next comes ${formatDuration(ms(next - window))} after expiry, as waits grow to ${formatDuration(cap)}`,
      at: decidingKey(context, renewal),
    };
  },
};

// ACME servers date certificates back by an hour, so that clients with slow clocks accept them.
const backdated = hours(1);
// Shorter lifetimes come from private issuers, which do not; those renew as asked for.
const publicLifetime = hours(24);
const nothingLeft = minutes(1);

const renewalLoop: IssuanceRule = {
  slug: 'renewal-loop',
  severity: 'warning',
  summary: 'A certificate is due for renewal as soon as it is issued.',
  explanation:
    'Renewal time is counted back from the expiry of the certificate as issued. ACME issuers date certificates back by up to an hour: where `renewBefore` leaves less than that of the `duration`, each new certificate is overdue at once, and issuance runs without end until the rate limit of the issuer.',
  cite: sources.backdating,
  *check(context) {
    const renewal = plannedRenewal(context.policy);
    if (renewal === undefined || renewal.by === 'third') return;
    const { lifetime, window } = renewal;
    const left = ms(lifetime - window);
    const threshold = lifetime >= publicLifetime ? backdated : nothingLeft;
    if (left > threshold) return;
    const third = ms(Math.floor(lifetime / 3000) * 1000);
    const why =
      threshold === backdated
        ? `, and ACME issuers date certificates back by up to ${formatDuration(backdated)}: each one is overdue at once and renewals never stop`
        : ': renewals never stop';
    yield {
      message: `Renewal starts ${formatDuration(left)} after issuance${why}. Renew later, such as \`${keyFor(context, 'renewBefore')}: ${goText(third)}\``,
      at: decidingKey(context, renewal),
      fixes: setRenewBefore(context, third),
    };
  },
};

// A month and a bit is the longest that private issuers commonly grant: Vault's default max_ttl is 768h.
const commonMaximum = hours(768);

const shorterLifetime: IssuanceRule = {
  slug: 'shorter-lifetime-loops',
  severity: 'info',
  summary: 'An issuer that shortens the lifetime could make this renew without end.',
  explanation:
    'An issuer may grant less than `duration` asks for (such as `max_ttl` of Vault). If what it grants is barely longer than `renewBefore`, every certificate is due at once. A percentage follows the lifetime that was granted.',
  cite: sources.renewalTime,
  *check(context) {
    const renewal = plannedRenewal(context.policy);
    if (renewal?.by !== 'renewBefore') return;
    const { lifetime, window } = renewal;
    if (lifetime <= commonMaximum || window * 2 < lifetime || lifetime - window <= backdated)
      return;
    if (!isWritten(context.settings.duration)) return;
    const percentage = Math.round((window / lifetime) * 100);
    const node = context.nodeOf('renewBefore');
    const text = String(percentage);
    const key = keyFor(context, 'renewBeforePercentage');
    const value = context.policy.facts.annotated ? `"${text}"` : text;
    yield {
      message: `If the issuer grants little more than ${goText(window)} instead of ${goText(lifetime)}, every certificate is due at once and renewals never stop; \`${key}: ${value}\` follows the lifetime it grants`,
      at: context.keyOf('renewBefore'),
      fixes:
        node?.span === undefined || node.key === undefined
          ? []
          : fix(
              `Write ${key}: ${value}`,
              false,
              { at: node.key, text: key },
              { at: node.span, text: value },
            ),
    };
  },
};

/** The key that decides when the renewal starts: what the author wrote of the two, else the lifetime. */
function decidingKey(context: IssuanceContext, { by }: PlannedRenewal) {
  return context.keyOf(by === 'third' ? 'duration' : by);
}

/** A window that fits enough attempts: a third of the lifetime or, failing that, half of it. */
function betterWindow(lifetime: Ms, backoff: KnownBackoff): Ms | undefined {
  const shares = [3, 2].map((part) => ms(Math.floor(lifetime / part / 60_000) * 60_000));
  return shares.find((share) => (attemptsWithin(share, backoff) ?? 0) >= enoughAttempts);
}

function totalWait(backoff: KnownBackoff, retries: number): number {
  let total = 0;
  for (let retry = 1; retry <= retries; retry += 1) total += issuanceWait(backoff, retry);
  return total;
}

/** Writes `renewBefore`, in place of what is there or below `duration`. */
function setRenewBefore(context: IssuanceContext, value: Ms | undefined): readonly Fix[] {
  if (value === undefined || isWritten(context.settings.renewBeforePercentage)) return [];
  const text = goText(value);
  const key = keyFor(context, 'renewBefore');
  const node = context.nodeOf('renewBefore');
  if (node?.kind === 'scalar') return fix(`Write ${text}`, false, replaceText(node, text));
  if (context.node?.kind !== 'map' || writtenValue(context.settings.duration) === undefined)
    return [];
  return fix(
    `Add ${key}: ${text}`,
    false,
    insertEntry(context.tree, context.node, key, text, 'duration'),
  );
}

/** Rules on how the waits fit between renewal and expiry. */
export const windowRules: readonly IssuanceRule[] = [
  expiresBeforeRetry,
  fewAttempts,
  waitsOutgrow,
  renewalLoop,
  shorterLifetime,
];
