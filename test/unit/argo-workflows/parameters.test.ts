import { describe, expect, it } from 'vitest';
import { analyse, endOf } from '../../support/analyse.ts';

describe('a value from a parameter', () => {
  const text = (tries: string, call: string) => `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: tags-}
spec:
  entrypoint: main
  arguments: {parameters: [{name: tries, value: "${tries}"}]}
  templates:
    - name: main
      steps:
        - - name: load
            template: load
            arguments: {parameters: [{name: n, value: "${call}"}]}
    - name: load
      inputs: {parameters: [{name: n}]}
      retryStrategy:
        limit: "{{inputs.parameters.n}}"
        backoff: {duration: "{{workflow.parameters.tries}}0"}
      container: {image: registry.example/a:1}
`;
  const rows: readonly (readonly [string, string, string])[] = [
    ['3', '2', 'after 2 retries'],
    ['3', '{{workflow.parameters.tries}}', 'after 3 retries'],
    ['3', '{{item}}', 'no schedule'],
    ['many', '2', 'no schedule'],
    ['3', '{{inputs.parameters.n}}', 'no schedule'],
  ];
  it.each(rows)('tries %s, n %s: %s', (tries, call, ends) => {
    const { policies, failures } = analyse(text(tries, call));
    expect(failures).toEqual([]);
    expect(endOf(policies[0])).toBe(ends);
  });

  const template = (name: string, inputs: string) => `    - name: ${name}
      inputs: {parameters: [${inputs}]}
      retryStrategy: {limit: "{{inputs.parameters.x}}"}
      container: {image: registry.example/a:1}
`;
  const workflow = (main: string, templates: readonly string[], spec = '') =>
    `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: inputs-}
spec:
  entrypoint: main${spec}
  templates:
    - name: main
      ${main}
${templates.join('')}`;
  const ends = (manifest: string) => analyse(manifest).policies.map(endOf);
  const call = (argument = '') =>
    `steps: [[{name: s, template: load${argument === '' ? '' : `, arguments: {parameters: [{name: x, value: "${argument}"}]}`}}]]`;

  it('is not taken from a template of another name', () => {
    const other = template('other', '{name: x, value: "4"}');
    expect(ends(workflow(call(), [template('load', '{name: x}'), other]))[0]).toBe('no schedule');
    expect(ends(workflow(call(), [template('load', '{name: x, value: "7"}'), other]))[0]).toBe(
      'after 7 retries',
    );
    expect(ends(workflow(call(), [template('load', ''), other]))[0]).toBe('no schedule');
  });

  it('is what the calls give, before its own', () => {
    const load = template('load', '{name: x, value: "7"}');
    expect(ends(workflow(call('2'), [load]))).toEqual(['after 2 retries']);
    expect(ends(workflow(call('{{item}}'), [load]))).toEqual(['no schedule']);
    const twice = call('2').replace(']]', ', {name: t, template: load}]]');
    expect(ends(workflow(twice, [load]))).toEqual(['no schedule']);
  });

  it('reaches the entrypoint from the workflow, and a template from its caller', () => {
    const main = `inputs: {parameters: [{name: y}]}
      ${call('{{inputs.parameters.y}}')}`;
    const spec = '\n  arguments: {parameters: [{name: y, value: "5"}]}';
    expect(ends(workflow(main, [template('load', '{name: x}')], spec))).toEqual([
      'after 5 retries',
    ]);
  });

  it('reaches a template that stands in its call', () => {
    const main = `steps: [[{name: s, arguments: {parameters: [{name: x, value: "3"}]}, inline: {inputs: {parameters: [{name: x}]}, retryStrategy: {limit: "{{inputs.parameters.x}}"}, container: {image: a}}}]]`;
    expect(ends(workflow(main, []))).toEqual(['after 3 retries']);
  });
});
