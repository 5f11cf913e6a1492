import type { Example } from '../../family.ts';

/** A workflow of one container template with this strategy; the block's lines as they stand below the key. */
const workflow = (name: string, strategy: readonly string[]): string =>
  [
    'apiVersion: argoproj.io/v1alpha1',
    'kind: Workflow',
    'metadata:',
    `  generateName: ${name}-`,
    'spec:',
    '  entrypoint: main',
    '  templates:',
    '    - name: main',
    '      retryStrategy:',
    ...strategy.map((line) => `        ${line}`),
    '      container:',
    `        image: registry.example/${name}:1`,
    '',
  ].join('\n');

/** Whole manifests, run as tests and shown in the reference. */
export const strategyExamples: readonly Example[] = [
  {
    name: 'waits double until the limit is used up',
    yaml: workflow('import', ['limit: 5', 'backoff:', '  duration: 10s', '  factor: 2']),
    waits: ['10s', '20s', '40s', '1m20s', '2m40s'],
    ends: 'after 5 retries',
    findings: [],
  },
  {
    name: 'waits grow up to a cap',
    yaml: workflow('export', [
      'limit: 10',
      'backoff:',
      '  duration: 1s',
      '  factor: 2',
      '  cap: 5s',
    ]),
    waits: ['1s', '2s', '4s', '5s', '5s', '5s', '5s', '5s', '5s', '5s'],
    ends: 'after 10 retries',
    findings: [],
  },
  {
    name: 'without a factor every wait is the same',
    yaml: workflow('nightly', ['limit: "3"', 'backoff:', '  duration: 30m']),
    waits: ['30m', '30m', '30m'],
    ends: 'after 3 retries',
    findings: [],
  },
  {
    name: 'maxDuration counts from the start of the first run',
    yaml: workflow('report', [
      'limit: 5',
      'backoff:',
      '  duration: 5m',
      '  factor: 2',
      '  maxDuration: 30m',
    ]),
    waits: ['5m', '10m'],
    ends: 'after 2 retries, by maxDuration',
    findings: ['argo-workflows/max-duration-cuts-retries'],
  },
  {
    name: 'without a limit nothing is waited for',
    yaml: workflow('poll', ['backoff:', '  duration: 15s', '  factor: 2']),
    waits: ['0s', '0s', '0s'],
    ends: 'never',
    findings: ['argo-workflows/backoff-needs-limit', 'argo-workflows/never-stops'],
  },
  {
    name: 'without a limit the computed waits still end the retries',
    yaml: workflow('poll', ['backoff:', '  duration: 15s', '  factor: 2', '  maxDuration: 5m']),
    waits: ['0s', '0s', '0s', '0s', '0s'],
    ends: 'after 5 retries, by maxDuration',
    findings: ['argo-workflows/backoff-needs-limit'],
  },
  {
    name: 'a wait beyond 64 bits is cut off',
    yaml: workflow('forever', ['limit: 100', 'backoff:', '  duration: 5s', '  factor: 2']),
    waits: ['5s', '10s', '20s', '40s'],
    ends: 'after 100 retries',
    findings: ['argo-workflows/wait-overflows'],
  },
  {
    name: 'older releases let it wrap around',
    yaml: workflow('forever', ['limit: 64', 'backoff:', '  duration: 1h', '  factor: 1024']),
    versions: { 'argo-workflows': '3.6.17' },
    waits: ['1h', '1024h', '120 years', '0s'],
    ends: 'after 64 retries',
    findings: ['argo-workflows/wait-overflows'],
  },
  {
    name: 'a strategy for all templates is taken over setting by setting',
    yaml: `apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata:
  name: hourly
spec:
  schedules: ["0 * * * *"]
  workflowSpec:
    entrypoint: main
    templateDefaults:
      retryStrategy:
        backoff:
          duration: 10s
          factor: 3
    templates:
      - name: main
        retryStrategy:
          limit: 3
        container:
          image: registry.example/hourly:1
`,
    anchor: 'spec.workflowSpec.templates[0].retryStrategy',
    waits: ['10s', '30s', '1m30s'],
    ends: 'after 3 retries',
    findings: [],
  },
  {
    name: "the controller's defaults for every workflow",
    yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: workflow-controller-configmap
data:
  workflowDefaults: |
    spec:
      retryStrategy:
        limit: 2
        backoff:
          duration: 30s
`,
    anchor: 'data.workflowDefaults.spec.retryStrategy',
    waits: ['30s', '30s'],
    ends: 'after 2 retries',
    findings: [],
  },
];
