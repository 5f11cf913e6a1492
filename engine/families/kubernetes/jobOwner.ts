import { itemsOf, nodeAt, textAt, type SourceNode } from '../../source.ts';

/** Who made a Job, and what that means for one that failed. */
export type JobOwner = {
  /** `TerraformCluster prod` */
  readonly name: string;
  readonly afterFailure: string;
};

/** The controller that a Job names as its owner; nothing where a person or a tool made it. */
export function jobOwnerOf(job: SourceNode): JobOwner | undefined {
  const owners = itemsOf(nodeAt(job, ['metadata', 'ownerReferences']));
  const controller = owners.find((owner) => textAt(owner, 'controller') === 'true');
  const kind = textAt(controller, 'kind');
  if (kind === undefined) return undefined;
  const name = [kind, textAt(controller, 'name')].filter((word) => word !== undefined).join(' ');
  const isCaptf = textAt(job, 'metadata', 'labels', 'captf.io/managed') === 'true';
  return {
    name,
    afterFailure:
      isCaptf && kind.startsWith('Terraform')
        ? afterCaptf(job, name)
        : `This Job is not retried; ${name}, which owns it, decides whether another one starts`,
  };
}

/** What CAPTF does next, by the marks that it sets on its Jobs. */
function afterCaptf(job: SourceNode, owner: string): string {
  const isMarked = (mark: string) =>
    textAt(job, 'metadata', 'annotations', `captf.io/${mark}`) === 'true';
  const operation = textAt(job, 'metadata', 'labels', 'captf.infrastructure.cluster.x-k8s.io/op');
  if (operation === 'restore') return `CAPTF, which runs it for ${owner}, never retries a restore`;
  if (isMarked('destructive-plan-blocked') || isMarked('plan-changed')) {
    return `CAPTF, which runs it for ${owner}, waits for a person to approve the plan, or for other inputs, and starts the next Job then`;
  }
  return `CAPTF starts the next Job of ${owner}: ${captfWaits}, without end until one succeeds`;
}

/** The schedule of CAPTF in short; its own family computes with it. */
export const captfWaits =
  'after failures in a row it waits 1m, then twice as long each time, up to 10m, and 10m at once from as many failures on as `failedJobsHistoryLimit` says';
