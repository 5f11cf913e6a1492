// @ts-check
/**
 * @typedef {object} CustomKind
 * @property {string} group
 * @property {string} version
 * @property {string} kind
 * @property {string} plural
 * @property {'Namespaced' | 'Cluster'} [scope]
 * @property {boolean} [plainStatus] the status is written with the object, not at an address of its own
 */

/** A definition that takes any object of a kind, with a status of its own. @param {CustomKind} kind */
export const customResource = ({
  group,
  version,
  kind,
  plural,
  scope = 'Namespaced',
  plainStatus = false,
}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${plural}.${group}`,
    // Groups of the project itself are only accepted with a word of approval.
    annotations: {
      'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1',
    },
  },
  spec: {
    group,
    scope,
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        ...(plainStatus ? {} : { subresources: { status: {} } }),
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
});
