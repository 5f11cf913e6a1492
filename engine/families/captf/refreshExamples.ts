import type { Example } from '../../family.ts';

const head = (kind: string) => `apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1
kind: ${kind}
metadata:
  name: prod
spec:
  source:
    image: registry.example/modules/role:1
`;

export const refreshExamples: readonly Example[] = [
  {
    name: 'a machine: 30s, doubling up to 5m',
    yaml: `${head('TerraformMachine')}  drift:
    intervalSeconds: 3600
`,
    anchor: 'spec.drift',
    waits: ['30s..33s', '1m..1m6s', '2m..2m12s', '4m..4m24s', '5m..5m30s', '5m..5m30s'],
    ends: 'the health no longer reads pending',
    findings: [],
  },
  {
    name: 'a pool: every 30s, or more often where its members are looked up more often',
    yaml: `${head('TerraformMachinePool')}  membershipRefreshIntervalSeconds: 20
`,
    anchor: 'spec.membershipRefreshIntervalSeconds',
    waits: ['20s..22s', '20s..22s', '20s..22s'],
    ends: 'the health no longer reads pending',
    findings: [],
  },
  {
    name: 'health checks of a provisioned machine come before the longer waits',
    yaml: `${head('TerraformMachine')}  remediation:
    annotateMachine: true
    healthCheckIntervalSeconds: 60
`,
    anchor: 'spec.remediation',
    waits: ['30s..33s', '1m..1m6s', '1m..2m12s', '1m..4m24s', '1m..5m30s'],
    ends: 'the health no longer reads pending',
    findings: [],
  },
];
