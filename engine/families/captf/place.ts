import type { FactsInput } from '../../family.ts';
import { child, textAt, type SourceNode } from '../../source.ts';
import { seconds, type Ms } from '../../units.ts';
import { clusterBeside, clusterWords } from './clusterBeside.ts';

/** Whose Jobs a policy is for. `defaults` are those of a cluster's machines and pools, never its own. */
export type Role = 'cluster' | 'machine' | 'pool' | 'defaults';

/** What the policy's surroundings say. */
export type Place = {
  readonly role: Role;
  readonly isTemplate: boolean;
  /** Set where the manifest is more than a patch: what it does not write is really absent. */
  readonly isWhole: boolean;
  readonly remediates: boolean;
  /** The TerraformCluster that gives its defaults, where the file shows it: `TerraformCluster prod`. */
  readonly cluster?: string;
  /** The interval of drift checks, where it is written as a number. */
  readonly driftInterval?: Ms;
};

export function placeOf({
  parents,
  root,
  anchor,
  neighbours,
}: Omit<FactsInput, 'env' | 'node'>): Place {
  const kind = textAt(root, 'kind') ?? '';
  const around = parents[0];
  const isDefaults = anchor.includes('defaults');
  const spec = isDefaults ? parents[1] : around;
  const driftInterval = secondsAt(around, 'drift', 'intervalSeconds');
  const cluster = kind.startsWith('TerraformMachine')
    ? clusterBeside({ root, neighbours })
    : undefined;
  return {
    role: isDefaults ? 'defaults' : roleOf(kind),
    isTemplate: kind.endsWith('Template'),
    isWhole: child(spec, 'source') !== undefined,
    remediates: textAt(around, 'drift', 'action') === 'Remediate' && roleOf(kind) !== 'machine',
    ...(cluster === undefined ? {} : { cluster: clusterWords(cluster) }),
    ...(driftInterval === undefined ? {} : { driftInterval }),
  };
}

export function roleOf(kind: string): Exclude<Role, 'defaults'> {
  if (kind.startsWith('TerraformMachinePool')) return 'pool';
  return kind.startsWith('TerraformMachine') ? 'machine' : 'cluster';
}

/** A whole number of seconds below a node, where one is written. */
export function secondsAt(node: SourceNode | undefined, ...path: string[]): Ms | undefined {
  const text = textAt(node, ...path);
  return text !== undefined && /^\d{1,12}$/.test(text) ? seconds(Number(text)) : undefined;
}
