import { formatDuration } from '../../durations/format.ts';
import { parseGoDuration } from '../../durations/go.ts';
import { atLeast, type Environment } from '../../environment.ts';
import {
  inferred,
  reported,
  unknown,
  type Evidence,
  type Known,
  type LiveInput,
  type LiveReader,
  type LiveState,
} from '../../live.ts';
import { remembered } from '../../remembered.ts';
import { child, nodeAt, textAt, toJson, type SourceNode } from '../../source.ts';
import {
  after,
  exactly,
  formatInstant,
  hours,
  ms,
  parseInstant,
  type Instant,
  type Ms,
} from '../../units.ts';
import {
  capOf,
  issuanceWait,
  knownBackoff,
  maximumName,
  minimumName,
  type KnownBackoff,
} from './backoff.ts';
import { isTrue, conditionOf } from '../../liveFacts.ts';
import { renewalWindow } from './renewal.ts';
import { staleRequest } from './staleRequest.ts';
import { certManager } from './system.ts';
import { certificateRequests, certificates } from './resources.ts';

/** Reads the back-off of a live Certificate. */
export const issuanceLive: LiveReader = {
  reads: [certificates],
  alsoNeeds: [certificateRequests],
  read: (input) => (textAt(input.object, 'kind') === 'Certificate' ? [stateOf(input)] : []),
};

/** The parts of a Certificate's status that its back-off rests on. */
type Status = {
  readonly failures: number | undefined;
  readonly lastFailureText: string | undefined;
  readonly lastFailure: Instant | undefined;
  readonly issuing: SourceNode | undefined;
  readonly notAfter: Instant | undefined;
  readonly seen: readonly Evidence[];
};

function stateOf(input: LiveInput): LiveState {
  const { object, ref } = input;
  const status = child(object, 'status');
  const failures = numberAt(status, 'failedIssuanceAttempts');
  const issuing = conditionOf(object, 'Issuing');
  const seen: Evidence[] = [];
  for (const key of ['failedIssuanceAttempts', 'lastFailureTime', 'notAfter', 'renewalTime']) {
    const node = child(status, key);
    if (node !== undefined) seen.push({ object: ref, path: `status.${key}`, value: toJson(node) });
  }
  if (issuing !== undefined) {
    seen.push({
      object: ref,
      path: 'status.conditions[type=Issuing].status',
      value: textAt(issuing, 'status'),
    });
  }
  const lastFailureText = textAt(status, 'lastFailureTime');
  const facts: Status = {
    failures,
    lastFailureText,
    lastFailure: parseInstant(lastFailureText),
    issuing,
    notAfter: parseInstant(textAt(status, 'notAfter')),
    seen,
  };
  if (isTrue(issuing)) return attempting(input, facts);
  if (lastFailureText !== undefined) return waiting(input, facts);
  return settled(input, facts);
}

function attempting({ object }: LiveInput, { failures, issuing, seen }: Status): LiveState {
  const reason = textAt(issuing, 'reason');
  const byHand = reason === 'ManuallyTriggered' ? ', started by hand' : '';
  const count = failures ?? 0;
  const request = textAt(object, 'status', 'nextPrivateKeySecretName');
  const stage =
    request === undefined ? 'no private key yet' : 'its CertificateRequest is not decided';
  return {
    state: {
      kind: 'attempting',
      retry: count > 0 ? reported(count) : unknown('this is the first attempt, no retry'),
      failures: failures === undefined ? inferred(0, 'no count is stored') : reported(count),
      reason: `An issuance is running${byHand} (${stage}): this is no back-off. Look at the CertificateRequest, its Order and Challenges; success resets the count of failures`,
      seen,
    },
  };
}

function waiting(input: LiveInput, facts: Status): LiveState {
  const { failures, lastFailure } = facts;
  const backoff = knownBackoff(input.env);
  const wait = issuanceWait(backoff, failures);
  const next = lastFailure === undefined ? undefined : after(lastFailure, wait);
  const stale = staleRequest(input, failures);
  const isUnread = backoff.minFrom === 'file' || backoff.maxFrom === 'file';
  const cap = capOf(backoff);
  return {
    state: {
      kind: 'waiting',
      retry:
        failures !== undefined && failures > 0
          ? reported(failures)
          : inferred(1, 'failedIssuanceAttempts is missing: the wait is that of the first failure'),
      failures: failureCount(failures),
      wait: isUnread ? unknown(unread) : inferred(exactly(wait), describeWait(backoff, failures)),
      lastFailureAt:
        lastFailure === undefined
          ? unknown(`lastFailureTime cannot be read: ${facts.lastFailureText ?? ''}`)
          : reported(lastFailure),
      next:
        next === undefined
          ? unknown('lastFailureTime cannot be read')
          : isUnread
            ? unknown(unread)
            : inferred(exactly(next), 'lastFailureTime plus the wait'),
      capped: isUnread
        ? unknown(unread)
        : inferred(cap !== undefined && wait >= cap, describeWait(backoff, failures)),
      reason: waitingReason(input, facts, isUnread ? undefined : wait, stale?.text),
      seen: [...facts.seen, ...(stale === undefined ? [] : stale.seen)],
    },
  };
}

const unread = `the controller takes its back-off from the file of --config, which is not read: set cert-manager/${minimumName} and ${maximumName}`;

