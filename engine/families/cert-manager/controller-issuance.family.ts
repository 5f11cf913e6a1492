import { defineFamily } from '../../family.ts';
import { formatDuration } from '../../durations/format.ts';
import { issuanceSchedule, issuanceWait, maximumName } from './backoff.ts';
import { controllerExamples } from './controllerExamples.ts';
import { controllerBackoff, controllerFields, controllerPlace } from './controllerFields.ts';
import { controllerRules } from './controllerRules.ts';
import { controllerSites } from './controllerSites.ts';
import { certManager, sources } from './system.ts';

export const family = defineFamily({
  id: 'cert-manager/controller-issuance',
  system: certManager,
  title: 'cert-manager issuance back-off (controller)',
  summary:
    'The controller decides how long every Certificate waits after a failed issuance: a minimum after the first failure, twice as long after each further one, up to a maximum. It is set in its configuration file or by flags, which win over the file.',
  formula:
    'wait after failure n = min(minimum × 2^(n-1), maximum); no jitter, no limit on the number of retries',
  cite: sources.trigger,
  sites: controllerSites,
  fields: controllerFields,
  facts: controllerPlace,
  schedule: (_values, policy) =>
    issuanceSchedule(controllerBackoff(policy), { kind: 'field', field: maximumName }),
  rules: controllerRules,
  *notes(policy, schedule) {
    if (schedule === undefined) return;
    yield {
      text: 'This holds for every Certificate of the cluster; Certificates have no setting of their own for it',
    };
    const { tag } = policy.facts;
    if (tag !== undefined) yield { text: `Computed for ${tag}, the tag of this image` };
    const backoff = controllerBackoff(policy);
    if (backoff.min > 0) {
      yield {
        text: `A certificate whose renewal starts less than ${formatDuration(issuanceWait(backoff, 1))} before expiry expires when its renewal fails once`,
      };
    }
  },
  examples: controllerExamples,
});
