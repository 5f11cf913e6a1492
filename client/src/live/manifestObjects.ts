import type { ResourceRef } from '../../../engine/live.ts';
import type { PortFailure, PortResult } from '../cluster/port.ts';
import type { SessionState } from '../cluster/sessionTypes.ts';
import type { AnchoredResource } from '../languageClient.ts';
import type { Connection } from './hub.ts';
import { objectPath } from './objects.ts';
import type { Moment } from './rowIndex.ts';

/** The live objects of manifests, of which a session keeps only some. */
export type ManifestObjects = {
  /** An object as far as it is known; what the session does not keep is read in the background. */
  readonly of: (moment: Moment, manifest: AnchoredResource) => unknown;
};

// An object that the session does not keep is read once, and again when this has passed.
const keepFor = 60_000;
const mostKept = 400;
const mostAtOnce = 4;

type Read = { readonly since: number; readonly object: unknown };

/** What has been read over one connection; it goes with it. */
type Reads = {
  readonly known: Map<string, Read>;
  readonly waiting: Map<string, ResourceRef>;
  readonly asking: Set<string>;
  /** Nothing is asked before this time, or before the session is live anew. */
  quiet: { readonly until: number } | { readonly liveSince: number } | undefined;
};

/**
 * Reads the objects of manifests that the session does not keep: healthy ones, and those that are not there.
 *
 * It asks only while the session is live and nobody's absence has paused it, so it ends with the session's own
 * requests: when nobody has looked for five minutes, and when the cluster wants to know anew who asks.
 */
export function manifestObjects(parts: {
  readonly now: () => number;
  readonly isPaused: () => boolean;
  /** An object was read for the first time, or is another one than before. */
  readonly changed: () => void;
}): ManifestObjects {
  const all = new WeakMap<Connection, Reads>();
  const readsOf = (connection: Connection): Reads => {
    const own = all.get(connection) ?? {
      known: new Map(),
      waiting: new Map(),
      asking: new Set(),
      quiet: undefined,
    };
    all.set(connection, own);
    return own;
  };
  const mayAsk = ({ snapshot: { state } }: Pick<Moment, 'snapshot'>, { quiet }: Reads): boolean => {
    if (parts.isPaused() || state.kind !== 'live') return false;
    if (quiet === undefined) return true;
    return 'until' in quiet ? parts.now() >= quiet.until : state.since !== quiet.liveSince;
  };
  const ask = async (connection: Connection, reads: Reads): Promise<void> => {
    for (const [key, ref] of reads.waiting) {
      const snapshot = connection.session.snapshot();
      const path = objectPath(ref);
      reads.waiting.delete(key);
      // What is not asked now is asked again by the next look.
      if (path === undefined || !mayAsk({ snapshot }, reads)) continue;
      reads.asking.add(key);
      const result = await connection.port.request({ method: 'GET', path });
      reads.asking.delete(key);
      if (!result.ok) reads.quiet = quietAfter(result.failure, snapshot.state, parts.now());
      keep(reads, key, result);
    }
  };
  const keep = (reads: Reads, key: string, result: PortResult): void => {
    const before = reads.known.get(key)?.object;
    const object = result.ok
      ? result.answer.body
      : result.failure.kind === 'not-found'
        ? undefined
        : before;
    reads.known.delete(key);
    reads.known.set(key, { since: parts.now(), object });
    const [oldest] = reads.known.keys();
    if (reads.known.size > mostKept && oldest !== undefined) reads.known.delete(oldest);
    if (JSON.stringify(before) !== JSON.stringify(object)) parts.changed();
  };

  return {
    of: (moment, { resource, generateName }) => {
      const { connection, snapshot } = moment;
      if (resource.name === undefined || generateName !== undefined) return undefined;
      const namespace = resource.namespace ?? snapshot.context.namespace ?? 'default';
      const ref: ResourceRef = { ...resource, namespace };
      const kept = connection.session.object(ref);
      if (kept !== undefined) return kept;
      const reads = readsOf(connection);
      const key = JSON.stringify(ref);
      const known = reads.known.get(key);
      const isFresh = known !== undefined && parts.now() - known.since < keepFor;
      if (!isFresh && !reads.asking.has(key) && mayAsk(moment, reads)) {
        reads.waiting.set(key, ref);
        if (reads.asking.size < mostAtOnce) void ask(connection, reads);
      }
      return known?.object;
    },
  };
}

/** After a refusal nothing is asked before the session is live anew; otherwise not before the time that was said. */
function quietAfter(failure: PortFailure, state: SessionState, now: number): Reads['quiet'] {
  switch (failure.kind) {
    case 'unauthorised':
    case 'credentials':
    case 'changed':
    case 'certificate':
      return state.kind === 'live' ? { liveSince: state.since } : undefined;
    case 'throttled':
    case 'server':
      return { until: now + (failure.retryAfter ?? keepFor) };
    case 'unreachable':
      return { until: now + keepFor };
    case 'forbidden':
    case 'not-found':
    case 'gone':
    case 'conflict':
    case 'invalid':
    case 'cancelled':
      return undefined;
  }
}