/** Why the next issuance is not started yet, what starts it and what resets the count. */
function waitingReason(
  { object, now }: LiveInput,
  { issuing, lastFailure, notAfter }: Status,
  wait: Ms | undefined,
  stuck: string | undefined,
): string {
  const next =
    lastFailure === undefined || wait === undefined ? undefined : after(lastFailure, wait);
  const why = textAt(issuing, 'reason');
  const parts = [
    `Issuance failed${why === undefined ? '' : ` (${why})`}`,
    wait === undefined
      ? unread
      : wait === 0
        ? 'the controller waits not at all before the next one'
        : `the next one starts ${formatDuration(wait)} after the last failure`,
  ];
  if (next !== undefined && next <= now) {
    parts.push('it is due, so the controller is down or another Certificate owns the Secret');
  }
  if (notAfter !== undefined && notAfter <= now) {
    parts.push(`the certificate expired at ${formatInstant(notAfter)}`);
  } else if (notAfter !== undefined && next !== undefined && notAfter <= next) {
    parts.push(`the certificate expires before that, at ${formatInstant(notAfter)}`);
  }
  if (stuck !== undefined) parts.push(stuck);
  const name = textAt(object, 'metadata', 'name') ?? 'NAME';
  return `${parts.join('; ')}. A changed spec or \`cmctl renew ${name}\` starts it at once; only success resets the count`;
}

function failureCount(failures: number | undefined): Known<number> {
  return failures === undefined
    ? unknown('failedIssuanceAttempts is missing, as versions before 1.8 leave it')
    : reported(failures);
}

function describeWait(backoff: KnownBackoff, failures: number | undefined): string {
  const count =
    failures === undefined || failures <= 0
      ? 'no usable failedIssuanceAttempts'
      : `failedIssuanceAttempts ${String(failures)}`;
  const from = {
    set: 'as set for the controller',
    default: 'assumed default',
    'built-in': 'built in',
    file: 'the default',
  };
  if (backoff.growth === 'constant') return `${count}, a constant ${formatDuration(backoff.min)}`;
  return `${count}, minimum ${formatDuration(backoff.min)} (${from[backoff.minFrom]}), maximum ${formatDuration(backoff.max)} (${from[backoff.maxFrom]})`;
}

/** No failure is on record: issued, renewing in a loop, or not issued yet. */
function settled(input: LiveInput, { notAfter, seen }: Status): LiveState {
  const loop = renewalLoop(input, notAfter);
  if (loop !== undefined) return loop;
  const { object, now } = input;
  const ready = conditionOf(object, 'Ready');
  if (!isTrue(ready)) {
    const why = textAt(ready, 'reason');
    const because = why === undefined ? '' : ` (${why})`;
    return {
      state: {
        kind: 'idle',
        because: 'not-started',
        reason: `No failed issuance is on record and none is running${because}: nothing waits`,
        seen,
      },
    };
  }
  const renewal = textAt(object, 'status', 'renewalTime');
  const when = renewal === undefined ? 'it is not renewed' : `it is renewed at ${renewal}`;
  if (notAfter !== undefined && notAfter <= now) {
    const text =
      renewal === undefined
        ? `It expired at ${formatInstant(notAfter)}, and is not renewed`
        : `It expired at ${formatInstant(notAfter)} and should have been renewed at ${renewal}: the controller is down, or does not see this Certificate`;
    return { state: { kind: 'idle', because: 'not-started', reason: text, seen } };
  }
  return { state: { kind: 'idle', because: 'healthy', reason: `Issued: ${when}`, seen } };
}

// A renewal within the first tenth and the first hour of a lifetime is a loop, not a plan.
const loopWithin = hours(1);

function renewalLoop(
  { object, ref, env }: LiveInput,
  notAfter: Instant | undefined,
): LiveState | undefined {
  const notBefore = parseInstant(textAt(object, 'status', 'notBefore'));
  if (notBefore === undefined || notAfter === undefined || notAfter <= notBefore) return undefined;
  const lifetime = ms(notAfter - notBefore);
  const window = plannedWindow(object, lifetime, env);
  if (window === undefined) return undefined;
  const left = ms(lifetime - window);
  if (left > loopWithin || left > lifetime / 10) return undefined;
  const next = after(notBefore, left);
  return {
    state: {
      kind: 'waiting',
      retry: unknown('a renewal is no retry'),
      failures: reported(0),
      wait: inferred(exactly(left), 'the issued lifetime less renewBefore'),
      lastFailureAt: unknown('no issuance has failed'),
      next: inferred(exactly(next), 'notAfter less renewBefore'),
      capped: reported(false),
      reason: `Renewal loop: the issued lifetime is ${formatDuration(lifetime)} and renewal starts ${formatDuration(window)} before its end, so it is renewed every ${formatDuration(left)}. The issuer granted less than was asked for, or dates back: lower renewBefore, or use renewBeforePercentage`,
      seen: [
        { object: ref, path: 'status.notBefore', value: textAt(object, 'status', 'notBefore') },
        { object: ref, path: 'status.notAfter', value: textAt(object, 'status', 'notAfter') },
        { object: ref, path: 'spec.renewBefore', value: textAt(object, 'spec', 'renewBefore') },
      ],
    },
  };
}

/** Thousands of Certificates have the same few. */
const goDuration = remembered(parseGoDuration);

function plannedWindow(object: SourceNode, lifetime: Ms, env: Environment): Ms | undefined {
  const spec = child(object, 'spec');
  const disabled = textAt(spec, 'renewal', 'policy') === 'Disabled';
  if (disabled && atLeast(env, certManager, '1.21.0')) return undefined;
  const text = textAt(spec, 'renewBefore');
  const read = text === undefined ? undefined : goDuration(text);
  const percentage = numberAt(spec, 'renewBeforePercentage');
  const renewBefore = read?.ok === true ? read.value : undefined;
  return renewalWindow(lifetime, { renewBefore, percentage }, env).window;
}

function numberAt(node: SourceNode | undefined, key: string): number | undefined {
  const found = nodeAt(node, [key]);
  return found?.kind === 'scalar' &&
    typeof found.value === 'number' &&
    Number.isInteger(found.value)
    ? found.value
    : undefined;
}
