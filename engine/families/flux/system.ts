import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

const flux = (source: string, versions = '2.0 to 2.7'): Citation => ({
  system: 'flux',
  versions,
  source,
});

/** Where each number and rule of the Flux families comes from. */
export const sources = {
  limiter: flux('pkg/runtime/controller/rate_limiter.go RateLimiterOptions, GetRateLimiter'),
  itemExponential: {
    system: 'client-go',
    versions: '0.20 to 0.36',
    source: 'util/workqueue/default_rate_limiters.go ItemExponentialFailureRateLimiter.When',
  },
  results: {
    system: 'controller-runtime',
    versions: '0.14 to 0.24',
    source: 'pkg/internal/controller/controller.go reconcileHandler',
  },
} as const satisfies Record<string, Citation>;

export const flux2: System = {
  id: 'flux',
  title: 'Flux',
  assumes: { ...flux('helm-controller 1.6.3, kustomize-controller 1.9.4'), version: '2.7.0' },
};
