import type { Site } from './family.ts';
import {
  child,
  itemsOf,
  textAt,
  type MapNode,
  type ScalarNode,
  type SourceNode,
} from './source.ts';
import type { Path, Span } from './source.ts';

/**
 * A container's command line and environment as a map: `args` by flag name, `env` by variable name.
 *
 * `--min-retry-delay=1s` gives `args.min-retry-delay` with the value `1s`; `{name: X, value: "5"}` gives `env.X`.
 * Spans point into the text of the argument, paths at the node it was read from. What a shell string does is
 * not read. A variable with `valueFrom` has a text that counts as filled in at run time.
 */
export function containerKnobs(container: SourceNode): MapNode | undefined {
  if (container.kind !== 'map') return undefined;
  const flags = flagsOf(container);
  const variables = variablesOf(container);
  return mapOf(
    container,
    new Map<string, SourceNode>([
      ['args', mapOf(child(container, 'args') ?? container, flags)],
      ['env', mapOf(child(container, 'env') ?? container, variables)],
    ]),
  );
}

/**
 * A view for `Site.view`: the knobs of a container that sets at least one of these, nothing otherwise.
 *
 * Names are `args.<flag>` or `env.<variable>`. The policy is named by the first of them that is written.
 */
export function knobsNamed(
  names: readonly string[],
): (container: SourceNode) => MapNode | undefined {
  return (container) => {
    const knobs = containerKnobs(container);
    if (knobs === undefined) return undefined;
    const written = names.flatMap((name) => {
      const dot = name.indexOf('.');
      const node = child(child(knobs, name.slice(0, dot)), name.slice(dot + 1));
      return node === undefined ? [] : [node];
    });
    if (written.length === 0) return undefined;
    return { ...knobs, ...placeOf(written) };
  };
}

/**
 * Where the knobs of controllers are written: containers of workloads, and the patches of kustomizations.
 *
 * `needs` are texts of which one must occur for a document to be worth a look; absent: the knobs' names.
 */
export function knobSites(names: readonly string[], needs?: readonly string[]): readonly Site[] {
  const view = knobsNamed(names);
  const site = {
    view,
    needs: needs ?? names.map((name) => name.slice(name.indexOf('.') + 1)),
  };
  const containers = 'spec.template.spec.containers[*]';
  const patched = (group: string, kind: string, patches: string): readonly Site[] => [
    { ...site, group, kinds: [kind], anchor: `${patches}>${containers}` },
    { ...site, group, kinds: [kind], anchor: `${patches}>`, view: (ops) => view(asContainer(ops)) },
  ];
  return [
    {
      ...site,
      group: 'apps',
      kinds: ['Deployment', 'StatefulSet', 'DaemonSet'],
      anchor: containers,
    },
    { ...site, group: '', kinds: ['Pod'], anchor: 'spec.containers[*]' },
    ...patched('kustomize.config.k8s.io', 'Kustomization', 'patches[*].patch'),
    ...patched('kustomize.toolkit.fluxcd.io', 'Kustomization', 'spec.patches[*].patch'),
    ...patched('fluxcd.controlplane.io', 'FluxInstance', 'spec.kustomize.patches[*].patch'),
  ];
}

/** What a JSON patch adds to a container's arguments and environment, as a container that has nothing else. */
function asContainer(operations: SourceNode): SourceNode {
  const added = (list: string): readonly SourceNode[] =>
    itemsOf(operations).flatMap((operation) => {
      const path = textAt(operation, 'path') ?? '';
      const value = child(operation, 'value');
      if (value === undefined || textAt(operation, 'op') === 'remove') return [];
      if (path.endsWith(`/${list}`)) return itemsOf(value);
      const at = path.lastIndexOf('/');
      return path.slice(0, at).endsWith(`/${list}`) ? [value] : [];
    });
  const { path } = operations;
  const list = (name: string): SourceNode => ({
    kind: 'list',
    path,
    flow: false,
    items: added(name),
  });
  const children = new Map(['args', 'env'].map((name) => [name, list(name)]));
  return { kind: 'map', path, flow: false, children };
}

/** Whether a container is written whole, so that what it does not set is not set: a patch has no image. */
export const isWholeContainer = (container: SourceNode | undefined): boolean =>
  child(container, 'image') !== undefined && child(container, 'envFrom') === undefined;

/** The path of the list item a knob was read from: the argument, or the variable's entry. */
export function itemPathOf(knob: SourceNode): Path {
  const last = knob.path.findLastIndex((step) => typeof step === 'number');
  return knob.path.slice(0, last + 1);
}

