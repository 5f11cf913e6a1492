import { isRecord, listIn, textIn } from './json.ts';

/** Names an object within a cluster: `Job/ci/build`; the group is left out, as labels do not tell it. */
export const tokenOf = (kind: string, namespace: string | undefined, name: string): string =>
  `${kind}/${namespace ?? ''}/${name}`;

/** The objects that an object says it belongs to, as tokens: its owners, what an event is about, or by label. */
export function ownersOf(object: unknown): readonly string[] {
  const namespace = textIn(object, 'metadata', 'namespace');
  const owners = listIn(object, 'metadata', 'ownerReferences').flatMap((owner) =>
    reference(owner, namespace),
  );
  if (owners.length > 0) return owners;
  const about = isRecord(object) ? (object['regarding'] ?? object['involvedObject']) : undefined;
  if (about !== undefined) return reference(about, namespace);
  return byLabel(object, namespace);
}

function reference(value: unknown, namespace: string | undefined): readonly string[] {
  const kind = textIn(value, 'kind');
  const name = textIn(value, 'name');
  return kind === undefined || name === undefined ? [] : [tokenOf(kind, namespace, name)];
}

const jobLabels = new Set(['batch.kubernetes.io/job-name', 'job-name']);

function byLabel(object: unknown, namespace: string | undefined): readonly string[] {
  const labels = isRecord(object) ? textsIn(object, 'labels') : [];
  const annotations = isRecord(object) ? textsIn(object, 'annotations') : [];
  const tokens: string[] = [];
  for (const [key, value] of labels) {
    if (jobLabels.has(key)) tokens.push(tokenOf('Job', namespace, value));
    if (!key.endsWith('/owner-name')) continue;
    const kindKey = `${key.slice(0, -'name'.length)}kind`;
    const kind = labels.find(([other]) => other === kindKey)?.[1];
    if (kind !== undefined) tokens.push(tokenOf(kind, namespace, value));
  }
  for (const [key, value] of annotations) {
    if (key === 'cert-manager.io/certificate-name')
      tokens.push(tokenOf('Certificate', namespace, value));
  }
  return [...new Set(tokens)];
}

function textsIn(
  object: Readonly<Record<string, unknown>>,
  key: 'labels' | 'annotations',
): readonly (readonly [string, string])[] {
  const { metadata } = object;
  const texts = isRecord(metadata) ? metadata[key] : undefined;
  if (!isRecord(texts)) return [];
  return Object.entries(texts).flatMap(([name, value]): readonly (readonly [string, string])[] =>
    typeof value === 'string' ? [[name, value]] : [],
  );
}
