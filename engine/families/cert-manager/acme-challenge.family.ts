import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import { goDuration } from '../../format.ts';
import { formatDuration } from '../../durations/format.ts';
import { parseGoDuration } from '../../durations/go.ts';
import type { Environment } from '../../environment.ts';
import {
  inferred,
  unknown,
  type Evidence,
  type LiveInput,
  type LiveReader,
  type LiveState,
} from '../../live.ts';
import type { Stop } from '../../schedule.ts';
import { child, textAt, toJson } from '../../source.ts';
import { after, exactly, parseInstant, seconds, zero, type Ms } from '../../units.ts';
import { decidedState } from './acmeState.ts';
import { acmeLimiter, queued, queueSchedule } from './queue.ts';
import { challenges } from './resources.ts';
import { certManager, sources } from './system.ts';

const decided: Stop<never> = {
  kind: 'condition',
  text: 'the challenge is valid, invalid, expired or errored',
  then: 'its Order goes on or fails with it',
  origin: { kind: 'built-in', name: 'final states', cite: sources.challenges },
};

/** How often an unsuccessful self check is repeated, for HTTP-01 as well. */
const defaultCheckPeriod = seconds(10);

function checkPeriod(env: Environment): Ms {
  const text = env.controllers.get(`${certManager.id}/dns01CheckRetryPeriod`);
  const read = text === undefined ? undefined : parseGoDuration(text);
  return read?.ok === true && read.value > 0 ? read.value : defaultCheckPeriod;
}

const live: LiveReader = {
  reads: [challenges],
  alsoNeeds: [],
  read: (input) => (textAt(input.object, 'kind') === 'Challenge' ? [stateOf(input)] : []),
};

function stateOf(input: LiveInput): LiveState {
  const { object, ref } = input;
  const then =
    'its Order and CertificateRequest fail, and the Certificate waits before it tries again';
  const done = decidedState(input, decided, then);
  if (done !== undefined) return done;
  const status = child(object, 'status');
  const seen: Evidence[] = [];
  for (const key of ['processing', 'presented', 'presentedAt', 'reason'] as const) {
    const node = child(status, key);
    if (node !== undefined) seen.push({ object: ref, path: `status.${key}`, value: toJson(node) });
  }
  if (textAt(status, 'processing') !== 'true') {
    const reason = 'The challenge is not scheduled yet: at most 60 run at a time, and one per name';
    return { state: { kind: 'idle', because: 'not-started', reason, seen } };
  }
  const why = textAt(status, 'reason');
  const because = why === undefined ? '' : ` (${why})`;
  if (textAt(status, 'presented') !== 'true') {
    const text = `The challenge is being set up${because}: after an error it is tried again after 5s doubling to 30m`;
    return queued(acmeLimiter, text, seen);
  }
  return checking(input, because, seen);
}

/** Presented: checked every few seconds, without growth and without end, or accepted after a fixed wait. */
function checking(
  { object, env }: LiveInput,
  because: string,
  seen: readonly Evidence[],
): LiveState {
  const fixed = textAt(object, 'spec', 'solver', 'waitInsteadOfSelfCheck');
  const read = fixed === undefined ? undefined : parseGoDuration(fixed);
  const wait = read?.ok === true ? read.value : checkPeriod(env);
  const presentedAt = parseInstant(textAt(object, 'status', 'presentedAt'));
  const isFixed = read?.ok === true;
  const reason = isFixed
    ? `The challenge is presented and handed to the ACME server ${formatDuration(wait)} later, without a self check${because}`
    : `The challenge is presented but its self check has not passed${because}: it is repeated every ${formatDuration(wait)}, with no growth and no limit, until it passes or the order expires`;
  const none = 'self checks are not counted';
  return {
    state: {
      kind: 'waiting',
      retry: unknown(none),
      failures: unknown(none),
      wait: inferred(
        exactly(wait),
        isFixed ? 'spec.solver.waitInsteadOfSelfCheck' : 'the period of the self check',
      ),
      lastFailureAt: unknown(none),
      next:
        isFixed && presentedAt !== undefined
          ? inferred(exactly(after(presentedAt, wait)), 'presentedAt plus the wait')
          : unknown('the time of the last self check is not reported'),
      capped: inferred(false, 'the wait does not grow'),
      reason,
      seen,
    },
  };
}

export const family = defineFamily({
  id: 'cert-manager/acme-challenge',
  system: certManager,
  title: 'ACME challenge',
  summary:
    'A Challenge proves control of one name. Setting it up is tried again after errors; once it is presented, its self check is repeated every 10 seconds without end.',
  formula:
    'wait after error n in a row = min(5s × 2^(n-1), 30m), kept in memory by the work queue; an unsuccessful self check is repeated every 10s',
  cite: sources.challenges,
  sites: [{ group: 'acme.cert-manager.io', kinds: ['Challenge'], anchor: 'spec', implied: true }],
  fields: {
    waitInsteadOfSelfCheck: field(
      goDuration,
      'solver.waitInsteadOfSelfCheck',
      'Fixed wait that replaces the self check',
    )
      .beside()
      .within({ min: zero, consequence: 'the webhook refuses it', cite: sources.selfCheck })
      .since('1.21.0', 'it is dropped, and the self check is made')
      .unset('a self check every 10s'),
  },
  schedule: () => queueSchedule(acmeLimiter, decided),
  rules: [],
  *notes(policy) {
    yield {
      text: `A self check that does not pass is no error: it is repeated every ${formatDuration(checkPeriod(policy.env))} (\`--dns01-check-retry-period\`, for HTTP-01 too), without growth and without limit`,
    };
  },
  effect: (policy) => {
    const setting = policy.settings.waitInsteadOfSelfCheck;
    return setting.from === 'document'
      ? `The challenge is handed to the ACME server ${setting.text} after it is presented`
      : undefined;
  },
  live,
  examples: [
    {
      name: 'errors while it is set up',
      yaml: `apiVersion: acme.cert-manager.io/v1
kind: Challenge
metadata:
  name: web-1-1234-5678
spec:
  type: DNS-01
  dnsName: shop.example.test
`,
      waits: ['5s', '10s', '20s', '40s', '1m20s', '2m40s', '5m20s', '10m40s', '21m20s', '30m'],
      ends: decided.text,
      findings: [],
    },
  ],
});
