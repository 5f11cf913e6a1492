import { expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { analyse } from '../../support/analyse.ts';

const job = (rule: string, extra = '') => `apiVersion: batch/v1
kind: Job
metadata:
  name: work
spec:
  backoffLimit: 2
${extra}  podFailurePolicy:
    rules:
      - ${rule}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: registry.example/work:1
`;

const explained = (text: string) => {
  const policy = analyse(text).policies.find(({ family }) => family.id === 'kubernetes/job');
  if (policy === undefined) throw new Error('no Job');
  return explain(policy, 'backoffLimit');
};
const messages = (text: string) => analyse(text).findings.map(({ message }) => message);

const ignoring = '{ action: Ignore, onExitCodes: { operator: NotIn, values: [3] } }';

it('has no limit but for the exit codes that count', () => {
  const { sentence, field } = explained(job(ignoring));
  expect(sentence).toBe(
    'Retries until 3 pods have failed with exit code 3: 10s, 20s, 40s, 1m20s … 10m from retry 7',
  );
  expect(field?.effect).toBe(
    'The Job fails when 3 pods have failed with exit code 3; other exit codes do not count',
  );
  expect(messages(job(ignoring))).toEqual([
    'Pods that fail are replaced without end: this rule ignores every exit code but 3, so no other failure counts against `backoffLimit`. Name the codes to ignore with `In`, or set `activeDeadlineSeconds`',
  ]);
});

it('does not compare a deadline with a limit that nearly nothing counts against', () => {
  expect(messages(job(ignoring, '  activeDeadlineSeconds: 25\n'))).toEqual([]);
});

it('says which failures are retried at all', () => {
  expect(
    explained(job('{ action: FailJob, onExitCodes: { operator: NotIn, values: [255] } }')).sentence,
  ).toBe(
    'Any exit code but 255 fails the Job at once; after exit code 255: 2 retries (3 attempts): 10s, 20s; 30s of waiting in all',
  );
});

it('keeps the limit where a rule names the codes it ignores', () => {
  expect(
    explained(job('{ action: Ignore, onExitCodes: { operator: In, values: [1, 2] } }')).sentence,
  ).toContain('2 retries (3 attempts)');
});

it.each([
  ['1.36.3', 'Retries without end: 0s, 10s, 20s, 40s … 5m from retry 7'],
  ['1.34.2', '4 retries (5 attempts): 10s, 20s, 40s, 1m20s; 2m30s of waiting in all'],
])('counts no container that its own policy restarts in the pod: %s', (kubernetes, sentence) => {
  const text = `apiVersion: batch/v1
kind: Job
metadata:
  name: work
spec:
  backoffLimit: 4
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: registry.example/work:1
          restartPolicy: OnFailure
`;
  const { policies } = analyse(text, { versions: { kubernetes } });
  const policy = policies.find(({ family }) => family.id === 'kubernetes/job');
  expect(policy === undefined ? '' : explain(policy).sentence).toBe(sentence);
});
