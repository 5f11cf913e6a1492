import { groupOf } from '../../../engine/analyse.ts';
import { families } from '../../../engine/families/index.ts';
import type { ResourceRef } from '../../../engine/live.ts';
import { at, isRecord, type JsonRecord } from '../cluster/json.ts';
import { kindKey, liveKinds } from '../cluster/liveKinds.ts';
import type { Connection } from './hub.ts';

const kinds = liveKinds(families);

/** Where an object is on its API server; nothing for kinds whose plural nobody told us. */
export function objectPath({ apiVersion, kind, namespace, name }: ResourceRef): string | undefined {
  const group = groupOf(apiVersion);
  const type = kinds.typeOf(kindKey(group, kind));
  if (type === undefined || name === undefined) return undefined;
  const base = group === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${base}${scope}/${type.plural}/${encodeURIComponent(name)}`;
}

/** An object as it is now, whole; as it was last seen where it cannot be read again: to be shown, not to be sent. */
export async function freshObject(connection: Connection, ref: ResourceRef): Promise<unknown> {
  const read = await currentObject(connection, ref);
  return read.ok ? read.object : connection.session.object(ref);
}

export type CurrentObject =
  | { readonly ok: true; readonly object: unknown }
  | { readonly ok: false; readonly problem: string };

/**
 * An object as it is now, for a request to be built on, or why it cannot be read.
 *
 * What was seen last does not stand in for it: its long texts are cut, and a request would write them back so. Of kinds
 * whose place nobody told us it does: requests take no more than the name from those.
 */
export async function currentObject(
  connection: Connection,
  ref: ResourceRef,
): Promise<CurrentObject> {
  const path = objectPath(ref);
  if (path === undefined) return { ok: true, object: connection.session.object(ref) };
  const result = await connection.port.request({ method: 'GET', path });
  return result.ok
    ? { ok: true, object: result.answer.body }
    : { ok: false, problem: result.failure.detail };
}

/** An object without what only servers read. */
export function readable(object: unknown): unknown {
  if (!isRecord(object)) return object;
  const metadata = at(object, 'metadata');
  if (!isRecord(metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest } satisfies JsonRecord;
}

/** The events about an object, as the API server has them. */
export async function eventsOf(
  { port }: Connection,
  { namespace, name, kind }: ResourceRef,
): Promise<unknown> {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const result = await port.request({
    method: 'GET',
    path: `/api/v1${scope}/events`,
    query: {
      fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name ?? ''}`,
      limit: '200',
    },
  });
  return result.ok ? at(result.answer.body, 'items') : { problem: result.failure.detail };
}
