import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

/** A place in Crossplane's source, at the versions that were read. */
export const cite = (source: string, versions = '1.14 to 2.4'): Citation => ({
  system: 'crossplane',
  versions,
  source,
});

/** Crossplane and the providers on its runtime; read at 2.2 and runtime 2.4.0. */
export const system: System = {
  id: 'crossplane',
  title: 'Crossplane',
  assumes: { ...cite('cmd/crossplane/core/core.go'), version: '2.2.0' },
};

export const sources = {
  limiter: cite('crossplane-runtime pkg/ratelimiter/default.go NewController', '2.4.0'),
  flag: cite('cmd/crossplane/core/core.go startCommand'),
  results: cite('crossplane-runtime pkg/reconciler/managed/reconciler.go Reconcile', '2.4.0'),
} as const;

/** From this version on the flag is an alias of `--max-concurrent-reconciles`: core.go at the tags v2.0.0, v2.1.0. */
export const rateGone = '2.1.0';
