import { describe, expect, it } from 'vitest';
import type { Asker } from '../../../client/src/cluster/asker.ts';
import {
  detectControllers,
  nothingDetected,
  withDetected,
  type Detected,
} from '../../../client/src/cluster/controllerVersions.ts';
import type { PortResult } from '../../../client/src/cluster/port.ts';

const deployment = (name: string, image: string, args: readonly string[] = [], labels = {}) => ({
  metadata: { name, namespace: 'system', labels },
  spec: {
    template: {
      spec: {
        containers: [
          { name: 'sidecar', image: 'proxy:1.0.0' },
          { name, image, args },
        ],
      },
    },
  },
});

/** Answers lists by path; what is not there is forbidden. */
const answering = (lists: Readonly<Record<string, readonly unknown[]>>): Asker => {
  const get = (path: string): Promise<PortResult> => {
    const items = lists[path];
    return Promise.resolve(
      items === undefined
        ? { ok: false, failure: { kind: 'forbidden', detail: path } }
        : { ok: true, answer: { body: { items } } },
    );
  };
  return { get, post: get };
};

const detect = async (ask: Asker, namespaces?: readonly string[]): Promise<Detected> => {
  const answer = await detectControllers(ask, systems, namespaces);
  return answer.ok ? answer.value : nothingDetected;
};

const everywhere = '/apis/apps/v1/deployments';
const systems = new Set(['cert-manager', 'argo-workflows', 'flux', 'captf']);

const versionsIn = async (items: readonly unknown[]) => {
  const { versions } = await detect(answering({ [everywhere]: items }));
  return versions.map(({ system, version }) => `${system} ${version}`);
};

describe('the versions of controllers', () => {
  it.each([
    ['quay.io/jetstack/cert-manager-controller:v1.20.1', ['cert-manager 1.20.1']],
    ['quay.io/jetstack/cert-manager-controller:v1.8.0@sha256:abc', ['cert-manager 1.8.0']],
    ['registry.test:5000/argo/workflow-controller:v3.7.9', ['argo-workflows 3.7.9']],
    ['quay.io/jetstack/cert-manager-controller:latest', []],
    ['quay.io/jetstack/cert-manager-webhook:v1.20.1', []],
    ['quay.io/jetstack/cert-manager-controller@sha256:abc', []],
    ['', []],
  ])('%s', async (image, expected) => {
    expect(await versionsIn([deployment('one', image)])).toEqual(expected);
  });

  it('takes the label where the image has a version of its own', async () => {
    const labels = { 'app.kubernetes.io/version': 'v2.6.4' };
    const flux = deployment('helm-controller', 'ghcr.io/fluxcd/helm-controller:v1.3.0', [], labels);
    expect(await versionsIn([flux])).toEqual(['flux 2.6.4']);
  });

  it('reads the flags that change a schedule, and lets settings win', async () => {
    const args = [
      '--v=2',
      '--certificate-request-minimum-backoff-duration=10m',
      '--certificate-request-maximum-backoff-duration',
      '4h',
      '--feature-gates=ServerSideApply=true,Other=true',
      '--config=/var/cert-manager/config/config.yaml',
    ];
    const image = 'quay.io/jetstack/cert-manager-controller:v1.21.0';
    const items = [deployment('cert-manager', image, args)];
    const detected = await detect(answering({ [everywhere]: items }));
    const env = withDetected(
      {
        versions: new Map([['cert-manager', '1.19.0']]),
        gates: new Map(),
        controllers: new Map([['cert-manager/certificateRequestMaximumBackoffDuration', '8h']]),
      },
      detected,
    );
    expect(Object.fromEntries(env.versions)).toEqual({ 'cert-manager': '1.19.0' });
    expect(Object.fromEntries(env.gates)).toEqual({ ServerSideApply: true });
    expect(Object.fromEntries(env.controllers)).toEqual({
      'cert-manager/certificateRequestMinimumBackoffDuration': '10m',
      'cert-manager/certificateRequestMaximumBackoffDuration': '8h',
      'cert-manager/config': '/var/cert-manager/config/config.yaml',
    });
  });

  it('looks where controllers usually stand when the whole cluster may not be listed', async () => {
    const image = 'quay.io/jetstack/cert-manager-controller:v1.20.1';
    const path = '/apis/apps/v1/namespaces/cert-manager/deployments';
    const detected = await detect(answering({ [path]: [deployment('cert-manager', image)] }));
    expect(detected.versions).toEqual([
      {
        system: 'cert-manager',
        version: '1.20.1',
        from: 'the image tag of Deployment system/cert-manager',
      },
    ]);
  });
});
