import { defineFamily } from '../../family.ts';
import { failurePolicyRules } from './failurePolicyRules.ts';
import { jobIndexRules } from './jobIndexRules.ts';
import { jobLive } from './jobLive.ts';
import { jobEffect, jobNotes, jobSentence } from './jobNotes.ts';
import { jobRules } from './jobRules.ts';
import { jobFields } from './jobFields.ts';
import { jobPlace } from './jobPlace.ts';
import { jobRetries } from './jobRetries.ts';
import { jobSchedule } from './jobSchedule.ts';
import { jobSites } from './jobSites.ts';
import { templateZero } from './jobTemplateRules.ts';
import { misplacedRules } from './misplaced.ts';
import { kubernetes, sources } from './system.ts';

/** A Job's own retries: new pods under `Never`, restarted containers under `OnFailure`. */
export const family = defineFamily({
  id: 'kubernetes/job',
  system: kubernetes,
  title: 'Job retries',
  summary:
    'A Job makes up for failed pods until `backoffLimit` is passed or `activeDeadlineSeconds` is over. With `restartPolicy: Never` the controller starts a new pod after a wait that doubles; with `OnFailure` the kubelet restarts the container in its pod, and its restarts are counted instead.',
  formula:
    'Never: wait before retry n = min(10s × 2^(n-1), 10m) (6m up to 1.27), from the end of the failed pod, `backoffLimit` retries. OnFailure: the kubelet waits 0s, 10s, 20s, 40s… up to 5m, and the Job fails when restart number `backoffLimit` (at least 1) begins',
  cite: sources.jobWaits,
  sites: jobSites,
  fields: jobFields,
  facts: jobPlace,
  schedule: (_values, policy) => jobSchedule(jobRetries(policy.settings, policy.facts), policy.env),
  rules: [...jobRules, ...jobIndexRules, ...failurePolicyRules, ...misplacedRules, templateZero],
  sentence: jobSentence,
  notes: jobNotes,
  effect: jobEffect,
  live: jobLive,
  examples: [
    {
      name: 'nothing set: seven pods in 10m30s',
      yaml: `apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: registry.example/migrate:1
`,
      waits: ['10s', '20s', '40s', '1m20s', '2m40s', '5m20s'],
      ends: 'after 6 retries',
      findings: [],
    },
  ],
});
