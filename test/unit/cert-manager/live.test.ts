import { describe, expect, it } from 'vitest';
import { family as challenge } from '../../../engine/families/cert-manager/acme-challenge.family.ts';
import { family as order } from '../../../engine/families/cert-manager/acme-order.family.ts';
import { family as issuance } from '../../../engine/families/cert-manager/issuance.family.ts';
import { family as request } from '../../../engine/families/cert-manager/request.family.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { emptyView, type LiveBackoff, type LiveReader } from '../../../engine/live.ts';
import { formatInstant, instant, type Instant } from '../../../engine/units.ts';
import { environment, type Given } from '../../support/analyse.ts';

type Json = Readonly<Record<string, unknown>>;

const at = (text: string): Instant => instant(Date.parse(text));
const now = at('2026-01-10T10:00:00Z');

function read(
  live: LiveReader | undefined,
  object: Json,
  given: Given = {},
  related: readonly Json[] = [],
): LiveBackoff {
  const metadata = object['metadata'] as { name?: string; namespace?: string } | undefined;
  const states = live?.read({
    object: jsonTree(object).root,
    ref: {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      namespace: 'shop',
      name: metadata?.name ?? 'web',
    },
    view: { ...emptyView, related: () => related.map((one) => jsonTree(one).root) },
    env: environment(given),
    now,
  });
  const [first] = states ?? [];
  if (first === undefined) throw new Error('no state');
  return first.state;
}

const certificate = (status: Json, spec: Json = {}): Json => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { secretName: 'web-tls', issuerRef: { name: 'acme' }, ...spec },
  status,
});

const failed = [
  { type: 'Ready', status: 'False', reason: 'DoesNotExist' },
  { type: 'Issuing', status: 'False', reason: 'Failed' },
];

const waiting = (state: LiveBackoff) => {
  if (state.kind !== 'waiting') throw new Error(`is ${state.kind}: ${JSON.stringify(state)}`);
  return state;
};

const nextOf = (state: LiveBackoff): string => {
  const { next } = waiting(state);
  return next.how === 'unknown' ? `unknown: ${next.why}` : formatInstant(next.value.lo);
};

