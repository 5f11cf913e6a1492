import { after, ms, seconds, type Instant, type Ms } from '../../../engine/units.ts';
import type { Clock } from './clock.ts';
import { listIn, textIn } from './json.ts';
import type { ClusterPort, PortFailure, WatchEvent } from './port.ts';
import { reconnectWait } from './reconnect.ts';

/** Where the list and watch of one resource stand. */
export type ListWatchState =
  | { readonly kind: 'new' }
  | { readonly kind: 'listing' }
  | { readonly kind: 'watching' }
  /** Listed, and nothing more was asked for. */
  | { readonly kind: 'listed' }
  | {
      readonly kind: 'waiting';
      readonly retry: number;
      readonly wait: Ms;
      readonly nextAt: Instant;
      readonly failure: PortFailure;
    }
  /** Tried no more before somebody starts it again. */
  | { readonly kind: 'stopped'; readonly failure: PortFailure }
  | { readonly kind: 'paused' };

/** Takes what a list and watch brings. */
export type ListWatchSink = {
  /** A list begins: what it does not bring up to its end is gone. */
  readonly began: () => void;
  readonly page: (objects: readonly unknown[]) => void;
  readonly listed: () => void;
  readonly event: (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: unknown) => void;
  readonly state: (state: ListWatchState) => void;
  /** An answer with the server's time arrived. */
  readonly heard: (date: Instant | undefined, sent: Instant) => void;
};

export type ListWatchOptions = {
  readonly port: Pick<ClusterPort, 'request' | 'watch'>;
  readonly clock: Clock;
  /** `/apis/batch/v1/namespaces/ci/jobs` */
  readonly path: string;
  readonly sink: ListWatchSink;
  /** False: one list is all. */
  readonly watches: boolean;
  /** Lets only so many lists run at a time; returns how to say that this one is over. */
  readonly turn?: () => Promise<() => void>;
};

export type ListWatch = {
  readonly state: () => ListWatchState;
  /** Starts, or goes on after a pause or a stop. */
  readonly start: () => void;
  /** Ends every request; `start` goes on from the last version that was seen. */
  readonly pause: () => void;
};

const pageSize = 500;
const smallestPage = 10;
/** A larger page keeps the event loop busy for too long; the next ones are made smaller. */
const largestPageBytes = 4 * 1024 * 1024;
const shortestWatch = 300;
const longestWatch = 600;
/** A watch that ends sooner than this counts as a failure, so that a server that hangs up is not asked without pause. */
const soundWatch = seconds(5);
const pollEvery = seconds(60);

/**
 * Lists a resource in pages and then watches it from the list's version, for ever.
 *
 * A version that is too old leads to a new list; refusals stop it; everything else is retried after a wait that
 * grows and has chance in it.
 */
