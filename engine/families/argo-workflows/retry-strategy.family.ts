import { defineFamily } from '../../family.ts';
import { strategyExamples } from './examples.ts';
import { expectFromParameters } from './expect.ts';
import { factsOf, type Facts } from './facts.ts';
import { fields, type Fields } from './fields.ts';
import { retryLive } from './live/retryLive.ts';
import { meantBy } from './meantBy.ts';
import { notesOf } from './notes.ts';
import { strategyRules } from './rules/all.ts';
import { misspelledStrategy, strategyShape } from './rules/names.ts';
import { misplaced } from './rules/places.ts';
import { scheduleOf } from './schedule.ts';
import { strategySites } from './sites.ts';
import { processNodeRetries, system } from './system.ts';

/** `retryStrategy` of a template, of all templates, or of the controller's defaults. */
export const family = defineFamily<Fields, Facts>({
  id: 'argo-workflows/retry-strategy',
  system,
  title: 'Argo Workflows retryStrategy',
  summary:
    'The controller runs a template again when a run of it fails. After each failure it computes a wait from `backoff`, and starts the next run once the wait has passed.',
  formula:
    'wait before retry k = `duration` × `factor`^(k−1), at most `cap`; no wait without `limit`',
  cite: processNodeRetries,
  sites: strategySites,
  fields,
  closed: { alsoKnown: [] },
  meantBy,
  facts: factsOf,
  schedule: scheduleOf,
  rules: strategyRules,
  documentRules: [misplaced, strategyShape, misspelledStrategy],
  notes: notesOf,
  expect: expectFromParameters,
  live: retryLive,
  examples: strategyExamples,
});