describe('a Certificate that waits for its next issuance', () => {
  const lastFailureTime = '2026-01-10T08:00:00Z';

  it('is tried again eight hours after the fourth failure', () => {
    const state = waiting(
      read(
        issuance.live,
        certificate({ failedIssuanceAttempts: 4, lastFailureTime, conditions: failed }),
      ),
    );
    expect(nextOf(state)).toBe('2026-01-10T16:00:00Z');
    expect(state.retry).toEqual({ how: 'reported', value: 4 });
    expect(state.failures).toEqual({ how: 'reported', value: 4 });
    expect(state.capped).toMatchObject({ how: 'inferred', value: false });
    expect(state.wait).toMatchObject({
      how: 'inferred',
      value: { lo: 28_800_000, hi: 28_800_000 },
      from: 'failedIssuanceAttempts 4, minimum 1h (assumed default), maximum 32h (assumed default)',
    });
    expect(state.reason).toBe(
      'Issuance failed (Failed); the next one starts 8h after the last failure. A changed spec or `cmctl renew web` starts it at once; only success resets the count',
    );
    expect(state.seen.map(({ path }) => path)).toEqual([
      'status.failedIssuanceAttempts',
      'status.lastFailureTime',
      'status.conditions[type=Issuing].status',
    ]);
  });

  it.each([
    [undefined, '2026-01-10T09:00:00Z'],
    [-1, '2026-01-10T09:00:00Z'],
    [0, '2026-01-10T09:00:00Z'],
    [1, '2026-01-10T09:00:00Z'],
    [6, '2026-01-11T16:00:00Z'],
    [200, '2026-01-11T16:00:00Z'],
  ])('with failedIssuanceAttempts %s next at %s', (failures, next) => {
    const status = { lastFailureTime, conditions: failed };
    const object = certificate(
      failures === undefined ? status : { ...status, failedIssuanceAttempts: failures },
    );
    expect(nextOf(read(issuance.live, object))).toBe(next);
  });

  it('takes the bounds of the controller', () => {
    const controllers = {
      'cert-manager/certificateRequestMinimumBackoffDuration': '10m',
      'cert-manager/certificateRequestMaximumBackoffDuration': '1h',
    };
    const object = certificate({ failedIssuanceAttempts: 9, lastFailureTime, conditions: failed });
    const state = waiting(read(issuance.live, object, { controllers }));
    expect(nextOf(state)).toBe('2026-01-10T09:00:00Z');
    expect(state.capped).toMatchObject({ value: true });
  });

  it('gives no time where the bounds stand in a file that is not read', () => {
    const object = certificate({ failedIssuanceAttempts: 4, lastFailureTime, conditions: failed });
    const controllers = { 'cert-manager/config': '/var/cert-manager/config/config.yaml' };
    const state = waiting(read(issuance.live, object, { controllers }));
    expect([state.wait.how, state.next.how, state.capped.how]).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
    expect(state.reason).toContain('the file of --config, which is not read');
    const given = { controllers, versions: { 'cert-manager': '1.19.0' } };
    expect(nextOf(read(issuance.live, object, given))).toBe('2026-01-10T16:00:00Z');
  });

  it('waits one hour each time up to 1.7', () => {
    const object = certificate({ failedIssuanceAttempts: 9, lastFailureTime, conditions: failed });
    expect(nextOf(read(issuance.live, object, { versions: { 'cert-manager': '1.7.0' } }))).toBe(
      '2026-01-10T09:00:00Z',
    );
  });

  it('says that the certificate expires before the next issuance', () => {
    const status = { failedIssuanceAttempts: 4, lastFailureTime, conditions: failed };
    const { reason } = waiting(
      read(issuance.live, certificate({ ...status, notAfter: '2026-01-10T12:00:00Z' })),
    );
    expect(reason).toContain('the certificate expires before that, at 2026-01-10T12:00:00Z');
  });

  it('names the request that every retry fails on again', () => {
    const stale = {
      apiVersion: 'cert-manager.io/v1',
      kind: 'CertificateRequest',
      metadata: { name: 'web-1', annotations: { 'cert-manager.io/certificate-revision': '1' } },
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Failed' }] },
    };
    const object = certificate({ failedIssuanceAttempts: 3, lastFailureTime, conditions: failed });
    expect(waiting(read(issuance.live, object, {}, [stale])).reason).toContain(
      'the CertificateRequest web-1 failed without a failureTime',
    );
    const timed = { ...stale, status: { ...stale.status, failureTime: lastFailureTime } };
    expect(waiting(read(issuance.live, object, {}, [timed])).reason).not.toContain('web-1');
  });

  it('does not guess where the time of the failure cannot be read', () => {
    const object = certificate({ failedIssuanceAttempts: 1, lastFailureTime: 'yesterday' });
    expect(nextOf(read(issuance.live, object))).toBe('unknown: lastFailureTime cannot be read');
  });
});

describe('a Certificate that does not wait', () => {
  it('is attempting while Issuing is True, even after failures', () => {
    const conditions = [{ type: 'Issuing', status: 'True', reason: 'ManuallyTriggered' }];
    const state = read(
      issuance.live,
      certificate({
        failedIssuanceAttempts: 2,
        lastFailureTime: '2026-01-10T08:00:00Z',
        conditions,
      }),
    );
    expect(state).toMatchObject({ kind: 'attempting', retry: { how: 'reported', value: 2 } });
  });

  it('is healthy once issued', () => {
    const state = read(
      issuance.live,
      certificate({
        conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }],
        notBefore: '2026-01-01T00:00:00Z',
        notAfter: '2026-04-01T00:00:00Z',
        renewalTime: '2026-03-02T00:00:00Z',
      }),
    );
    expect(state).toMatchObject({ kind: 'idle', because: 'healthy' });
  });

  it('is renewed in a loop where the issuer grants little more than renewBefore', () => {
    const state = waiting(
      read(
        issuance.live,
        certificate(
          {
            conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }],
            notBefore: '2026-01-10T09:59:30Z',
            notAfter: '2026-02-09T10:00:00Z',
          },
          { duration: '1440h', renewBefore: '720h' },
        ),
      ),
    );
    expect(nextOf(state)).toBe('2026-01-10T10:00:00Z');
    expect(state.reason).toContain('so it is renewed every 30s');
  });

  it('falls back to a third where the issuer grants less than renewBefore', () => {
    const status = { notBefore: '2026-01-10T00:00:00Z', notAfter: '2026-02-09T00:00:00Z' };
    const state = read(issuance.live, certificate(status, { renewBefore: '720h' }));
    expect(state).toMatchObject({ kind: 'idle' });
  });

  it('has not started without any status', () => {
    expect(read(issuance.live, certificate({}))).toMatchObject({
      kind: 'idle',
      because: 'not-started',
    });
  });
});

