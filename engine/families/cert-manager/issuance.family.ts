import { defineFamily } from '../../family.ts';
import { field } from '../../field.ts';
import { anything, goDuration, integer, oneOf } from '../../format.ts';
import { hours, minutes } from '../../units.ts';
import { issuanceSchedule, knownBackoff, maximumName } from './backoff.ts';
import { defaultLifetime } from './renewal.ts';
import { certManager, sources } from './system.ts';

export const family = defineFamily({
  id: 'cert-manager/issuance',
  system: certManager,
  title: 'Certificate issuance back-off',
  summary:
    'A Certificate whose issuance failed is tried again after a wait that doubles with every failure in a row. The bounds of the wait belong to the controller; the Certificate decides how much of that fits before it expires.',
  formula:
    'wait after failure n = min(minimum × 2^(n-1), maximum), counted from `status.lastFailureTime`; no jitter, no limit on the number of retries',
  cite: sources.trigger,
  sites: [{ group: 'cert-manager.io', kinds: ['Certificate'], anchor: 'spec', implied: true }],
  fields: {
    duration: field(goDuration, 'duration', 'Lifetime to ask the issuer for')
      .beside()
      .within({ min: hours(1), consequence: 'the webhook refuses it', cite: sources.webhook })
      .defaultsTo(defaultLifetime, sources.constants),
    renewBefore: field(goDuration, 'renewBefore', 'How long before expiry the renewal starts')
      .beside()
      .within({ min: minutes(5), consequence: 'the webhook refuses it', cite: sources.webhook })
      .unset('the last third of the issued lifetime'),
    renewBeforePercentage: field(
      integer,
      'renewBeforePercentage',
      'Share of the lifetime, in percent, that remains when the renewal starts',
    )
      .beside()
      .since(
        '1.16.0',
        'it is dropped, and the renewal starts a third of the lifetime before expiry',
      )
      .unset('the last third of the issued lifetime'),
    renewalPolicy: field(
      oneOf('RenewBefore', 'Disabled'),
      'renewal.policy',
      'Whether the certificate is renewed at all',
    )
      .beside()
      .since('1.21.0', 'it is dropped, and the certificate is renewed as ever')
      .unset('it is renewed'),
    renewalWindows: field(anything, 'renewal.windows', 'Times in which a renewal may start')
      .beside()
      .since('1.21.0', 'it is dropped, and renewals start at any time')
      .unset('a renewal may start at any time'),
    rotationPolicy: field(
      oneOf('Always', 'Never'),
      'privateKey.rotationPolicy',
      'Whether each attempt makes a new private key',
    )
      .beside()
      .unset('a new key for each attempt (before 1.18: the same one)'),
  },
  schedule: (_values, { env }) =>
    issuanceSchedule(knownBackoff(env), {
      kind: 'built-in',
      name: maximumName,
      cite: sources.defaults,
    }),
  rules: [],
  examples: [
    {
      name: 'every Certificate has it, written or not',
      yaml: `apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: web
spec:
  secretName: web-tls
  dnsNames: [shop.example.test]
  issuerRef:
    kind: ClusterIssuer
    name: letsencrypt
`,
      waits: ['1h', '2h', '4h', '8h', '16h', '32h', '32h', '32h'],
      ends: 'never',
      findings: [],
    },
  ],
});
