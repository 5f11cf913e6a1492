import type { Example } from '../../family.ts';

const head = (kind: string) => `apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1
kind: ${kind}
metadata:
  name: prod
`;

export const jobsExamples: readonly Example[] = [
  {
    name: 'nothing set: 1m, 2m, then 10m without end',
    yaml: `${head('TerraformCluster')}spec:
  source:
    image: registry.example/modules/cluster:1
`,
    waits: ['1m', '2m', '10m', '10m', '10m', '10m', '10m', '10m'],
    ends: 'never',
    findings: [],
  },
  {
    name: 'a limit of 5 lets the waits double up to 10m',
    yaml: `${head('TerraformMachine')}spec:
  source:
    image: registry.example/modules/machine:1
  jobs:
    failedJobsHistoryLimit: 5
    activeDeadlineSeconds: 5400
`,
    waits: ['1m', '2m', '4m', '8m', '10m', '10m'],
    ends: 'never',
    findings: [],
  },
  {
    name: 'fewer kept Jobs, slower retries',
    yaml: `${head('TerraformCluster')}spec:
  source:
    image: registry.example/modules/cluster:1
  jobs:
    failedJobsHistoryLimit: 0
`,
    waits: ['10m', '10m', '10m'],
    ends: 'never',
    findings: ['captf/first-retry-waits-longest'],
  },
  {
    name: "a Kubernetes Job's backoffLimit limits nothing here",
    yaml: `${head('TerraformMachineTemplate')}spec:
  template:
    spec:
      source:
        image: registry.example/modules/machine:1
      jobs:
        backoffLimit: 4
`,
    waits: ['1m', '2m', '10m'],
    ends: 'never',
    findings: ['captf/controller-owns-retries'],
  },
  {
    name: 'defaults are for machines and pools, the cluster has its own',
    yaml: `${head('TerraformCluster')}spec:
  source:
    image: registry.example/modules/cluster:1
  defaults:
    jobs:
      failedJobsHistoryLimit: 5
`,
    anchor: 'spec.jobs',
    waits: ['1m', '2m', '10m', '10m'],
    ends: 'never',
    findings: [],
  },
];
