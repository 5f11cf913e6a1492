import { groupOf } from '../../../engine/analyse.ts';
import type { ResourceRef } from '../../../engine/live.ts';
import { parseInstant, type Instant } from '../../../engine/units.ts';
import type { Asker } from './asker.ts';
import { at, listIn, textIn } from './json.ts';
import type { PortFailure } from './port.ts';
import type { HistoryEntry } from './sessionTypes.ts';

/**
 * An object's past, from its events and from the objects that belong to it; oldest first.
 *
 * Events that could not be read are told of at the time of asking: a past without them is not an empty one.
 */
export async function historyOf(
  ask: Asker,
  ref: ResourceRef,
  owned: readonly unknown[],
  now: Instant,
): Promise<readonly HistoryEntry[]> {
  const events = await eventsOf(ask, ref, now);
  const entries = [...events, ...owned.flatMap((object) => entriesOf(object))];
  return entries.toSorted((a, b) => a.at - b.at);
}

async function eventsOf(
  ask: Asker,
  ref: ResourceRef,
  now: Instant,
): Promise<readonly HistoryEntry[]> {
  const { namespace = 'default', name = '', kind } = ref;
  const result = await ask.get(`/api/v1/namespaces/${namespace}/events`, {
    fieldSelector: `involvedObject.name=${name},involvedObject.kind=${kind}`,
    limit: '500',
  });
  if (!result.ok) return [unread(result.failure, ref, now)];
  return listIn(result.answer.body, 'items').flatMap((event): readonly HistoryEntry[] => {
    const group = groupOf(textIn(event, 'involvedObject', 'apiVersion') ?? ref.apiVersion);
    const seen = firstTime(
      at(event, 'series', 'lastObservedTime'),
      at(event, 'lastTimestamp'),
      at(event, 'eventTime'),
      at(event, 'firstTimestamp'),
    );
    if (seen === undefined || group !== groupOf(ref.apiVersion)) return [];
    const count = at(event, 'series', 'count') ?? at(event, 'count');
    const times = typeof count === 'number' && count > 1 ? ` (${String(count)} times)` : '';
    const reason = textIn(event, 'reason');
    const message = textIn(event, 'message') ?? '';
    return [
      {
        at: seen,
        what: `${reason === undefined ? '' : `${reason}: `}${message}${times}`,
        source: refOf(event, 'v1', 'Event'),
        kind: textIn(event, 'type') === 'Warning' ? 'failure' : 'note',
      },
    ];
  });
}

function unread({ kind, detail }: PortFailure, ref: ResourceRef, now: Instant): HistoryEntry {
  const verb = kind === 'forbidden' ? 'may' : 'could';
  const what = `The events of this object ${verb} not be read: ${detail}`;
  return { at: now, what, source: ref, kind: 'note' };
}

const ends: ReadonlyMap<string, HistoryEntry['kind']> = new Map([
  ['Failed', 'failure'],
  ['Complete', 'success'],
  ['Succeeded', 'success'],
  ['Denied', 'failure'],
  ['InvalidRequest', 'failure'],
]);

/** What a child tells of an attempt: when it began, and how it ended. */
function entriesOf(object: unknown): readonly HistoryEntry[] {
  const kind = textIn(object, 'kind') ?? '';
  if (kind === 'Event') return [];
  const source = refOf(object, '', kind);
  const name = source.name ?? '';
  const entries: HistoryEntry[] = [];
  const created = parseInstant(textIn(object, 'metadata', 'creationTimestamp'));
  if (created !== undefined) {
    entries.push({ at: created, what: `${kind} ${name} was created`, source, kind: 'retry' });
  }
  for (const condition of listIn(object, 'status', 'conditions')) {
    const end = endOf(condition);
    const when = parseInstant(textIn(condition, 'lastTransitionTime'));
    if (end === undefined || when === undefined) continue;
    const reason = textIn(condition, 'reason');
    const message = textIn(condition, 'message');
    const why = [reason, message].filter((text) => text !== undefined).join(': ');
    const how = end === 'failure' ? 'failed' : 'succeeded';
    entries.push({
      at: when,
      what: `${kind} ${name} ${how}${why === '' ? '' : `: ${why}`}`,
      source,
      kind: end,
    });
  }
  return entries.some(({ kind: one }) => one !== 'retry')
    ? entries
    : [...entries, ...podEnd(object, source)];
}

function endOf(condition: unknown): HistoryEntry['kind'] | undefined {
  const type = textIn(condition, 'type') ?? '';
  const status = textIn(condition, 'status');
  if (type === 'Ready' && status === 'True') return undefined;
  if (type === 'Ready' && textIn(condition, 'reason') === 'Failed') return 'failure';
  return status === 'True' ? ends.get(type) : undefined;
}

function podEnd(object: unknown, source: ResourceRef): readonly HistoryEntry[] {
  const phase = textIn(object, 'status', 'phase');
  if (source.kind !== 'Pod' || (phase !== 'Failed' && phase !== 'Succeeded')) return [];
  for (const status of listIn(object, 'status', 'containerStatuses')) {
    const ended = parseInstant(textIn(status, 'state', 'terminated', 'finishedAt'));
    if (ended === undefined) continue;
    const code = at(status, 'state', 'terminated', 'exitCode');
    const exit = typeof code === 'number' ? ` with exit code ${String(code)}` : '';
    const kind = phase === 'Failed' ? 'failure' : 'success';
    const how = kind === 'failure' ? 'failed' : 'succeeded';
    return [{ at: ended, what: `Pod ${source.name ?? ''} ${how}${exit}`, source, kind }];
  }
  return [];
}

function refOf(object: unknown, apiVersion: string, kind: string): ResourceRef {
  const namespace = textIn(object, 'metadata', 'namespace');
  const name = textIn(object, 'metadata', 'name');
  return {
    apiVersion: textIn(object, 'apiVersion') ?? apiVersion,
    kind: textIn(object, 'kind') ?? kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

const firstTime = (...values: readonly unknown[]): Instant | undefined =>
  values.map(parseInstant).find((value) => value !== undefined);
