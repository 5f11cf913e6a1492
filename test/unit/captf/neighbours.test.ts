import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { analyseFile, type FileAnalysis } from '../../../server/src/analysis/file.ts';
import { analyse, contextOf, findingsIn, waitsOf } from '../../support/analyse.ts';

const head = (kind: string, name: string, label: string): string =>
  `apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1
kind: ${kind}
metadata: { name: ${name}, labels: { cluster.x-k8s.io/cluster-name: ${label} } }
`;

const cluster = (jobs: string, name = 'prod', label = 'prod', image = 'a'): string =>
  `${head('TerraformCluster', name, label)}spec:
  source: { image: ${image} }
  defaults: { jobs: ${jobs} }
`;

const machine = (jobs: string, label = 'prod'): string =>
  `${head('TerraformMachine', 'worker', label)}spec:
  source: { image: b }
  jobs: ${jobs}
`;

const stream = (...documents: readonly string[]): string => documents.join('---\n');
const list = (...documents: readonly string[]): string =>
  `apiVersion: v1\nkind: List\nitems:\n${documents.map((one) => one.replace(/^/gm, '    ').replace(/^ {4}/, '  - ').trimEnd()).join('\n')}\n`;

const limit = (file: string) => {
  const { policies } = analyse(file);
  const found = policies.find(
    ({ policy }) => policy.family === 'captf/jobs' && policy.resource.kind === 'TerraformMachine',
  );
  return { found, waits: waitsOf(found, 5) };
};

const doubling = ['1m', '2m', '4m', '8m', '10m'];
const usual = ['1m', '2m', '10m', '10m', '10m'];

describe("a machine's waits", () => {
  const five = cluster('{ failedJobsHistoryLimit: 5 }');
  it.each([
    [
      'follow the defaults of its cluster in another document',
      stream(five, machine('{}')),
      doubling,
    ],
    ['follow a cluster that stands behind it', stream(machine('{}'), five), doubling],
    ['follow them in a List', list(five, machine('{}')), doubling],
    ['follow its own limit first', stream(five, machine('{ failedJobsHistoryLimit: 3 }')), usual],
    ['follow no other cluster', stream(five, machine('{}', 'other')), usual],
    [
      'follow none where two could be meant',
      stream(five, cluster('{ failedJobsHistoryLimit: 1 }', 'twin'), machine('{}')),
      usual,
    ],
    [
      'follow none that the API server refuses',
      stream(cluster('{ failedJobsHistoryLimit: 101 }'), machine('{}')),
      usual,
    ],
    [
      'are not known where the default is a template',
      stream(cluster('{ failedJobsHistoryLimit: "{{ .Values.limit }}" }'), machine('{}')),
      [],
    ],
  ])('%s', (_, file, waits) => {
    expect(limit(file).waits).toEqual(waits);
  });

  it('say who gives the limit', () => {
    const { found } = limit(stream(five, machine('{}')));
    if (found === undefined) throw new Error('no policy');
    expect(explain(found, 'failedJobsHistoryLimit').field?.value).toBe(
      '5, from `spec.defaults.jobs` of TerraformCluster prod',
    );
  });
});

describe('an edit of a cluster', () => {
  const context = contextOf();
  const codes = (file: FileAnalysis) => findingsIn(file).map(({ code }) => code);
  const waiting = machine('{ lockTimeoutSeconds: 1200 }');
  const before = () => {
    const file = analyseFile(
      stream(cluster('{ activeDeadlineSeconds: 3600 }'), waiting, cluster('{}', 'x', 'x')),
      context,
    );
    expect(codes(file)).toEqual([]);
    return file;
  };
  const after = (file: FileAnalysis, first: string) =>
    analyseFile(stream(first, waiting, cluster('{}', 'x', 'x')), context, file);

  it('renews what rests on its defaults', () => {
    const first = before();
    const second = after(first, cluster('{ activeDeadlineSeconds: 900 }'));
    expect(codes(second)).toEqual(['captf/merged-lock-fills-deadline']);
    expect(codes(after(second, cluster('{ activeDeadlineSeconds: 3600 }')))).toEqual([]);
  });

  it('renews it at the next look where nobody looked in between', () => {
    const second = after(before(), cluster('{ activeDeadlineSeconds: 3601 }'));
    const third = after(second, cluster('{ activeDeadlineSeconds: 900 }'));
    expect(codes(third)).toEqual(['captf/merged-lock-fills-deadline']);
  });

  it('keeps all other results', () => {
    const first = before();
    const second = after(first, cluster('{ activeDeadlineSeconds: 3600 }', 'prod', 'prod', 'c'));
    expect(second.documents.map((one) => one.isAnalysed())).toEqual([false, true, true]);
    expect(second.documents[1]?.analyse()).toBe(first.documents[1]?.analyse());
    const third = after(second, cluster('{ activeDeadlineSeconds: 900 }'));
    expect(third.documents.map((one) => one.isAnalysed())).toEqual([false, false, true]);
  });
});

it('parses no neighbour for documents that look at none', () => {
  let looks = 0;
  const { registry, env } = contextOf();
  const file = analyseFile(stream(cluster('{}'), cluster('{}', 'b', 'b')), {
    env,
    registry: {
      ...registry,
      isLookedAt: (text) => {
        looks += 1;
        return registry.isLookedAt(text);
      },
    },
  });
  for (const one of file.documents) one.analyse();
  expect(looks).toBe(0);
});
