import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { family as healthCheck } from '../../../engine/families/cluster-api/healthCheck.family.ts';
import { family as machines } from '../../../engine/families/cluster-api/machineRemediation.family.ts';
import { family as remediation } from '../../../engine/families/cluster-api/remediation.family.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { emptyView, type ClusterView } from '../../../engine/live.ts';
import { bound, firstSteps } from '../../../engine/schedule.ts';
import { instant } from '../../../engine/units.ts';
import { analyse, endOf, environment, waitsOf } from '../../support/analyse.ts';
import vectors from '../../vectors/cluster-api.json' with { type: 'json' };

const policyIn = (yaml: string, id: string) => {
  const found = analyse(yaml).policies.find(({ policy }) => policy.family === id);
  if (found === undefined) throw new Error('no policy');
  return found;
};

const controlPlane = (block: string, version = 'v1beta2') =>
  policyIn(
    `apiVersion: controlplane.cluster.x-k8s.io/${version}\nkind: KubeadmControlPlane\nspec:\n  ${version === 'v1beta1' ? 'remediationStrategy' : 'remediation'}: ${block}\n`,
    remediation.id,
  );

describe('remediations of a control plane in a row', () => {
  it.each(vectors.controlPlane)(
    'with $maxRetry retries, $retryPeriodSeconds s and $minHealthyPeriodSeconds s',
    (vector) => {
      const seconds = controlPlane(
        `{maxRetry: ${String(vector.maxRetry)}, retryPeriodSeconds: ${String(vector.retryPeriodSeconds)}, minHealthyPeriodSeconds: ${String(vector.minHealthyPeriodSeconds)}}`,
      );
      const durations = controlPlane(
        `{maxRetry: ${String(vector.maxRetry)}, retryPeriod: ${String(vector.retryPeriodSeconds)}s, minHealthyPeriod: ${String(vector.minHealthyPeriodSeconds)}s}`,
        'v1beta1',
      );
      for (const policy of [seconds, durations]) {
        if (policy.schedule === undefined) throw new Error('no schedule');
        const { steps } = firstSteps(policy.schedule, vector.remediationsAtSeconds.length - 1);
        expect([0, ...steps.map(({ total }) => total.lo / 1000)]).toEqual(
          vector.remediationsAtSeconds,
        );
        expect(endOf(policy)).toBe(vector.ends);
      }
    },
  );

  it.each([
    ['{minHealthyPeriodSeconds: 600}', 'never'],
    ['{maxRetry: 0}', 'after 0 retries'],
    ['{maxRetry: -1}', 'after 0 retries'],
    ['{maxRetry: 2, minHealthyPeriodSeconds: 0}', 'never'],
  ])('%s', (block, end) => {
    expect(waitsOf(controlPlane(block), 1)).toEqual(end === 'never' ? ['0s'] : []);
    expect(endOf(controlPlane(block))).toBe(end);
  });

  it('pause at the limit until the healthy period has passed', () => {
    const policy = controlPlane('{maxRetry: 3, retryPeriodSeconds: 60}');
    const end = policy.schedule === undefined ? undefined : bound(policy.schedule);
    expect(end).toMatchObject({
      by: { then: 'remediation pauses for 1h' },
    });
    expect(explain(policy).notes[0]).toContain('The limit is a pause, not an end');
    expect(explain(policy, 'maxRetry').field?.effect).toBe(
      '4 machines replaced in a row, then none until 1h after the last one',
    );
    expect(explain(policy, 'retryPeriodSeconds').field?.effect).toBe(
      'A replacement that fails is replaced 1m after it was made, at the earliest',
    );
  });
});

describe('health checks', () => {
  const check = (spec: string, version = 'v1beta2') =>
    policyIn(
      `apiVersion: cluster.x-k8s.io/${version}\nkind: MachineHealthCheck\nspec: ${spec}\n`,
      healthCheck.id,
    );

  it.each([
    ['{clusterName: a}', 'v1beta2', ['10m', '10m'], 'never'],
    ['{checks: {nodeStartupTimeoutSeconds: 1200}}', 'v1beta2', ['20m'], 'never'],
    ['{nodeStartupTimeout: 20m}', 'v1beta1', ['20m'], 'never'],
    ['{nodeStartupTimeout: 20m}', 'v1beta2', ['10m'], 'never'],
    [
      '{checks: {nodeStartupTimeoutSeconds: 0}}',
      'v1beta2',
      [],
      'the start of nodes is not checked',
    ],
  ])('%s of %s', (spec, version, waits, end) => {
    expect(waitsOf(check(spec, version), Math.max(1, waits.length))).toEqual(waits);
    expect(endOf(check(spec, version))).toBe(end);
  });

  it('say what holds remediation back', () => {
    expect(explain(check('{clusterName: a}')).notes.join('\n')).toContain('Nothing holds');
    const limited = check('{maxUnhealthy: 40%}', 'v1beta1');
    expect(explain(limited).notes.join('\n')).not.toContain('Nothing holds');
    expect(explain(limited, 'maxUnhealthy').field?.effect).toContain('With more than 40%');
  });

  it('leave it to a MachineDeployment how many at a time', () => {
    const policy = policyIn(machines.examples[0]?.yaml ?? '', machines.id);
    expect(explain(policy, 'maxInFlight').field?.effect).toContain('At most 20%');
  });
});

