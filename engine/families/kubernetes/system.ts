import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

/** Cites a file and symbol of kubernetes/kubernetes. */
export const kubernetesSource = (source: string, versions = '1.28 to 1.36'): Citation => ({
  system: 'Kubernetes',
  versions,
  source,
});

/** Kubernetes itself: its API server, controllers and kubelet, all of one version. */
export const kubernetes: System = {
  id: 'kubernetes',
  title: 'Kubernetes',
  assumes: { ...kubernetesSource('kubernetes/kubernetes v1.36.3', '1.36'), version: '1.36.3' },
};

/** Where the numbers and rules of Jobs, pods and probes come from. */
export const sources = {
  jobWaits: kubernetesSource(
    'pkg/controller/job/backoff_utils.go getRemainingTimeForFailuresCount; job_controller.go DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff',
  ),
  oldJobWaits: kubernetesSource(
    'pkg/controller/job/job_controller.go DefaultJobBackOff, MaxJobBackOff',
    '1.27 and older',
  ),
  jobLimits: kubernetesSource(
    'pkg/controller/job/job_controller.go exceedsBackoffLimit, pastBackoffLimitOnFailure, pastActiveDeadline',
    '1.20 to 1.36',
  ),
  jobFailures: kubernetesSource('pkg/controller/job/job_controller.go isPodFailed', '1.28 to 1.36'),
  jobIgnored: kubernetesSource('pkg/controller/job/backoff_utils.go newBackoffRecord'),
  jobIndexes: kubernetesSource(
    'pkg/controller/job/indexed_job_utils.go isIndexFailed, getNewIndexFailureCounts',
    '1.28 to 1.36',
  ),
  jobDefaults: kubernetesSource('pkg/apis/batch/v1/defaults.go SetDefaults_Job', '1.28 to 1.36'),
  jobValidation: kubernetesSource(
    'pkg/apis/batch/validation/validation.go validateJobSpec',
    '1.25 to 1.36',
  ),
  failurePolicy: kubernetesSource(
    'pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy',
    '1.25 to 1.36',
  ),
  jobTypes: kubernetesSource('staging/src/k8s.io/api/batch/v1/types.go JobSpec', '1.36'),
  ttl: kubernetesSource(
    'pkg/controller/ttlafterfinished/ttlafterfinished_controller.go',
    '1.23 to 1.36',
  ),
  jobSet: {
    system: 'JobSet',
    versions: 'v0.12.0',
    source: 'pkg/webhooks/jobset_webhook.go Default',
  },
  groupRestart: {
    system: 'LeaderWorkerSet',
    versions: 'v0.4.0 to v0.9.0',
    source: 'pkg/controllers/pod_controller.go handleRestartPolicy',
  },
  helm: {
    system: 'Helm',
    versions: '3',
    source: 'https://helm.sh/docs/chart_template_guide/control_structures/',
  },
  cronJob: kubernetesSource(
    'pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob; utils.go mostRecentScheduleTime',
    '1.25 to 1.36',
  ),
  cronJobDefaults: kubernetesSource(
    'pkg/apis/batch/v1/defaults.go SetDefaults_CronJob',
    '1.21 to 1.36',
  ),
  cronJobValidation: kubernetesSource(
    'pkg/apis/batch/validation/validation.go validateCronJobSpec, ValidateCronJobCreate',
    '1.25 to 1.36',
  ),
  restartWaits: kubernetesSource(
    'pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff; client-go util/flowcontrol/backoff.go Next',
    '1.20 to 1.36',
  ),
  restartBounds: kubernetesSource(
    'pkg/kubelet/kubelet.go newCrashLoopBackOff, MaxCrashLoopBackOff, reducedMaxCrashLoopBackOff',
    '1.32 to 1.36',
  ),
  restartSlack: kubernetesSource('pkg/kubelet/pod_workers.go completeWork', '1.20 to 1.36'),
  restartDecision: kubernetesSource(
    'pkg/api/v1/pod/util.go ContainerShouldRestart',
    '1.34 to 1.36',
  ),
  podDefaults: kubernetesSource('pkg/apis/core/v1/defaults.go SetDefaults_PodSpec', '1.36'),
  podValidation: kubernetesSource(
    'pkg/apis/core/validation/validation.go validateContainers, validateInitContainers, validateContainerRestartPolicy',
    '1.29 to 1.36',
  ),
  templateValidation: kubernetesSource(
    'pkg/apis/apps/validation/validation.go ValidatePodTemplateSpecForReplicaSet',
    '1.20 to 1.36',
  ),
  kubeletValidation: kubernetesSource(
    'pkg/kubelet/apis/config/validation/validation.go ValidateKubeletConfiguration',
    '1.32 to 1.36',
  ),
  kubeletDefaults: kubernetesSource(
    'pkg/kubelet/apis/config/v1beta1/defaults.go SetDefaults_KubeletConfiguration',
    '1.32 to 1.36',
  ),
  gates: kubernetesSource('pkg/features/kube_features.go', '1.25 to 1.36'),
  imagePull: kubernetesSource(
    'pkg/kubelet/images/image_manager.go EnsureImageExists; kubelet.go imageBackOffPeriod, MaxImageBackOff',
    '1.20 to 1.36',
  ),
  probes: kubernetesSource('pkg/kubelet/prober/worker.go doProbe, run', '1.25 to 1.36'),
  probeDefaults: kubernetesSource('pkg/apis/core/v1/defaults.go SetDefaults_Probe', '1.20 to 1.36'),
  probeValidation: kubernetesSource(
    'pkg/apis/core/validation/validation.go validateProbe, validateLivenessProbe, validateReadinessProbe',
    '1.25 to 1.36',
  ),
} as const satisfies Record<string, Citation>;
