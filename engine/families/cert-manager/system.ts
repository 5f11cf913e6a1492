import type { Citation } from '../../citation.ts';
import type { System } from '../../environment.ts';

const cert = (source: string, versions = '1.21.1'): Citation => ({
  system: 'cert-manager',
  versions,
  source,
});

/** Where each number and rule of the cert-manager families comes from. */
export const sources = {
  trigger: cert(
    'pkg/controller/certificates/trigger/trigger_controller.go shouldBackoffReissuingOnFailure',
    '1.8 to 1.21.1',
  ),
  jump: cert(
    'pkg/controller/certificates/trigger/trigger_controller.go stopIncreaseBackoff, maxDelay',
    '1.20.0 to 1.20.3',
  ),
  counting: cert(
    'pkg/controller/certificates/issuing/issuing_controller.go failIssueCertificate, issueCertificate',
  ),
  serverSideApply: cert(
    'pkg/controller/certificates/issuing/issuing_controller.go updateOrApplyStatus',
    '1.8 to 1.21.1',
  ),
  defaults: cert('internal/apis/config/controller/v1alpha1/defaults.go', '1.20.0 to 1.21.1'),
  configuration: cert(
    'internal/apis/config/controller/validation/validation.go validateCertificateRequestBackoffConfig',
  ),
  strictFile: cert('pkg/controller/configfile/configfile.go EnableStrict'),
  constants: cert('pkg/apis/certmanager/v1/const.go'),
  webhook: cert(
    'internal/apis/certmanager/validation/certificate.go ValidateDuration',
    '1.16.0 to 1.21.1',
  ),
  historyLimit: cert(
    'internal/apis/certmanager/validation/certificate.go ValidateCertificateSpec; pkg/controller/certificate-shim/helper.go translateAnnotations',
  ),
  renewalWebhook: cert(
    'internal/apis/certmanager/validation/certificate.go validateCertificateRenewal',
  ),
  renewalTime: cert('pkg/util/pki/renewaltime.go desiredRenewalTime', '1.16.3 to 1.21.1'),
  reversed: cert('pkg/util/pki/renewaltime.go RenewBefore', '1.16.0 to 1.16.2'),
  certificateSpec: cert('pkg/apis/certmanager/v1/types_certificate.go CertificateSpec'),
  annotationNames: cert('pkg/apis/certmanager/v1/types.go', '1.2 to 1.21.1'),
  backdating: {
    system: 'cert-manager',
    versions: 'all',
    source: 'https://github.com/cert-manager/cert-manager/issues/1506',
  },
  queues: cert(
    'pkg/controller/util.go DefaultItemBasedRateLimiter, DefaultCertificateRateLimiter, DefaultACMERateLimiter',
  ),
  requests: cert('pkg/controller/certificaterequests/sync.go Sync'),
  selfCheck: cert('pkg/apis/acme/v1/types_issuer.go WaitInsteadOfSelfCheck', '1.21.0 to 1.21.1'),
  orders: cert('pkg/controller/acmeorders/sync.go Sync'),
  challenges: cert('pkg/controller/acmechallenges/sync.go Sync'),
} as const satisfies Record<string, Citation>;

export const certManager: System = {
  id: 'cert-manager',
  title: 'cert-manager',
  assumes: { ...cert('pkg/controller/certificates'), version: '1.21.1' },
};
