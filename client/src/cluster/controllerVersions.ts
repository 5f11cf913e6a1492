import { environmentOver, isVersion, type Environment } from '../../../engine/environment.ts';
import { mayListAll, mayListIn } from './access.ts';
import type { Asker } from './asker.ts';
import { isRefused, type Answer } from './failureKinds.ts';
import { listIn, textIn } from './json.ts';
import type { PortFailure } from './port.ts';
import type { DetectedFlags, DetectedVersion } from './sessionTypes.ts';

/** What the controllers of a cluster tell of themselves. */
export type Detected = DetectedFlags & { readonly versions: readonly DetectedVersion[] };

export const nothingDetected: Detected = {
  versions: [],
  controllers: new Map(),
  gates: new Map(),
};

type Controller = {
  readonly system: string;
  /** The last part of the image's name. */
  readonly image: RegExp;
  /** Where it stands when Deployments may not be listed in the whole cluster. */
  readonly namespaces: readonly string[];
  /** The version of the whole is in a label; the image has one of its own. */
  readonly isLabelled?: boolean;
  /** Flags that change a schedule, as the settings they set. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly gates?: readonly string[];
};

const controllers: readonly Controller[] = [
  {
    system: 'cert-manager',
    image: /^cert-manager-controller$/,
    namespaces: ['cert-manager'],
    flags: {
      'certificate-request-minimum-backoff-duration': 'certificateRequestMinimumBackoffDuration',
      'certificate-request-maximum-backoff-duration': 'certificateRequestMaximumBackoffDuration',
      config: 'config',
    },
    gates: ['ServerSideApply'],
  },
  { system: 'argo-workflows', image: /^workflow-controller$/, namespaces: ['argo'] },
  { system: 'argo-cd', image: /^argocd$/, namespaces: ['argocd'] },
  {
    system: 'flux',
    image: /^(?:helm|kustomize|source)-controller$/,
    namespaces: ['flux-system'],
    isLabelled: true,
  },
  {
    system: 'captf',
    image: /^(?:cluster-api-provider-terraform|captf)(?:-controller|-manager)?$/,
    namespaces: ['captf-system'],
  },
  {
    system: 'knative',
    image: /^(?:controller|eventing-controller)$/,
    namespaces: [],
    isLabelled: true,
  },
];

const mostPages = 4;

const deployments = { group: 'apps', plural: 'deployments' };
const statefulSets = { group: 'apps', plural: 'statefulsets' };

/**
 * Reads versions and flags off the Deployments of the controllers, as far as they may be read.
 *
 * With chosen namespaces nothing is read outside of them. Where something gave no answer nothing is told: a version
 * that is missing then would be taken for one that is not there.
 */
export async function detectControllers(
  ask: Asker,
  systems: ReadonlySet<string>,
  namespaces?: readonly string[],
): Promise<Answer<Detected>> {
  const wanted = controllers.filter(({ system }) => systems.has(system));
  const found: Found = { versions: new Map(), controllers: new Map(), gates: new Map() };
  const failure =
    wanted.length === 0 ? undefined : await readControllers(ask, wanted, found, namespaces);
  if (failure !== undefined) return { ok: false, failure };
  return {
    ok: true,
    value: {
      versions: [...found.versions.values()],
      controllers: found.controllers,
      gates: found.gates,
    },
  };
}

async function readControllers(
  ask: Asker,
  wanted: readonly Controller[],
  found: Found,
  chosen: readonly string[] | undefined,
): Promise<PortFailure | undefined> {
  const failure =
    chosen === undefined ? await readEverywhere(ask, deployments, wanted, found) : notAllowed;
  if (failure === undefined) {
    const isMissed = wanted.some(
      ({ system }) => system === 'argo-cd' && !found.versions.has(system),
    );
    const other = isMissed ? await readEverywhere(ask, statefulSets, wanted, found) : undefined;
    return other === undefined || isRefused(other) ? undefined : other;
  }
  if (!isRefused(failure)) return failure;
  for (const namespace of new Set(wanted.flatMap((one) => one.namespaces))) {
    if (chosen?.includes(namespace) === false) continue;
    const may = await mayListIn(ask, namespace);
    if (!may.ok) return may.failure;
    if (!may.value(deployments)) continue;
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const other = await readFolder(ask, path, wanted, found);
    if (other !== undefined && !isRefused(other)) return other;
  }
  return undefined;
}

const notAllowed: PortFailure = {
  kind: 'forbidden',
  detail: 'not to be listed in the whole cluster',
};

async function readEverywhere(
  ask: Asker,
  type: { readonly group: string; readonly plural: string },
  wanted: readonly Controller[],
  found: Found,
): Promise<PortFailure | undefined> {
  const may = await mayListAll(ask, type);
  if (!may.ok) return may.failure;
  if (!may.value) return notAllowed;
  return readFolder(ask, `/apis/${type.group}/v1/${type.plural}`, wanted, found);
}

/** An environment with what was detected, where nobody has said otherwise. */
export function withDetected(stated: Environment, detected: Detected): Environment {
  const versions = new Map(detected.versions.map(({ system, version }) => [system, version]));
  return environmentOver({ ...detected, versions: new Map(), detected: versions }, stated);
}

type Found = {
  readonly versions: Map<string, DetectedVersion>;
  readonly controllers: Map<string, string>;
  readonly gates: Map<string, boolean>;
};

async function readFolder(
  ask: Asker,
  path: string,
  wanted: readonly Controller[],
  found: Found,
): Promise<PortFailure | undefined> {
  let token: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const query = { limit: '500', ...(token === undefined ? {} : { continue: token }) };
    const result = await ask.get(path, query);
    if (!result.ok) return result.failure;
    for (const item of listIn(result.answer.body, 'items')) readWorkload(item, wanted, found);
    token = textIn(result.answer.body, 'metadata', 'continue');
    if (token === undefined) break;
  }
  return undefined;
}

