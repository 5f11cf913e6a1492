import { field } from '../../field.ts';
import { oneOf, wholeSeconds } from '../../format.ts';
import { seconds } from '../../units.ts';
import { componentSources as sources } from './componentSources.ts';

/** The settings of one admission webhook that decide what happens when it does not answer. */
export const webhookFields = {
  timeoutSeconds: field(wholeSeconds, 'timeoutSeconds', 'How long a request waits for the answer')
    .beside()
    .within({
      min: seconds(1),
      max: seconds(30),
      consequence: 'the API server refuses it',
      cite: sources.webhookValidation,
    })
    .defaultsTo(seconds(10), sources.webhookDefaults),
  failurePolicy: field(
    oneOf('Fail', 'Ignore'),
    'failurePolicy',
    'What becomes of the request when the webhook does not answer, or answers with an error',
  ).defaultsTo('Fail', sources.webhookDefaults),
  reinvocationPolicy: field(
    oneOf('Never', 'IfNeeded'),
    'reinvocationPolicy',
    'Whether a mutating webhook is asked again after later ones changed the object',
  )
    .beside()
    .defaultsTo('Never', sources.webhookDefaults),
} as const;

export type WebhookFields = typeof webhookFields;
