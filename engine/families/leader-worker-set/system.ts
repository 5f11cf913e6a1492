import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

const lwsSource = (source: string, versions = '0.4 to 0.10'): Citation => ({
  system: 'LeaderWorkerSet',
  versions,
  source,
});

/** LeaderWorkerSet: groups of pods with a leader, such as a model server over several nodes. */
export const leaderWorkerSet: System = {
  id: 'leader-worker-set',
  title: 'LeaderWorkerSet',
  assumes: { ...lwsSource('kubernetes-sigs/lws v0.10.0', '0.10'), version: '0.10.0' },
};

/** Where the behaviour of groups is written. */
export const sources = {
  restart: lwsSource('pkg/controllers/pod_controller.go handleRestartPolicy'),
  defaults: lwsSource('pkg/webhooks/leaderworkerset_webhook.go Default'),
  oldDefault: lwsSource(
    'api/leaderworkerset/v1/leaderworkerset_types.go RestartPolicy',
    '0.1 to 0.3',
  ),
} as const satisfies Record<string, Citation>;
