import type { Policy } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import type { Facts } from './facts.ts';
import type { Fields } from './fields.ts';
import type { RetryPolicy } from './formats.ts';

/** What the policy is when none is written, in the release at hand. */
export function effectivePolicy({
  settings,
  facts,
}: Pick<Policy<Fields, Facts>, 'settings' | 'facts'>): RetryPolicy | undefined {
  const { from } = settings.retryPolicy;
  if (
    from === 'unreadable' ||
    (from === 'runtime' && valueOf(settings.retryPolicy) === undefined)
  ) {
    return undefined;
  }
  const whenUnset = facts.hasExpression && facts.expressionDecides ? 'Always' : 'OnFailure';
  return valueOf(settings.retryPolicy) ?? whenUnset;
}
