import { containerKnobs } from '../../containerKnobs.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, textAt, type MapNode, type SourceNode } from '../../source.ts';

/** The knobs by the names of their flags. */
export const selfHealKnobs = [
  'self-heal-timeout-seconds',
  'self-heal-backoff-timeout-seconds',
  'self-heal-backoff-factor',
  'self-heal-backoff-cap-seconds',
  'self-heal-backoff-cooldown-seconds',
] as const;

/** `self-heal-backoff-factor` → `ARGOCD_APPLICATION_CONTROLLER_SELF_HEAL_BACKOFF_FACTOR`. */
const variableOf = (flag: string): string =>
  `ARGOCD_APPLICATION_CONTROLLER_${flag.replaceAll('-', '_').toUpperCase()}`;

/** `self-heal-backoff-factor` → `controller.self.heal.backoff.factor`. */
export const parameterOf = (flag: string): string => `controller.${flag.replaceAll('-', '.')}`;

/**
 * The self-heal knobs of a container: flags, and the variables below them.
 *
 * A container that takes all of them from elsewhere, as Argo CD's own manifest does, says nothing here.
 */
export function selfHealOfContainer(container: SourceNode): MapNode | undefined {
  const knobs = containerKnobs(container);
  if (knobs === undefined) return undefined;
  return named(
    container,
    (flag) => child(child(knobs, 'args'), flag) ?? child(child(knobs, 'env'), variableOf(flag)),
  );
}

/** The self-heal knobs of the ConfigMap that Argo CD's manifests read them from. */
export const selfHealOfConfigMap = (data: SourceNode): MapNode | undefined =>
  named(data, (flag) => child(data, parameterOf(flag)));

export const isParameterMap = (root: SourceNode): boolean =>
  textAt(root, 'metadata', 'name') === 'argocd-cmd-params-cm';

function named(
  place: SourceNode,
  find: (flag: string) => SourceNode | undefined,
): MapNode | undefined {
  const children = new Map<string, SourceNode>();
  for (const flag of selfHealKnobs) {
    const node = find(flag);
    if (node !== undefined) children.set(flag, node);
  }
  const stated = [...children.values()].filter(
    (node) => node.kind === 'scalar' && !(node.style === 'block' && isRunTimeText(node.text)),
  );
  const [first] = stated
    .filter(({ key }) => key !== undefined)
    .toSorted((a, b) => (a.key?.start ?? 0) - (b.key?.start ?? 0));
  if (stated.length === 0) return undefined;
  const ends = stated.map(({ key, span }) => Math.max(key?.end ?? 0, span?.end ?? 0));
  const key = first?.key;
  return {
    kind: 'map',
    path: place.path,
    flow: false,
    children,
    ...(key === undefined ? {} : { key, span: { start: key.start, end: Math.max(...ends) } }),
  };
}
