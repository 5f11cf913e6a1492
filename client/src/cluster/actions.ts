import { groupOf } from '../../../engine/analyse.ts';
import { formatInstant, instant, type Instant } from '../../../engine/units.ts';
import { at, isRecord, listIn, textIn, type JsonRecord } from './json.ts';
import type { PortRequest } from './port.ts';

/** One thing a person can do about a wait, down to the request that does it. */
export type Action = {
  readonly id: string;
  readonly title: string;
  /** What happens, and what it resets or does not; shown before it is asked for. */
  readonly effect: string;
  readonly request: PortRequest & { readonly method: 'PATCH' | 'DELETE' };
  /** What the person must be allowed to. */
  readonly needs: Access;
};

/** What an access review asks about. */
export type Access = {
  readonly verb: 'patch' | 'delete';
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name: string;
};

type Subject = {
  readonly object: unknown;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly now: Instant;
};

/** What can be done about an object's wait through the API server alone: exact requests, nothing is sent. */
export function actionsOn(object: unknown, now: Instant): readonly Action[] {
  const apiVersion = textIn(object, 'apiVersion') ?? '';
  const name = textIn(object, 'metadata', 'name');
  const kind = textIn(object, 'kind') ?? '';
  if (name === undefined) return [];
  const namespace = textIn(object, 'metadata', 'namespace');
  const group = groupOf(apiVersion);
  const subject: Subject = {
    object,
    group,
    version: apiVersion.slice(group === '' ? 0 : group.length + 1),
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    now,
  };
  if (group === 'cert-manager.io' && kind === 'Certificate') {
    return isIssuing(object) ? [] : [renew(subject)];
  }
  if (group === 'argoproj.io' && kind === 'Workflow') return workflowActions(subject);
  if (group === 'argoproj.io' && kind === 'Application') return applicationActions(subject);
  // A controller does nothing about what is suspended, whatever is asked of it.
  if (isFlux(group)) return isSuspended(object) ? [] : fluxActions(subject);
  if (group === '' && kind === 'Pod') return podActions(subject);
  return [];
}

/** What ends a wait where no request can, or where a command does it that is not ours to run. */
export function adviceOn(object: unknown): string | undefined {
  const group = groupOf(textIn(object, 'apiVersion') ?? '');
  const kind = textIn(object, 'kind') ?? '';
  const name = textIn(object, 'metadata', 'name') ?? 'NAME';
  const namespace = textIn(object, 'metadata', 'namespace');
  const inNamespace = namespace === undefined ? '' : ` -n ${namespace}`;
  if (isFlux(group) && isSuspended(object)) {
    return 'It is suspended (`spec.suspend: true`): its controller does not try before that is taken away, as `flux resume` does.';
  }
  // Other providers of Cluster API have the same group and none of these Jobs.
  if (group === 'infrastructure.cluster.x-k8s.io' && terraformKinds.has(kind)) {
    return 'CAPTF has no way to skip its wait: the next Job starts when the wait is over. Repair the cause meanwhile; a successful Job resets the count of failures. Deleting the failed Jobs only makes the count wrong.';
  }
  if (group === 'argoproj.io' && kind === 'Workflow') {
    return `A retry of the failed nodes has to be worked out by Argo itself: \`argo retry ${name}${inNamespace}\`.`;
  }
  if (group === 'batch' && kind === 'Job') {
    return `A Job cannot be retried before its wait is over, and not at all once it gave up: make a new one, for example with \`kubectl create job --from=cronjob/…\` or by replacing it.`;
  }
  return undefined;
}

const terraformKinds: ReadonlySet<string> = new Set([
  'TerraformCluster',
  'TerraformMachine',
  'TerraformMachinePool',
]);

const isFlux = (group: string): boolean => group.endsWith('.toolkit.fluxcd.io');

const isSuspended = (object: unknown): boolean => at(object, 'spec', 'suspend') === true;

/**
 * What `cmctl renew` writes: the condition Issuing, beside the other conditions as they are.
 *
 * Source: cert-manager/cmctl pkg/renew/renew.go.
 */
