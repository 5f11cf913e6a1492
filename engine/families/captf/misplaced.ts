import { fix, removeEntry } from '../../edits.ts';
import type { DocumentRule, Report } from '../../family.ts';
import { nodeAt, textAt, type SourceNode, type SourceTree } from '../../source.ts';
import { jobPolicySource } from './jobsFields.ts';
import { roleOf } from './place.ts';
import { captfGroup } from './system.ts';

/** The blocks of a spec that decide when something runs again. */
const blocks = ['jobs', 'defaults', 'drift', 'remediation', 'membershipRefreshIntervalSeconds'];

const machines = ['TerraformMachine', 'TerraformMachinePool'];

/** A block in a spec that does not have it: the API server drops it, or a strict client refuses it. */
export const misplacedBlock: DocumentRule = {
  slug: 'block-misplaced',
  severity: 'warning',
  summary: 'A block of settings in a spec that does not know it.',
  explanation:
    'A template keeps what its objects get in `spec.template.spec`; its own `spec` has nothing but `template`. Only a TerraformCluster has `defaults`, for its machines and pools. ' +
    'The API server drops a block that stands elsewhere, and `kubectl` refuses the manifest; either way its values never apply.',
  cite: jobPolicySource,
  sites: [
    {
      group: captfGroup,
      kinds: ['TerraformClusterTemplate', ...machines.map((kind) => `${kind}Template`)],
      needs: blocks,
    },
    { group: captfGroup, kinds: machines, needs: ['defaults'] },
  ],
  *check({ root, tree }) {
    const kind = textAt(root, 'kind') ?? '';
    const isTemplate = kind.endsWith('Template');
    if (isTemplate) yield* besideTemplate(root, kind);
    const path = isTemplate ? ['spec', 'template', 'spec', 'defaults'] : ['spec', 'defaults'];
    if (roleOf(kind) !== 'cluster') yield* ofAMachine(nodeAt(root, path), kind, tree);
  },
};

function* besideTemplate(root: SourceNode, kind: string): Generator<Report> {
  for (const block of blocks) {
    const node = nodeAt(root, ['spec', block]);
    if (node?.key === undefined || node.via !== undefined) continue;
    yield {
      message: `\`${block}\` has no effect here: what the objects of a ${kind} get stands in \`spec.template.spec\`; move it there`,
      at: node.key,
      unnecessary: true,
    };
  }
}

function* ofAMachine(
  node: SourceNode | undefined,
  kind: string,
  tree: SourceTree,
): Generator<Report> {
  if (node?.key === undefined || node.via !== undefined) return;
  yield {
    message: `\`defaults\` has no effect here: only a TerraformCluster has them, for its machines and pools, and a ${kind} has none; write \`jobs\` beside \`source\` for these alone, or move the block to the TerraformCluster`,
    at: node.key,
    unnecessary: true,
    fixes: fix('Remove defaults', false, removeEntry(tree, node)),
  };
}
