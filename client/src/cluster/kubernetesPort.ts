import { Agent, type OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { version } from '../../../engine/project.ts';
import { instant, seconds, type Instant, type Ms } from '../../../engine/units.ts';
import {
  clusterTarget,
  credentialSource,
  hostOf,
  secretsOf,
  type ClusterTarget,
  type CredentialSource,
  type Identity,
} from './credentials.ts';
import { readBody, readLines, send } from './exchange.ts';
import { at, parseJson } from './json.ts';
import {
  contextInfo,
  contextList,
  find,
  missingContext,
  readKubeconfig,
  type Kubeconfig,
  type KubeconfigPlace,
} from './kubeconfig.ts';
import type {
  ContextList,
  PortFailure,
  PortOpening,
  PortRequest,
  PortResult,
  WatchEvent,
} from './port.ts';
import { failureOfError, failureOfStatus, failureOfStatusObject } from './portFailure.ts';

const parseYaml = (text: string): unknown => parse(text);

/** The contexts of the kubeconfig; nothing is contacted and no command runs. */
export function listContexts(place: KubeconfigPlace): ContextList {
  const read = readKubeconfig(place, parseYaml);
  return read.ok ? contextList(read.config) : read;
}

/**
 * Opens the way to a context's API server; the current context where none is named.
 *
 * Nothing is contacted before the first request, and no other context stands in for one that is missing.
 */
export function openPort(place: KubeconfigPlace, contextName?: string): PortOpening {
  const read = readKubeconfig(place, parseYaml);
  if (!read.ok) return read;
  const { config } = read;
  const name = contextName ?? config.current;
  if (name === undefined) {
    const others = config.contexts.map((entry) => entry.name).join(', ');
    return {
      ok: false,
      problem: `the kubeconfig has no current-context; choose one of: ${others}`,
    };
  }
  const context = find(config.contexts, name);
  if (context === undefined) {
    const kind = contextName === undefined ? 'current-context ' : 'context ';
    return { ok: false, problem: missingContext(config, name, kind) };
  }
  const info = contextInfo(config, context);
  if (find(config.clusters, info.cluster) === undefined) {
    const others = config.clusters.map((entry) => entry.name).join(', ');
    return {
      ok: false,
      problem: `context "${name}" names cluster "${info.cluster}", which the kubeconfig does not have; it has: ${others}`,
    };
  }
  const line = new Line(place, name, config);
  return {
    ok: true,
    port: {
      context: info,
      request: (request) => line.request(request),
      watch: (path, query, onEvent, signal, onOpen) =>
        line.watch(path, query, onEvent, signal, onOpen),
      dispose: () => line.dispose(),
    },
  };
}

/** What one state of the kubeconfig says of a context. */
type Wiring = {
  readonly target: ClusterTarget;
  readonly credentials: CredentialSource;
  /** Tells whether reading the files again has brought anything new. */
  readonly fingerprint: string;
};

type Prepared = {
  readonly options: RequestOptions;
  readonly headers: OutgoingHttpHeaders;
};

/** A client's agent belongs to one client certificate; another one needs a client of its own. */
type Client = { readonly config: KubeConfig; readonly key: string; readonly agents: Set<Agent> };

// A list of large objects can keep an API server busy for a while before its first byte.
const requestSilence = seconds(90);
const watchGrace = seconds(20);
const longestWatch = seconds(3600);

/** The connection of one context: the only thing here that must be disposed. */
class Line {
  readonly #place: KubeconfigPlace;
  readonly #name: string;
  #config: Kubeconfig;
  #wiring: Wiring | PortFailure | undefined;
  #client: Client | undefined;
  #isDisposed = false;

  constructor(place: KubeconfigPlace, name: string, config: Kubeconfig) {
    this.#place = place;
    this.#name = name;
    this.#config = config;
  }

  async request(request: PortRequest): Promise<PortResult> {
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const outcome = await this.#exchange(request, requestSilence, body, async (answer, host) => {
      const text = await readBody(answer);
      const date = dateOf(answer.headers.date);
      const parsed = parseJson(text);
      if (parsed === undefined) {
        return failed({
          kind: 'server',
          status: answer.statusCode ?? 0,
          detail: `${host}: the answer to ${request.path} is no JSON`,
        });
      }
      const answered = { body: parsed.value, bytes: text.length };
      return { ok: true, answer: date === undefined ? answered : { ...answered, date } };
    });
    return outcome;
  }

  async watch(
    path: string,
    query: Readonly<Record<string, string>>,
    onEvent: (event: WatchEvent) => void,
    signal: AbortSignal,
    onOpen?: () => void,
  ): Promise<PortFailure | undefined> {
    const wanted = Number(query['timeoutSeconds']);
    const lasts = Number.isFinite(wanted) && wanted > 0 ? seconds(wanted) : longestWatch;
    const request: PortRequest = {
      method: 'GET',
      path,
      query: { ...query, watch: 'true' },
      signal,
    };
    const silence = seconds((lasts + watchGrace) / 1000);
    let end: PortFailure | undefined;
    const outcome = await this.#exchange(
      request,
      silence,
      undefined,
      async (answer, host, secrets) => {
        onOpen?.();
        await readLines(answer, (line) => {
          if (end !== undefined) return;
          const parsed = parseJson(line);
          const event = parsed === undefined ? undefined : watchEvent(parsed.value);
          if (event === undefined) {
            const detail = `${host}: a line of the watch on ${path} is no event`;
            end = { kind: 'server', status: 200, detail };
            answer.destroy();
          } else if (event.type === 'ERROR') {
            end = failureOfStatusObject(event.object, secrets);
            answer.destroy();
          } else {
            onEvent(event);
          }
        });
        return { ok: true, answer: { body: undefined } };
      },
    );
    return end ?? (outcome.ok ? undefined : outcome.failure);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#closeClient();
  }

  /** Sends a request, and once more with fresh credentials where the server refuses the ones it was given. */
  async #exchange(
    request: PortRequest,
    silence: Ms,
    body: string | undefined,
    read: (
      answer: Awaited<ReturnType<typeof send>>,
      host: string,
      secrets: readonly string[],
    ) => Promise<PortResult>,
  ): Promise<PortResult> {
    for (let round = 0; ; round += 1) {
      if (this.#isDisposed || isAborted(request.signal)) {
        return failed({ kind: 'cancelled', detail: 'cancelled' });
      }
      const wiring = this.#wired();
      if ('kind' in wiring) return failed(wiring);
      const host = hostOf(wiring.target.server);
      let secrets: readonly string[] = [];
      try {
        const asked = await wiring.credentials.ask();
        if (!asked.ok) return asked;
        secrets = secretsOf(asked.value);
        const prepared = await this.#prepare(wiring, asked.value);
        const url = addressOf(wiring.target.server, request);
        const options = withRequest(prepared, request, body, host);
        const { signal } = request;
        const answer = await send({
          url,
          options,
          silence,
          signal,
          ...(body === undefined ? {} : { body }),
        });
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) return await read(answer, host, secrets);
        const text = await readBody(answer);
        if (status === 401 && round === 0 && this.#refresh(wiring, asked.value)) continue;
        const { date, 'retry-after': retryAfter } = answer.headers;
        const told = dateOf(date) ?? instant(Date.now());
        return failed(failureOfStatus(status, text, retryAfter, told, secrets));
      } catch (error) {
        if (this.#isDisposed || isAborted(request.signal)) {
          return failed({ kind: 'cancelled', detail: 'cancelled' });
        }
        return failed(failureOfError(error, host, secrets));
      }
    }
  }

  #wired(): Wiring | PortFailure {
    this.#wiring ??= wire(this.#config, this.#name, this.#place.env);
    return this.#wiring;
  }

  /** Gets new credentials; false where there are none to be had. */
  #refresh(old: Wiring, refused: Identity): boolean {
    const runsAgain = old.credentials.forget(refused);
    if (this.#wiring !== old) return true;
    const read = readKubeconfig(this.#place, parseYaml);
    if (!read.ok) return runsAgain;
    const fresh = wire(read.config, this.#name, this.#place.env);
    if ('kind' in fresh || fresh.fingerprint === old.fingerprint) return runsAgain;
    this.#config = read.config;
    this.#wiring = fresh;
    this.#closeClient();
    return true;
  }

  async #prepare({ target }: Wiring, identity: Identity): Promise<Prepared> {
    const client = this.#clientFor(target, identity);
    const headers: OutgoingHttpHeaders = {};
    const options: RequestOptions = { headers };
    await client.config.applyToHTTPSOptions(options);
    const { agent } = options;
    // The client's agents open a connection for every request otherwise.
    if (typeof agent === 'object') {
      Object.assign(agent, { keepAlive: true });
      if (agent instanceof Agent) client.agents.add(agent);
    }
    Object.assign(headers, impersonationHeaders(identity));
    const { token } = identity;
    if (token !== undefined) headers['Authorization'] = `Bearer ${token}`;
    return { options, headers };
  }

  #clientFor(target: ClusterTarget, identity: Identity): Client {
    const key = JSON.stringify([target, identity.certData, identity.keyData, identity.oidc]);
    if (this.#client?.key === key) return this.#client;
    this.#closeClient();
    const config = new KubeConfig();
    const name = this.#name;
    const { certData, keyData, username, password, oidc } = identity;
    config.loadFromOptions({
      clusters: [{ name, ...target }],
      users: [
        {
          name,
          ...(certData === undefined ? {} : { certData }),
          ...(keyData === undefined ? {} : { keyData }),
          ...(username === undefined ? {} : { username, password }),
          ...(oidc === undefined ? {} : { authProvider: { name: 'oidc', config: { ...oidc } } }),
        },
      ],
      contexts: [{ name, cluster: name, user: name }],
      currentContext: name,
    });
    this.#client = { config, key, agents: new Set() };
    return this.#client;
  }

  #closeClient(): void {
    for (const agent of this.#client?.agents ?? []) agent.destroy();
    this.#client = undefined;
  }
}

