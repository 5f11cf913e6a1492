import type { Site } from '../../family.ts';
import { child, itemsOf, textAt, type SourceNode } from '../../source.ts';

/** Where a JobSpec stands: in a Job, or in something that makes Jobs. */
export const jobSites: readonly Site[] = [
  { group: 'batch', kinds: ['Job'], anchor: 'spec', implied: true },
  { group: 'batch', kinds: ['CronJob'], anchor: 'spec.jobTemplate.spec', implied: true },
  {
    group: 'jobset.x-k8s.io',
    kinds: ['JobSet'],
    anchor: 'spec.replicatedJobs[*].template.spec',
    implied: true,
  },
  {
    group: 'argoproj.io',
    kinds: ['AnalysisTemplate', 'ClusterAnalysisTemplate', 'AnalysisRun'],
    anchor: 'spec.metrics[*].provider.job.spec',
    needs: ['job:', '"job"'],
  },
];

/** Who makes the Job: itself, a CronJob, a JobSet, or an analysis of Argo Rollouts. */
export type JobOwner = 'Job' | 'CronJob' | 'JobSet' | 'analysis';

export function jobOwner(root: SourceNode): JobOwner {
  const kind = textAt(root, 'kind') ?? 'Job';
  if (kind === 'Job' || kind === 'CronJob' || kind === 'JobSet') return kind;
  return 'analysis';
}

/** The pod template of a JobSpec. */
export const podSpecOf = (jobSpec: SourceNode | undefined): SourceNode | undefined =>
  child(child(jobSpec, 'template'), 'spec');

/** A whole manifest says what its containers run; a patch leaves things out that are not absent. */
export const isWholePod = (podSpec: SourceNode | undefined): boolean =>
  itemsOf(child(podSpec, 'containers')).some(
    (container) => child(container, 'image') !== undefined,
  );
