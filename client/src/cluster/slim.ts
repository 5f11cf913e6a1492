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
 * Managed fields, the last applied configuration, the environment and volumes of pods, and very long texts.
 */
export function slim(object: JsonRecord): JsonRecord {
  const { metadata, spec, ...rest } = object;
  const kept = slimValue(rest);
  const result: Record<string, unknown> = isRecord(kept) ? { ...kept } : {};
  if (isRecord(metadata)) {
    const { managedFields: _managed, annotations, ...others } = metadata;
    result['metadata'] = isRecord(annotations)
      ? { ...others, annotations: without(annotations, [noAnnotation]) }
      : others;
  }
  if (isRecord(spec)) result['spec'] = slimValue(object['kind'] === 'Pod' ? slimPod(spec) : spec);
  else if (spec !== undefined) result['spec'] = spec;
  return result;
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
