import { defineFamily } from '../../family.ts';
import { annotationSites, unknownAnnotation } from './annotations.ts';
import { issuanceSchedule, knownBackoff, maximumName } from './backoff.ts';
import { issuanceExamples } from './issuanceExamples.ts';
import { issuanceFacts, issuanceFields } from './issuanceFields.ts';
import { issuanceLive } from './issuanceLive.ts';
import { issuanceEffect, issuanceNotes } from './issuanceNotes.ts';
import { misspelledField } from './names.ts';
import { renewBeforeRules } from './renewBeforeRules.ts';
import { renewalSpecRules } from './renewalSpecRules.ts';
import { certManager, sources } from './system.ts';
import { windowRules } from './windowRules.ts';

export const family = defineFamily({
  id: 'cert-manager/issuance',
  system: certManager,
  title: 'Certificate issuance back-off',
  summary:
    'A Certificate whose issuance failed is tried again after a wait that doubles with every failure in a row. The bounds of the wait belong to the controller; the Certificate decides how many attempts fit before it expires.',
  formula:
    'wait after failure n = min(minimum × 2^(n-1), maximum), counted from `status.lastFailureTime`; no jitter, no limit on the number of retries',
  cite: sources.trigger,
  sites: [
    { group: 'cert-manager.io', kinds: ['Certificate'], anchor: 'spec', implied: true },
    ...annotationSites,
  ],
  fields: issuanceFields,
  facts: issuanceFacts,
  schedule: (_values, { env }) =>
    issuanceSchedule(knownBackoff(env), {
      kind: 'built-in',
      name: maximumName,
      cite: sources.defaults,
    }),
  rules: [...renewBeforeRules, ...windowRules, ...renewalSpecRules],
  documentRules: [unknownAnnotation, misspelledField],
  notes: issuanceNotes,
  effect: issuanceEffect,
  live: issuanceLive,
  examples: issuanceExamples,
});
