import { formatDuration } from '../../durations/format.ts';
import { defineFamily, type Note, type Policy } from '../../family.ts';
import { finite } from '../../growth.ts';
import type { Schedule } from '../../schedule.ts';
import { valueOf } from '../../setting.ts';
import { child, nameSpan, type SourceNode } from '../../source.ts';
import { componentSources as sources } from './componentSources.ts';
import { kubernetes } from './system.ts';
import { webhookFields, type WebhookFields } from './webhookFields.ts';
import { webhookRules } from './webhookRules.ts';

/** What becomes of a request whose admission webhook does not answer. */
export const family = defineFamily({
  id: 'kubernetes/webhook',
  system: kubernetes,
  title: 'Admission webhook',
  summary:
    'The API server calls an admission webhook once for each request that its rules match and waits `timeoutSeconds` for the answer. It does not retry: without an answer, `failurePolicy` decides whether the request is refused or goes on without the webhook.',
  formula: 'no retry: one call of at most timeoutSeconds, then failurePolicy',
  cite: sources.webhookDispatch,
  sites: [
    {
      group: 'admissionregistration.k8s.io',
      kinds: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'],
      anchor: 'webhooks[*]',
      implied: true,
      view: named,
    },
  ],
  fields: webhookFields,
  schedule: ({ failurePolicy }): Schedule<keyof WebhookFields> => ({
    waits: finite([]),
    stops: [
      {
        kind: 'retries',
        limit: 0,
        then:
          failurePolicy === 'Fail'
            ? 'the request is refused'
            : 'the request goes on without the webhook',
        origin: { kind: 'field', field: 'failurePolicy' },
      },
    ],
    resets: [],
    clock: 'after-attempt',
  }),
  rules: webhookRules,
  notes,
  effect: ({ settings, resource }, name) => {
    const timeout = valueOf(settings.timeoutSeconds);
    switch (name) {
      case 'timeoutSeconds':
        return timeout === undefined
          ? undefined
          : `A webhook that does not answer adds ${formatDuration(timeout)} to every request that its rules match`;
      case 'failurePolicy':
        return valueOf(settings.failurePolicy) === 'Ignore'
          ? 'Requests go on unchecked while the webhook does not answer'
          : 'Requests are refused while the webhook does not answer; who sent them may try again';
      case 'reinvocationPolicy':
        if (resource.kind !== 'MutatingWebhookConfiguration') return undefined;
        return valueOf(settings.reinvocationPolicy) === 'IfNeeded'
          ? 'It is asked a second time when a later webhook changed the object: no retry, which failures know nothing of'
          : 'It is asked once a request';
    }
  },
  examples: [
    {
      name: 'refused where the webhook does not answer',
      yaml: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: policy
webhooks:
  - name: check.policy.example
    timeoutSeconds: 5
    failurePolicy: Fail
    namespaceSelector:
      matchExpressions:
        - {key: kubernetes.io/metadata.name, operator: NotIn, values: [policy]}
    clientConfig:
      service: {name: policy, namespace: policy}
    rules:
      - {apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: ["*"]}
    admissionReviewVersions: [v1]
    sideEffects: None
`,
      waits: [],
      ends: 'after 0 retries',
      findings: [],
    },
    {
      name: 'a webhook that must allow its own pods',
      yaml: `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: sidecars
webhooks:
  - name: inject.sidecars.example
    clientConfig:
      service: {name: sidecars, namespace: sidecars}
    rules:
      - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
    admissionReviewVersions: [v1]
    sideEffects: None
`,
      waits: [],
      ends: 'after 0 retries',
      findings: ['kubernetes/webhook-stops-all-pods'],
    },
  ],
});

/** A webhook is named by its `name`, for want of a key in the list. */
function named(webhook: SourceNode): SourceNode | undefined {
  if (webhook.kind !== 'map') return undefined;
  const name = child(webhook, 'name');
  const key = name === undefined ? undefined : nameSpan(name);
  return key === undefined ? webhook : { ...webhook, key };
}

function* notes({
  settings,
  resource,
}: Policy<WebhookFields>): Generator<Note<keyof WebhookFields>> {
  const timeout = valueOf(settings.timeoutSeconds);
  if (resource.kind === 'MutatingWebhookConfiguration') {
    yield {
      text: 'Mutating webhooks are called one after another, so their timeouts add up; the API server gives the whole request 60s, or as long as the client allows',
    };
  } else {
    yield {
      text: 'Validating webhooks are called at the same time, so the longest timeout counts',
    };
  }
  if (valueOf(settings.failurePolicy) === 'Ignore') {
    yield {
      text: `Ignore lets a request pass after ${timeout === undefined ? 'the timeout' : formatDuration(timeout)} without an answer; an answer that refuses still refuses`,
    };
  }
}
