import { families } from '../../../engine/families/index.ts';
import type { ResourceType } from '../../../engine/live.ts';
import { instant, ms, type Instant, type Ms } from '../../../engine/units.ts';
import { systemClock, type Clock } from './clock.ts';
import { actors, forbidden } from './demoResources.ts';
import { apiVersionOf, demoObject, kinds, timesFrom, type DemoObject } from './demoScene.ts';
import { at, isRecord, textIn, type JsonRecord } from './json.ts';
import { keyOfType, liveKinds } from './liveKinds.ts';
import type {
  ClusterPort,
  ContextInfo,
  PortFailure,
  PortRequest,
  PortResult,
  WatchEvent,
} from './port.ts';

/** The context of the demo; its name says what it is wherever it is shown. */
export const demoContext: ContextInfo = {
  name: 'Demo (not a cluster)',
  cluster: 'demo',
  server: 'demo: objects made up on this machine',
  user: 'demo',
  namespace: 'shop',
  files: [],
};

/**
 * A cluster that is made up: objects of every system, failing on their schedules as time goes by.
 *
 * Answers what an API server would: discovery, access reviews, lists in pages, watches. Contacts nothing.
 */
export function demoPort(clock: Clock = systemClock): ClusterPort {
  const start = instant(Math.floor(clock.now() / 1000) * 1000);
  const stage = demoStage(clock, start);
  return {
    context: demoContext,
    request: (request) => Promise.resolve(stage.answer(request)),
    watch: (path, query, onEvent, signal) => stage.watch(path, query, onEvent, signal),
    dispose: stage.dispose,
  };
}

type Kept = DemoObject & { readonly version: number; readonly text: string };

type Watcher = {
  readonly target: Target;
  readonly query: Readonly<Record<string, string>>;
  readonly onEvent: (event: WatchEvent) => void;
};

