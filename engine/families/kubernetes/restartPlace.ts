import type { FactsInput } from '../../family.ts';
import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';
import { containerRole, podOwner, type ContainerRole, type PodOwner } from './podSites.ts';

/** What a container is, and who looks after its pod. */
export type RestartPlace = {
  readonly owner: PodOwner;
  readonly role: ContainerRole;
  readonly isWhole: boolean;
  /** Exit codes that restart the container whatever its policy says, in words. */
  readonly restartsOn: readonly string[];
};

export function restartPlace({ node, root, anchor }: FactsInput): RestartPlace {
  return {
    owner: podOwner(root),
    role: containerRole(node, anchor),
    isWhole: child(node, 'image') !== undefined,
    restartsOn: rulesOf(node),
  };
}

function rulesOf(container: SourceNode | undefined): readonly string[] {
  return itemsOf(child(container, 'restartPolicyRules')).flatMap((rule) => {
    const codes = child(rule, 'exitCodes');
    const values = itemsOf(child(codes, 'values')).flatMap((value) =>
      value.kind === 'scalar' ? [value.text] : [],
    );
    const list = values.join(', ');
    const all = textAt(rule, 'action') === 'RestartAllContainers' ? ' (all containers)' : '';
    switch (textAt(codes, 'operator')) {
      case 'In':
        return values.length === 0 ? [] : [`exit code ${list}${all}`];
      case 'NotIn':
        return [
          values.length === 0 ? `any exit code${all}` : `an exit code other than ${list}${all}`,
        ];
      default:
        return [];
    }
  });
}
