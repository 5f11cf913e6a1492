import { describe, expect, it } from 'vitest';
import { sentenceOf } from '../../../engine/explain.ts';
import { analyse, type Given } from '../../support/analyse.ts';

const sentence = (strategy: string, given?: Given): string => {
  const [policy] = analyse(
    `apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: set}
spec:
  templates:
    - name: main
      containerSet: {retryStrategy: ${strategy}, containers: [{name: a, image: a}]}
`,
    given,
  ).policies;
  return policy === undefined ? 'no policy' : sentenceOf(policy);
};

describe('the runs of a container set', () => {
  const noRun = 'No run: the command never starts, and the container exits as if it had succeeded';
  const rows: readonly (readonly [string, string])[] = [
    ['{retries: 3, duration: 5s}', '2 retries (3 attempts): 5s each; 10s of waiting in all'],
    ['{retries: 1}', 'No retry: the container fails at the first failure'],
    ['{retries: 0}', noRun],
    ['{retries: -1}', noRun],
    ['{retries: many}', noRun],
    [
      '{retries: 2, duration: -5s}',
      'No run: `duration` is negative, and the container fails before its command starts',
    ],
  ];
  it.each(rows)('%s', (strategy, expected) => {
    expect(sentence(strategy)).toBe(expected);
  });

  it('are one before 3.3', () => {
    const old = { versions: { 'argo-workflows': '3.2.11' } };
    for (const strategy of ['{retries: 3, duration: 5s}', '{retries: 0}']) {
      expect(sentence(strategy, old)).toBe('No retry: the container fails at the first failure');
    }
  });
});

describe('a backoff without a wait', () => {
  it.each(['{}', '{duration: }', '{duration: ""}'])('%s ends the node in Error', (backoff) => {
    const [policy] = analyse(`apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: none}
spec:
  templates:
    - name: main
      retryStrategy: {limit: 2, backoff: ${backoff}}
      container: {image: a}
`).policies;
    expect(policy === undefined ? '' : sentenceOf(policy)).toBe(
      'No retry: the node ends in Error at the first failure',
    );
  });
});
