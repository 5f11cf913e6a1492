import { describe, expect, it } from 'vitest';
import { analyse } from '../../support/analyse.ts';

describe('retries inside retries', () => {
  const nested = (strategy: string, inner = 'work') => `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: nested-}
spec:
  entrypoint: main
  retryStrategy: ${strategy}
  templates:
    - name: main
      dag: {tasks: [{name: work, template: ${inner}}]}
    - name: work
      container: {image: registry.example/a:1}
`;
  const said = (text: string) =>
    analyse(text)
      .findings.filter(({ code }) => code.endsWith('nested-retries'))
      .map(({ message }) => message);

  it('multiply', () => {
    expect(said(nested('{limit: 2}'))).toEqual([
      'Retries multiply: `main` is retried as a whole too, so `work` can run 9 times (3 × 3). Put retryStrategy on the templates that do the work',
    ]);
  });

  it('have no end without a limit', () => {
    expect(said(nested('{retryPolicy: Always}'))).toEqual([
      'Retries multiply: `main` is retried as a whole too, so `work` can run without end. Put retryStrategy on the templates that do the work',
    ]);
  });

  it('are not counted for a limit of 0, nor round a ring', () => {
    expect(said(nested('{limit: 0}'))).toEqual([]);
    expect(said(nested('{limit: 2}', 'main'))).toEqual([]);
  });

  const guards = [
    "lastRetry.exitCode != '-1'",
    'asInt(lastRetry.exitCode) > 0',
    "lastRetry.exitCode == '137'",
  ];
  it.each(guards)('stay single where the group is kept from them: %s', (guard) => {
    expect(said(nested(`{limit: 3, expression: "${guard}"}`))).toEqual([]);
    expect(said(nested(`{limit: 3, expression: "not (${guard})"}`))).toHaveLength(1);
  });

  it('are counted by what the expression allows', () => {
    expect(said(nested('{limit: 9, expression: "asInt(retries) < 2"}'))).toEqual([
      'Retries multiply: `main` is retried as a whole too, so `work` can run 9 times (3 × 3). Put retryStrategy on the templates that do the work',
    ]);
  });

  it('are found below a template of another object', () => {
    const text = nested('{limit: 3}').replace(
      'template: work',
      'templateRef: {name: lib, template: load}',
    );
    expect(said(text)).toEqual([
      'Retries multiply: `main` is retried as a whole too, so `lib/load` can run 16 times (4 × 4) unless it has a retryStrategy of its own. Put retryStrategy on the templates that do the work',
    ]);
  });

  it.each(['onExit: main', 'hooks: {exit: {template: main}}'])('are found below %s', (handler) => {
    const text = nested('{limit: 2}').replace('entrypoint: main', `entrypoint: work\n  ${handler}`);
    expect(said(text)).toHaveLength(1);
  });

  it('are counted by the default of a parameter', () => {
    const text = nested('{limit: "{{workflow.parameters.n}}"}');
    const given = text.replace(
      'entrypoint: main',
      'entrypoint: main\n  arguments: {parameters: [{name: n, value: "2"}]}',
    );
    expect(said(given)[0]).toContain('(3 × 3)');
    expect(said(text)).toEqual([]);
  });
});
