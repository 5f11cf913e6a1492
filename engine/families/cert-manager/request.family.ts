import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import { goDuration } from '../../format.ts';
import type { Evidence, LiveInput, LiveReader, LiveState } from '../../live.ts';
import type { Stop } from '../../schedule.ts';
import { textAt } from '../../source.ts';
import { conditionOf, isTrue } from '../../liveFacts.ts';
import { defaultLimiter, final, queued, queueSchedule } from './queue.ts';
import { defaultLifetime } from './renewal.ts';
import { certificateRequests } from './resources.ts';
import { certManager, sources } from './system.ts';

const decided: Stop<never> = {
  kind: 'condition',
  text: 'the request is issued, denied, invalid or failed',
  then: 'it is never tried again; its Certificate makes a new one after a wait of its own',
  origin: { kind: 'built-in', name: 'final states', cite: sources.requests },
};

const live: LiveReader = {
  reads: [certificateRequests],
  alsoNeeds: [],
  read: (input) => (textAt(input.object, 'kind') === 'CertificateRequest' ? [stateOf(input)] : []),
};

function stateOf({ object, ref }: LiveInput): LiveState {
  const ready = conditionOf(object, 'Ready');
  const reason = textAt(ready, 'reason');
  const failureTime = textAt(object, 'status', 'failureTime');
  const see = (type: string, key: string, value: unknown): Evidence => ({
    object: ref,
    path: `status.conditions[type=${type}].${key}`,
    value,
  });
  const own = textAt(object, 'metadata', 'annotations', 'cert-manager.io/certificate-name');
  const whose = own === undefined ? 'its Certificate' : `the Certificate ${own}`;
  for (const [type, word] of [
    ['Denied', 'denied'],
    ['InvalidRequest', 'invalid'],
  ] as const) {
    const condition = conditionOf(object, type);
    if (!isTrue(condition)) continue;
    const text = `The request is ${word} and never tried again. This counts as a failed issuance: ${whose} waits and then tries with a new request`;
    return final(decided, failureTime, text, [see(type, 'status', 'True')]);
  }
  if (reason === 'Failed' || reason === 'Denied') {
    const text = `The request ${reason === 'Failed' ? 'failed' : 'is denied'} and is never tried again. ${capital(whose)} waits (1h, 2h, 4h… up to 32h by default) and then tries with a new request`;
    return final(decided, failureTime, text, [see('Ready', 'reason', reason)]);
  }
  if (isTrue(ready) || reason === 'Issued') {
    const seen = [see('Ready', 'status', textAt(ready, 'status'))];
    return {
      state: { kind: 'idle', because: 'finished', reason: 'The certificate is issued', seen },
    };
  }
  if (ready === undefined && !isTrue(conditionOf(object, 'Approved'))) {
    return {
      state: {
        kind: 'idle',
        because: 'not-started',
        reason: 'The request is not approved yet: nothing is tried, and nothing has failed',
        seen: [],
      },
    };
  }
  const message = textAt(ready, 'message');
  const text = `The request is ${reason ?? 'not decided'}${message === undefined ? '' : ` (${message})`}: this is no failed issuance, and the count of ${whose} does not move. It is looked at on every change and, after an error, again after 5s doubling to 5m (its ACME Order: to 30m)`;
  return queued(defaultLimiter, text, [
    see('Ready', 'reason', reason ?? null),
    see('Ready', 'message', message ?? null),
  ]);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const family = defineFamily({
  id: 'cert-manager/request',
  system: certManager,
  title: 'CertificateRequest',
  summary:
    'A CertificateRequest is one attempt of an issuance. While it is pending its controller tries again after errors, within minutes; once it has failed it is never tried again, and the back-off of its Certificate begins.',
  formula: 'wait after error n in a row = min(5s × 2^(n-1), 5m), kept in memory by the work queue',
  cite: sources.queues,
  sites: [
    { group: 'cert-manager.io', kinds: ['CertificateRequest'], anchor: 'spec', implied: true },
  ],
  fields: {
    // The bound of an hour is the Certificate's: the webhook takes any lifetime here.
    duration: field(goDuration, 'duration', 'Lifetime to ask the issuer for')
      .beside()
      .defaultsTo(defaultLifetime, sources.constants),
  },
  schedule: () => queueSchedule(defaultLimiter, decided),
  rules: [],
  *notes() {
    yield {
      text: 'Pending is no failure: only a denied, invalid or failed request counts for its Certificate',
    };
  },
  live,
  examples: [
    {
      name: 'tries again within minutes while it is pending',
      yaml: `apiVersion: cert-manager.io/v1
kind: CertificateRequest
metadata:
  name: web-1
spec:
  request: ""
  issuerRef:
    name: acme
`,
      waits: ['5s', '10s', '20s', '40s', '1m20s', '2m40s', '5m', '5m'],
      ends: decided.text,
      findings: [],
    },
  ],
});
