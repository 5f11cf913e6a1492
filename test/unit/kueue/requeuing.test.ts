import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { family as provisioning } from '../../../engine/families/kueue/provisioningRetry.family.ts';
import { family as requeuing } from '../../../engine/families/kueue/requeuing.family.ts';
import { inWholeSeconds, requeueWaits } from '../../../engine/families/kueue/requeueWaits.ts';
import { formatWindow } from '../../../engine/durations/format.ts';
import { take } from '../../../engine/growth.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { emptyView } from '../../../engine/live.ts';
import { bound, firstSteps } from '../../../engine/schedule.ts';
import { instant, seconds } from '../../../engine/units.ts';
import { analyse, endOf, environment, type Given } from '../../support/analyse.ts';
import vectors from '../../vectors/kueue.json' with { type: 'json' };

const on = (version: string) => environment({ versions: { kueue: version } });

const policyIn = (yaml: string, id: string, given: Given = {}) => {
  const found = analyse(yaml, given).policies.find(({ policy }) => policy.family === id);
  if (found === undefined) throw new Error('no policy');
  return found;
};

const configuration = (block: string, version = 'v1beta2', given: Given = {}) =>
  policyIn(
    `apiVersion: config.kueue.x-k8s.io/${version}\nkind: Configuration\nwaitForPodsReady: ${block}\n`,
    requeuing.id,
    given,
  );

describe('waits before a Workload is back in its queue', () => {
  it.each(vectors.requeuing)('$base s to $max s', ({ base, max, waits, totals }) => {
    const { schedule } = configuration(
      `{requeuingStrategy: {backoffBaseSeconds: ${String(base)}, backoffMaxSeconds: ${String(max)}}}`,
    );
    if (schedule === undefined) throw new Error('no schedule');
    const { steps } = firstSteps(schedule, waits.length);
    expect(steps.map(({ wait }) => wait.lo / 1000)).toEqual(waits);
    expect(steps.map(({ total }) => total.lo / 1000)).toEqual(totals);
    for (const { wait } of steps) expect(wait.hi).toBeCloseTo(wait.lo * 1.0001, 6);
  });

  it.each([
    ['0.19.2', 600, 60, ['10m..10m0.06s', '1m..1m0.006s', '1m..1m0.006s']],
    ['0.14.0', 600, 60, ['1m', '1m', '1m']],
    ['0.14.0', 60, 100, ['1m..1m0.006s', '1m40s', '1m40s']],
    ['0.19.2', 60, 0, ['1m..1m0.006s', '2m..2m0.012s', '4m..4m0.024s']],
    ['0.14.0', 60, 0, ['0s', '0s']],
    ['0.19.2', 0, 3600, ['0s', '0s']],
    ['0.6.0', 60, 3600, ['1s..1.0001s', '1.41284738s..1.412988665s']],
  ])('in %s from %i to %i', (version, base, max, expected) => {
    const waits = requeueWaits(on(version), seconds(base), seconds(max));
    const told = take(waits, expected.length).map(formatWindow);
    expect(told.map((text) => text.replace(/(\.\d{9})\d+/g, '$1'))).toEqual(expected);
  });

  it.each([
    ['{timeout: 10m, requeuingStrategy: {backoffLimitCount: 0}}', 'v1beta2', 'after 0 retries'],
    ['{timeout: 10m, requeuingStrategy: {backoffLimitCount: 5}}', 'v1beta2', 'after 5 retries'],
    ['{timeout: 10m}', 'v1beta2', 'never'],
    ['{enable: true}', 'v1beta1', 'never'],
    ['{timeout: 10m}', 'v1beta1', '`waitForPodsReady` is off'],
    ['{enable: false}', 'v1beta1', '`waitForPodsReady` is off'],
  ])('%s with %s end', (block, version, end) => {
    expect(endOf(configuration(block, version))).toBe(end);
  });
});

describe('what a hover says of requeuing', () => {
  it.each([
    ['backoffLimitCount', '5 returns to the queue: the pods get 6 chances in all'],
    ['backoffMaxSeconds', 'From return 7 on the wait is 1h'],
    ['backoffBaseSeconds', 'The first return waits 1m'],
    ['timeout', 'not all ready 10m after its admission'],
    ['timestamp', 'stands behind those'],
  ])('%s', (name, effect) => {
    const policy = configuration('{timeout: 10m, requeuingStrategy: {backoffLimitCount: 5}}');
    expect(explain(policy, name).field?.effect).toContain(effect);
  });

  it('names what changes with v1beta2', () => {
    const notes = explain(configuration('{enable: true}', 'v1beta1')).notes.join('\n');
    expect(notes).toContain('`blockAdmission` false (true here)');
    expect(notes).toContain('for ever');
  });
});

describe('ProvisioningRequests', () => {
  it('are made again after waits of whole seconds', () => {
    const waits = requeueWaits(environment(), seconds(60), seconds(1800));
    const whole = take(inWholeSeconds(waits), 8);
    expect(whole.map(({ lo }) => lo / 1000)).toEqual(vectors.provisioning.waits);
    expect(whole.map(({ hi }) => hi / 1000)).toEqual(vectors.provisioning.waits);
  });

  it('end after three retries by default', () => {
    const { schedule } = policyIn(provisioning.examples[0]?.yaml ?? '', provisioning.id);
    const { limit, total } = vectors.provisioning;
    expect(schedule === undefined ? undefined : bound(schedule)).toMatchObject({
      retries: { lo: limit, hi: limit },
      lasts: { lo: total * 1000 },
    });
  });
});