function renew(subject: Subject): Action {
  const { object, now } = subject;
  const generation = at(object, 'metadata', 'generation');
  const others = listIn(object, 'status', 'conditions').filter(
    (condition) => textIn(condition, 'type') !== 'Issuing',
  );
  const issuing: JsonRecord = {
    type: 'Issuing',
    status: 'True',
    reason: 'ManuallyTriggered',
    message: 'Certificate re-issuance manually triggered',
    lastTransitionTime: formatInstant(wholeSecond(now)),
    ...(typeof generation === 'number' ? { observedGeneration: generation } : {}),
  };
  return {
    id: 'cert-manager/renew',
    title: 'Renew now',
    effect:
      'An issuance starts at once, whatever is left of the wait. The count of failures stays: if this one fails too, the next wait is twice as long. It counts against the rate limits of the issuer.',
    request: mergePatch(
      subject,
      'certificates',
      {
        ...sameVersion(object),
        status: { conditions: [...others, issuing] },
      },
      'status',
    ),
    needs: { ...access(subject, 'patch', 'certificates'), subresource: 'status' },
  };
}

/** An issuance that runs already cannot be started. */
const isIssuing = (object: unknown): boolean =>
  listIn(object, 'status', 'conditions').some(
    (condition) =>
      textIn(condition, 'type') === 'Issuing' && textIn(condition, 'status') === 'True',
  );

function workflowActions(subject: Subject): readonly Action[] {
  const phase = textIn(subject.object, 'status', 'phase');
  if (phase === 'Succeeded' || phase === 'Failed' || phase === 'Error') return [];
  const shutdown = (id: string, title: string, strategy: string, effect: string): Action => ({
    id,
    title,
    effect,
    request: mergePatch(subject, 'workflows', {
      ...sameObject(subject.object),
      spec: { shutdown: strategy },
    }),
    needs: access(subject, 'patch', 'workflows'),
  });
  return [
    shutdown(
      'argo-workflows/stop',
      'Stop the workflow',
      'Stop',
      'No further retry starts: running steps are ended, and exit handlers run. It cannot be taken back; `argo retry` starts over from the failed nodes.',
    ),
    shutdown(
      'argo-workflows/terminate',
      'Terminate the workflow',
      'Terminate',
      'Everything ends at once, and exit handlers do not run. It cannot be taken back.',
    ),
  ];
}

function applicationActions(subject: Subject): readonly Action[] {
  const refresh: Action = {
    id: 'argo-cd/refresh',
    title: 'Refresh',
    effect:
      'Argo CD compares the application with its source again. A sync that waits for its next retry is not started sooner, and its count stays.',
    request: mergePatch(subject, 'applications', {
      metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
    }),
    needs: access(subject, 'patch', 'applications'),
  };
  const { object } = subject;
  const isRunning = textIn(object, 'status', 'operationState', 'phase') === 'Running';
  const isDeleted = at(object, 'metadata', 'deletionTimestamp') !== undefined;
  // The controller takes one operation at a time; another one would replace it with its count.
  if (isRunning || isDeleted || at(object, 'operation') !== undefined) return [refresh];
  return [refresh, sync(subject)];
}

/**
 * What Argo CD's own API server writes for a sync: the options and the retries of the application go with the
 * operation, since the controller reads them there alone.
 *
 * Source: argo-cd server/application/application.go Sync; util/argo/argo.go SetAppOperation.
 */
function sync(subject: Subject): Action {
  const { object } = subject;
  const retry = at(object, 'spec', 'syncPolicy', 'retry');
  const options = listIn(object, 'spec', 'syncPolicy', 'syncOptions').map(String);
  return {
    id: 'argo-cd/sync',
    title: 'Sync now',
    effect: [
      isRecord(retry)
        ? 'A new sync starts at once, with the retries that the application asks for counted from zero.'
        : 'A new sync starts at once. The application asks for no retries, so one that fails is not tried again.',
      ...(options.length === 0 ? [] : [`Its own options hold: ${options.join(', ')}.`]),
      'Resources are not pruned.',
    ].join(' '),
    request: mergePatch(subject, 'applications', {
      ...sameVersion(object),
      operation: {
        initiatedBy: { username: 'kube-backoff' },
        sync: {
          syncStrategy: { hook: {} },
          ...(options.length === 0 ? {} : { syncOptions: options }),
        },
        ...(isRecord(retry) ? { retry } : {}),
      },
    }),
    needs: access(subject, 'patch', 'applications'),
  };
}

