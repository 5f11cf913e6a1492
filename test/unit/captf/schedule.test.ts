import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fnv64a,
  jitterOf,
  pendingDelay,
  retryDelay,
} from '../../../engine/families/captf/delays.ts';
import { minutes, ms, seconds } from '../../../engine/units.ts';
import { analyse, endOf, waitsOf } from '../../support/analyse.ts';
import { firstSteps } from '../../../engine/schedule.ts';
import { formatPath } from '../../../engine/source.ts';

type Vector = { readonly failedJobsHistoryLimit: number; readonly delaysMs: readonly number[] };
const vectorsFile = path.join(import.meta.dirname, '../../vectors/captf.json');
const { cases } = JSON.parse(readFileSync(vectorsFile, 'utf8')) as {
  readonly cases: readonly Vector[];
};

const manifest = (jobs: string, kind = 'TerraformCluster') =>
  `apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1
kind: ${kind}
metadata:
  name: prod
spec:
  source:
    image: registry.example/modules/cluster:1
  jobs: ${jobs}
`;

describe('recorded delays', () => {
  it.each(cases)('limit $failedJobsHistoryLimit', ({ failedJobsHistoryLimit, delaysMs }) => {
    const { policies } = analyse(
      manifest(`{ failedJobsHistoryLimit: ${String(failedJobsHistoryLimit)} }`),
    );
    const schedule = policies[0]?.schedule;
    expect(schedule).toBeDefined();
    if (schedule === undefined) return;
    const { steps } = firstSteps(schedule, delaysMs.length);
    expect(steps.map(({ wait }) => wait)).toEqual(delaysMs.map((lo) => ({ lo, hi: lo })));
    expect(endOf(policies[0])).toBe('never');
  });

  it.each([
    [1, 3, minutes(1)],
    [2, 3, minutes(2)],
    [3, 3, minutes(10)],
    [4, 100, minutes(8)],
    [5, 100, minutes(10)],
    [60, 100, minutes(10)],
    [1, 0, minutes(10)],
  ])('after %i failures under a limit of %i', (failures, limit, wait) => {
    expect(retryDelay(failures, limit)).toBe(wait);
  });
});

describe('where the policy stands', () => {
  it.each(['TerraformCluster', 'TerraformMachine', 'TerraformMachinePool'])(
    'holds for a %s without a block',
    (kind) => {
      const text = manifest('').replace(/ {2}jobs: .*\n/, '');
      const { policies } = analyse(text.replace('TerraformCluster', kind));
      expect(policies.map(({ policy }) => formatPath(policy.anchor))).toEqual(['spec.jobs']);
      expect(waitsOf(policies[0], 3)).toEqual(['1m', '2m', '10m']);
    },
  );
});

describe('refreshes while health is pending', () => {
  it.each([
    [0, '30s'],
    [1, '30s'],
    [2, '1m'],
    [3, '2m'],
    [4, '4m'],
    [5, '5m'],
    [900, '5m'],
  ])('after %i pending readings', (readings, wait) => {
    const expected = wait.endsWith('m') ? minutes(Number.parseInt(wait)) : seconds(30);
    expect(pendingDelay(readings)).toBe(expected);
  });

  it.each([
    ['', 0xcbf29ce484222325n],
    ['a', 0xaf63dc4c8601ec8cn],
    ['foobar', 0x85944171f73967e8n],
  ])('hashes %j as FNV-1a does', (text, hash) => {
    expect(fnv64a(text)).toBe(hash);
  });

  it('gives one object the same jitter each time, below a tenth', () => {
    const uid = '5f1d3c2a-0000-4000-8000-00000000000a';
    const jitter = jitterOf(uid, seconds(30));
    expect(jitter).toBe(jitterOf(uid, seconds(30)));
    expect(jitter).toBeGreaterThanOrEqual(0);
    expect(jitter).toBeLessThan(3000);
    expect(jitterOf('', seconds(30))).toBe(0);
    expect(jitterOf(uid, ms(0))).toBe(0);
  });
});