describe('live Workloads', () => {
  const now = instant(Date.parse('2026-01-10T16:00:00Z'));
  const read = (family: typeof requeuing | typeof provisioning, object: object) =>
    family.live?.read({
      object: jsonTree(object).root,
      ref: { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'Workload', namespace: 'n', name: 'a' },
      view: emptyView,
      env: environment(),
      now,
    }) ?? [];

  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    lastTransitionTime: '2026-01-10T15:58:00Z',
  });

  it.each([
    [
      'waits until requeueAt',
      {
        status: {
          requeueState: { count: 3, requeueAt: '2026-01-10T16:02:00Z' },
          conditions: [
            condition('Evicted', 'True', 'PodsReadyTimeout'),
            condition('Requeued', 'False', 'PodsReadyTimeout'),
          ],
        },
      },
      {
        kind: 'waiting',
        retry: { how: 'reported', value: 3 },
        wait: { how: 'inferred', value: { lo: 240_000, hi: 240_000 } },
        next: { how: 'reported', value: { lo: Date.parse('2026-01-10T16:02:00Z') } },
        lastFailureAt: { how: 'reported', value: Date.parse('2026-01-10T15:58:00Z') },
      },
    ],
    [
      'is back in its queue',
      {
        status: {
          requeueState: { count: 3, requeueAt: '2026-01-10T15:59:00Z' },
          conditions: [
            condition('Evicted', 'True', 'PodsReadyTimeout'),
            condition('Requeued', 'True', 'BackoffFinished'),
          ],
        },
      },
      { kind: 'idle', reason: 'It is back in its queue after 3 evictions' },
    ],
    [
      'is admitted and not ready',
      {
        status: {
          conditions: [
            condition('QuotaReserved', 'True', 'QuotaReserved'),
            condition('PodsReady', 'False', 'WaitForStart'),
          ],
        },
      },
      { kind: 'attempting', failures: { value: 0 } },
    ],
    [
      'was given up',
      {
        spec: { active: false },
        status: {
          conditions: [condition('Evicted', 'True', 'DeactivatedDueToRequeuingLimitExceeded')],
        },
      },
      { kind: 'gave-up', at: { value: Date.parse('2026-01-10T15:58:00Z') } },
    ],
    [
      'is deactivated by hand',
      { spec: { active: false }, status: { conditions: [] } },
      { kind: 'idle', because: 'not-started' },
    ],
    [
      'has finished',
      { status: { conditions: [condition('Finished', 'True', 'Succeeded')] } },
      { kind: 'idle', because: 'finished' },
    ],
    ['is new', { status: {} }, { kind: 'idle', reason: 'It waits in its queue' }],
  ])('one that %s', (_, object, state) => {
    expect(read(requeuing, object)).toMatchObject([{ state }]);
  });

  it('tell when a check asks for nodes again', () => {
    const check = {
      name: 'gpus',
      state: 'Retry',
      retryCount: 2,
      requeueAfterSeconds: 120,
      lastTransitionTime: '2026-01-10T15:59:00Z',
    };
    const states = read(provisioning, {
      status: { admissionChecks: [check, { name: 'other', state: 'Ready' }] },
    });
    expect(states).toMatchObject([
      {
        part: 'gpus',
        state: {
          kind: 'waiting',
          wait: { how: 'reported', value: { lo: 120_000 } },
          next: { how: 'inferred', value: { lo: Date.parse('2026-01-10T16:01:00Z') } },
        },
      },
    ]);
  });
});

describe('a configuration that says nothing of waitForPodsReady', () => {
  const bare = 'apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nnamespace: kueue\n';
  const inMap = `apiVersion: v1\nkind: ConfigMap\ndata:\n  controller_manager_config.yaml: |\n${bare.replaceAll(/^(?=.)/gm, '    ')}`;
  const gate = `${bare}featureGates: {DisableWaitForPodsReady: true}\n`;

  it.each([
    [bare, '0.19.2', 'never'],
    [inMap, '0.19.2', 'never'],
    [bare, '0.18.0', '`waitForPodsReady` is off'],
    [gate, '0.19.2', '`waitForPodsReady` is off'],
  ])('%s on %s', (yaml, kueue, end) => {
    expect(endOf(policyIn(yaml, requeuing.id, { versions: { kueue } }))).toBe(end);
  });

  it('says that it is on', () => {
    const notes = explain(policyIn(bare, requeuing.id)).notes.join('\n');
    expect(notes).toContain('without the block too');
  });

  it('is no policy with v1beta1', () => {
    const { policies } = analyse(bare.replace('v1beta2', 'v1beta1'));
    expect(policies.filter(({ policy }) => policy.family === requeuing.id)).toEqual([]);
  });
});

describe('settings that the version drops', () => {
  it('leave requests for nodes with what is built in', () => {
    const yaml =
      'apiVersion: kueue.x-k8s.io/v1beta1\nkind: ProvisioningRequestConfig\nspec:\n  retryStrategy: {backoffLimitCount: 8, backoffBaseSeconds: 10}\n';
    const found = policyIn(yaml, provisioning.id, { versions: { kueue: '0.8.0' } });
    expect(endOf(found)).toBe('after 3 retries');
  });
});
