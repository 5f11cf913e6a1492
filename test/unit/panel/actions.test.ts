import { describe, expect, it } from 'vitest';
import {
  accessReview,
  actionsOn,
  adviceOn,
  isAllowed,
  requestText,
} from '../../../client/src/cluster/actions.ts';
import { noon } from './samples.ts';

const certificate = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'web-tls', namespace: 'shop', generation: 3, resourceVersion: '812' },
  status: {
    failedIssuanceAttempts: 4,
    conditions: [
      { type: 'Ready', status: 'False', reason: 'DoesNotExist' },
      { type: 'Issuing', status: 'False', reason: 'Failed' },
    ],
  },
};

const one = (object: unknown, id: string) => {
  const found = actionsOn(object, noon).find((action) => action.id === id);
  if (found === undefined) throw new Error(`${id} is not offered`);
  return found;
};
const ids = (object: unknown) => actionsOn(object, noon).map(({ id }) => id);

describe('renewing a Certificate', () => {
  const renew = one(certificate, 'cert-manager/renew');

  it('writes the condition that `cmctl renew` writes, and keeps the others', () => {
    expect(renew.request).toEqual({
      method: 'PATCH',
      path: '/apis/cert-manager.io/v1/namespaces/shop/certificates/web-tls/status',
      contentType: 'application/merge-patch+json',
      body: {
        metadata: { resourceVersion: '812' },
        status: {
          conditions: [
            { type: 'Ready', status: 'False', reason: 'DoesNotExist' },
            {
              type: 'Issuing',
              status: 'True',
              reason: 'ManuallyTriggered',
              message: 'Certificate re-issuance manually triggered',
              lastTransitionTime: '2026-01-10T12:00:00Z',
              observedGeneration: 3,
            },
          ],
        },
      },
    });
  });

  it('says that the count of failures stays', () => {
    expect(renew.effect).toContain('The count of failures stays');
  });

  it('asks whether the person may write that status', () => {
    expect(accessReview(renew).body).toMatchObject({
      spec: {
        resourceAttributes: {
          verb: 'patch',
          group: 'cert-manager.io',
          resource: 'certificates',
          subresource: 'status',
          namespace: 'shop',
          name: 'web-tls',
        },
      },
    });
    expect(isAllowed({ status: { allowed: true } })).toBe(true);
    expect(isAllowed({ status: { allowed: false } })).toBe(false);
    expect(isAllowed('yes')).toBe(false);
  });

  it('is shown as it is sent', () => {
    expect(requestText(renew.request)).toBe(
      `PATCH /apis/cert-manager.io/v1/namespaces/shop/certificates/web-tls/status
Content-Type: application/merge-patch+json

${JSON.stringify(renew.request.body, undefined, 2)}`,
    );
  });
});

describe('Flux', () => {
  const release = {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: 'portal', namespace: 'apps' },
  };

  it.each([
    ['flux/reconcile', ['requestedAt']],
    ['flux/reset', ['requestedAt', 'resetAt']],
    ['flux/force', ['requestedAt', 'forceAt']],
  ])('%s sets %j to one and the same token', (id, names) => {
    const { request } = one(release, id);
    expect(request.path).toBe(
      '/apis/helm.toolkit.fluxcd.io/v2/namespaces/apps/helmreleases/portal',
    );
    expect(request.body).toEqual({
      metadata: {
        annotations: Object.fromEntries(
          names.map((name) => [`reconcile.fluxcd.io/${name}`, '2026-01-10T12:00:00Z']),
        ),
      },
    });
  });

  it('has no counts to reset but for releases', () => {
    expect(
      ids({
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'HelmRepository',
        metadata: { name: 'x', namespace: 'y' },
      }),
    ).toEqual(['flux/reconcile']);
    const repository = one(
      {
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'HelmRepository',
        metadata: { name: 'x' },
      },
      'flux/reconcile',
    );
    expect(repository.request.path).toBe('/apis/source.toolkit.fluxcd.io/v1/helmrepositories/x');
  });
});

describe('what is suspended', () => {
  const source = (suspend: boolean) => ({
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: 'apps', namespace: 'flux-system' },
    spec: { suspend },
  });

  it('is not tried by asking for it, and what ends that is said', () => {
    expect(ids(source(false))).toEqual(['flux/reconcile']);
    expect(adviceOn(source(false))).toBeUndefined();
    expect(ids(source(true))).toEqual([]);
    expect(adviceOn(source(true))).toContain('`flux resume`');
  });
});