/** Source: fluxcd/pkg apis/meta/annotations.go; helm-controller reads `resetAt` and `forceAt` with an equal `requestedAt`. */
function fluxActions(subject: Subject): readonly Action[] {
  const plural = pluralOf(subject.kind);
  const token = formatInstant(subject.now);
  const annotate = (...names: readonly string[]): Action['request'] =>
    mergePatch(subject, plural, {
      metadata: {
        annotations: Object.fromEntries(
          ['requestedAt', ...names].map((name) => [`reconcile.fluxcd.io/${name}`, token]),
        ),
      },
    });
  const needs = access(subject, 'patch', plural);
  const reconcile: Action = {
    id: 'flux/reconcile',
    title: 'Reconcile now',
    effect:
      subject.kind === 'HelmRelease'
        ? 'The controller looks at the release at once. Failure counts stay, so a release that has used up its retries stays stalled.'
        : 'The controller tries at once, whatever is left of the wait. If that fails, the queue goes on where it was.',
    request: annotate(),
    needs,
  };
  if (subject.kind !== 'HelmRelease') return [reconcile];
  return [
    reconcile,
    {
      id: 'flux/reset',
      title: 'Reset the failure counts',
      effect:
        'The counts of failed installs and upgrades become zero, so that all retries are there again, and the controller tries at once.',
      request: annotate('resetAt'),
      needs,
    },
    {
      id: 'flux/force',
      title: 'Force one upgrade',
      effect:
        'One install or upgrade is made at once, even with nothing changed and no retry left. The counts stay.',
      request: annotate('forceAt'),
      needs,
    },
  ];
}

/** Only pods that somebody makes anew: a pod of its own would be gone for good. */
function podActions(subject: Subject): readonly Action[] {
  const owner = listIn(subject.object, 'metadata', 'ownerReferences').find(
    (one) => at(one, 'controller') === true,
  );
  const kind = textIn(owner, 'kind') ?? '';
  if (!['ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController'].includes(kind))
    return [];
  const uid = textIn(subject.object, 'metadata', 'uid');
  return [
    {
      id: 'kubernetes/delete-pod',
      title: 'Delete the pod, so that a new one starts now',
      effect: `The ${kind} makes a new pod at once, and the wait starts over with it: a new pod has no restarts yet. What is in the pod's own volumes is lost.`,
      request: {
        method: 'DELETE',
        path: pathOf(subject, 'pods'),
        body: {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          ...(uid === undefined ? {} : { preconditions: { uid } }),
        },
      },
      needs: access(subject, 'delete', 'pods'),
    },
  ];
}

/** The API keeps whole seconds. */
const wholeSecond = (now: Instant): Instant => instant(Math.floor(now / 1000) * 1000);

/** A write that meets a newer version of the object is refused, so that nothing is overwritten unseen. */
function sameVersion(object: unknown): JsonRecord {
  const resourceVersion = textIn(object, 'metadata', 'resourceVersion');
  return resourceVersion === undefined ? {} : { metadata: { resourceVersion } };
}

/**
 * A write to an object that was made anew under the same name is refused.
 *
 * For objects that their controller writes all the time: another version of the same object is no reason to refuse.
 */
function sameObject(object: unknown): JsonRecord {
  const uid = textIn(object, 'metadata', 'uid');
  return uid === undefined ? {} : { metadata: { uid } };
}

function mergePatch(
  subject: Subject,
  plural: string,
  body: JsonRecord,
  subresource?: string,
): Action['request'] {
  const path = pathOf(subject, plural);
  return {
    method: 'PATCH',
    path: subresource === undefined ? path : `${path}/${subresource}`,
    contentType: 'application/merge-patch+json',
    body,
  };
}

function pathOf({ group, version, namespace, name }: Subject, plural: string): string {
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${base}${scope}/${plural}/${encodeURIComponent(name)}`;
}

const access = (
  { group, namespace, name }: Subject,
  verb: Access['verb'],
  resource: string,
): Access => ({ verb, group, resource, name, ...(namespace === undefined ? {} : { namespace }) });

/** Flux's kinds have plain plurals: HelmRepository → helmrepositories, Kustomization → kustomizations. */
const pluralOf = (kind: string): string => {
  const lower = kind.toLowerCase();
  return lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : `${lower}s`;
};

/** The request that asks whether the person may do this; it changes nothing. */
export function accessReview({ needs }: Action): PortRequest {
  return {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: needs },
    },
  };
}

/** The answer to an access review. */
export const isAllowed = (answer: unknown): boolean => at(answer, 'status', 'allowed') === true;

/** A request as a person reads it before saying yes: method, path, content type and body. */
export function requestText({ method, path, contentType, body }: PortRequest): string {
  const head = contentType === undefined ? [] : [`Content-Type: ${contentType}`];
  return [`${method} ${path}`, ...head, '', JSON.stringify(body, undefined, 2)].join('\n');
}