function wire(config: Kubeconfig, name: string, env: KubeconfigPlace['env']): Wiring | PortFailure {
  const context = find(config.contexts, name);
  const info = context === undefined ? undefined : contextInfo(config, context);
  const cluster = info === undefined ? undefined : find(config.clusters, info.cluster);
  if (info === undefined || cluster === undefined) {
    return { kind: 'invalid', detail: missingContext(config, name) };
  }
  const target = clusterTarget(cluster, env);
  if (!target.ok) return target.failure;
  const now = () => instant(Date.now());
  return {
    target: target.value,
    credentials: credentialSource(config, info.user, target.value, env, now),
    fingerprint: JSON.stringify([target.value, find(config.users, info.user)?.value]),
  };
}

function addressOf(server: string, { path, query }: PortRequest): URL {
  const url = new URL(server + path);
  for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, value);
  return url;
}

function withRequest(
  { options, headers }: Prepared,
  { method, contentType }: PortRequest,
  body: string | undefined,
  host: string,
): RequestOptions {
  const isLocal = host === 'localhost' || host.startsWith('127.');
  return {
    ...options,
    method,
    headers: {
      ...headers,
      Accept: 'application/json',
      'User-Agent': `kube-backoff/${version}`,
      // Close by, packing costs more than it saves.
      ...(isLocal ? {} : { 'Accept-Encoding': 'gzip' }),
      ...(body === undefined
        ? {}
        : {
            'Content-Type': contentType ?? 'application/json',
            'Content-Length': Buffer.byteLength(body),
          }),
    },
  };
}

const impersonationHeaders = ({ impersonation }: Identity): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(impersonation).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : [...value],
    ]),
  );

const eventTypes = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const;

function watchEvent(value: unknown): WatchEvent | undefined {
  const type = eventTypes.find((one) => one === at(value, 'type'));
  return type === undefined ? undefined : { type, object: at(value, 'object') };
}

function dateOf(header: string | undefined): Instant | undefined {
  const value = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(value) ? undefined : instant(value);
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted ?? false;

const failed = (failure: PortFailure): PortResult => ({ ok: false, failure });
