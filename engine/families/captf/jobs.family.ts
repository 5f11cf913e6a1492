import { defineFamily, type Site } from '../../family.ts';
import { child, nodeAt } from '../../source.ts';
import { clusterDefaults, clusterNeighbours } from './clusterBeside.ts';
import { retryMax, retryWaits } from './delays.ts';
import { jobsExamples } from './jobsExamples.ts';
import { jobsFields, otherJobsFields } from './jobsFields.ts';
import { jobsLive } from './jobsLive.ts';
import { jobsEffect, jobsNotes } from './jobsNotes.ts';
import { jobsRules, mistakenKeys } from './jobsRules.ts';
import { mergedLockFillsDeadline } from './mergedLockRule.ts';
import { misplacedBlock } from './misplaced.ts';
import { placeOf } from './place.ts';
import { captf, captfGroup, captfSource } from './system.ts';

const decide = captfSource('internal/controllers/shared/decide.go RetryDelay');

const own: Site = {
  group: captfGroup,
  kinds: ['TerraformCluster', 'TerraformMachine', 'TerraformMachinePool'],
  anchor: 'spec.jobs',
  implied: true,
  // A patch says nothing about what it leaves out; a whole manifest has a source.
  when: (root) =>
    nodeAt(root, ['spec', 'source']) !== undefined ||
    child(child(root, 'spec'), 'jobs') !== undefined,
};

const sites: readonly Site[] = [
  own,
  {
    group: captfGroup,
    kinds: ['TerraformCluster'],
    anchor: 'spec.defaults.jobs',
  },
  {
    group: captfGroup,
    kinds: ['TerraformClusterTemplate', 'TerraformMachineTemplate', 'TerraformMachinePoolTemplate'],
    anchor: 'spec.template.spec.jobs',
    needs: ['jobs'],
  },
  {
    group: captfGroup,
    kinds: ['TerraformClusterTemplate'],
    anchor: 'spec.template.spec.defaults.jobs',
    needs: ['jobs'],
  },
];

/** The Jobs of a CAPTF object: one per operation, repeated by the controller until one succeeds. */
export const family = defineFamily({
  id: 'captf/jobs',
  system: captf,
  title: 'CAPTF Jobs',
  summary:
    'CAPTF runs each operation of an object (apply, destroy, plan, refresh, drift) as one Job whose pod is never restarted. ' +
    'When the Job fails, the controller starts another one after a wait that grows with the failures of that operation, without end.',
  formula:
    'The wait after failure n of an operation is 1m doubled n-1 times, at most 10m; as soon as n reaches `failedJobsHistoryLimit` (0 counts as 1) it is 10m.',
  cite: decide,
  sites,
  fields: jobsFields,
  closed: { alsoKnown: otherJobsFields, judged: mistakenKeys },
  neighbours: clusterNeighbours,
  inherit: clusterDefaults,
  facts: placeOf,
  schedule: ({ failedJobsHistoryLimit }) => ({
    waits: retryWaits(failedJobsHistoryLimit),
    cap: {
      value: retryMax.value,
      origin: { kind: 'built-in', name: 'the longest wait', cite: retryMax.cite },
    },
    stops: [],
    resets: [
      {
        text: 'a Job of the same operation succeeds',
        origin: {
          kind: 'built-in',
          name: 'a success',
          cite: captfSource('internal/controllers/shared/bookkeeping.go countFailures'),
        },
      },
    ],
    clock: 'after-attempt',
  }),
  rules: [...jobsRules, mergedLockFillsDeadline],
  documentRules: [misplacedBlock],
  notes: jobsNotes,
  effect: jobsEffect,
  live: jobsLive,
  examples: jobsExamples,
});
