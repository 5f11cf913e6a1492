import type { ResourceType } from '../../live.ts';

const own = (kind: string, plural: string): ResourceType => ({
  group: 'cert-manager.io',
  version: 'v1',
  kind,
  plural,
});
const acme = (kind: string, plural: string): ResourceType => ({
  group: 'acme.cert-manager.io',
  version: 'v1',
  kind,
  plural,
});

export const certificates = own('Certificate', 'certificates');
export const certificateRequests = own('CertificateRequest', 'certificaterequests');
export const orders = acme('Order', 'orders');
export const challenges = acme('Challenge', 'challenges');
