import type { Settings } from '../../family.ts';
import { isWritten, valueOf } from '../../setting.ts';
import { failsJobOn, usualFate, verdictOnCode } from './failurePolicy.ts';
import { noLimit, type JobFields } from './jobFields.ts';
import type { JobPlace } from './jobPlace.ts';
import type { JobRetries } from './jobSchedule.ts';

/** The fields that a Job's retries depend on. */
type RetryFields =
  | 'backoffLimit'
  | 'restartPolicy'
  | 'activeDeadlineSeconds'
  | 'backoffLimitPerIndex'
  | 'maxFailedIndexes'
  | 'completions'
  | 'parallelism';

/** What the settings of a Job come to; JobSet's webhook fills in `OnFailure`. */
export function jobRetries(
  settings: Pick<Settings<JobFields>, RetryFields>,
  place: JobPlace,
): JobRetries {
  const written = valueOf(settings.restartPolicy);
  const fallback = place.owner === 'JobSet' ? 'OnFailure' : 'Never';
  const restartPolicy = written === undefined || written === 'Always' ? fallback : written;
  const restartsItself = restartPolicy === 'Never' && place.restartsItself;
  const fate = usualFate(place.failureRules, [...place.containers, ...place.initContainers]);
  const completions = valueOf(settings.completions);
  const tolerated = valueOf(settings.maxFailedIndexes);
  return {
    // What is restarted in its pod fails no pod, and only `OnFailure` of the pod adds restarts up.
    backoffLimit: restartsItself ? noLimit : (valueOf(settings.backoffLimit) ?? 6),
    restartsItself,
    restartPolicy,
    deadline: valueOf(settings.activeDeadlineSeconds),
    failsOn: restartsItself ? [] : failsJobOn(place.failureRules),
    perIndex:
      isWritten(settings.backoffLimitPerIndex) && !restartsItself
        ? (valueOf(settings.backoffLimitPerIndex) ?? 'unknown')
        : 'none',
    ...(fate?.action === 'Ignore' ? { countsOnly: countedOf(place, fate.except) } : {}),
    atOnce: Math.max(1, Math.min(valueOf(settings.parallelism) ?? 1, completions ?? Infinity)),
    ...(tolerated === undefined ? {} : { maxFailedIndexes: tolerated }),
  };
}

/** Of the exit codes that are not ignored, those that count against the limit. */
const countedOf = ({ failureRules }: JobPlace, codes: readonly number[]): readonly number[] =>
  codes.filter((code) => (verdictOnCode(failureRules, code)?.action ?? 'Count') === 'Count');
