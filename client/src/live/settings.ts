import * as vscode from 'vscode';
import type { Stated } from './stated.ts';

/** What settings say of clusters; a path or a context that a workspace sets is marked so. */
export type ClusterSettings = {
  readonly kubeconfig?: readonly string[];
  readonly kubeconfigFrom: 'person' | 'workspace';
  readonly context?: string;
  readonly namespaces?: readonly string[];
};

const section = 'kubeBackoff';

export function clusterSettings(): ClusterSettings {
  const settings = vscode.workspace.getConfiguration(section);
  const files = texts(settings.get('cluster.kubeconfig'));
  const context = settings.get('cluster.context');
  const namespaces = texts(settings.get('cluster.namespaces'));
  const inspected = settings.inspect('cluster.kubeconfig');
  const isOfWorkspace =
    inspected?.workspaceValue !== undefined || inspected?.workspaceFolderValue !== undefined;
  return {
    kubeconfigFrom: isOfWorkspace ? 'workspace' : 'person',
    ...(files.length === 0 ? {} : { kubeconfig: files }),
    ...(typeof context === 'string' && context !== '' ? { context } : {}),
    ...(namespaces.length === 0 ? {} : { namespaces }),
  };
}

/** What is set of versions, gates, controllers and systems; it wins over what a cluster shows. */
export function settingsStated(): Stated {
  const settings = vscode.workspace.getConfiguration(section);
  const systems = mapOf(settings.get('systems'), isBoolean);
  return {
    env: {
      versions: mapOf(settings.get('versions'), isString),
      controllers: mapOf(settings.get('controllers'), isString),
      gates: mapOf(settings.get('featureGates'), isBoolean),
    },
    disabledSystems: new Set([...systems].flatMap(([system, isOn]) => (isOn ? [] : [system]))),
  };
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(isString).filter((text) => text !== '') : [];

function mapOf<T>(value: unknown, is: (value: unknown) => value is T): ReadonlyMap<string, T> {
  const made = new Map<string, T>();
  if (typeof value !== 'object' || value === null) return made;
  for (const [key, inner] of Object.entries(value)) if (is(inner)) made.set(key, inner);
  return made;
}
