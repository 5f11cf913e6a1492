import { Agent, type OutgoingHttpHeaders } from 'node:http';
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { version } from '../../../engine/project.ts';
import { instant, seconds, type Instant, type Ms } from '../../../engine/units.ts';
import { hostOf, secretsOf, type ClusterTarget, type Identity } from './credentials.ts';
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
import { agreedWiring, entriesOf, type AgreedWiring, type Wiring } from './wiring.ts';

const parseYaml = (text: string): unknown => parse(text);

/** The contexts of the kubeconfig; nothing is contacted and no command runs. */
export function listContexts(place: KubeconfigPlace): ContextList {
  const read = readKubeconfig(place, parseYaml);
  if (!read.ok) return read;
  const { config } = read;
  return { ...contextList(config), open: (name) => openContext(place, config, name) };
}

/**
 * Opens the way to a context's API server; the current context where none is named.
 *
 * Nothing is contacted before the first request, and no other context stands in for one that is missing.
 */
export function openPort(place: KubeconfigPlace, contextName?: string): PortOpening {
  const read = readKubeconfig(place, parseYaml);
  return read.ok ? openContext(place, read.config, contextName) : read;
}

function openContext(
  place: KubeconfigPlace,
  config: Kubeconfig,
  contextName: string | undefined,
): PortOpening {
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
  const entries = entriesOf(config, name);
  if (entries === undefined) {
    const others = config.clusters.map((entry) => entry.name).join(', ');
    return {
      ok: false,
      problem: `context "${name}" names cluster "${info.cluster}", which the kubeconfig does not have; it has: ${others}`,
    };
  }
  const wirings = agreedWiring(name, entries, place.env, () => readKubeconfig(place, parseYaml));
  const line = new Line(name, wirings);
  return {
    ok: true,
    terms: wirings.terms,
    port: {
      context: info,
      request: (request) => line.request(request),
      watch: (path, query, onEvent, signal, onOpen) =>
        line.watch(path, query, onEvent, signal, onOpen),
      readAgain: wirings.readAgain,
      dispose: () => line.dispose(),
    },
  };
}

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
  readonly #name: string;
  readonly #wirings: AgreedWiring;
  #client: Client | undefined;
  #isDisposed = false;

  constructor(name: string, wirings: AgreedWiring) {
    this.#name = name;
    this.#wirings = wirings;
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
      const wiring = this.#wirings.current();
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

  /** Gets new credentials; false where there are none to be had. */
  #refresh(old: Wiring, refused: Identity): boolean {
    const runsAgain = old.credentials.forget(refused);
    // Somebody else's refusal has brought another one already.
    if (this.#wirings.current() !== old) return true;
    this.#wirings.readAgain();
    return runsAgain || this.#wirings.current() !== old;
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
    const { certData, keyData, username, password, oidc } = identity;
    const key = JSON.stringify([target, certData, keyData, username, password, oidc]);
    if (this.#client?.key === key) return this.#client;
    this.#closeClient();
    const config = new KubeConfig();
    const name = this.#name;
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
