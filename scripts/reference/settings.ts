import { families } from '../../engine/families/index.ts';
import { knownNames } from '../../server/src/analysis/configuration.ts';

type Manifest = {
  readonly contributes: {
    readonly configuration: { readonly properties: Readonly<Record<string, Property>> };
  };
};
type Property = Readonly<Record<string, unknown>>;

/**
 * The extension's manifest with the names that its settings take, so that the editor's settings can offer them.
 *
 * Systems become properties of `versions` and `systems`, finding codes of `severity`.
 */
export function manifestWithNames<M extends Manifest>(manifest: M): M {
  const { properties } = manifest.contributes.configuration;
  const systems = new Map(families.map(({ system }) => [system.id, system]));
  const sorted = [...systems.values()].toSorted((a, b) => a.id.localeCompare(b.id));
  const versions = sorted.map(({ id, title, assumes }) => [
    id,
    {
      type: 'string',
      description: `The version of ${title}; ${assumes.version} where it is not said`,
    },
  ]);
  const switches = sorted.map(({ id, title }) => [
    id,
    { type: 'boolean', description: `Whether the policies of ${title} are looked at` },
  ]);
  const codes = [...knownNames(families).codes].toSorted();
  const extended = {
    ...properties,
    'kubeBackoff.versions': {
      ...properties['kubeBackoff.versions'],
      properties: Object.fromEntries(versions),
    },
    'kubeBackoff.systems': {
      ...properties['kubeBackoff.systems'],
      properties: Object.fromEntries(switches),
    },
    'kubeBackoff.severity': {
      ...properties['kubeBackoff.severity'],
      propertyNames: { enum: codes },
    },
  };
  return {
    ...manifest,
    contributes: {
      ...manifest.contributes,
      configuration: { ...manifest.contributes.configuration, properties: extended },
    },
  };
}