/** Holds the objects, and tells the watchers how they change. */
function demoStage(clock: Clock, start: Instant) {
  const kept = new Map<string, Kept>();
  const watchers = new Set<Watcher>();
  const patches = new Map<string, { readonly object: JsonRecord; readonly until: Instant }>();
  const times = timesFrom(start);
  let version = 1000;
  let cancel = (): void => undefined;
  let until: Instant | undefined;

  /** Brings the objects up to now; a watch that hears of it hears of each change once. */
  const play = (): void => {
    const now = clock.now();
    const elapsed = ms(now - start);
    const fresh = new Map<string, DemoObject>();
    let next: Ms | undefined;
    for (const actor of actors) {
      const scene = actor(elapsed, times);
      for (const one of scene.objects) fresh.set(keyOf(one), one);
      if (scene.until !== undefined && (next === undefined || scene.until < next)) {
        next = scene.until;
      }
    }
    for (const namespace of namespacesOf(fresh.values())) fresh.set(keyOf(namespace), namespace);
    for (const [key, patch] of patches) {
      const one = fresh.get(key);
      if (one !== undefined && patch.until > now) fresh.set(key, { ...one, object: patch.object });
      else patches.delete(key);
    }
    for (const [key, one] of fresh) put(key, one);
    for (const [key, one] of kept) if (!fresh.has(key)) remove(key, one);
    until = next === undefined ? undefined : instant(start + next);
    arrange();
  };
  const put = (key: string, one: DemoObject): void => {
    const text = JSON.stringify(one.object);
    const before = kept.get(key);
    if (before?.text === text) return;
    version += 1;
    const now: Kept = { ...one, version, text };
    kept.set(key, now);
    tell(before === undefined ? 'ADDED' : 'MODIFIED', now);
  };
  const remove = (key: string, one: Kept): void => {
    version += 1;
    kept.delete(key);
    tell('DELETED', { ...one, version });
  };
  const tell = (type: WatchEvent['type'], one: Kept): void => {
    for (const watcher of watchers) {
      if (matches(one, watcher.target, watcher.query)) {
        watcher.onEvent({ type, object: written(one) });
      }
    }
  };
  /** Time moves only while somebody watches. */
  const arrange = (): void => {
    cancel();
    cancel = () => undefined;
    if (watchers.size === 0 || until === undefined) return;
    cancel = clock.after(ms(Math.max(50, until - clock.now())), play);
  };
  const list = (target: Target, query: Readonly<Record<string, string>>): PortResult => {
    const found = [...kept.values()].filter((one) => matches(one, target, query));
    const from = Number(query['continue'] ?? 0);
    const size = Number(query['limit'] ?? found.length);
    const page = found.slice(from, from + size);
    const rest = found.length - from - page.length;
    return answer(clock, {
      apiVersion: apiVersionOf(target.type),
      kind: `${target.type.kind}List`,
      metadata: {
        resourceVersion: String(version),
        ...(rest > 0 ? { continue: String(from + page.length), remainingItemCount: rest } : {}),
      },
      items: page.map(written),
    });
  };
  const change = (request: PortRequest, target: Target, one: Kept): PortResult => {
    const key = keyOf(one);
    if (request.method === 'DELETE') {
      remove(key, one);
      return answer(clock, { kind: 'Status', status: 'Success' });
    }
    const object = merged(one.object, request.body);
    if (!isRecord(object)) return refused('invalid', 'the patch is no object');
    // The story goes on afterwards as if the controller had looked at it.
    patches.set(key, { object, until: instant(clock.now() + 20_000) });
    put(key, { type: target.type, object });
    return answer(clock, object);
  };

  return {
    answer: (request: PortRequest): PortResult => {
      if (request.path.startsWith('/apis/authorization.k8s.io/')) return review(clock, request);
      const served = discovery(clock, request.path);
      if (served !== undefined) return served;
      const target = targetOf(request.path);
      if (target === undefined) return refused('not-found', `${request.path} is not in the demo`);
      if (isForbidden(target)) return refused('forbidden', forbiddenText(target));
      play();
      if (target.name === undefined) return list(target, request.query ?? {});
      const one = [...kept.values()].find((kept_) => matches(kept_, target, {}));
      if (one === undefined) return refused('not-found', `${target.name} is not there`);
      return request.method === 'GET' ? answer(clock, written(one)) : change(request, target, one);
    },
    watch: async (
      path: string,
      query: Readonly<Record<string, string>>,
      onEvent: (event: WatchEvent) => void,
      signal: AbortSignal,
    ): Promise<PortFailure | undefined> => {
      const target = targetOf(path);
      if (target === undefined || isForbidden(target)) {
        return { kind: 'forbidden', detail: `${path} cannot be watched in the demo` };
      }
      if (signal.aborted) return { kind: 'cancelled', detail: 'the watch was cancelled' };
      const since = Number(query['resourceVersion'] ?? 0);
      const watcher: Watcher = { target, query, onEvent };
      for (const one of kept.values()) {
        if (one.version > since && matches(one, target, query)) {
          onEvent({ type: 'MODIFIED', object: written(one) });
        }
      }
      watchers.add(watcher);
      arrange();
      return new Promise((resolve) => {
        signal.addEventListener(
          'abort',
          () => {
            watchers.delete(watcher);
            arrange();
            resolve({ kind: 'cancelled', detail: 'the watch was cancelled' });
          },
          { once: true },
        );
      });
    },
    dispose: (): void => {
      watchers.clear();
      cancel();
    },
  };
}

const keyOf = ({ type, object }: DemoObject): string =>
  `${type.group}/${type.plural}/${textIn(object, 'metadata', 'namespace') ?? ''}/${textIn(object, 'metadata', 'name') ?? ''}`;

const written = ({ object, version }: Kept): JsonRecord => {
  const metadata = at(object, 'metadata');
  return {
    ...object,
    metadata: { ...(isRecord(metadata) ? metadata : {}), resourceVersion: String(version) },
  };
};

function namespacesOf(objects: Iterable<DemoObject>): readonly DemoObject[] {
  const names = new Set<string>();
  for (const { object } of objects) names.add(textIn(object, 'metadata', 'namespace') ?? '');
  return [...names].filter(Boolean).map((name) => {
    const made = demoObject(kinds.namespace, '', name, { status: { phase: 'Active' } });
    return { ...made, object: { ...made.object, metadata: { name, uid: `demo-ns-${name}` } } };
  });
}

type Target = {
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly name?: string;
};

const table = liveKinds(families);
const readKinds = [
  ...table.read,
  ...table.read.flatMap((type) => table.neededFor(keyOfType(type))),
].filter(
  (type, index, all) => all.findIndex((one) => keyOfType(one) === keyOfType(type)) === index,
);

/** The kinds of the demo's objects, and the others that families read: all of them are served. */
const served: readonly ResourceType[] = [
  ...Object.values(kinds),
  ...readKinds.filter((type) =>
    Object.values(kinds).every((own) => keyOfType(own) !== keyOfType(type)),
  ),
];

