import type { Example } from '../../family.ts';

const configuration = (
  settings: string,
): string => `apiVersion: controller.config.cert-manager.io/v1alpha1
kind: ControllerConfiguration
${settings}`;

const minimum = 'certificateRequestMinimumBackoffDuration';
const maximum = 'certificateRequestMaximumBackoffDuration';

/** Run as tests, shown in the reference. */
export const controllerExamples: readonly Example[] = [
  {
    name: 'the defaults',
    yaml: configuration('logging:\n  format: json\n'),
    waits: ['1h', '2h', '4h', '8h', '16h', '32h', '32h'],
    ends: 'never',
    findings: [],
  },
  {
    name: 'shorter waits for short-lived certificates',
    yaml: configuration(`${minimum}: 5m\n${maximum}: 1h\n`),
    waits: ['5m', '10m', '20m', '40m', '1h', '1h'],
    ends: 'never',
    findings: [],
  },
  {
    name: 'a maximum below the minimum is refused',
    yaml: configuration(`${minimum}: 2h\n${maximum}: 1h\n`),
    waits: ['2h', '2h', '2h'],
    ends: 'never',
    findings: ['cert-manager/maximum-below-minimum'],
  },
  {
    name: 'flags of the Deployment win over the file, also with 0',
    yaml: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: cert-manager
spec:
  template:
    spec:
      containers:
        - name: controller
          args:
            - --certificate-request-minimum-backoff-duration=0s
`,
    waits: ['0s', '0s', '0s'],
    ends: 'never',
    findings: ['cert-manager/no-back-off'],
  },
  {
    name: 'values of the Helm chart become the file',
    yaml: `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: cert-manager
spec:
  values:
    config:
      ${minimum}: 10m
      ${maximum}: 1h
`,
    waits: ['10m', '20m', '40m', '1h', '1h'],
    ends: 'never',
    findings: [],
  },
];
