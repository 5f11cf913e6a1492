import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { analyse } from '../../support/analyse.ts';
import { findingLines } from '../../support/fixtures.ts';

const lines = (text: string, given = {}) => findingLines(text, analyse(text, given).findings);

const certificate = (spec: string, status = '') => `apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: web
spec:
  secretName: web-tls
${spec}  issuerRef:
    name: ca
${status}`;

describe('findings at the first column and in lists', () => {
  it('refuses a maximum below the minimum', () => {
    const text = `apiVersion: controller.config.cert-manager.io/v1alpha1
kind: ControllerConfiguration
certificateRequestMinimumBackoffDuration: 2h
certificateRequestMaximumBackoffDuration: 1h
`;
    expect(lines(text)).toEqual([
      '4:1-41 error cert-manager/maximum-below-minimum The controller does not start: the maximum of 1h is below the minimum of 2h. Write at least 2h as the maximum',
    ]);
  });

  it('looks into a List', () => {
    const text = `apiVersion: v1
kind: List
items:
  - apiVersion: cert-manager.io/v1
    kind: Certificate
    metadata:
      name: two
    spec:
      secretName: two
      duration: 1d
      issuerRef:
        name: ca
`;
    expect(lines(text)).toEqual([
      '10:17-19 error policy/bad-duration duration: `1d` cannot be read: `d` is not a unit: Go durations know ns, us, ms, s, m and h; write 24h',
    ]);
  });
});

describe('what the explanation says', () => {
  const notes = (text: string, field?: string, given = {}) => {
    const [policy] = analyse(text, given).policies;
    if (policy === undefined) throw new Error('no policy');
    return explain(policy, field);
  };

  it('names the bounds that it assumes', () => {
    expect(notes(certificate('')).notes).toContain(
      "These waits assume a minimum of 1h (the default) and a maximum of 32h (the default). The controller's flags or configuration (`certificateRequestMinimumBackoffDuration`) can say otherwise, this resource has no setting for them",
    );
    const controllers = { 'cert-manager/certificateRequestMinimumBackoffDuration': '5m' };
    expect(notes(certificate(''), undefined, { controllers }).notes[0]).toContain(
      'a minimum of 5m (as set for the controller) and a maximum of 32h (the default)',
    );
    expect(
      notes(certificate(''), undefined, { versions: { 'cert-manager': '1.19.0' } }).notes[0],
    ).toBe(
      'cert-manager 1.19.0 has 1h and 32h built in: neither this resource nor a flag changes them',
    );
  });

  it('counts the attempts before expiry', () => {
    const { field } = notes(certificate('  duration: 24h\n'), 'duration');
    expect(field?.effect).toBe(
      'With a lifetime of 24h the renewal starts 8h before expiry: 4 attempts fit if each fails at once, at 0s, 1h, 3h and 7h',
    );
  });

  it('renews ten years at 50 percent after 43800 hours', () => {
    const spec = '  duration: 87600h\n  renewBeforePercentage: 50\n';
    expect(lines(certificate(spec))).toEqual([]);
    expect(notes(certificate(spec), 'renewBeforePercentage').field?.effect).toContain(
      'the renewal starts 43800h before expiry',
    );
  });

  it('computes the next issuance from a status in the manifest', () => {
    const status = `status:
  failedIssuanceAttempts: 4
  lastFailureTime: "2026-01-10T08:00:00Z"
`;
    expect(notes(certificate('', status), 'lastFailureTime').field?.effect).toBe(
      'The next issuance starts 8h after the last failure, at 2026-01-10T16:00:00Z; should it fail too, the wait is 16h',
    );
  });

  it('has no wait where the controller is set to none', () => {
    const controllers = { 'cert-manager/certificateRequestMinimumBackoffDuration': '0s' };
    expect(notes(certificate(''), undefined, { controllers }).notes).toContain(
      'With a minimum of 0 there is no wait at all: every failure is tried again at once',
    );
  });
});

describe('waits that outgrow the time before expiry', () => {
  const text = certificate('  duration: 60h\n  renewBefore: 10h\n');

  it.each([
    ['1.21.1', 1],
    ['1.7.3', 0],
  ])('on %s', (version, times) => {
    const codes = analyse(text, { versions: { 'cert-manager': version } }).findings;
    const found = codes.filter(({ code }) => code === 'cert-manager/waits-outgrow-window');
    expect(found).toHaveLength(times);
  });
});
