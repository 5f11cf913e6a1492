import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../engine/edits.ts';
import { analyse } from '../../support/analyse.ts';

const workflow = (strategy: string): string => `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: fixes-}
spec:
  templates:
    - name: main
      retryStrategy: ${strategy}
      container: {image: registry.example/a:1}
`;

/** What each fix leaves of the strategy; those that are applied unasked first, with a mark. */
const fixed = (strategy: string): readonly string[] => {
  const text = workflow(strategy);
  return analyse(text)
    .findings.flatMap(({ fixes }) => fixes)
    .map(({ edits, preferred }) => {
      const line = applyEdits(text, edits).split('\n')[6] ?? '';
      return `${preferred ? '! ' : ''}${line.trim().replace('retryStrategy: ', '')}`;
    });
};

describe('a fix', () => {
  it.each<[string, string, readonly string[]]>([
    ['fills an empty limit, and never unasked', '{limit: null}', ['{limit: 5}']],
    [
      'adds a limit only when it is asked to',
      '{backoff: {duration: 10s, maxDuration: 1h}}',
      ['{limit: 5, backoff: {duration: 10s, maxDuration: 1h}}'],
    ],
    [
      'renames unasked where the value fits',
      '{limit: 3, retryOn: Always}',
      ['! {limit: 3, retryPolicy: Always}', '{limit: 3}'],
    ],
    [
      'renames only when it is asked to where the value does not',
      '{limit: 3, retryOn: NetworkError}',
      ['{limit: 3, retryPolicy: NetworkError}', '{limit: 3}'],
    ],
    [
      'writes no quotes that end the text it stands in',
      `{limit: 3, expression: 'lastRetry.status == Error'}`,
      [`! {limit: 3, expression: 'lastRetry.status == "Error"'}`],
    ],
    [
      'keeps other quotes as they are',
      `{limit: 3, expression: "lastRetry.status == Error"}`,
      [`! {limit: 3, expression: "lastRetry.status == 'Error'"}`],
    ],
    [
      'writes the number of seconds of a fraction with its unit',
      '{limit: 3, backoff: {duration: 0.5}}',
      ['{limit: 3, backoff: {duration: "0.5s"}}'],
    ],
    ['makes a map of a bare number', '3', ['! {limit: 3}']],
  ])('%s', (_, strategy, expected) => {
    expect(fixed(strategy)).toEqual(expected);
  });
});
