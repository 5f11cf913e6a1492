import type { Citation } from '../../citation.ts';
import { kubernetesSource } from './system.ts';

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
} as const satisfies Record<string, Citation>;
