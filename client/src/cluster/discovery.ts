import type { ResourceType } from '../../../engine/live.ts';
import { inParallel, type Asker } from './asker.ts';
import { listIn, textIn } from './json.ts';
import { kindKey, keyOfType } from './liveKinds.ts';
import { longestOf, mayPass } from './failureKinds.ts';
import type { PortFailure } from './port.ts';
import type { Unseen } from './sessionTypes.ts';

/** A kind that the cluster serves and that can be listed. */
export type Served = {
  readonly type: ResourceType;
  readonly isNamespaced: boolean;
};

export type Discovery =
  | {
      readonly ok: true;
      /** Of the wanted kinds, those that are served, in the version to ask for. */
      readonly served: ReadonlyMap<string, Served>;
      /** Other custom resources that report a status. */
      readonly others: readonly Served[];
      readonly unseen: readonly Unseen[];
      /** Why some of it was not answered, where asking again may help: what was known of it stands. */
      readonly missing?: PortFailure;
      readonly kubernetes?: string;
    }
  | { readonly ok: false; readonly failure: PortFailure };

/** Groups of Kubernetes itself, whose objects have no controller that a Ready condition would speak for. */
const builtIn = new Set(['apps', 'autoscaling', 'batch', 'extensions', 'policy']);
const isBuiltIn = (group: string): boolean =>
  builtIn.has(group) ||
  /(^|\.)(apiserver|authentication|authorization|admissionregistration|apiextensions|apiregistration|certificates|coordination|discovery|events|internal|metrics|networking|node|rbac|resource|scheduling|storage|storagemigration|flowcontrol)\.?(authorization|apiserver)?\.k8s\.io$/.test(
    group,
  );

/** What each version of each group held when it answered last. */
export type KnownPlaces = Map<string, Found['resources']>;

/** Asks which of the wanted kinds the cluster serves, and which other custom resources there are. */
export async function discover(
  ask: Asker,
  wanted: readonly ResourceType[],
  wantsOthers: boolean,
  known: KnownPlaces = new Map(),
): Promise<Discovery> {
  const [groups, version] = await Promise.all([ask.get('/apis'), ask.get('/version')]);
  if (!groups.ok) return groups;
  const wantedGroups = new Set(wanted.map(({ group }) => group));
  const places: Place[] = wantedGroups.has('') ? [{ group: '', version: 'v1' }] : [];
  for (const entry of listIn(groups.answer.body, 'groups')) {
    const group = textIn(entry, 'name');
    const preferred = textIn(entry, 'preferredVersion', 'version');
    if (group === undefined || preferred === undefined) continue;
    const isWanted = wantedGroups.has(group);
    if (!isWanted && (!wantsOthers || isBuiltIn(group))) continue;
    // Older clusters serve some kinds in an older version of their group only.
    const versions = listIn(entry, 'versions').flatMap((one) => textIn(one, 'version') ?? []);
    const chosen = isWanted ? [preferred, ...versions] : [preferred];
    for (const one of new Set(chosen)) places.push({ group, version: one });
  }
  const found = await inParallel(places, (place) => knownAt(ask, place, known));
  const kubernetes = version.ok ? textIn(version.answer.body, 'gitVersion') : undefined;
  const missing = longestOf([
    ...(version.ok || !mayPass(version.failure) ? [] : [version.failure]),
    ...found.flatMap(({ place, failure }) =>
      failure !== undefined && isMissing(failure, wantedGroups.has(place.group)) ? [failure] : [],
    ),
  ]);
  return {
    ok: true,
    ...sort(wanted, found),
    ...(missing === undefined ? {} : { missing }),
    ...(kubernetes === undefined ? {} : { kubernetes }),
  };
}

type Place = { readonly group: string; readonly version: string };

type Found = {
  readonly place: Place;
  readonly failure?: PortFailure;
  /** Whether the resources are those of an earlier answer. */
  readonly isKnown?: boolean;
  readonly resources: readonly (Served & { readonly hasStatus: boolean })[];
};

/** A server of somebody's extension may be down for good: only what is wanted is asked for again and again. */
const isMissing = (failure: PortFailure, isWanted: boolean): boolean =>
  failure.kind === 'throttled' || (isWanted && mayPass(failure));

/** What a group holds, or held when it answered last. */
async function knownAt(ask: Asker, place: Place, known: KnownPlaces): Promise<Found> {
  const key = `${place.group}/${place.version}`;
  const found = await resourcesAt(ask, place);
  const before = known.get(key);
  if (found.failure === undefined) known.set(key, found.resources);
  else if (found.failure.kind === 'not-found') known.delete(key);
  else if (before !== undefined) return { ...found, isKnown: true, resources: before };
  return found;
}

async function resourcesAt(ask: Asker, place: Place): Promise<Found> {
  const { group, version } = place;
  const result = await ask.get(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
  if (!result.ok) return { place, failure: result.failure, resources: [] };
  const list = listIn(result.answer.body, 'resources');
  const names = new Set(list.flatMap((one) => textIn(one, 'name') ?? []));
  const resources = list.flatMap((one): Found['resources'] => {
    const plural = textIn(one, 'name');
    const kind = textIn(one, 'kind');
    const verbs = listIn(one, 'verbs');
    if (plural === undefined || kind === undefined || plural.includes('/')) return [];
    if (!verbs.includes('list')) return [];
    const isNamespaced = isRecordTrue(one, 'namespaced');
    const hasStatus = names.has(`${plural}/status`);
    return [{ type: { group, version, kind, plural }, isNamespaced, hasStatus }];
  });
  return { place, resources };
}

const isRecordTrue = (value: unknown, key: string): boolean =>
  typeof value === 'object' && value !== null && Reflect.get(value, key) === true;

function sort(
  wanted: readonly ResourceType[],
  found: readonly Found[],
): Pick<Extract<Discovery, { readonly ok: true }>, 'served' | 'others' | 'unseen'> {
  const served = new Map<string, Served>();
  const unseen: Unseen[] = [];
  for (const type of wanted) {
    const matches = found.flatMap(({ resources }) =>
      resources.filter((one) => one.type.group === type.group && one.type.kind === type.kind),
    );
    const exact = matches.find((one) => one.type.version === type.version) ?? matches[0];
    if (exact !== undefined) {
      served.set(keyOfType(type), exact);
      continue;
    }
    const failure = found.find(
      ({ place, failure: why, isKnown }) =>
        place.group === type.group && why !== undefined && isKnown !== true,
    )?.failure;
    const resource = resourceName(type);
    unseen.push(
      failure === undefined || failure.kind === 'not-found'
        ? { resource, why: 'unserved', detail: `the cluster does not serve ${resource}` }
        : { resource, why: 'failed', detail: failure.detail },
    );
  }
  const others = new Map<string, Served>();
  for (const { type, isNamespaced, hasStatus } of found.flatMap(({ resources }) => resources)) {
    const key = kindKey(type.group, type.kind);
    const isWanted = served.has(key);
    if (!hasStatus || isWanted || type.group === '' || isBuiltIn(type.group)) continue;
    if (!others.has(key)) others.set(key, { type, isNamespaced });
  }
  return { served, others: [...others.values()], unseen };
}

/** `certificates.cert-manager.io`, or `pods`. */
export const resourceName = ({ group, plural }: ResourceType): string =>
  group === '' ? plural : `${plural}.${group}`;
