import { fix, replaceValue } from '../../edits.ts';
import type { Report } from '../../family.ts';
import type { Setting } from '../../setting.ts';
import type { ScalarNode, Span } from '../../source.ts';
import { isNone } from './countOrPercent.ts';

/** The same for Deployments and DaemonSets. */
export const cannotMove = {
  slug: 'rollout-cannot-move',
  severity: 'error',
  summary: 'A rolling update that may neither take a pod away nor add one.',
  explanation:
    'A rolling update replaces pods by taking some away, as far as `maxUnavailable` allows, or by adding some first, as far as `maxSurge` allows. Where both are 0 no pod could ever be replaced, and the API server refuses the object.',
} as const;

/** Both are written, and both come to nothing. */
export function* bothNone(
  maxUnavailable: Setting<string>,
  maxSurge: Setting<string>,
  surge: ScalarNode | undefined,
  at: Span,
): Generator<Report> {
  if (maxUnavailable.from !== 'document' || maxSurge.from !== 'document') return;
  if (!isNone(maxUnavailable.value) || !isNone(maxSurge.value)) return;
  yield {
    message:
      'The API server refuses it: with `maxUnavailable` and `maxSurge` both 0 no pod could ever be replaced. Write 1 for one of them',
    at,
    fixes: surge === undefined ? [] : fix('Write maxSurge: 1', false, replaceValue(surge, '1')),
  };
}
