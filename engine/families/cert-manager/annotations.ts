import type { DocumentRule, Site } from '../../family.ts';
import { fix, renameKey } from '../../edits.ts';
import { nearest } from '../../format.ts';
import { child, nameSpan, type MapNode, type ScalarNode, type SourceNode } from '../../source.ts';
import { sources } from './system.ts';

const prefix = 'cert-manager.io/';

/** The prefix that cert-manager read before 0.11, and that old tutorials still show. */
const oldPrefix = 'certmanager.k8s.io/';

/** Annotations that cert-manager turns into a field of the Certificate it makes → the field. */
export const annotationFields: ReadonlyMap<string, string> = new Map([
  [`${prefix}duration`, 'duration'],
  [`${prefix}renew-before`, 'renewBefore'],
  [`${prefix}renew-before-percentage`, 'renewBeforePercentage'],
  [`${prefix}revision-history-limit`, 'revisionHistoryLimit'],
]);

/** Fields whose annotations the controller reads as numbers. */
const counted: ReadonlySet<string> = new Set(['renewBeforePercentage', 'revisionHistoryLimit']);

const kinds = [
  { group: 'networking.k8s.io', kinds: ['Ingress'] },
  { group: 'gateway.networking.k8s.io', kinds: ['Gateway', 'ListenerSet'] },
  { group: 'gateway.networking.x-k8s.io', kinds: ['XListenerSet'] },
] as const;

/** Ingresses and Gateways whose annotations make a Certificate, read as that Certificate's `spec`. */
export const annotationSites: readonly Site[] = kinds.map((site) => ({
  ...site,
  anchor: 'metadata.annotations',
  needs: [prefix],
  view: specFrom,
}));

/** Whether cert-manager makes Certificates for an object with these annotations. */
const namesIssuer = (annotations: MapNode): boolean =>
  annotations.children.has(`${prefix}issuer`) ||
  annotations.children.has(`${prefix}cluster-issuer`) ||
  child(annotations, 'kubernetes.io/tls-acme') !== undefined;

function specFrom(annotations: SourceNode): SourceNode | undefined {
  if (annotations.kind !== 'map' || !namesIssuer(annotations)) return undefined;
  const children = new Map<string, SourceNode>();
  for (const [name, field] of annotationFields) {
    const node = child(annotations, name);
    if (node !== undefined) children.set(field, counted.has(field) ? number(node) : node);
  }
  if (children.size === 0) return undefined;
  return { ...annotations, children };
}

/** Annotations are texts; the controller reads these with `strconv.ParseInt`. */
function number(node: SourceNode): SourceNode {
  if (node.kind !== 'scalar' || !/^[+-]?\d{1,9}$/.test(node.text)) return node;
  const read: ScalarNode = { ...node, value: Number(node.text) };
  return read;
}

/** Everything cert-manager reads from the annotations of an Ingress or Gateway, or writes there. */
const known: readonly string[] = [
  ...annotationFields.keys(),
  ...[
    'issuer',
    'cluster-issuer',
    'issuer-kind',
    'issuer-group',
    'issuer-name',
    'alt-names',
    'common-name',
    'email-sans',
    'ip-sans',
    'uri-sans',
    'subject-organizations',
    'subject-organizationalunits',
    'subject-countries',
    'subject-provinces',
    'subject-localities',
    'subject-streetaddresses',
    'subject-postalcodes',
    'subject-serialnumber',
    'usages',
    'private-key-algorithm',
    'private-key-encoding',
    'private-key-size',
    'private-key-rotation-policy',
    'secret-template',
    'ignore-tls-listeners',
    'issue-temporary-certificate',
    'inject-ca-from',
    'inject-ca-from-secret',
    'inject-apiserver-ca',
    'allow-direct-injection',
  ].map((name) => `${prefix}${name}`),
];
const knownSet = new Set(known);

/** Other words for a setting that spelling alone does not lead to. */
const meant: ReadonlyMap<string, string> = new Map([
  ['dns-names', 'alt-names'],
  ['lifetime', 'duration'],
  ['renewal', 'renew-before'],
  ['renewbeforepercent', 'renew-before-percentage'],
  ['renew-before-percent', 'renew-before-percentage'],
]);

/** Annotations under cert-manager's prefix that it does not read: a guessed name changes nothing. */
export const unknownAnnotation: DocumentRule = {
  slug: 'unknown-annotation',
  severity: 'warning',
  summary: 'An annotation of an Ingress or Gateway that cert-manager does not read.',
  explanation:
    'cert-manager reads annotations by their exact names, such as `cert-manager.io/renew-before`. Others are ignored without a word, and the Certificate gets the defaults.',
  cite: sources.annotationNames,
  sites: kinds.map((site) => ({ ...site, needs: [prefix, oldPrefix] })),
  *check({ root }) {
    const annotations = child(child(root, 'metadata'), 'annotations');
    if (annotations?.kind !== 'map') return;
    for (const [name, node] of annotations.children) {
      const start = [prefix, oldPrefix].find((one) => name.startsWith(one));
      if (start === undefined || knownSet.has(name) || node.via !== undefined) continue;
      const own = name.slice(start.length);
      const word = meant.get(own.toLowerCase()) ?? nearestName(own);
      const at = nameSpan(node);
      if (word === undefined || at === undefined) continue;
      const right = `${prefix}${word}`;
      yield {
        message: `cert-manager does not read \`${name}\`, so it changes nothing: the annotation is \`${right}\``,
        at,
        unnecessary: true,
        fixes: annotations.children.has(right)
          ? []
          : fix(`Rename to ${right}`, true, renameKey(node, right)),
      };
    }
  },
};

const nearestName = (own: string): string | undefined =>
  nearest(
    own,
    known.map((name) => name.slice(prefix.length)),
  );
