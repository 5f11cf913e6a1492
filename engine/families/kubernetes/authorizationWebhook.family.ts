import { formatDuration } from '../../durations/format.ts';
import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import { goDuration, oneOf } from '../../format.ts';
import { waitBackoffLoop } from '../../goBackoff.ts';
import type { Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { ms, nanoseconds, seconds } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';
import { kubernetes } from './system.ts';

const refused = 'the API server does not start';
const bounds = { consequence: refused, cite: sources.authorizationValidation };
const positive = { ...bounds, min: nanoseconds(1) };
const needed = (key: string): string =>
  `An authorization webhook needs \`${key}\`, or the API server does not start`;

const authorizationFields = {
  timeout: field(goDuration, 'timeout', 'How long each call waits for the answer')
    .beside()
    .within({ ...positive, max: seconds(30) })
    .required(needed('timeout')),
  authorizedTTL: field(goDuration, 'authorizedTTL', 'How long an answer that allows is kept')
    .beside()
    .within(positive)
    .required(needed('authorizedTTL')),
  unauthorizedTTL: field(goDuration, 'unauthorizedTTL', 'How long an answer that refuses is kept')
    .beside()
    .within(positive)
    .required(needed('unauthorizedTTL')),
  failurePolicy: field(
    oneOf('NoOpinion', 'Deny'),
    'failurePolicy',
    'What counts when the webhook gives no answer',
  ).required(needed('failurePolicy')),
} as const;

type Fields = typeof authorizationFields;

/** What `DefaultAuthWebhookRetryBackoff` says; no setting changes it. */
const backoff = { duration: ms(500), factor: 1.5, jitter: 0.2, steps: 5 } as const;

/** How often the API server asks an authorization webhook that fails. */
export const family = defineFamily({
  id: 'kubernetes/authorization-webhook',
  system: kubernetes,
  title: 'Authorization webhook',
  summary:
    'The API server asks an authorization webhook up to 5 times: again after a connection that was reset and after a reply of 429, 500 or 504, or one with Retry-After. No setting changes that. Token webhooks are asked the same way.',
  formula: '5 attempts; wait before retry n = 500ms × 1.5^(n-1), plus up to 20%',
  cite: sources.authorizationRetries,
  sites: [
    {
      group: 'apiserver.config.k8s.io',
      kinds: ['AuthorizationConfiguration'],
      anchor: 'authorizers[*].webhook',
    },
  ],
  fields: authorizationFields,
  schedule: ({ failurePolicy }): Schedule<keyof Fields> => ({
    waits: waitBackoffLoop(backoff).waits,
    stops: [
      {
        kind: 'retries',
        limit: backoff.steps - 1,
        then: failurePolicy === 'Deny' ? 'the request is refused' : 'the next authorizer decides',
        origin: {
          kind: 'built-in',
          name: 'the limit of 5 attempts',
          cite: sources.authorizationRetries,
        },
      },
    ],
    resets: [],
    clock: 'after-attempt',
  }),
  rules: [],
  *notes() {
    yield {
      text: 'A webhook that answers with errors is asked 5 times for every request whose answer is not kept: 4s to 5s of waiting. One that refuses the connection, or lets the timeout pass, is not asked again',
    };
  },
  effect: ({ settings }, name) => {
    const time = name === 'failurePolicy' ? undefined : valueOf(settings[name]);
    switch (name) {
      case 'timeout':
        return time === undefined
          ? undefined
          : `Each of up to 5 calls takes at most ${formatDuration(time)}`;
      case 'authorizedTTL':
      case 'unauthorizedTTL':
        return time === undefined
          ? undefined
          : `The same question is not asked again for ${formatDuration(time)}`;
      case 'failurePolicy':
        return valueOf(settings.failurePolicy) === 'Deny'
          ? 'A webhook without an answer refuses the request'
          : 'A webhook without an answer leaves the request to the next authorizer';
    }
  },
  examples: [
    {
      name: 'five attempts',
      yaml: `apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
  - type: Webhook
    name: policy
    webhook:
      timeout: 3s
      authorizedTTL: 5m
      unauthorizedTTL: 30s
      subjectAccessReviewVersion: v1
      failurePolicy: Deny
      connectionInfo:
        type: KubeConfigFile
        kubeConfigFile: /etc/kubernetes/policy.kubeconfig
`,
      waits: ['500ms..600ms', '750ms..900ms', '1.125s..1.35s', '1.6875s..2.025s'],
      ends: 'after 4 retries',
      findings: [],
    },
  ],
});
