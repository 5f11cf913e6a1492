import type { ResourceType } from '../../../engine/live.ts';
import { ms } from '../../../engine/units.ts';
import { certificate, healthyCertificate, terraformCluster, workflow } from './demoActors.ts';
import { crashingPod, failingJob, unpullablePod } from './demoPods.ts';
import { demoEvent, demoObject, hour, kinds, min, sec, type Actor } from './demoScene.ts';
import { doubling, standAt } from './demoStory.ts';

/** A custom resource that says that it fails, and nothing else. */
const failingCondition =
  (
    type: ResourceType,
    namespace: string,
    name: string,
    condition: { readonly type: string; readonly status: string; readonly reason: string },
    message: string,
  ): Actor =>
  (_, at) => ({
    objects: [
      demoObject(type, namespace, name, {
        spec: { interval: '5m' },
        status: {
          conditions: [{ ...condition, message, lastTransitionTime: at(min(-37)) }],
        },
      }),
      demoEvent({ type, namespace, name }, condition.reason, message, at(min(-3))),
    ],
  });

/** An Application whose sync is retried: 5 seconds, doubling, three minutes at most. */
const application =
  (namespace: string, name: string): Actor =>
  (elapsed, at) => {
    const plan = {
      failures: 4,
      firstNext: sec(52),
      attempt: sec(6),
      wait: doubling(sec(10), min(3)),
      most: 8,
    };
    const stand = standAt(plan, elapsed);
    const count = stand.ends.length;
    const isOver = stand.kind === 'gave-up';
    const isTried = stand.kind === 'attempting';
    const failure = 'one or more objects failed to apply: connection refused';
    return {
      ...(stand.until === undefined ? {} : { until: stand.until }),
      objects: [
        demoObject(kinds.application, namespace, name, {
          spec: {
            project: 'default',
            source: { repoURL: 'https://git.example.test/shop.git', path: 'deploy' },
            syncPolicy: {
              automated: {},
              retry: { limit: 7, backoff: { duration: '5s', factor: 2, maxDuration: '3m' } },
            },
          },
          status: {
            sync: { status: 'OutOfSync' },
            health: { status: 'Degraded' },
            operationState: {
              phase: isOver ? 'Failed' : 'Running',
              message: isTried
                ? failure
                : isOver
                  ? `${failure} (retried ${String(count - 1)} times).`
                  : `${failure}. Retrying attempt #${String(count)} at 4:05PM.`,
              startedAt: at(ms((stand.ends[0] ?? stand.startedAt) - plan.attempt)),
              ...(isTried ? {} : { finishedAt: at(stand.ends.at(-1) ?? ms(0)) }),
              retryCount: isOver ? count - 1 : count,
              operation: {
                sync: { revision: '4f2a91c' },
                retry: { limit: 7, backoff: { duration: '5s', factor: 2, maxDuration: '3m' } },
              },
            },
          },
        }),
      ],
    };
  };

/** Everything in the demo's cluster. */
export const actors: readonly Actor[] = [
  certificate(
    'shop',
    'checkout-tls',
    { failures: 4, firstNext: min(131), attempt: sec(20) },
    'The certificate request has failed to complete: order is in "invalid" state',
  ),
  certificate(
    'shop',
    'web-tls',
    { failures: 1, firstNext: sec(75), attempt: sec(12) },
    'The certificate request has failed to complete: DNS problem: NXDOMAIN looking up A for web-tls.example.test',
  ),
  certificate(
    'mail',
    'imap-tls',
    { failures: 7, firstNext: hour(27), attempt: sec(20) },
    'The certificate request has failed to complete: too many certificates already issued',
  ),
  ...['login', 'docs', 'status', 'grafana', 'registry'].map((name) =>
    healthyCertificate('shop', `${name}-tls`),
  ),
  workflow(
    'ci',
    'nightly-etl',
    { failures: 3, firstNext: sec(24), attempt: sec(8), succeedsAfter: 7 },
    10,
  ),
  workflow('ci', 'release-7f2c', { failures: 4, firstNext: min(26), attempt: sec(9), most: 4 }, 3),
  terraformCluster('infra', 'edge-eu', { failures: 3, firstNext: sec(133), attempt: sec(15) }),
  crashingPod('shop', 'cart-7d9c-x2x8q', { failures: 5, firstNext: sec(97), attempt: sec(4) }),
  unpullablePod('shop', 'web-5c6d-h7k2p'),
  failingJob('batch', 'monthly-report', { failures: 2, firstNext: sec(14), attempt: sec(5) }, 6),
  failingJob('batch', 'import-legacy', { failures: 4, firstNext: min(64), attempt: sec(30) }, 3),
  application('argocd', 'storefront'),
  failingCondition(
    kinds.helmRelease,
    'apps',
    'portal',
    { type: 'Stalled', status: 'True', reason: 'RetriesExceeded' },
    'Failed to install after 1 attempt(s)',
  ),
  failingCondition(
    kinds.kustomization,
    'flux-system',
    'monitoring',
    { type: 'Ready', status: 'False', reason: 'BuildFailed' },
    'kustomize build failed: accumulating resources: missing file',
  ),
  failingCondition(
    kinds.externalSecret,
    'shop',
    'payment-keys',
    { type: 'Ready', status: 'False', reason: 'SecretSyncedError' },
    'could not get secret data from provider: permission denied',
  ),
  failingCondition(
    kinds.bucket,
    'infra',
    'backups',
    { type: 'Synced', status: 'False', reason: 'ReconcileError' },
    'cannot create bucket: BucketAlreadyExists',
  ),
];

/** Served, but not to the demo's person. */
export const forbidden: {
  readonly types: readonly ResourceType[];
  readonly namespaces: readonly string[];
} = { types: [kinds.challenge], namespaces: ['infra', 'mail'] };