describe('a CertificateRequest', () => {
  const object = (...conditions: Json[]): Json => ({
    apiVersion: 'cert-manager.io/v1',
    kind: 'CertificateRequest',
    metadata: { name: 'web-1', annotations: { 'cert-manager.io/certificate-name': 'web' } },
    status: { conditions, failureTime: '2026-01-10T08:00:00Z' },
  });

  it('that is pending waits on the queue for at most five minutes, at no known time', () => {
    const pending = {
      type: 'Ready',
      status: 'False',
      reason: 'Pending',
      message: 'Waiting on order',
    };
    const state = waiting(read(request.live, object(pending)));
    expect(state.wait).toMatchObject({ value: { lo: 5000, hi: 300_000 } });
    expect(state.next.how).toBe('unknown');
    expect(state.reason).toContain('the count of the Certificate web does not move');
  });

  it.each([
    ['Denied', { type: 'Denied', status: 'True' }],
    ['InvalidRequest', { type: 'InvalidRequest', status: 'True' }],
    ['Failed', { type: 'Ready', status: 'False', reason: 'Failed' }],
  ])('that is %s is final', (_name, condition) => {
    expect(read(request.live, object(condition))).toMatchObject({
      kind: 'gave-up',
      at: { how: 'reported', value: at('2026-01-10T08:00:00Z') },
    });
  });

  it('that is issued is finished', () => {
    expect(
      read(request.live, object({ type: 'Ready', status: 'True', reason: 'Issued' })),
    ).toMatchObject({ kind: 'idle', because: 'finished' });
  });

  it('that nobody approved has not started', () => {
    expect(read(request.live, object())).toMatchObject({ kind: 'idle', because: 'not-started' });
  });
});

describe('an ACME Order or Challenge', () => {
  const object = (kind: string, status: Json, spec: Json = {}): Json => ({
    apiVersion: 'acme.cert-manager.io/v1',
    kind,
    metadata: { name: 'web' },
    spec,
    status,
  });

  it.each(['invalid', 'expired', 'errored'])('is final once %s', (state) => {
    expect(read(order.live, object('Order', { state, reason: '429' }))).toMatchObject({
      kind: 'gave-up',
    });
    expect(read(challenge.live, object('Challenge', { state }))).toMatchObject({ kind: 'gave-up' });
  });

  it('is finished once valid', () => {
    expect(read(order.live, object('Order', { state: 'valid' }))).toMatchObject({
      because: 'finished',
    });
  });

  it('waits on its queue for at most half an hour while it is pending', () => {
    const state = waiting(read(order.live, object('Order', { state: 'pending' })));
    expect(state.wait).toMatchObject({ value: { lo: 5000, hi: 1_800_000 } });
    expect(state.next.how).toBe('unknown');
  });

  it('repeats its self check every ten seconds', () => {
    const status = {
      state: 'pending',
      processing: true,
      presented: true,
      reason: 'Waiting for DNS',
    };
    const state = waiting(read(challenge.live, object('Challenge', status)));
    expect(state.wait).toMatchObject({ value: { lo: 10_000, hi: 10_000 } });
    expect(state.reason).toContain('every 10s');
  });

  it('knows the time of a fixed wait instead of the self check', () => {
    const status = {
      state: 'pending',
      processing: true,
      presented: true,
      presentedAt: '2026-01-10T10:00:00Z',
    };
    const spec = { solver: { waitInsteadOfSelfCheck: '2m' } };
    expect(nextOf(read(challenge.live, object('Challenge', status, spec)))).toBe(
      '2026-01-10T10:02:00Z',
    );
  });

  it('has not started while it is not scheduled', () => {
    const status = { state: 'pending', processing: false };
    expect(read(challenge.live, object('Challenge', status))).toMatchObject({
      because: 'not-started',
    });
  });
});

describe('a Certificate that expired in peace', () => {
  it.each([
    ['2025-12-10T00:00:00Z', 'should have been renewed at 2025-12-10T00:00:00Z'],
    [undefined, 'is not renewed'],
  ])('is not healthy with renewalTime %s', (renewalTime, text) => {
    const state = read(
      issuance.live,
      certificate({
        notBefore: '2025-10-10T00:00:00Z',
        notAfter: '2026-01-08T00:00:00Z',
        ...(renewalTime === undefined ? {} : { renewalTime }),
        conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }],
      }),
    );
    expect(state).toMatchObject({ kind: 'idle', because: 'not-started' });
    if (state.kind === 'idle') expect(state.reason).toContain(text);
  });
});