function readWorkload(item: unknown, wanted: readonly Controller[], found: Found): void {
  for (const container of listIn(item, 'spec', 'template', 'spec', 'containers')) {
    const image = parseImage(textIn(container, 'image') ?? '');
    const controller = wanted.find((one) => one.image.test(image.name));
    if (controller === undefined) continue;
    const place = `${textIn(item, 'metadata', 'namespace') ?? ''}/${textIn(item, 'metadata', 'name') ?? ''}`;
    readVersion(item, controller, image, place, found);
    readFlags(container, controller, found);
  }
}

function readVersion(
  item: unknown,
  { system, isLabelled }: Controller,
  image: Image,
  place: string,
  found: Found,
): void {
  if (found.versions.has(system)) return;
  const label = textIn(item, 'metadata', 'labels', 'app.kubernetes.io/version');
  if (isLabelled !== true && image.tag !== undefined && isVersion(image.tag)) {
    const from = `the image tag of Deployment ${place}`;
    found.versions.set(system, { system, version: plain(image.tag), from });
  } else if (label !== undefined && isVersion(label)) {
    const from = `the label app.kubernetes.io/version of Deployment ${place}`;
    found.versions.set(system, { system, version: plain(label), from });
  }
}

function readFlags(container: unknown, { system, flags, gates }: Controller, found: Found): void {
  const texts = [...listIn(container, 'command'), ...listIn(container, 'args')].map(String);
  for (const [index, text] of texts.entries()) {
    const match = /^--?([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(text);
    const [, name = '', inline] = match ?? [];
    const value = inline ?? texts[index + 1];
    if (value === undefined) continue;
    const setting = flags?.[name];
    if (setting !== undefined) found.controllers.set(`${system}/${setting}`, value);
    if (name !== 'feature-gates' || gates === undefined) continue;
    for (const gate of value.split(',')) {
      const [gateName = '', on] = gate.split('=');
      if (gates.includes(gateName)) found.gates.set(gateName, on === 'true');
    }
  }
}

type Image = { readonly name: string; readonly tag?: string };

/** `quay.io/jetstack/cert-manager-controller:v1.20.1@sha256:…` → its last name and its tag. */
function parseImage(text: string): Image {
  const [withoutDigest = ''] = text.split('@');
  const last = withoutDigest.slice(withoutDigest.lastIndexOf('/') + 1);
  const [name = '', tag] = last.split(':');
  return tag === undefined ? { name } : { name, tag };
}

const plain = (version: string): string => version.replace(/^v/, '');
