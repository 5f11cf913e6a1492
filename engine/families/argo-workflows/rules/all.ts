import type { Rule } from '../../../family.ts';
import type { Facts } from '../facts.ts';
import type { Fields } from '../fields.ts';
import {
  deadlineOnlyFirstRun,
  maxDurationCutsRetries,
  workflowDeadlineCutsRetries,
} from './deadlines.ts';
import { exitCodeOfGroup, expressionRules, policyRefusesExpression } from './expressions.ts';
import {
  bareSeconds,
  capBelowDuration,
  capWithoutGrowth,
  factorBelowOne,
  negativeDuration,
  waitOverflows,
  waitsBeyondADay,
} from './growth.ts';
import {
  backoffNeedsDuration,
  backoffNeedsLimit,
  negativeLimit,
  neverStops,
  quotedLimit,
  suspendNeverRetries,
} from './limits.ts';
import {
  hooksWithSharedRetries,
  nestedRetries,
  shadowedByDefaults,
  unresolvedTag,
} from './places.ts';

/** Every rule over a `retryStrategy`. */
export const strategyRules: readonly Rule<Fields, Facts>[] = [
  backoffNeedsLimit,
  neverStops,
  negativeLimit,
  quotedLimit,
  suspendNeverRetries,
  backoffNeedsDuration,
  waitsBeyondADay,
  waitOverflows,
  negativeDuration,
  factorBelowOne,
  capBelowDuration,
  capWithoutGrowth,
  bareSeconds,
  maxDurationCutsRetries,
  workflowDeadlineCutsRetries,
  deadlineOnlyFirstRun,
  ...expressionRules,
  policyRefusesExpression,
  exitCodeOfGroup,
  nestedRetries,
  shadowedByDefaults,
  hooksWithSharedRetries,
  unresolvedTag,
];
