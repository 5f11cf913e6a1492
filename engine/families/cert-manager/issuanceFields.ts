import type { FactsInput, Policy, PolicyContext, Rule } from '../../family.ts';
import { field } from '../../field.ts';
import { anything, decimal, oneOf, text } from '../../format.ts';
import type { Setting } from '../../setting.ts';
import { child } from '../../source.ts';
import { hours, minutes } from '../../units.ts';
import { annotationFields } from './annotations.ts';
import { count, lifetime, percentage } from './formats.ts';
import { defaultLifetime } from './renewal.ts';
import { sources } from './system.ts';

/** What a Certificate says that bears on its issuance; the waits themselves belong to the controller. */
export const issuanceFields = {
  duration: field(lifetime, 'duration', 'Lifetime to ask the issuer for')
    .beside()
    .within({ min: hours(1), consequence: 'the webhook refuses it', cite: sources.webhook })
    .defaultsTo(defaultLifetime, sources.constants),
  renewBefore: field(lifetime, 'renewBefore', 'How long before expiry the renewal starts')
    .beside()
    .within({ min: minutes(5), consequence: 'the webhook refuses it', cite: sources.webhook })
    .unset('renewal starts when a third of the issued lifetime is left'),
  renewBeforePercentage: field(
    percentage,
    'renewBeforePercentage',
    'Share of the lifetime, in percent, that is left when the renewal starts',
  )
    .beside()
    .since('1.16.0', 'it is dropped, and renewal starts when a third of the lifetime is left')
    .unset('renewal starts when a third of the issued lifetime is left'),
  renewalPolicy: field(
    oneOf('RenewBefore', 'Disabled'),
    'renewal.policy',
    'Whether the certificate is renewed at all',
  )
    .beside()
    .since('1.21.0', 'it is dropped, and the certificate is renewed as ever')
    .unset('the certificate is renewed'),
  renewalWindows: field(anything, 'renewal.windows', 'Times in which a renewal may start')
    .beside()
    .since('1.21.0', 'it is dropped, and a renewal starts at any time')
    .unset('a renewal may start at any time'),
  rotationPolicy: field(
    oneOf('Always', 'Never'),
    'privateKey.rotationPolicy',
    'Whether each issuance makes a new private key',
  )
    .beside()
    .unset('a new key each time (up to 1.17: the same key)'),
  revisionHistoryLimit: field(
    count,
    'revisionHistoryLimit',
    'How many CertificateRequests of this Certificate are kept',
  )
    .beside()
    .within({ min: 1, consequence: 'cert-manager refuses it', cite: sources.historyLimit })
    .unset('one is kept (up to 1.17: all of them)'),
  failedIssuanceAttempts: field(
    decimal,
    '/status/failedIssuanceAttempts',
    'Failed issuances in a row, as the controller counts them',
  )
    .beside()
    .unset('no failure is counted'),
  lastFailureTime: field(text, '/status/lastFailureTime', 'When the last issuance failed')
    .beside()
    .unset('no failure is on record'),
} as const;

export type IssuanceFields = typeof issuanceFields;

/** What the surrounding manifest tells: whether it is a whole one, and whether annotations stand for the spec. */
export type IssuanceFacts = { readonly whole: boolean; readonly annotated: boolean };

export type IssuancePolicy = Policy<IssuanceFields, IssuanceFacts>;
export type IssuanceContext = PolicyContext<IssuanceFields, IssuanceFacts>;
export type IssuanceRule = Rule<IssuanceFields, IssuanceFacts>;
export type FieldName = keyof IssuanceFields;

/** Patches name neither a Secret nor an issuer: what they leave out may be set elsewhere. */
export function issuanceFacts({ node, anchor }: FactsInput): IssuanceFacts {
  const annotated = anchor.at(-1) === 'annotations';
  const whole =
    annotated ||
    (child(node, 'secretName') !== undefined && child(node, 'issuerRef') !== undefined);
  return { whole, annotated };
}

/** How a field is written here: `renewBefore`, or `cert-manager.io/renew-before` in annotations. */
export function keyFor(context: IssuanceContext, name: FieldName): string {
  if (!context.policy.facts.annotated) return name;
  for (const [annotation, own] of annotationFields) if (own === name) return annotation;
  return name;
}

/** A setting's value where its author wrote it and it can be read. */
export const writtenValue = <T>(setting: Setting<T>): T | undefined =>
  setting.from === 'document' ? setting.value : undefined;