const input = (kind: string, object: object, view: ClusterView = emptyView) => ({
  object: jsonTree(object).root,
  ref: { apiVersion: 'x/v1beta2', kind, namespace: 'n', name: 'a' },
  view,
  env: environment(),
  now: instant(Date.parse('2026-01-10T16:00:30Z')),
});

describe('live control planes', () => {
  const machine = (reason: string, message: string, annotation?: string) => ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: {
      name: 'cp-2',
      ...(annotation === undefined
        ? {}
        : { annotations: { 'controlplane.cluster.x-k8s.io/remediation-for': annotation } }),
    },
    status: {
      conditions: [
        {
          type: 'OwnerRemediated',
          status: 'False',
          reason,
          message,
          lastTransitionTime: '2026-01-10T15:59:00Z',
        },
      ],
    },
  });

  const object = {
    spec: { remediation: { maxRetry: 3, retryPeriodSeconds: 300 } },
    status: {
      lastRemediation: { machine: 'cp-1', time: '2026-01-10T15:58:00Z', retryCount: 1 },
    },
  };

  const read = (plane: object, ...related: readonly object[]) =>
    remediation.live?.read(
      input('KubeadmControlPlane', plane, {
        get: () => undefined,
        related: () => related.map((one) => jsonTree(one).root),
      }),
    );

  const deferred =
    "KubeadmControlPlane can't remediate this machine because the operation already failed in the latest 5m0s (RetryPeriodSeconds)";
  const refused =
    "KubeadmControlPlane can't remediate this machine because the operation already failed 3 times (MaxRetry)";

  it('wait for the retry period', () => {
    expect(read(object, machine('RemediationDeferred', deferred))).toMatchObject([
      {
        part: 'cp-2',
        state: {
          kind: 'waiting',
          retry: { how: 'inferred', value: 2 },
          wait: { value: { lo: 300_000, hi: 300_000 } },
          next: { how: 'inferred', value: { lo: Date.parse('2026-01-10T16:03:00Z') } },
        },
      },
    ]);
  });

  it('take the time from the annotation of the machine first', () => {
    const annotation = '{"machine":"cp-1","timestamp":"2026-01-10T16:00:00Z","retryCount":2}';
    expect(read(object, machine('RemediationDeferred', deferred, annotation))).toMatchObject([
      {
        state: { retry: { value: 3 }, next: { value: { lo: Date.parse('2026-01-10T16:05:00Z') } } },
      },
    ]);
  });

  it('give up at the limit, until the healthy period has passed', () => {
    expect(read(object, machine('CannotBeRemediated', refused))).toMatchObject([
      {
        part: 'cp-2',
        state: {
          kind: 'gave-up',
          by: { how: 'reported', value: { kind: 'retries', limit: 3 } },
          at: { value: Date.parse('2026-01-10T15:59:00Z') },
          reason: expect.stringContaining('2026-01-10T16:58:00Z, when the count restarts'),
        },
      },
    ]);
  });

  it.each([
    [
      'replace a machine now',
      {
        status: { ...object.status, conditions: [{ type: 'Remediating', status: 'True' }] },
      },
      { kind: 'attempting', retry: { value: 1 } },
    ],
    [
      'have replaced one before',
      object,
      {
        kind: 'idle',
        reason:
          'No machine waits for remediation; the last one, cp-1, was remediated at 2026-01-10T15:58:00Z',
      },
    ],
    [
      'have nothing to tell',
      { status: {} },
      { kind: 'idle', reason: 'No machine has been remediated' },
    ],
  ])('%s', (_, plane, state) => {
    expect(read(plane)).toMatchObject([{ state }]);
  });
});

describe('live health checks', () => {
  const read = (status: object) => healthCheck.live?.read(input('MachineHealthCheck', { status }));

  it.each([
    [{ expectedMachines: 3, currentHealthy: 3 }, { kind: 'idle' }],
    [
      { expectedMachines: 3, currentHealthy: 2, remediationsAllowed: 1 },
      { kind: 'attempting', reason: expect.stringContaining('1 of 3 machines is unhealthy') },
    ],
    [
      {
        expectedMachines: 3,
        currentHealthy: 0,
        conditions: [{ type: 'RemediationAllowed', status: 'False', reason: 'TooManyUnhealthy' }],
      },
      { kind: 'waiting', next: { how: 'unknown' } },
    ],
  ])('%j', (status, state) => {
    expect(read(status)).toMatchObject([{ state }]);
  });

  it('without counts say nothing', () => {
    expect(read({})).toEqual([]);
  });
});

describe('a block that the version does not know', () => {
  const plane = (version: string, block: string) =>
    policyIn(
      `apiVersion: controlplane.cluster.x-k8s.io/${version}\nkind: KubeadmControlPlane\nspec:\n  ${block}: {maxRetry: 3}\n`,
      remediation.id,
    );

  it.each([
    ['v1beta2', 'remediationStrategy', 'never'],
    ['v1beta1', 'remediation', 'never'],
    ['v1beta2', 'remediation', 'after 3 retries'],
    ['v1beta1', 'remediationStrategy', 'after 3 retries'],
  ])('%s with %s', (version, block, end) => {
    expect(endOf(plane(version, block))).toBe(end);
  });

  it('has no effect', () => {
    const { field, notes } = explain(plane('v1beta2', 'remediationStrategy'), 'maxRetry');
    expect(field?.effect).toContain('does not know the block');
    expect(notes.join('\n')).not.toContain('The limit is a pause');
  });
});
