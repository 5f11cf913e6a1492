import type { Example } from '../../family.ts';

const certificate = (spec: string): string => `apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: web
spec:
  secretName: web-tls
${spec}  dnsNames: [shop.example.test]
  issuerRef:
    kind: ClusterIssuer
    name: letsencrypt
`;

const default8 = ['1h', '2h', '4h', '8h', '16h', '32h', '32h', '32h'];

/** Run as tests, shown in the reference. */
export const issuanceExamples: readonly Example[] = [
  {
    name: 'every Certificate has it, without a word in the manifest',
    yaml: certificate(''),
    waits: default8,
    ends: 'never',
    findings: [],
  },
  {
    name: "the bounds are the controller's, here from the settings",
    yaml: certificate(''),
    controllers: {
      'cert-manager/certificateRequestMinimumBackoffDuration': '5m',
      'cert-manager/certificateRequestMaximumBackoffDuration': '1h',
    },
    waits: ['5m', '10m', '20m', '40m', '1h', '1h'],
    ends: 'never',
    findings: [],
  },
  {
    name: '1.20 jumps to 32h at the seventh failure',
    yaml: certificate(''),
    versions: { 'cert-manager': '1.20.1' },
    controllers: { 'cert-manager/certificateRequestMinimumBackoffDuration': '5m' },
    waits: ['5m', '10m', '20m', '40m', '1h20m', '2h40m', '32h', '32h'],
    ends: 'never',
    findings: [],
  },
  {
    name: 'up to 1.7 each wait is an hour',
    yaml: certificate(''),
    versions: { 'cert-manager': '1.7.3' },
    waits: ['1h', '1h', '1h'],
    ends: 'never',
    findings: [],
  },
  {
    name: 'a short-lived certificate expires before its first retry',
    yaml: certificate('  duration: 1h\n'),
    waits: default8,
    ends: 'never',
    findings: ['cert-manager/expires-before-retry'],
  },
  {
    name: 'annotations of an Ingress stand for the Certificate that is made for it',
    yaml: `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: site
  annotations:
    cert-manager.io/cluster-issuer: letsencrypt
    cert-manager.io/duration: 2160h
    cert-manager.io/renew-before: 360h
spec:
  tls:
    - hosts: [site.example.test]
      secretName: site-tls
`,
    waits: default8,
    ends: 'never',
    findings: [],
  },
];
