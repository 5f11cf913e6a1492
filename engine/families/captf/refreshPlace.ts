import type { FactsInput, Site } from '../../family.ts';
import { child, nodeAt, type SourceNode } from '../../source.ts';
import { roleOf, type Role } from './place.ts';
import { captfGroup } from './system.ts';
import { textAt } from '../../source.ts';

/** Whose health is meant; the defaults of a cluster are for its machines, or its pools. */
export type RefreshPlace = {
  readonly role: Exclude<Role, 'defaults'>;
  readonly isDefaults: boolean;
  readonly isWhole: boolean;
  /** The limit that a repair of drift runs into, where it is written. */
  readonly limit?: number;
};

const blocks = ['membershipRefreshIntervalSeconds', 'remediation', 'drift'] as const;

/** The first of a spec's blocks about refreshes stands for them all, so that each is judged once. */
const sitesIn = (spec: string, kinds: readonly string[]): readonly Site[] =>
  blocks.map((block, index) => ({
    group: captfGroup,
    kinds,
    anchor: `${spec}.${block}`,
    needs: [block],
    when: (root) => {
      const holder = nodeAt(root, spec.split('.'));
      return blocks.slice(0, index).every((earlier) => child(holder, earlier) === undefined);
    },
  }));

export const refreshSites: readonly Site[] = [
  ...sitesIn('spec', ['TerraformCluster', 'TerraformMachine', 'TerraformMachinePool']),
  ...sitesIn('spec.defaults', ['TerraformCluster']),
  ...sitesIn('spec.template.spec', [
    'TerraformClusterTemplate',
    'TerraformMachineTemplate',
    'TerraformMachinePoolTemplate',
  ]),
  ...sitesIn('spec.template.spec.defaults', ['TerraformClusterTemplate']),
];

export function refreshPlaceOf({ parents, root, anchor }: FactsInput): RefreshPlace {
  const isDefaults = anchor.includes('defaults');
  const [around, above] = parents;
  const spec = isDefaults ? above : around;
  const forPools = anchor.at(-1) === 'membershipRefreshIntervalSeconds';
  const role = roleOf(textAt(root, 'kind') ?? '');
  const limit = limitIn(around);
  return {
    role: isDefaults ? (forPools ? 'pool' : 'machine') : role,
    isDefaults,
    isWhole: child(spec, 'source') !== undefined,
    ...(limit === undefined ? {} : { limit }),
  };
}

function limitIn(holder: SourceNode | undefined): number | undefined {
  const node = nodeAt(holder, ['jobs', 'failedJobsHistoryLimit']);
  const value = node?.kind === 'scalar' ? node.value : undefined;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}
