import type { Citation } from '../../citation.ts';
import { atLeast, type Environment, type System } from '../../environment.ts';

const runtime = (source: string, versions = '0.14 to 0.24'): Citation => ({
  system: 'controller-runtime',
  versions,
  source,
});

const clientGo = (source: string): Citation => ({
  system: 'client-go',
  versions: '0.20 to 0.36',
  source,
});

const apimachinery = (source: string): Citation => ({
  system: 'apimachinery',
  versions: '0.20 to 0.36',
  source,
});

/** Where each number and rule of the queue's families comes from. */
export const sources = {
  itemExponential: clientGo(
    'util/workqueue/default_rate_limiters.go ItemExponentialFailureRateLimiter.When',
  ),
  fastSlow: clientGo('util/workqueue/default_rate_limiters.go ItemFastSlowRateLimiter.When'),
  bucket: clientGo('util/workqueue/default_rate_limiters.go BucketRateLimiter, MaxOfRateLimiter'),
  forget: clientGo('util/workqueue/rate_limiting_queue.go Forget'),
  queueDefault: runtime('pkg/controller/controller.go NewTypedUnmanaged, UsePriorityQueue'),
  results: runtime('pkg/internal/controller/controller.go reconcileHandler'),
  step: apimachinery('pkg/util/wait/backoff.go Backoff.Step'),
  loop: apimachinery('pkg/util/wait/backoff.go ExponentialBackoff'),
} as const satisfies Record<string, Citation>;

export const controllerRuntime: System = {
  id: 'controller-runtime',
  title: 'controller-runtime',
  assumes: { ...runtime('pkg/controller, pkg/internal/controller', '0.24'), version: '0.24.0' },
};

/** The version from which the priority queue is the default, and the bucket is no more. */
export const bucketGone = '0.23.0';

/** Whether the queue has a bucket at all: the priority queue comes with the limiter per object only. */
export function hasBucket(env: Environment): boolean {
  const gate = env.gates.get('UsePriorityQueue');
  return gate === undefined ? !atLeast(env, controllerRuntime, bucketGone) : !gate;
}
