import { describe, expect, it } from 'vitest';
import { analyse, endOf, waitsOf, type Given } from '../../support/analyse.ts';

/** A template's strategy, in one line. */
const template = (strategy: string, body = 'container: {image: a}'): string =>
  `apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: allowance}
spec:
  entrypoint: main
  templates:
    - name: main
      retryStrategy: ${strategy}
      ${body}
`;

const old: Given = { versions: { 'argo-workflows': '3.4.0' } };

describe('an expression that counts', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['limit: 10, retryPolicy: Always, expression: "asInt(retries) < 3"', 'after 3 retries'],
    ['limit: 2, retryPolicy: Always, expression: "asInt(retries) < 3"', 'after 2 retries'],
    ['retryPolicy: Always, expression: "int(retries) <= 4"', 'after 5 retries'],
    ["limit: 10, expression: \"retries in ['0', '1']\"", 'after 2 retries'],
    ['limit: 10, expression: "not (retries == \'2\')"', 'after 2 retries'],
    ['limit: 10, expression: "asInt(retries) * 10 < 35"', 'after 4 retries'],
    [
      'limit: 10, expression: "asInt(retries) < 3 && lastRetry.exitCode != \'2\'"',
      'after 3 retries',
    ],
    // Open: an exit code may let any of them start.
    [
      'limit: 10, expression: "asInt(retries) < 3 || lastRetry.exitCode != \'2\'"',
      'after 10 retries',
    ],
    ['limit: 10, expression: "asInt(retries) < {{inputs.parameters.n}}"', 'after 10 retries'],
  ];
  it.each(rows)('%s ends %s', (strategy, ends) => {
    expect(endOf(analyse(template(`{${strategy}}`)).policies[0])).toBe(ends);
  });

  it('keeps the waits of the retries that start', () => {
    const [policy] = analyse(
      template(
        '{limit: 10, retryPolicy: Always, expression: "asInt(retries) < 3", backoff: {duration: 10s, factor: 2}}',
      ),
    ).policies;
    expect(waitsOf(policy, 12)).toEqual(['10s', '20s', '40s']);
    expect(policy?.schedule?.stops.map((stop) => stop.kind)).toEqual(['retries', 'retries']);
  });

  it('says that it may refuse one before', () => {
    const [policy] = analyse(
      template('{limit: 10, expression: "asInt(retries) < 3 && lastRetry.exitCode != \'2\'"}'),
    ).policies;
    expect(policy?.schedule?.stops.map((stop) => stop.kind)).toContain('condition');
  });
});

describe('a strategy that lets no retry start', () => {
  const always = 'limit: 3, retryPolicy: Always, expression: ';
  const rows: readonly (readonly [strategy: string, then: string, given: Given])[] = [
    [`${always}"lastRetry.exitCode > 1"`, 'the node ends in Error', {}],
    [`${always}"lastRetry.duration > 60"`, 'the node ends in Error', {}],
    [`${always}"lastRetry.exitCode + 1 > 2"`, 'the node ends in Error', {}],
    [`${always}"asInt(lastRetry.exitCode) in ['1']"`, 'the node ends in Error', {}],
    [`${always}"asInt('12.5') > 1"`, 'the node ends in Error', {}],
    [`${always}"int(lastRetry.status) == 1"`, 'the node ends in Error', {}],
    [`${always}"!lastRetry.exitCode"`, 'the node ends in Error', {}],
    [`${always}"lastRetry.exitCode == 2 && retries == '1'"`, 'the node fails', {}],
    [
      'limit: 2, retryPolicy: OnFailure, expression: "lastRetry.status == \'Error\'"',
      'the node fails',
      {},
    ],
    ['limit: 2, expression: "lastRetry.status == \'Error\'"', 'the node fails', old],
    [
      'limit: 2, retryPolicy: OnError, expression: "lastRetry.status == \'Failed\'"',
      'the node fails',
      {},
    ],
    ['limit: 2, retryPolicy: Never', 'the node ends in Error', {}],
    ['limit: 2, retryPolicy: onfailure', 'the node ends in Error', {}],
  ];
  it.each(rows)('%s: %s', (strategy, then, given) => {
    const [policy] = analyse(template(`{${strategy}}`), given).policies;
    expect(endOf(policy)).toBe('after 0 retries');
    expect(policy?.schedule?.stops.at(0)?.then).toBe(then);
  });

  it('has no exit code where no container runs', () => {
    const strategy = '{limit: 2, expression: "lastRetry.exitCode != \'-1\'"}';
    const ends = (body?: string) => endOf(analyse(template(strategy, body)).policies[0]);
    expect(ends('steps: [[{name: a, template: leaf}]]')).toBe('after 0 retries');
    expect(ends()).toBe('after 2 retries');
  });
});

describe('a policy beside an expression', () => {
  const said = (strategy: string, given?: Given) =>
    analyse(template(`{limit: 2, ${strategy}}`), given)
      .findings.filter(({ code }) => code === 'argo-workflows/policy-refuses-expression')
      .map(({ message }) => message.split(':')[0]);
  const errorsToo = [
    "lastRetry.exitCode == '3'",
    "lastRetry.exitCode == '137'",
    "lastRetry.exitCode != '0'",
    'asInt(lastRetry.exitCode) in [1, 2]',
    "lastRetry.message contains 'x'",
    'asInt(retries) < 2',
  ];

  it.each(errorsToo)('refuses only a part: %s', (part) => {
    const expression = `expression: "lastRetry.status == 'Error' || ${part}"`;
    expect(said(`retryPolicy: OnFailure, ${expression}`)).toEqual([
      'Runs that end Error are not retried',
    ]);
  });

  it('refuses only a part by OnError, and where none is written', () => {
    const expression = `expression: "lastRetry.status == 'Failed' || lastRetry.exitCode == '-1'"`;
    expect(said(`retryPolicy: OnError, ${expression}`)).toEqual([
      'Runs that end Failed are not retried',
    ]);
    const errors = `expression: "lastRetry.status == 'Error' || lastRetry.exitCode == '3'"`;
    expect(said(errors, old)).toEqual(['Runs that end Error are not retried']);
    expect(said(errors)).toEqual([]);
  });

  it('refuses all that the expression can accept', () => {
    for (const condition of [
      "lastRetry.status == 'Error'",
      "lastRetry.status == 'Error' && lastRetry.exitCode == '1'",
    ]) {
      expect(said(`retryPolicy: OnFailure, expression: "${condition}"`)).toEqual([
        'Nothing is ever retried',
      ]);
    }
  });

  it('leaves alone what it covers, and what never retries anyway', () => {
    for (const condition of [
      "lastRetry.status == 'Failed' && lastRetry.exitCode == '1'",
      "lastRetry.status == 'Failed' || lastRetry.exitCode == '1'",
      "lastRetry.status == 'Running'",
      'lastRetry.status > 1',
    ]) {
      expect(said(`retryPolicy: OnFailure, expression: "${condition}"`)).toEqual([]);
    }
  });
});
