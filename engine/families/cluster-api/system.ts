import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

const capiSource = (source: string, versions = '1.5 to 1.14'): Citation => ({
  system: 'Cluster API',
  versions,
  source,
});

/** Cluster API: clusters and their machines as objects. */
export const clusterApi: System = {
  id: 'cluster-api',
  title: 'Cluster API',
  assumes: { ...capiSource('kubernetes-sigs/cluster-api v1.14.0', '1.14'), version: '1.14.0' },
};

/** Where the numbers and rules of remediation are written. */
export const sources = {
  controlPlane: capiSource(
    'controlplane/kubeadm/reconcilers/kubeadmcontrolplane/remediation.go checkRetryLimits',
  ),
  controlPlaneTypes: capiSource(
    'api/controlplane/kubeadm/v1beta2/kubeadm_control_plane_types.go KubeadmControlPlaneRemediationSpec, DefaultMinHealthyPeriodSeconds; v1beta1 RemediationStrategy',
  ),
  healthCheck: capiSource(
    'core/reconcilers/machinehealthcheck/machinehealthcheck_targets.go needsRemediation; machinehealthcheck_controller.go isAllowedRemediation',
  ),
  healthCheckTypes: capiSource(
    'api/core/v1beta2/machinehealthcheck_types.go MachineHealthCheckChecks, DefaultNodeStartupTimeoutSeconds; v1beta1 MachineHealthCheckSpec',
  ),
  healthCheckWebhook: capiSource(
    'core/webhooks/admission/machinehealthcheck.go validateMachineHealthCheckNodeStartupTimeoutSeconds',
  ),
  rateLimiter: capiSource(
    'util/controller/builder.go typedItemExponentialFailureRateLimiter.When; 1.12 internal/util/controller/controller.go reconcilerWrapper.Reconcile',
    '1.12 to 1.14',
  ),
  machineSet: capiSource(
    'core/reconcilers/machineset/machineset_controller.go reconcileUnhealthyMachines',
  ),
} as const satisfies Record<string, Citation>;
