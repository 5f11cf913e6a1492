import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import { goDuration } from '../../format.ts';
import type { LiveInput, LiveReader, LiveState } from '../../live.ts';
import type { Stop } from '../../schedule.ts';
import { textAt } from '../../source.ts';
import { decidedState } from './acmeState.ts';
import { acmeLimiter, queued, queueSchedule } from './queue.ts';
import { orders } from './resources.ts';
import { certManager, sources } from './system.ts';

const decided: Stop<never> = {
  kind: 'condition',
  text: 'the order is valid, invalid, expired or errored',
  then: 'its CertificateRequest is issued or fails with it',
  origin: { kind: 'built-in', name: 'final states', cite: sources.orders },
};

const live: LiveReader = {
  reads: [orders],
  alsoNeeds: [],
  read: (input) => (textAt(input.object, 'kind') === 'Order' ? [stateOf(input)] : []),
};

function stateOf(input: LiveInput): LiveState {
  const { object, ref } = input;
  const then =
    'its CertificateRequest fails, and the Certificate waits before it makes a new request and order';
  const done = decidedState(input, decided, then);
  if (done !== undefined) return done;
  const state = textAt(object, 'status', 'state') ?? 'new';
  const text = `The order is ${state}: it waits for its Challenges and the ACME server. Errors of the server (5xx, network) are tried again after 5s doubling to 30m; a refusal (4xx, rate limits included) is final`;
  return queued(acmeLimiter, text, [{ object: ref, path: 'status.state', value: state }]);
}

export const family = defineFamily({
  id: 'cert-manager/acme-order',
  system: certManager,
  title: 'ACME order',
  summary:
    'An Order is one request to an ACME server. Server and network errors are tried again within half an hour; a refusal by the server ends the order, and with it the attempt to issue the Certificate.',
  formula: 'wait after error n in a row = min(5s × 2^(n-1), 30m), kept in memory by the work queue',
  cite: sources.queues,
  sites: [{ group: 'acme.cert-manager.io', kinds: ['Order'], anchor: 'spec', implied: true }],
  fields: {
    duration: field(goDuration, 'duration', 'Lifetime to ask the ACME server for')
      .beside()
      .unset('what the server grants'),
  },
  schedule: () => queueSchedule(acmeLimiter, decided),
  rules: [],
  *notes() {
    yield {
      text: 'A refusal with a 4xx status, such as a rate limit, is final at once: the 1h to 32h back-off of the Certificate follows',
    };
  },
  live,
  examples: [
    {
      name: 'errors of the server are tried again for up to half an hour each',
      yaml: `apiVersion: acme.cert-manager.io/v1
kind: Order
metadata:
  name: web-1-1234
spec:
  request: ""
  issuerRef:
    name: acme
`,
      waits: [
        '5s',
        '10s',
        '20s',
        '40s',
        '1m20s',
        '2m40s',
        '5m20s',
        '10m40s',
        '21m20s',
        '30m',
        '30m',
      ],
      ends: decided.text,
      findings: [],
    },
  ],
});
