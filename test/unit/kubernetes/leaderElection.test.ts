import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { family } from '../../../engine/families/kubernetes/leaderElection.family.ts';
import { analyse, endOf, waitsOf } from '../../support/analyse.ts';

const policyIn = (yaml: string) => {
  const found = analyse(yaml).policies.find(({ policy }) => policy.family === family.id);
  if (found === undefined) throw new Error('no policy');
  return found;
};

const scheduler = (block: string) =>
  policyIn(
    `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nleaderElection: ${block}\n`,
  );

describe('how long a leader tries to renew its lease', () => {
  it.each([
    ['{leaderElect: true}', '2s', 'after 4 retries, by renewDeadline'],
    ['{retryPeriod: 3s}', '3s', 'after 3 retries, by renewDeadline'],
    ['{renewDeadline: 0s}', '2s', 'after 4 retries, by renewDeadline'],
    ['{leaseDuration: 90s, renewDeadline: 60s}', '2s', 'after 29 retries, by renewDeadline'],
  ])('%s', (block, wait, end) => {
    expect(waitsOf(scheduler(block), 1)).toEqual([wait]);
    expect(endOf(scheduler(block))).toBe(end);
  });

  it('has other defaults in cert-manager', () => {
    const policy = policyIn(
      'apiVersion: controller.config.cert-manager.io/v1alpha1\nkind: ControllerConfiguration\nleaderElectionConfig:\n  enabled: true\n',
    );
    expect(waitsOf(policy, 1)).toEqual(['15s']);
    expect(endOf(policy)).toBe('after 2 retries, by renewDeadline');
    expect(explain(policy, 'leaseDuration').field?.effect).toBe(
      'When the leader vanishes, nothing leads for 1m or a little more',
    );
  });
});

describe('what a hover says', () => {
  it.each([
    [
      'renewDeadline',
      'A leader that cannot reach the API server tries 5 times and gives up after 10s',
    ],
    ['retryPeriod', 'The leader renews every 2s; the others try every 2s to 4.4s'],
    ['leaseDuration', 'When the leader vanishes, nothing leads for 15s or a little more'],
  ])('of %s', (name, effect) => {
    expect(explain(scheduler('{leaderElect: true}'), name).field?.effect).toBe(effect);
  });

  it('says so where it is off', () => {
    expect(explain(scheduler('{leaderElect: false}')).notes).toEqual([
      'Leader election is off: every process works, and these times have no effect',
    ]);
  });
});
