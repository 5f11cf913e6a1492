import type {
  ClusterPort,
  ContextInfo,
  PortFailure,
  PortRequest,
  PortResult,
  WatchEvent,
} from '../../../client/src/cluster/port.ts';
import { instant } from '../../../engine/units.ts';
import type { FakeClock } from './fakeClock.ts';

export type FakeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly [key: string]: unknown;
  };
  readonly [key: string]: unknown;
};

type Watch = {
  readonly path: string;
  readonly onEvent: (event: WatchEvent) => void;
  readonly end: (failure?: PortFailure) => void;
};

type Kind = { readonly apiVersion: string; readonly kind: string; readonly plural: string };

/** An API server in memory: discovery, access reviews, paged lists, watches, and faults on demand. */
export function fakeCluster(clock: FakeClock, kinds: readonly Kind[]) {
  const objects = new Map<string, FakeObject>();
  const watches = new Set<Watch>();
  const requests: PortRequest[] = [];
  const watched: { readonly path: string; readonly query: Readonly<Record<string, string>> }[] = [];
  const context: ContextInfo = {
    name: 'test',
    cluster: 'test',
    user: 'test',
    server: 'https://test',
    files: [],
  };
  const state = {
    version: 1,
    /** The server's clock minus ours. */
    skew: 0,
    /** Answers instead of the server; nothing lets it answer. */
    fault: (_request: PortRequest): PortFailure | undefined => undefined,
    watchFault: (_path: string): PortFailure | undefined => undefined,
    /** Watches that the server never accepts. */
    watchHangs: (_path: string): boolean => false,
    mayListAll: true,
    rules: (_namespace: string): readonly unknown[] => [],
    isDisposed: false,
    /** Requests that get no answer before they are cancelled. */
    hangs: (_request: PortRequest): boolean => false,
    deployments: [] as readonly unknown[],
  };

  const pathOf = ({ apiVersion, plural }: Kind, namespace?: string) => {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    return namespace === undefined
      ? `${base}/${plural}`
      : `${base}/namespaces/${namespace}/${plural}`;
  };

  const matches = (path: string, object: FakeObject): boolean =>
    kinds.some(
      (kind) =>
        kind.kind === object.kind &&
        kind.apiVersion === object.apiVersion &&
        (path === pathOf(kind) || path === pathOf(kind, object.metadata.namespace)),
    );

  const answer = (body: unknown): PortResult => ({
    ok: true,
    answer: {
      body: JSON.parse(JSON.stringify(body)) as unknown,
      date: instant(Math.floor((clock.now() + state.skew) / 1000) * 1000),
    },
  });

  const list = (path: string, query: Readonly<Record<string, string>>): PortResult => {
    const all = [...objects.values()].filter((object) => matches(path, object));
    const start = Number(query['continue'] ?? '0');
    const end = start + Number(query['limit'] ?? String(all.length));
    return answer({
      metadata: {
        resourceVersion: String(state.version),
        ...(end < all.length ? { continue: String(end) } : {}),
      },
      items: all.slice(start, end),
    });
  };

  const serve = (request: PortRequest): PortResult => {
    const { path, query = {}, body } = request;
    if (path === '/version') return answer({ gitVersion: 'v1.36.0' });
    if (path === '/apis') return answer({ groups: groupsOf(kinds) });
    if (path.endsWith('/selfsubjectaccessreviews')) {
      return answer({ status: { allowed: state.mayListAll } });
    }
    if (path.endsWith('/selfsubjectrulesreviews')) {
      const { namespace } = (body as { spec: { namespace: string } }).spec;
      return answer({ status: { incomplete: false, resourceRules: state.rules(namespace) } });
    }
    if (path === '/apis/apps/v1/deployments') return answer({ items: state.deployments });
    if (path === '/api/v1/namespaces') {
      const names = new Set(
        [...objects.values()].flatMap(({ metadata }) => metadata.namespace ?? []),
      );
      return answer({ metadata: {}, items: [...names].map((name) => ({ metadata: { name } })) });
    }
    const version = /^\/api(?:s)?\/([^/]+(?:\/[^/]+)?)$/.exec(path)?.[1];
    const here = kinds.filter(({ apiVersion }) => apiVersion === version);
    if (here.length > 0) {
      return answer({
        resources: here.flatMap(({ kind, plural }) => [
          { name: plural, kind, namespaced: true, verbs: ['get', 'list', 'watch'] },
          { name: `${plural}/status`, kind, namespaced: true, verbs: ['get'] },
        ]),
      });
    }
    const isKnown = kinds.some(
      (kind) => path === pathOf(kind) || /\/namespaces\/[^/]+\/[^/]+$/.test(path),
    );
    if (isKnown) return list(path, query);
    return { ok: false, failure: { kind: 'not-found', detail: path } };
  };

  const port: ClusterPort = {
    context,
    request: async (request) => {
      requests.push(request);
      await Promise.resolve();
      const cancelled: PortResult = { ok: false, failure: { kind: 'cancelled', detail: '' } };
      if (request.signal?.aborted === true) return cancelled;
      if (state.hangs(request)) {
        await new Promise<void>((resolve) => {
          request.signal?.addEventListener('abort', () => resolve(), { once: true });
        });
        return cancelled;
      }
      const failure = state.fault(request);
      return failure === undefined ? serve(request) : { ok: false, failure };
    },
    watch: (path, query, onEvent, signal, onOpen) =>
      new Promise((resolve) => {
        watched.push({ path, query });
        const failure = state.watchFault(path);
        if (failure !== undefined) {
          resolve(failure);
          return;
        }
        if (!state.watchHangs(path)) onOpen?.();
        const end = (why?: PortFailure) => {
          watches.delete(watch);
          signal.removeEventListener('abort', cancel);
          resolve(why);
        };
        const cancel = () => end({ kind: 'cancelled', detail: '' });
        const watch: Watch = { path, onEvent, end };
        watches.add(watch);
        signal.addEventListener('abort', cancel);
      }),
    dispose: () => {
      state.isDisposed = true;
    },
  };

  const keyOf = ({ kind, metadata }: FakeObject) =>
    `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;

  const tell = (type: WatchEvent['type'], object: FakeObject) => {
    const copy = JSON.parse(JSON.stringify(object)) as unknown;
    for (const watch of watches)
      if (matches(watch.path, object)) watch.onEvent({ type, object: copy });
  };

  return {
    port,
    state,
    requests,
    watched,
    watches: () => watches.size,
    put: (object: FakeObject) => {
      state.version += 1;
      const key = keyOf(object);
      const metadata = {
        uid: `uid-${key}`,
        ...object.metadata,
        resourceVersion: String(state.version),
      };
      const stored = { ...object, metadata };
      const type = objects.has(key) ? 'MODIFIED' : 'ADDED';
      objects.set(key, stored);
      tell(type, stored);
    },
    drop: (object: FakeObject) => {
      state.version += 1;
      const stored = objects.get(keyOf(object));
      objects.delete(keyOf(object));
      if (stored !== undefined) tell('DELETED', stored);
    },
    /** Changes without telling any watch, as while nobody is connected. */
    forget: (object: FakeObject) => objects.delete(keyOf(object)),
    bookmark: () => {
      for (const watch of watches) {
        watch.onEvent({
          type: 'BOOKMARK',
          object: { metadata: { resourceVersion: String(state.version) } },
        });
      }
    },
    /** Ends every watch, in an orderly way or with a failure. */
    cut: (failure?: PortFailure) => {
      for (const watch of [...watches]) watch.end(failure);
    },
    /** The lists of a path, by their page tokens. */
    lists: (path: string) =>
      requests.filter((request) => request.path === path).map(({ query }) => query?.['continue']),
  };
}

export type FakeCluster = ReturnType<typeof fakeCluster>;

function groupsOf(kinds: readonly Kind[]): readonly unknown[] {
  const versions = [...new Set(kinds.map(({ apiVersion }) => apiVersion))].filter((one) =>
    one.includes('/'),
  );
  return versions.map((groupVersion) => {
    const [name, version] = groupVersion.split('/');
    return {
      name,
      versions: [{ groupVersion, version }],
      preferredVersion: { groupVersion, version },
    };
  });
}

export const certificateKind = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  plural: 'certificates',
};

export const certificatesPath = '/apis/cert-manager.io/v1/certificates';

/** A Certificate after so many failed issuances, or a healthy one. */
export const certificate = (name: string, failures = 0, namespace = 'shop'): FakeObject => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name, namespace },
  spec: { secretName: name, dnsNames: [`${name}.test`], issuerRef: { name: 'acme' } },
  status:
    failures === 0
      ? { conditions: [{ type: 'Ready', status: 'True' }] }
      : {
          failedIssuanceAttempts: failures,
          lastFailureTime: '2026-01-10T08:00:00Z',
          conditions: [
            { type: 'Ready', status: 'False', reason: 'DoesNotExist' },
            { type: 'Issuing', status: 'False', reason: 'Failed' },
          ],
        },
});
