import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

const jobSetSource = (source: string, versions = '0.6 to 0.12'): Citation => ({
  system: 'JobSet',
  versions,
  source,
});

/** JobSet: groups of Jobs that succeed and fail together. */
export const jobset: System = {
  id: 'jobset',
  title: 'JobSet',
  assumes: { ...jobSetSource('kubernetes-sigs/jobset v0.12.0', '0.12'), version: '0.12.0' },
};

/** Where the numbers and rules of failure policies come from. */
export const sources = {
  apply: jobSetSource(
    'pkg/controllers/failure_policy.go executeFailurePolicy, restartJobSetActionApplier',
  ),
  match: jobSetSource(
    'pkg/controllers/failure_policy.go findFirstFailedPolicyRuleAndJob, ruleIsApplicable',
  ),
  types: jobSetSource(
    'api/jobset/v1alpha2/jobset_types.go FailurePolicy, FailurePolicyRule',
    '0.1 to 0.12',
  ),
  webhook: jobSetSource('pkg/webhooks/jobset_webhook.go Default, validateFailurePolicy'),
  gates: jobSetSource('pkg/features/features.go defaultFeatureGates', '0.11 to 0.12'),
} as const satisfies Record<string, Citation>;
