import { containerKnobs } from '../../containerKnobs.ts';
import type { Site } from '../../family.ts';
import { child, itemsOf, type MapNode, type ScalarNode, type SourceNode } from '../../source.ts';

/** Configurations with a block `leaderElection` of component-base's kind. */
const configurations: readonly { readonly group: string; readonly kinds: readonly string[] }[] = [
  { group: 'kubescheduler.config.k8s.io', kinds: ['KubeSchedulerConfiguration'] },
  { group: 'controller-runtime.sigs.k8s.io', kinds: ['ControllerManagerConfig'] },
  { group: 'config.kueue.x-k8s.io', kinds: ['Configuration'] },
  { group: 'config.jobset.x-k8s.io', kinds: ['Configuration'] },
  { group: 'config.lws.x-k8s.io', kinds: ['Configuration'] },
];

const certManagerGroups = [
  'controller.config.cert-manager.io',
  'cainjector.config.cert-manager.io',
] as const;

const groups = configurations.map(({ group }) => group);

/** The block of cert-manager, whose defaults are others. */
export const certManagerBlock = 'leaderElectionConfig';

/** Where leader election is set: configurations, texts of them in ConfigMaps, and flags. */
export const leaderElectionSites: readonly Site[] = [
  ...configurations.map(({ group, kinds }) => ({ group, kinds, anchor: 'leaderElection' })),
  embedded(groups, 'leaderElection'),
  ...certManagerGroups.map((group) => ({
    group,
    kinds: ['ControllerConfiguration', 'CAInjectorConfiguration'],
    anchor: certManagerBlock,
  })),
  embedded(certManagerGroups, certManagerBlock),
  ...(['Deployment', 'StatefulSet', 'DaemonSet'] as const).map((kind) => ({
    group: 'apps',
    kinds: [kind],
    anchor: 'spec.template.spec.containers[*]',
    needs: ['--leader-elect'],
    view: fromFlags,
  })),
  {
    group: '',
    kinds: ['Pod'],
    anchor: 'spec.containers[*]',
    needs: ['--leader-elect'],
    view: fromFlags,
  },
];

function embedded(among: readonly string[], block: string): Site {
  return {
    group: '',
    kinds: ['ConfigMap'],
    anchor: `data.*>${block}`,
    needs: among,
    when: (root) => {
      const data = child(root, 'data');
      if (data?.kind !== 'map') return false;
      return [...data.children.values()].some(
        (entry) =>
          entry.kind === 'scalar' &&
          entry.text.includes(block) &&
          among.some((group) => entry.text.includes(`${group}/`)),
      );
    },
  };
}

const flag = /^--leader-elect(?:ion)?-(?:lease-duration|renew-deadline|retry-period)\b/;

const names: ReadonlyMap<string, string> = new Map([
  ['lease-duration', 'leaseDuration'],
  ['renew-deadline', 'renewDeadline'],
  ['retry-period', 'retryPeriod'],
]);

// The components of Kubernetes, whose defaults are those of component-base.
const component = /\bkube-(?:scheduler|controller-manager)\b|\bcloud-controller-manager\b/;

/** The three flags as the block they stand for, named by the first of them. */
function fromFlags(container: SourceNode): MapNode | undefined {
  const lines = [...itemsOf(child(container, 'command')), ...itemsOf(child(container, 'args'))];
  const isOn = lines.some((line) => line.kind === 'scalar' && flag.test(line.text));
  if (!isOn) return undefined;
  const flags = child(containerKnobs(container), 'args');
  if (flags?.kind !== 'map') return undefined;
  const children = new Map<string, SourceNode>();
  for (const [name, node] of flags.children) {
    const rest = /^leader-elect(?:ion)?-(.+)$/.exec(name)?.[1] ?? '';
    const key = names.get(rest);
    if (key !== undefined) children.set(key, node);
    else if (isSwitchedOff(name, node)) children.set('leaderElect', { ...node, value: false });
  }
  const [first] = [...children.values()]
    .filter(({ key }) => key !== undefined)
    .toSorted((a, b) => (a.key?.start ?? 0) - (b.key?.start ?? 0));
  if (!lines.some((line) => line.kind === 'scalar' && component.test(line.text))) {
    leaveOpen(children, flags);
  }
  const key = first?.key;
  return {
    kind: 'map',
    path: container.path,
    flow: false,
    children,
    ...(key === undefined ? {} : { key }),
    ...(key === undefined || container.span === undefined ? {} : { span: container.span }),
  };
}

const isSwitchedOff = (name: string, node: SourceNode): node is ScalarNode =>
  /^leader-elect(?:ion)?$/.test(name) && node.kind === 'scalar' && node.text === 'false';

/** What other programs take where a flag is left out is theirs to say. */
function leaveOpen(children: Map<string, SourceNode>, flags: MapNode): void {
  for (const key of names.values()) {
    if (children.has(key)) continue;
    const text = '$(default)';
    children.set(key, { kind: 'scalar', path: flags.path, value: text, text, style: 'block' });
  }
}