export function listWatch(options: ListWatchOptions): ListWatch {
  const { port, clock, path, sink } = options;
  let state: ListWatchState = { kind: 'new' };
  let run: AbortController | undefined;
  let version: string | undefined;
  let listing: { readonly token?: string; readonly version?: string } | undefined;
  let limit = pageSize;
  let retry = 0;
  let canWatch = options.watches;

  const become = (next: ListWatchState) => {
    state = next;
    sink.state(next);
  };

  async function loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const failure = version === undefined ? await list(signal) : await watch(signal);
      if (signal.aborted || failure?.kind === 'cancelled') return;
      if (failure === undefined) {
        if (!options.watches) return;
        if (!canWatch && (await poll(signal))) return;
        continue;
      }
      if (isFinal(failure)) {
        run = undefined;
        become({ kind: 'stopped', failure });
        return;
      }
      retry += 1;
      await wait(failure, signal);
    }
  }

  /** Reads page after page; after a failure it goes on with the page that failed. */
  async function list(signal: AbortSignal): Promise<PortFailure | undefined> {
    become({ kind: 'listing' });
    const done = (await options.turn?.()) ?? nothing;
    try {
      return await pages(signal);
    } finally {
      done();
    }
  }

  async function pages(signal: AbortSignal): Promise<PortFailure | undefined> {
    let asked = ask(signal);
    while (!signal.aborted) {
      const { result, sent, token } = await asked;
      if (signal.aborted) return undefined;
      if (!result.ok) {
        const isStale = result.failure.kind === 'gone' || result.failure.kind === 'invalid';
        if (!isStale || token === undefined) return result.failure;
        // The rest of the list is not to be had any more: begin it anew.
        listing = undefined;
        return { kind: 'gone', detail: result.failure.detail };
      }
      const { body, date, bytes = 0 } = result.answer;
      sink.heard(date, sent);
      if (listing === undefined) sink.began();
      if (bytes > largestPageBytes) {
        limit = Math.max(smallestPage, Math.floor((limit * largestPageBytes) / (2 * bytes)));
      }
      const next = textIn(body, 'metadata', 'continue');
      const listVersion = listing?.version ?? textIn(body, 'metadata', 'resourceVersion');
      if (next !== undefined) {
        listing = { token: next, ...(listVersion === undefined ? {} : { version: listVersion }) };
        // The server works on the next page while this one is read.
        asked = ask(signal);
      }
      sink.page(listIn(body, 'items'));
      if (next !== undefined) continue;
      listing = undefined;
      version = listVersion;
      retry = 0;
      sink.listed();
      if (!options.watches) become({ kind: 'listed' });
      return undefined;
    }
    return undefined;
  }

  async function ask(signal: AbortSignal) {
    const token = listing?.token;
    const query = { limit: String(limit), ...(token === undefined ? {} : { continue: token }) };
    const sent = clock.now();
    const result = await port.request({ method: 'GET', path, query, signal });
    return { result, sent, token };
  }

  async function watch(signal: AbortSignal): Promise<PortFailure | undefined> {
    become({ kind: 'watching' });
    const began = clock.now();
    const lasts = shortestWatch + Math.floor(clock.random() * (longestWatch - shortestWatch));
    const query = {
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(lasts),
      ...(version === undefined ? {} : { resourceVersion: version }),
    };
    const onEvent = (event: WatchEvent) => {
      // What still comes after a pause would be told twice after it.
      if (!signal.aborted) take(event);
    };
    const failure = await port.watch(path, query, onEvent, signal, () => {
      if (!signal.aborted) sink.heard(undefined, clock.now());
    });
    if (failure?.kind === 'gone') {
      version = undefined;
      return failure;
    }
    if (failure?.kind === 'forbidden') {
      // It may be listed but not watched.
      canWatch = false;
      return undefined;
    }
    if (clock.now() - began >= soundWatch) retry = 0;
    else if (failure === undefined && !signal.aborted) {
      return { kind: 'server', status: 200, detail: 'the server ended the watch at once' };
    }
    return failure;
  }

  function take({ type, object }: WatchEvent): void {
    version = textIn(object, 'metadata', 'resourceVersion') ?? version;
    if (type === 'ERROR') version = undefined;
    else if (type !== 'BOOKMARK') sink.event(type, object);
    else sink.heard(undefined, clock.now());
  }

  /** Stands in for a watch that is not allowed; true when it was ended. */
  async function poll(signal: AbortSignal): Promise<boolean> {
    become({ kind: 'watching' });
    await sleep(ms(pollEvery * (0.75 + clock.random() / 2)), signal);
    version = undefined;
    return signal.aborted;
  }

  async function wait(failure: PortFailure, signal: AbortSignal): Promise<void> {
    const asked = 'retryAfter' in failure ? failure.retryAfter : undefined;
    // The first stale version says nothing against the server: a short wait keeps lists out of step.
    const length =
      failure.kind === 'gone' && retry === 1
        ? ms(clock.random() * 500)
        : reconnectWait(retry, clock.random(), asked);
    become({ kind: 'waiting', retry, wait: length, nextAt: after(clock.now(), length), failure });
    await sleep(length, signal);
  }

  function sleep(length: Ms, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        cancel();
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = clock.after(length, wake);
      signal.addEventListener('abort', wake);
    });
  }

  return {
    state: () => state,
    start: () => {
      if (run !== undefined) return;
      run = new AbortController();
      void loop(run.signal);
    },
    pause: () => {
      if (run === undefined) return;
      run.abort();
      run = undefined;
      // Half a list is begun anew: its pages are too old after a while.
      listing = undefined;
      become({ kind: 'paused' });
    },
  };
}

const nothing = (): void => undefined;

/** Failures that a retry would only repeat until a person or a configuration changes something. */
function isFinal(failure: PortFailure): boolean {
  switch (failure.kind) {
    case 'unauthorised':
    case 'credentials':
    case 'certificate':
    case 'forbidden':
    case 'not-found':
    case 'invalid':
      return true;
    case 'gone':
    case 'throttled':
    case 'conflict':
    case 'server':
    case 'unreachable':
    case 'cancelled':
      return false;
  }
}
