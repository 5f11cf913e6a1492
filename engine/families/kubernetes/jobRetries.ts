import type { Settings } from '../../family.ts';
import { valueOf } from '../../setting.ts';
import { failsJobOn } from './failurePolicy.ts';
import type { JobFields } from './jobFields.ts';
import type { JobPlace } from './jobPlace.ts';
import type { JobRetries } from './jobSchedule.ts';

/** What the settings of a Job come to; JobSet's webhook fills in `OnFailure`. */
export function jobRetries(settings: Settings<JobFields>, place: JobPlace): JobRetries {
  const written = valueOf(settings.restartPolicy);
  const fallback = place.owner === 'JobSet' ? 'OnFailure' : 'Never';
  return {
    backoffLimit: valueOf(settings.backoffLimit) ?? 6,
    restartPolicy: written === undefined || written === 'Always' ? fallback : written,
    deadline: valueOf(settings.activeDeadlineSeconds),
    failsOn: failsJobOn(place.failureRules),
    perIndex: settings.backoffLimitPerIndex.from === 'document',
  };
}
