import { containerKnobs } from '../../containerKnobs.ts';
import type { Site } from '../../family.ts';
import { child, textAt, type MapNode, type SourceNode } from '../../source.ts';
import { maximumName, minimumName, serverSideApply } from './backoff.ts';

const group = 'controller.config.cert-manager.io';
const kind = 'ControllerConfiguration';

/** The flags of the controller → the keys of its configuration file. */
export const flagNames: ReadonlyMap<string, typeof minimumName | typeof maximumName> = new Map([
  ['certificate-request-minimum-backoff-duration', minimumName],
  ['certificate-request-maximum-backoff-duration', maximumName],
] as const);

const flagPrefix = 'certificate-request-';
const needs = [`--${flagPrefix}`];

/** Where the controller's own settings stand: its file, its flags, and the values of its Helm chart. */
export const controllerSites: readonly Site[] = [
  { group, kinds: [kind], anchor: '', implied: true, view: fromConfiguration },
  {
    group: '',
    kinds: ['ConfigMap'],
    anchor: 'data.*>',
    needs: [group],
    when: holdsConfiguration,
    view: fromConfiguration,
  },
  ...(['Deployment', 'StatefulSet'] as const).map((workload) => ({
    group: 'apps',
    kinds: [workload],
    anchor: 'spec.template.spec.containers[*]',
    needs,
    view: fromContainer,
  })),
  { group: '', kinds: ['Pod'], anchor: 'spec.containers[*]', needs, view: fromContainer },
  {
    group: 'operator.openshift.io',
    kinds: ['CertManager'],
    anchor: 'spec.controllerConfig',
    needs,
    view: (config) => fromArguments(config, 'overrideArgs'),
  },
  {
    group: 'helm.toolkit.fluxcd.io',
    kinds: ['HelmRelease'],
    anchor: 'spec.values',
    needs: [...needs, minimumName, maximumName, group],
    view: fromValues,
  },
  ...['spec.source.helm', 'spec.sources[*].helm'].flatMap((helm) =>
    ['valuesObject', 'values>'].map((values) => ({
      group: 'argoproj.io',
      kinds: ['Application'],
      anchor: `${helm}.${values}`,
      needs: [...needs, minimumName, maximumName, group],
      view: fromValues,
    })),
  ),
];

/** Whether a setting was read from a flag, which counts as it is, rather than from the file. */
export const isFlag = (path: readonly (string | number)[]): boolean =>
  path.some((step) => ['args', 'command', 'extraArgs', 'overrideArgs'].includes(String(step)));

/** Spares the texts of other ConfigMaps from being parsed. */
function holdsConfiguration(root: SourceNode): boolean {
  const data = child(root, 'data');
  if (data?.kind !== 'map') return false;
  return [...data.children.values()].some(
    (entry) => entry.kind === 'scalar' && entry.text.includes(group),
  );
}

function fromConfiguration(node: SourceNode): SourceNode | undefined {
  if (node.kind !== 'map' || textAt(node, 'kind') !== kind) return undefined;
  if (textAt(node, 'apiVersion')?.startsWith(`${group}/`) !== true) return undefined;
  const key = child(node, 'kind')?.span;
  return key === undefined ? node : { ...node, key };
}

function fromContainer(container: SourceNode): SourceNode | undefined {
  const flags = child(containerKnobs(container), 'args');
  if (flags?.kind !== 'map') return undefined;
  const settings = settingsIn(flags);
  if (settings.size === 0) return undefined;
  // What the flags leave out is read from the file, which is not at hand here.
  const file = child(flags, 'config');
  if (file?.kind === 'scalar') {
    for (const name of flagNames.values()) {
      if (settings.has(name)) continue;
      const text = '$(--config)';
      settings.set(name, { kind: 'scalar', path: file.path, value: text, text, style: 'block' });
    }
  }
  return named(flags, settings);
}

/** Flags that an operator hands on to the controller. */
function fromArguments(place: SourceNode, key: string): SourceNode | undefined {
  if (place.kind !== 'map') return undefined;
  const flags = child(containerKnobs(withArguments(place, key)), 'args');
  const settings = flags?.kind === 'map' ? settingsIn(flags) : new Map<string, SourceNode>();
  return settings.size === 0 ? undefined : named(place, settings);
}

/** The chart's values: `config` becomes the file, `extraArgs` are flags that win over it. */
function fromValues(values: SourceNode): SourceNode | undefined {
  if (values.kind !== 'map') return undefined;
  const config = child(values, 'config');
  const settings = new Map<string, SourceNode>(config?.kind === 'map' ? config.children : []);
  const isOurs =
    settings.has(minimumName) ||
    settings.has(maximumName) ||
    textAt(config, 'apiVersion')?.startsWith(`${group}/`) === true;
  const flags = child(containerKnobs(withArguments(values, 'extraArgs')), 'args');
  const set = flags?.kind === 'map' ? settingsIn(flags) : new Map<string, SourceNode>();
  for (const [name, node] of set) settings.set(name, node);
  if (!isOurs && set.size === 0) return undefined;
  const { key } = config ?? {};
  return isOurs && config?.kind === 'map' && key !== undefined
    ? { ...config, children: settings }
    : named(values, settings);
}

/** A block whose arguments stand under another name, read as the container that they are for. */
function withArguments(block: MapNode, key: string): MapNode {
  const args = child(block, key);
  return { ...block, children: new Map(args === undefined ? [] : [['args', args]]) };
}

function settingsIn(flags: MapNode): Map<string, SourceNode> {
  const settings = new Map<string, SourceNode>();
  for (const [flag, node] of flags.children) {
    if (flag.startsWith(flagPrefix) && flag.includes('backoff')) {
      settings.set(flagNames.get(flag) ?? flag, node);
    }
  }
  const gate = gateIn(child(flags, 'feature-gates'));
  if (gate !== undefined && settings.size > 0) settings.set('featureGates', gate);
  return settings;
}

/** `--feature-gates=A=true,ServerSideApply=true` as the map that the file would have. */
function gateIn(flag: SourceNode | undefined): MapNode | undefined {
  if (flag?.kind !== 'scalar') return undefined;
  const match = new RegExp(`(?:^|,)\\s*${serverSideApply}=(true|false)\\s*(?:,|$)`).exec(flag.text);
  const text = match?.[1];
  if (text === undefined) return undefined;
  const gate: SourceNode = { ...flag, value: text === 'true', text, style: 'block' };
  return {
    kind: 'map',
    path: flag.path,
    flow: false,
    children: new Map([[serverSideApply, gate]]),
  };
}

/** A map of settings that is named by the first of them that is written. */
function named(place: MapNode, settings: ReadonlyMap<string, SourceNode>): SourceNode {
  const written = [...settings.values()].filter(({ key }) => key !== undefined);
  const [first] = written.toSorted((a, b) => (a.key?.start ?? 0) - (b.key?.start ?? 0));
  const { key } = first ?? place;
  return {
    kind: 'map',
    path: place.path,
    flow: false,
    children: settings,
    ...(key === undefined ? {} : { key }),
    ...(place.span === undefined ? {} : { span: place.span }),
  };
}
