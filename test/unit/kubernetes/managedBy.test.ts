import { expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';

const job = (manager: string, extra = '') => `apiVersion: batch/v1
kind: Job
metadata:
  name: elsewhere
spec:
  managedBy: ${manager}
  backoffLimit: 8
  activeDeadlineSeconds: 5
${extra}  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: registry.example/work:1
`;

const codesIn = (text: string): readonly string[] => analyse(text).findings.map(({ code }) => code);

it('says nothing of what the built-in controller would do with a Job that another one runs', () => {
  expect(codesIn(job('kubernetes.io/job-controller'))).toEqual([
    'kubernetes/job-deadline-cuts-retries',
  ]);
  expect(codesIn(job('kueue.x-k8s.io/multikueue'))).toEqual([]);
});

it('says what the API server refuses all the same', () => {
  expect(codesIn(job('kueue.x-k8s.io/multikueue', '  maxFailedIndexes: 1\n'))).toContain(
    'kubernetes/job-needs-indexed',
  );
});
