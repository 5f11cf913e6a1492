import { atLeast } from '../../environment.ts';
import { defineRule, type Rule } from '../../family.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, itemsOf } from '../../source.ts';
import type { FailurePolicyFields } from './failurePolicyFields.ts';
import { rulesIn, type JobSetPlace } from './failureRules.ts';
import { jobset, sources } from './system.ts';

/** A pattern that no failure message can match, because it cannot be read. */
export const unreadablePattern: Rule<FailurePolicyFields, JobSetPlace> = defineRule({
  slug: 'message-pattern',
  severity: 'warning',
  summary: 'A pattern for failure messages that is no regular expression.',
  explanation:
    'JobSet compiles `onJobFailureMessagePatterns` when a Job has failed. It logs a pattern that cannot be read and passes over it: a rule with no other pattern then takes no failure at all.',
  cite: sources.match,
  *check({ env, node }) {
    if (!atLeast(env, jobset, '0.10.0')) return;
    for (const rule of rulesIn(node)) {
      for (const pattern of itemsOf(child(rule, 'onJobFailureMessagePatterns'))) {
        if (pattern.kind !== 'scalar' || pattern.span === undefined) continue;
        if (isRunTimeText(pattern.text) || isReadable(pattern.text)) continue;
        yield {
          message: `\`${pattern.text}\` is no regular expression, so JobSet passes over it and no message matches it: close its brackets, or write a backslash before those that stand for themselves`,
          at: pattern.span,
        };
      }
    }
  },
});

/** What the two dialects write in different ways is taken for readable. */
function isReadable(pattern: string): boolean {
  if (/\(\?|\\[QE]|\[\[?:/.test(pattern)) return true;
  try {
    return new RegExp(pattern).source !== '';
  } catch {
    return false;
  }
}