/** `/apis/batch/v1/namespaces/shop/jobs/report/status` → jobs, shop, report. */
function targetOf(path: string): Target | undefined {
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  const group = parts[0] === 'apis' ? parts[1] : '';
  let rest = parts.slice(parts[0] === 'apis' ? 3 : 2);
  let namespace: string | undefined;
  if (rest[0] === 'namespaces' && rest.length > 2) {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const [plural, name] = rest;
  const type = served.find((one) => one.group === group && one.plural === plural);
  if (type === undefined) return undefined;
  return {
    type,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

const isForbidden = ({ type, namespace }: Pick<Target, 'type' | 'namespace'>): boolean =>
  forbidden.types.some(({ group, plural }) => type.group === group && type.plural === plural) &&
  (namespace === undefined || forbidden.namespaces.includes(namespace));

const forbiddenText = ({ type: { group, plural }, namespace }: Target): string =>
  `${plural}.${group} is forbidden: User "demo" cannot list resource "${plural}" in API group "${group}" ${namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`}`;

function matches(
  { type, object }: DemoObject,
  target: Target,
  query: Readonly<Record<string, string>>,
): boolean {
  if (type.group !== target.type.group || type.plural !== target.type.plural) return false;
  const own = textIn(object, 'metadata', 'namespace');
  if (target.namespace !== undefined && own !== target.namespace) return false;
  if (target.name !== undefined && textIn(object, 'metadata', 'name') !== target.name) return false;
  return (
    selected(query['fieldSelector'], (path) => textIn(object, ...path.split('.'))) &&
    selected(query['labelSelector'], (label) => textIn(object, 'metadata', 'labels', label))
  );
}

function selected(
  selector: string | undefined,
  read: (name: string) => string | undefined,
): boolean {
  if (selector === undefined || selector === '') return true;
  return selector.split(',').every((term) => {
    const match = /^(.+?)(!=|==?)(.*)$/.exec(term.trim());
    if (match === null) return read(term.trim()) !== undefined;
    const [, name = '', sign, value = ''] = match;
    return (read(name) === value) === (sign !== '!=');
  });
}

function discovery(clock: Clock, path: string): PortResult | undefined {
  if (path === '/version') return answer(clock, { gitVersion: 'v1.34.0', platform: 'demo' });
  if (path === '/api') return answer(clock, { kind: 'APIVersions', versions: ['v1'] });
  const groups = new Map<string, string>();
  for (const { group, version } of served) if (group !== '') groups.set(group, version);
  if (path === '/apis') {
    return answer(clock, {
      kind: 'APIGroupList',
      groups: [...groups].map(([name, version]) => ({
        name,
        versions: [{ groupVersion: `${name}/${version}`, version }],
        preferredVersion: { groupVersion: `${name}/${version}`, version },
      })),
    });
  }
  const match = /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))$/.exec(path);
  if (match === null) return undefined;
  const group = match[1] === undefined ? (match[2] ?? '') : '';
  const own = served.filter((one) => one.group === group);
  if (own.length === 0) return refused('not-found', `${path} is not served`);
  return answer(clock, {
    kind: 'APIResourceList',
    groupVersion: path.replace(/^\/apis?\//, ''),
    resources: own.flatMap(({ kind, plural }) =>
      [plural, `${plural}/status`].map((name) => ({
        name,
        singularName: kind.toLowerCase(),
        namespaced: kind !== 'Namespace',
        kind,
        verbs: ['get', 'list', 'watch', 'patch', 'update', 'delete'],
      })),
    ),
  });
}

/** Everything is allowed but one resource in some namespaces: what is forbidden has to be shown too. */
function review(clock: Clock, { body }: PortRequest): PortResult {
  const asked = at(body, 'spec', 'resourceAttributes');
  const resource = textIn(asked, 'resource');
  const isDenied = resource === '*' || forbidden.types.some(({ plural }) => plural === resource);
  const namespace = textIn(body, 'spec', 'namespace') ?? '';
  return answer(clock, {
    ...(isRecord(body) ? body : {}),
    status: {
      allowed: !isDenied,
      resourceRules: served
        .filter((type) => !isForbidden({ type, namespace }))
        .map(({ group, plural }) => ({ verbs: ['*'], apiGroups: [group], resources: [plural] })),
      incomplete: false,
    },
  });
}

/** A merge patch, as RFC 7386 has it. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = { ...(isRecord(target) ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

const answer = (clock: Clock, body: unknown): PortResult => ({
  ok: true,
  answer: { body, date: instant(Math.floor(clock.now() / 1000) * 1000) },
});

const refused = (kind: 'forbidden' | 'not-found' | 'invalid', detail: string): PortResult => ({
  ok: false,
  failure: { kind, detail },
});
