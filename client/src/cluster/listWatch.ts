import { formatDuration } from '../../../engine/durations/format.ts';
import { after, ms, seconds, type Instant, type Ms } from '../../../engine/units.ts';
import { sleep, type Clock } from './clock.ts';
import { askedWait, isForAll } from './failureKinds.ts';
import { listIn, textIn } from './json.ts';
import type { ClusterPort, PortFailure, WatchEvent } from './port.ts';
import { reconnectWait } from './reconnect.ts';
import { watchdog } from './watchdog.ts';

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
 * A watch that brings bookmarks is taken for dead once this long nothing came: API servers send one every minute
 * (`defaultBookmarkFrequency` in k8s.io/apiserver/pkg/storage/cacher), so two were missed.
 *
 * The first one must come within the same time of the beginning: some servers send one just before the end only, or
 * none at all, and their silence says nothing.
 */
const longestSilence = seconds(150);
/** Where bookmarks came before, the server is there and accepts a watch at once. */
const longestOpening = seconds(30);

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
  /** What a list that gets through leaves of `retry`: the failures of watches since one has lived. */
  let watchRetry = 0;
  let wasStale = false;
  let canWatch = options.watches;
  let hasBookmarks = false;

  const become = (next: ListWatchState) => {
    state = next;
    sink.state(next);
  };

  async function loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isList = version === undefined;
      const failure = isList ? await list(signal) : await watch(signal);
      if (signal.aborted || failure?.kind === 'cancelled') return;
      if (failure === undefined) {
        if (!options.watches) return;
        if (!canWatch && (await poll(signal))) return;
        continue;
      }
      if (isFinal(failure)) return stop(failure);
      retry += 1;
      if (!isList) watchRetry = retry;
      await wait(failure, signal);
    }
  }

  function stop(failure: PortFailure): void {
    run = undefined;
    listing = undefined;
    // Who is signed in again goes on; what may be seen or is served again is another list.
    if (!isForAll(failure)) version = undefined;
    become({ kind: 'stopped', failure });
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
      retry = watchRetry;
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
    const dog = watchdog(clock, signal, (isOpen) => {
      if (!hasBookmarks) return undefined;
      return isOpen ? longestSilence : longestOpening;
    });
    const onEvent = (event: WatchEvent) => {
      // What still comes after a pause would be told twice after it.
      if (dog.signal.aborted) return;
      dog.heard();
      hasBookmarks ||= event.type === 'BOOKMARK' && clock.now() - began <= longestSilence;
      take(event);
    };
    const failure = await port.watch(path, query, onEvent, dog.signal, () => {
      if (dog.signal.aborted) return;
      dog.heard();
      sink.heard(undefined, clock.now());
    });
    dog.end();
    const opened = dog.openedAt();
    if (opened !== undefined && clock.now() - opened >= soundWatch) {
      retry = 0;
      watchRetry = 0;
      wasStale = false;
    } else if (failure === undefined && !signal.aborted) {
      return { kind: 'server', status: 200, detail: 'the server ended the watch at once' };
    }
    return dog.isDead() ? silent(opened) : afterwards(failure);
  }

  /** A watch that was open goes on from the last version and says nothing: that finds out whether the server is there. */
  function silent(opened: Instant | undefined): PortFailure | undefined {
    if (opened !== undefined) return undefined;
    return { kind: 'unreachable', detail: `no answer within ${formatDuration(longestOpening)}` };
  }

  function afterwards(failure: PortFailure | undefined): PortFailure | undefined {
    if (failure?.kind === 'gone') version = undefined;
    if (failure?.kind !== 'forbidden') return failure;
    // It may be listed but not watched.
    canWatch = false;
    return undefined;
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
    await sleep(clock, ms(pollEvery * (0.75 + clock.random() / 2)), signal);
    version = undefined;
    return signal.aborted;
  }

  async function wait(failure: PortFailure, signal: AbortSignal): Promise<void> {
    const isStale = failure.kind === 'gone';
    // The first stale version says nothing against the server: a short wait keeps lists out of step. Where no watch
    // has lived since, each further one costs a list for nothing.
    const length =
      isStale && !wasStale
        ? ms(clock.random() * 500)
        : reconnectWait(retry, clock.random(), askedWait(failure));
    wasStale ||= isStale;
    become({ kind: 'waiting', retry, wait: length, nextAt: after(clock.now(), length), failure });
    await sleep(clock, length, signal);
  }

  return {
    state: () => state,
    start: () => {
      if (run !== undefined) return;
      run = new AbortController();
      // What was not allowed may be by now.
      canWatch = options.watches;
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
    case 'changed':
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
