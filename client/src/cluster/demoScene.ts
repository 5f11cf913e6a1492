import type { ResourceType } from '../../../engine/live.ts';
import { formatInstant, instant, ms, type Instant, type Ms } from '../../../engine/units.ts';
import type { JsonRecord } from './json.ts';

/** One thing of the demo: its object, what it owns, and the events about it, as they are at one moment. */
export type Scene = {
  readonly objects: readonly DemoObject[];
  /** When they change next, counted from the start of the demo. */
  readonly until?: Ms;
};

export type DemoObject = { readonly type: ResourceType; readonly object: JsonRecord };

/** A thing of the demo. `at` writes a moment of it as the API does. */
export type Actor = (elapsed: Ms, at: (offset: Ms) => string) => Scene;

export const kinds = {
  pod: { group: '', version: 'v1', kind: 'Pod', plural: 'pods' },
  event: { group: '', version: 'v1', kind: 'Event', plural: 'events' },
  namespace: { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces' },
  deployment: { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' },
  job: { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs' },
  cronJob: { group: 'batch', version: 'v1', kind: 'CronJob', plural: 'cronjobs' },
  certificate: {
    group: 'cert-manager.io',
    version: 'v1',
    kind: 'Certificate',
    plural: 'certificates',
  },
  request: {
    group: 'cert-manager.io',
    version: 'v1',
    kind: 'CertificateRequest',
    plural: 'certificaterequests',
  },
  challenge: {
    group: 'acme.cert-manager.io',
    version: 'v1',
    kind: 'Challenge',
    plural: 'challenges',
  },
  workflow: { group: 'argoproj.io', version: 'v1alpha1', kind: 'Workflow', plural: 'workflows' },
  application: {
    group: 'argoproj.io',
    version: 'v1alpha1',
    kind: 'Application',
    plural: 'applications',
  },
  terraformCluster: {
    group: 'infrastructure.cluster.x-k8s.io',
    version: 'v1alpha1',
    kind: 'TerraformCluster',
    plural: 'terraformclusters',
  },
  helmRelease: {
    group: 'helm.toolkit.fluxcd.io',
    version: 'v2',
    kind: 'HelmRelease',
    plural: 'helmreleases',
  },
  kustomization: {
    group: 'kustomize.toolkit.fluxcd.io',
    version: 'v1',
    kind: 'Kustomization',
    plural: 'kustomizations',
  },
  externalSecret: {
    group: 'external-secrets.io',
    version: 'v1',
    kind: 'ExternalSecret',
    plural: 'externalsecrets',
  },
  bucket: { group: 's3.aws.upbound.io', version: 'v1beta1', kind: 'Bucket', plural: 'buckets' },
} as const satisfies Readonly<Record<string, ResourceType>>;

export const apiVersionOf = ({ group, version }: ResourceType): string =>
  group === '' ? version : `${group}/${version}`;

/** The head that every object has; the uid is made from the name, so that it stays the same. */
export function demoObject(
  type: ResourceType,
  namespace: string,
  name: string,
  body: JsonRecord,
  metadata: JsonRecord = {},
): DemoObject {
  return {
    type,
    object: {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { name, namespace, uid: uidOf(type, namespace, name), ...metadata },
      ...body,
    },
  };
}

export const uidOf = ({ kind }: ResourceType, namespace: string, name: string): string =>
  `demo-${kind.toLowerCase()}-${namespace}-${name}`;

export const ownerOf = (type: ResourceType, namespace: string, name: string): JsonRecord => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  name,
  uid: uidOf(type, namespace, name),
  controller: true,
});

/** A warning about an object, as a controller would leave it. */
export function demoEvent(
  about: { readonly type: ResourceType; readonly namespace: string; readonly name: string },
  reason: string,
  message: string,
  time: string,
): DemoObject {
  const { type, namespace, name } = about;
  return demoObject(
    kinds.event,
    namespace,
    `${name}.${reason.toLowerCase()}.${time.replaceAll(/\D/g, '')}`,
    {
      involvedObject: {
        apiVersion: apiVersionOf(type),
        kind: type.kind,
        namespace,
        name,
        uid: uidOf(type, namespace, name),
      },
      type: 'Warning',
      reason,
      message,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    },
  );
}

/** Writes moments of the demo; its start is a whole second, as API times are. */
export const timesFrom =
  (start: Instant) =>
  (offset: Ms): string =>
    formatInstant(instant(start + Math.floor(offset / 1000) * 1000));

export const sec = (value: number): Ms => ms(value * 1000);
export const min = (value: number): Ms => ms(value * 60_000);
export const hour = (value: number): Ms => ms(value * 3_600_000);
