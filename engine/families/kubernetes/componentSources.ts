import type { Citation } from '../../citation.ts';
import { kubernetesSource } from './system.ts';

const clientGo = (source: string): Citation => ({
  system: 'client-go',
  versions: '0.20 to 0.36',
  source,
});

const apiserver = (source: string, versions = '1.20 to 1.36'): Citation => ({
  system: 'apiserver',
  versions,
  source,
});

/** Where the numbers of the scheduler, of leader election, webhooks and workloads come from. */
export const componentSources = {
  schedulerQueue: kubernetesSource(
    'pkg/scheduler/backend/queue/backoff_queue.go getBackoffTime, calculateBackoffDuration',
    '1.19 to 1.36',
  ),
  schedulerCount: kubernetesSource(
    'pkg/scheduler/framework/types.go QueuedPodInfo.UnschedulableCount, ConsecutiveErrorsCount',
    '1.34 to 1.36',
  ),
  schedulerDefaults: kubernetesSource(
    'pkg/scheduler/apis/config/v1/defaults.go SetDefaults_KubeSchedulerConfiguration',
    '1.25 to 1.36',
  ),
  schedulerValidation: kubernetesSource(
    'pkg/scheduler/apis/config/validation/validation.go ValidateKubeSchedulerConfiguration',
    '1.19 to 1.36',
  ),
  leaderElector: clientGo(
    'tools/leaderelection/leaderelection.go NewLeaderElector, acquire, renew',
  ),
  leaderDefaults: {
    system: 'component-base',
    versions: '0.20 to 0.36',
    source: 'config/v1alpha1/defaults.go RecommendedDefaultLeaderElectionConfiguration',
  },
  leaderValidation: {
    system: 'component-base',
    versions: '0.20 to 0.36',
    source: 'config/validation/validation.go ValidateLeaderElectionConfiguration',
  },
  certManagerLeader: {
    system: 'cert-manager',
    versions: '1.12 to 1.21',
    source: 'internal/apis/config/shared/v1alpha1/defaults.go SetDefaults_LeaderElectionConfig',
  },
  webhookDispatch: apiserver(
    'pkg/admission/plugin/webhook/mutating/dispatcher.go, validating/dispatcher.go Dispatch',
  ),
  webhookDefaults: kubernetesSource(
    'pkg/apis/admissionregistration/v1/defaults.go SetDefaults_ValidatingWebhook, SetDefaults_MutatingWebhook',
    '1.16 to 1.36',
  ),
  webhookValidation: kubernetesSource(
    'pkg/apis/admissionregistration/validation/validation.go validateValidatingWebhook, validateMutatingWebhook',
    '1.16 to 1.36',
  ),
  authorizationRetries: apiserver(
    'pkg/server/options/authentication.go DefaultAuthWebhookRetryBackoff; pkg/util/webhook/webhook.go WithExponentialBackoff',
  ),
  authorizationValidation: apiserver(
    'pkg/apis/apiserver/validation/validation.go ValidateWebhookConfiguration',
    '1.29 to 1.36',
  ),
  deploymentProgress: kubernetesSource(
    'pkg/controller/deployment/progress.go syncRolloutStatus; util/deployment_util.go DeploymentProgressing, DeploymentTimedOut',
    '1.20 to 1.36',
  ),
  deploymentQueue: kubernetesSource(
    'pkg/controller/deployment/deployment_controller.go maxRetries, handleErr',
    '1.20 to 1.36',
  ),
  workloadDefaults: kubernetesSource(
    'pkg/apis/apps/v1/defaults.go SetDefaults_Deployment, SetDefaults_StatefulSet, SetDefaults_DaemonSet',
    '1.25 to 1.36',
  ),
  workloadValidation: kubernetesSource(
    'pkg/apis/apps/validation/validation.go ValidateDeploymentSpec, ValidateStatefulSetSpec, ValidateRollingUpdateDaemonSet',
    '1.25 to 1.36',
  ),
  replicaSet: kubernetesSource(
    'pkg/controller/replicaset/replica_set.go manageReplicas; pkg/controller/controller_utils.go FilterActivePods',
    '1.20 to 1.36',
  ),
  statefulSet: kubernetesSource(
    'pkg/controller/statefulset/stateful_set_control.go processReplica',
    '1.25 to 1.36',
  ),
  daemonSet: kubernetesSource(
    'pkg/controller/daemon/daemon_controller.go podsShouldBeOnNode; cmd/kube-controller-manager/app/apps.go newDaemonSetController',
    '1.20 to 1.36',
  ),
  flowBackoff: clientGo('util/flowcontrol/backoff.go Backoff.Next, hasExpired'),
  itemLimiter: clientGo(
    'util/workqueue/default_rate_limiters.go DefaultTypedControllerRateLimiter',
  ),
} as const satisfies Record<string, Citation>;