function mapOf(place: SourceNode, children: ReadonlyMap<string, SourceNode>): MapNode {
  const { path, key, span, via } = place;
  return {
    kind: 'map',
    path,
    flow: false,
    children,
    ...(key === undefined ? {} : { key }),
    ...(span === undefined ? {} : { span }),
    ...(via === undefined ? {} : { via }),
  };
}

/** From the first to the last of the nodes that were written, named by the first. */
function placeOf(nodes: readonly SourceNode[]): { readonly key?: Span; readonly span?: Span } {
  const placed = nodes
    .filter((node) => node.key !== undefined && node.via === undefined)
    .toSorted((a, b) => (a.key?.start ?? 0) - (b.key?.start ?? 0));
  const [first] = placed;
  if (first?.key === undefined) return {};
  const end = Math.max(...placed.map(({ key, span }) => Math.max(key?.end ?? 0, span?.end ?? 0)));
  return { key: first.key, span: { start: first.key.start, end } };
}

const flagShape = /^--?([A-Za-z][\w.-]*)(?:=([^]*))?$/;

/** Flags of `command` and `args`, in the order in which the program sees them: the last of two wins. */
function flagsOf(container: SourceNode): ReadonlyMap<string, SourceNode> {
  const flags = new Map<string, SourceNode>();
  for (const list of ['command', 'args']) {
    const items = itemsOf(child(container, list));
    for (const [index, item] of items.entries()) {
      if (item.kind !== 'scalar') continue;
      const match = flagShape.exec(item.text);
      if (match === null) continue;
      const [whole, name = '', value] = match;
      const nameAt = whole.startsWith('--') ? 2 : 1;
      const key = within(item, nameAt, nameAt + name.length);
      if (value !== undefined) {
        const start = nameAt + name.length + 1;
        flags.set(name, scalar(item, value, key, within(item, start, item.text.length)));
        continue;
      }
      const next = items[index + 1];
      const takesNext = next?.kind === 'scalar' && !/^--|^-[A-Za-z]/.test(next.text);
      flags.set(name, takesNext ? { ...next, ...keyed(key) } : scalar(item, 'true', key, key));
    }
  }
  return flags;
}

function scalar(
  item: ScalarNode,
  text: string,
  key: Span | undefined,
  span: Span | undefined,
): ScalarNode {
  const { path, via } = item;
  return {
    kind: 'scalar',
    path,
    value: text,
    text,
    style: 'plain',
    ...(isVerbatim(item) ? {} : { rough: true }),
    ...keyed(key),
    ...(span === undefined ? {} : { span }),
    ...(via === undefined ? {} : { via }),
  };
}

const keyed = (key: Span | undefined): { readonly key?: Span } =>
  key === undefined ? {} : { key };

/** A part of a scalar's text as a span, or all of it where escapes or folding move the characters. */
function within(item: ScalarNode, start: number, end: number): Span | undefined {
  const text = item.inner ?? item.span;
  if (text === undefined) return undefined;
  return isVerbatim(item) ? { start: text.start + start, end: text.start + end } : text;
}

function isVerbatim(item: ScalarNode): boolean {
  const text = item.inner ?? item.span;
  if (item.style === 'block' || item.rough === true) return false;
  return text === undefined || text.end - text.start === item.text.length;
}

function variablesOf(container: SourceNode): ReadonlyMap<string, SourceNode> {
  const variables = new Map<string, SourceNode>();
  for (const item of itemsOf(child(container, 'env'))) {
    const name = child(item, 'name');
    if (name?.kind !== 'scalar') continue;
    const key = name.inner ?? name.span;
    const value = child(item, 'value');
    const source = child(item, 'valueFrom');
    if (value?.kind === 'scalar') variables.set(name.text, { ...value, ...keyed(key) });
    else if (source !== undefined) {
      const { path, span } = source;
      const text = `$(${sourceName(source) ?? name.text})`;
      const place = { path, value: text, text, ...(span === undefined ? {} : { span }) };
      variables.set(name.text, { kind: 'scalar', style: 'block', ...place, ...keyed(key) });
    }
  }
  return variables;
}

/** `argocd-cmd-params-cm.controller.qps`: where a variable's value comes from. */
function sourceName(source: SourceNode): string | undefined {
  for (const kind of ['configMapKeyRef', 'secretKeyRef']) {
    const name = textAt(source, kind, 'name');
    const key = textAt(source, kind, 'key');
    if (name !== undefined && key !== undefined && /^[\w.-]+$/.test(name + key)) {
      return `${name}.${key}`;
    }
  }
  return undefined;
}
