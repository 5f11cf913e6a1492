import { isRecord, type JsonRecord } from './json.ts';

const longestText = 8192;
const leftOut = '…';

/** Annotations and fields that are large and tell nothing about retries. */
const noAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
const containerLists = ['containers', 'initContainers', 'ephemeralContainers'] as const;
const noContainerFields = ['env', 'envFrom', 'volumeMounts', 'volumeDevices', 'securityContext'];
const noPodFields = ['volumes', 'tolerations', 'affinity', 'securityContext', 'imagePullSecrets'];

/**
 * An object without what takes room and tells nothing about retries.
 *
 * Managed fields, the last applied configuration, and the environment and volumes of pods.
 */
export function slim(object: JsonRecord): JsonRecord {
  const { metadata, spec } = object;
  const isPod = object['kind'] === 'Pod' && isRecord(spec);
  const kept = isRecord(metadata) ? slimMetadata(metadata) : metadata;
  if (kept === metadata && !isPod) return object;
  return { ...object, metadata: kept, ...(isPod ? { spec: slimPod(spec) } : {}) };
}

function slimMetadata(metadata: JsonRecord): JsonRecord {
  const { annotations } = metadata;
  const isApplied = isRecord(annotations) && noAnnotation in annotations;
  if (!isApplied && !('managedFields' in metadata)) return metadata;
  const { managedFields: _managed, ...others } = metadata;
  return isApplied ? { ...others, annotations: without(annotations, [noAnnotation]) } : others;
}

/** An object as text, with very long texts in it cut. */
export function packedText(object: JsonRecord): string {
  const text = JSON.stringify(object);
  return text.length > longestText ? JSON.stringify(slimValue(object)) : text;
}

function slimPod(spec: JsonRecord): JsonRecord {
  const kept: Record<string, unknown> = { ...without(spec, noPodFields) };
  for (const list of containerLists) {
    const containers: unknown = spec[list];
    if (!Array.isArray(containers)) continue;
    kept[list] = containers.map((one: unknown) =>
      isRecord(one) ? without(one, noContainerFields) : one,
    );
  }
  return kept;
}

/** Shortens very long texts, however deep; what has none is given back as it is. */
function slimValue(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > longestText ? value.slice(0, longestText) + leftOut : value;
  }
  if (Array.isArray(value)) {
    let changed: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      const kept = slimValue(item);
      if (kept === item) continue;
      changed ??= [...value];
      changed[index] = kept;
    }
    return changed ?? value;
  }
  if (!isRecord(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const key in value) {
    const kept = slimValue(value[key]);
    if (kept === value[key]) continue;
    changed ??= { ...value };
    changed[key] = kept;
  }
  return changed ?? value;
}

const without = (record: JsonRecord, keys: readonly string[]): JsonRecord =>
  keys.some((key) => key in record)
    ? Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)))
    : record;
