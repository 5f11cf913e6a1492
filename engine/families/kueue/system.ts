import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

const kueueSource = (source: string, versions = '0.7 to 0.19'): Citation => ({
  system: 'Kueue',
  versions,
  source,
});

/** Kueue: queues for Jobs and other workloads. */
export const kueue: System = {
  id: 'kueue',
  title: 'Kueue',
  assumes: { ...kueueSource('kubernetes-sigs/kueue v0.19.2', '0.19'), version: '0.19.2' },
};

/** Where the numbers and rules of requeuing come from. */
export const sources = {
  requeue: kueueSource('pkg/workload/workload.go UpdateRequeueState; pkg/util/wait/backoff.go'),
  oldRequeue: kueueSource(
    'pkg/controller/core/workload_controller.go triggerDeactivationOrBackoffRequeue',
    '0.6',
  ),
  limit: kueueSource(
    'pkg/controller/core/workload_controller.go triggerDeactivation',
    '0.6 to 0.19',
  ),
  defaults: kueueSource(
    'apis/config/v1beta1/defaults.go, apis/config/v1beta2/defaults.go SetDefaults_Configuration',
  ),
  validation: kueueSource('pkg/config/validation.go validateWaitForPodsReady'),
  strict: kueueSource('pkg/config/config.go fromFile (EnableStrict)'),
  provisioning: kueueSource(
    'pkg/controller/admissionchecks/provisioning/controller.go syncCheckStates; apis/kueue/v1beta2/provisioningrequestconfig_types.go',
    '0.9 to 0.19',
  ),
} as const satisfies Record<string, Citation>;
