import { groupOf } from '../../../engine/analyse.ts';
import type { ResourceRef } from '../../../engine/live.ts';
import { at, isRecord, listIn, textIn } from '../cluster/json.ts';
import type { AnchoredResource } from '../languageClient.ts';

/** How a live object comes from a manifest: it is the object, or made from it. */
export type Origin = 'same' | 'made-from';

/**
 * Whether a live object is the one of a manifest, or was made from it.
 *
 * `kind: CronJob, name: report` makes the Jobs that it owns; `generateName: etl-` makes Workflows of that name;
 * a WorkflowTemplate those that carry its label.
 */
export function originOf(
  manifest: Pick<AnchoredResource, 'resource' | 'generateName'>,
  ref: ResourceRef,
  object: unknown,
  ownNamespace: string | undefined,
): Origin | undefined {
  const { resource, generateName } = manifest;
  const namespace = resource.namespace ?? ownNamespace;
  if (ref.namespace !== undefined && namespace !== undefined && ref.namespace !== namespace) {
    return undefined;
  }
  const isKind =
    resource.kind === ref.kind && groupOf(resource.apiVersion) === groupOf(ref.apiVersion);
  if (generateName !== undefined) {
    return isKind && (ref.name ?? '').startsWith(generateName) ? 'made-from' : undefined;
  }
  const { name } = resource;
  if (name === undefined) return undefined;
  if (isKind) return ref.name === name ? 'same' : undefined;
  return isMadeFrom(resource.kind, name, object) ? 'made-from' : undefined;
}

function isMadeFrom(kind: string, name: string, object: unknown): boolean {
  const label = templateLabels[kind];
  if (label !== undefined) {
    const labels = at(object, 'metadata', 'labels');
    if (isRecord(labels) && labels[label] === name) return true;
  }
  return listIn(object, 'metadata', 'ownerReferences').some((owner) => {
    const owns = textIn(owner, 'kind');
    const ownerName = textIn(owner, 'name') ?? '';
    if (owns === kind) return ownerName === name;
    // Two steps up: what is between them carries the name at its front.
    return betweens[kind] === owns && ownerName.startsWith(`${name}-`);
  });
}

/** The key under which `keysOf` has everything that may come from a manifest; `originOf` then decides. */
export const keyOfManifest = ({
  resource,
  generateName,
}: Pick<AnchoredResource, 'resource' | 'generateName'>): string =>
  key(resource.kind, generateName === undefined ? resource.name : undefined);

/** The keys of all manifests that a live object may come from; some of them are another object's. */
export function keysOf({ kind, name }: ResourceRef, object: unknown): ReadonlySet<string> {
  const keys = new Set([key(kind, name), key(kind, undefined)]);
  const labels = at(object, 'metadata', 'labels');
  for (const [template, label] of Object.entries(templateLabels)) {
    const made = isRecord(labels) ? labels[label] : undefined;
    if (typeof made === 'string') keys.add(key(template, made));
  }
  for (const owner of listIn(object, 'metadata', 'ownerReferences')) {
    const owns = textIn(owner, 'kind') ?? '';
    const ownerName = textIn(owner, 'name') ?? '';
    keys.add(key(owns, ownerName));
    for (const [above, between] of Object.entries(betweens)) {
      if (between !== owns) continue;
      for (const front of frontsOf(ownerName)) keys.add(key(above, front));
    }
  }
  return keys;
}

const key = (kind: string, name: string | undefined): string =>
  name === undefined ? kind : `${kind}/${name}`;

/** `report-288-x` → `report-288`, `report`. */
function frontsOf(name: string): readonly string[] {
  const fronts: string[] = [];
  for (let end = name.lastIndexOf('-'); end > 0; end = name.lastIndexOf('-', end - 1)) {
    fronts.push(name.slice(0, end));
  }
  return fronts;
}

const templateLabels: Readonly<Record<string, string>> = {
  WorkflowTemplate: 'workflows.argoproj.io/workflow-template',
  ClusterWorkflowTemplate: 'workflows.argoproj.io/cluster-workflow-template',
  CronWorkflow: 'workflows.argoproj.io/cron-workflow',
};

/** What stands between a kind and the pods that it leads to. */
const betweens: Readonly<Record<string, string>> = {
  Deployment: 'ReplicaSet',
  CronJob: 'Job',
};
