import { describe, expect, it } from 'vitest';
import {
  describeMatch,
  readFailurePolicy,
  verdictOnCode,
  verdictOnDrain,
} from '../../../engine/families/kubernetes/failurePolicy.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { analyse } from '../../support/analyse.ts';
import { explain } from '../../../engine/explain.ts';

const rules = (value: unknown) => readFailurePolicy(jsonTree({ rules: value }).root);

const policy = rules([
  { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
  { action: 'FailJob', onExitCodes: { operator: 'In', values: [42, 43] } },
  { action: 'Count', onExitCodes: { operator: 'NotIn', values: [1] } },
]);

describe('what happens by exit code', () => {
  it.each([
    [42, { action: 'FailJob', rule: 1 }],
    [1, undefined],
    [137, { action: 'Count', rule: 2 }],
    [0, undefined],
  ])('%d', (code, verdict) => {
    expect(verdictOnCode(policy, code)).toEqual(verdict);
  });

  it('takes a drain for what the first matching rule says', () => {
    expect(verdictOnDrain(policy, 137)).toEqual({ action: 'Ignore', rule: 0 });
    expect(verdictOnDrain(policy.slice(1), 137)).toEqual({ action: 'Count', rule: 1 });
    expect(verdictOnDrain([], 143)).toBeUndefined();
  });

  it('never matches an operator that does not exist', () => {
    const odd = rules([{ action: 'FailJob', onExitCodes: { operator: 'Is', values: [1] } }]);
    expect(verdictOnCode(odd, 1)).toBeUndefined();
  });
});

describe('a rule in words', () => {
  it.each([
    [{ onExitCodes: { operator: 'In', values: [42] } }, 'exit code 42'],
    [{ onExitCodes: { operator: 'In', values: [1, 2, 3] } }, 'exit code 1, 2 or 3'],
    [
      { onExitCodes: { operator: 'NotIn', values: [1, 2], containerName: 'app' } },
      'an exit code other than 1 and 2 of container app',
    ],
    [{ onPodConditions: [{ type: 'DisruptionTarget' }] }, 'condition DisruptionTarget'],
    [{ onPodConditions: [{ type: 'Ready', status: 'False' }] }, 'condition Ready False'],
    [{ onExitCodes: { operator: 'In', values: [] } }, undefined],
    [{}, undefined],
  ])('%j', (rule, words) => {
    expect(rules([rule]).map(describeMatch)).toEqual([words]);
  });
});

it('tells in the hover what each rule, and a drain, comes to', () => {
  const { policies } = analyse(`apiVersion: batch/v1
kind: Job
metadata:
  name: careful
spec:
  podFailurePolicy:
    rules:
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
      - action: FailJob
        onExitCodes:
          operator: In
          values: [42]
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: registry.example/work:1
`);
  const job = policies.find(({ family }) => family.id === 'kubernetes/job');
  if (job === undefined) throw new Error('no Job');
  const { notes } = explain(job, 'podFailurePolicy');
  expect(notes).toContain(
    'The first rule that matches decides. rule 0: condition DisruptionTarget, the pod is replaced and does not count against the limit; rule 1: exit code 42, the Job fails at once; anything else counts against the limit',
  );
  expect(notes).toContain(
    'A drained or preempted pod: rule 0, the pod is replaced and does not count against the limit',
  );
  expect(notes).toContain(
    'Ignored failures still lengthen the wait: it doubles with every failed pod, counted or not',
  );
});