describe('machines of Cluster API', () => {
  const machine = (kind: string) => ({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind,
    metadata: { name: 'm', namespace: 'clusters' },
  });

  it.each(['TerraformCluster', 'TerraformMachine', 'TerraformMachinePool'])(
    'of CAPTF are told of its Jobs: %s',
    (kind) => {
      expect(adviceOn(machine(kind))).toContain('CAPTF');
    },
  );

  it('of another provider are not', () => {
    expect(adviceOn(machine('AWSMachine'))).toBeUndefined();
  });
});

describe('Argo', () => {
  const workflow = (phase: string) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'etl', namespace: 'ci', uid: 'u7', resourceVersion: '9' },
    status: { phase },
  });
  const application = (phase: string) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd', resourceVersion: '41' },
    spec: { syncPolicy: { retry: { limit: 7 }, syncOptions: ['ServerSideApply=true'] } },
    status: { operationState: { phase } },
  });

  it('stops a workflow that runs, and has nothing to stop in one that ended', () => {
    expect(one(workflow('Running'), 'argo-workflows/stop').request.body).toEqual({
      metadata: { uid: 'u7' },
      spec: { shutdown: 'Stop' },
    });
    expect(ids(workflow('Running'))).toEqual(['argo-workflows/stop', 'argo-workflows/terminate']);
    expect(ids(workflow('Failed'))).toEqual([]);
    expect(adviceOn(workflow('Failed'))).toContain('`argo retry etl -n ci`');
  });

  it('does not replace a sync that is on its way', () => {
    expect(ids(application('Running'))).toEqual(['argo-cd/refresh']);
    expect(ids(application('Failed'))).toEqual(['argo-cd/refresh', 'argo-cd/sync']);
    expect(ids({ ...application('Failed'), operation: { sync: {} } })).toEqual(['argo-cd/refresh']);
    const { metadata } = application('Failed');
    const leaving = { ...metadata, deletionTimestamp: '2026-01-10T11:00:00Z' };
    expect(ids({ ...application('Failed'), metadata: leaving })).toEqual(['argo-cd/refresh']);
  });

  it('syncs with the options and the retries of the application, and only what was seen', () => {
    const sync = one(application('Failed'), 'argo-cd/sync');
    expect(sync.request.body).toEqual({
      metadata: { resourceVersion: '41' },
      operation: {
        initiatedBy: { username: 'kube-backoff' },
        sync: { syncStrategy: { hook: {} }, syncOptions: ['ServerSideApply=true'] },
        retry: { limit: 7 },
      },
    });
    expect(sync.effect).toBe(
      'A new sync starts at once, with the retries that the application asks for counted from zero. Its own options hold: ServerSideApply=true. Resources are not pruned.',
    );
  });

  it('says that a sync without retries of its own is not tried again', () => {
    const { spec: _, ...bare } = application('Failed');
    expect(one(bare, 'argo-cd/sync').effect).toBe(
      'A new sync starts at once. The application asks for no retries, so one that fails is not tried again. Resources are not pruned.',
    );
  });
});

describe('deleting a pod', () => {
  const pod = (kind?: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'cart-1',
      namespace: 'shop',
      uid: 'u1',
      ownerReferences: kind === undefined ? [] : [{ kind, name: 'cart', controller: true }],
    },
  });

  it('is offered where somebody makes a new one, and deletes that very pod', () => {
    expect(one(pod('ReplicaSet'), 'kubernetes/delete-pod')).toMatchObject({
      request: {
        method: 'DELETE',
        path: '/api/v1/namespaces/shop/pods/cart-1',
        body: { preconditions: { uid: 'u1' } },
      },
      needs: { verb: 'delete', resource: 'pods' },
    });
    expect(ids(pod('Job'))).toEqual([]);
    expect(ids(pod())).toEqual([]);
  });
});

describe('whatever else', () => {
  it.each([
    [undefined],
    ['text'],
    [{}],
    [{ apiVersion: 1, kind: [], metadata: null }],
    [{ apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: {} }],
    [
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { name: 'x' },
        status: { conditions: 'no' },
      },
    ],
  ])('gives no request that makes no sense: %j', (object) => {
    for (const { request } of actionsOn(object, noon)) expect(request.path).toMatch(/\/x(\/|$)/);
  });

  it('escapes names in paths', () => {
    const odd = { ...certificate, metadata: { name: 'a/b', namespace: 'c?d' } };
    expect(one(odd, 'cert-manager/renew').request.path).toBe(
      '/apis/cert-manager.io/v1/namespaces/c%3Fd/certificates/a%2Fb/status',
    );
  });
});
