import type { PolicyFamily } from '../family.ts';
import { family as argoCdSelfHeal } from './argo-cd/selfHeal.family.ts';
import { family as argoCdWorkQueue } from './argo-cd/workQueue.family.ts';
import { family as argoWorkflowsApiRetry } from './argo-workflows/apiRetry.family.ts';
import { family as argoWorkflowsContainerSetRetry } from './argo-workflows/container-set-retry.family.ts';
import { family as argoWorkflowsExecutorRetry } from './argo-workflows/executorRetry.family.ts';
import { family as argoWorkflowsRequeueTime } from './argo-workflows/requeueTime.family.ts';
import { family as argoWorkflowsRetryStrategy } from './argo-workflows/retry-strategy.family.ts';
import { family as captfJobs } from './captf/jobs.family.ts';
import { family as captfPendingRefresh } from './captf/pendingRefresh.family.ts';
import { family as certManagerAcmeChallenge } from './cert-manager/acme-challenge.family.ts';
import { family as certManagerAcmeOrder } from './cert-manager/acme-order.family.ts';
import { family as certManagerControllerIssuance } from './cert-manager/controller-issuance.family.ts';
import { family as certManagerIssuance } from './cert-manager/issuance.family.ts';
import { family as certManagerRequest } from './cert-manager/request.family.ts';
import { family as clusterApiHealthCheck } from './cluster-api/healthCheck.family.ts';
import { family as clusterApiMachineRemediation } from './cluster-api/machineRemediation.family.ts';
import { family as clusterApiRateLimiting } from './cluster-api/rateLimiting.family.ts';
import { family as clusterApiRemediation } from './cluster-api/remediation.family.ts';
import { family as controllerRuntimeFastSlowQueue } from './controller-runtime/fastSlowQueue.family.ts';
import { family as controllerRuntimeWaitBackoff } from './controller-runtime/waitBackoff.family.ts';
import { family as controllerRuntimeWorkQueue } from './controller-runtime/workQueue.family.ts';
import { family as crossplaneReconcileRate } from './crossplane/reconcileRate.family.ts';
import { family as fluxRetryDelay } from './flux/retryDelay.family.ts';
import { family as jobsetFailurePolicy } from './jobset/failurePolicy.family.ts';
import { family as kubernetesAuthorizationWebhook } from './kubernetes/authorizationWebhook.family.ts';
import { family as kubernetesCronJob } from './kubernetes/cronJob.family.ts';
import { family as kubernetesDaemonSet } from './kubernetes/daemonSet.family.ts';
import { family as kubernetesDeployment } from './kubernetes/deployment.family.ts';
import { family as kubernetesImagePull } from './kubernetes/imagePull.family.ts';
import { family as kubernetesJob } from './kubernetes/job.family.ts';
import { family as kubernetesJobIndex } from './kubernetes/jobIndex.family.ts';
import { family as kubernetesKubeletRestart } from './kubernetes/kubeletRestart.family.ts';
import { family as kubernetesLeaderElection } from './kubernetes/leaderElection.family.ts';
import { family as kubernetesProbe } from './kubernetes/probe.family.ts';
import { family as kubernetesRestart } from './kubernetes/restart.family.ts';
import { family as kubernetesScheduler } from './kubernetes/scheduler.family.ts';
import { family as kubernetesStatefulSet } from './kubernetes/statefulSet.family.ts';
import { family as kubernetesWebhook } from './kubernetes/webhook.family.ts';
import { family as kueueProvisioningRetry } from './kueue/provisioningRetry.family.ts';
import { family as kueueRequeuing } from './kueue/requeuing.family.ts';
import { family as leaderWorkerSetRestart } from './leader-worker-set/restart.family.ts';
import { family as sealedSecretsUnseal } from './sealed-secrets/unseal.family.ts';

/** Every family there is, in the order of their ids. Generated: `npm run generate`. */
export const families: readonly PolicyFamily[] = [
  argoCdSelfHeal,
  argoCdWorkQueue,
  argoWorkflowsApiRetry,
  argoWorkflowsContainerSetRetry,
  argoWorkflowsExecutorRetry,
  argoWorkflowsRequeueTime,
  argoWorkflowsRetryStrategy,
  captfJobs,
  captfPendingRefresh,
  certManagerAcmeChallenge,
  certManagerAcmeOrder,
  certManagerControllerIssuance,
  certManagerIssuance,
  certManagerRequest,
  clusterApiHealthCheck,
  clusterApiMachineRemediation,
  clusterApiRateLimiting,
  clusterApiRemediation,
  controllerRuntimeFastSlowQueue,
  controllerRuntimeWaitBackoff,
  controllerRuntimeWorkQueue,
  crossplaneReconcileRate,
  fluxRetryDelay,
  jobsetFailurePolicy,
  kubernetesAuthorizationWebhook,
  kubernetesCronJob,
  kubernetesDaemonSet,
  kubernetesDeployment,
  kubernetesImagePull,
  kubernetesJob,
  kubernetesJobIndex,
  kubernetesKubeletRestart,
  kubernetesLeaderElection,
  kubernetesProbe,
  kubernetesRestart,
  kubernetesScheduler,
  kubernetesStatefulSet,
  kubernetesWebhook,
  kueueProvisioningRetry,
  kueueRequeuing,
  leaderWorkerSetRestart,
  sealedSecretsUnseal,
];
