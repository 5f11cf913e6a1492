import { describe, expect, it } from 'vitest';
import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import { families } from '../../../engine/families/index.ts';
import { buildRegistry } from '../../../engine/registry.ts';
import { firstSteps } from '../../../engine/schedule.ts';
import { analyse, type Given } from '../../support/analyse.ts';

const policyOf = (text: string, given?: Given): AnalysedPolicy => {
  const { policies } = analyse(text, given);
  const policy = policies.find(({ family }) => !family.id.startsWith('kubernetes/'));
  if (policy === undefined) throw new Error('no policy');
  return policy;
};

const first = (policy: AnalysedPolicy, count: number) =>
  policy.schedule === undefined
    ? []
    : firstSteps(policy.schedule, count).steps.map(({ wait, total }) => [wait.hi, total.hi]);

const configMap = (data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n${data}`;

const container = (args: string, env = '[]') => `apiVersion: apps/v1
kind: Deployment
metadata: {name: x}
spec:
  template:
    spec:
      containers:
        - name: manager
          image: example.test/manager:1
          args: ${args}
          env: ${env}
`;

describe('waits that the controllers were seen to make', () => {
  it('of the default limiter: 1310.715 s to the cap at retry 19', () => {
    const policy = policyOf(configMap('  baseDelay: 5ms\n  maxDelay: 1000s\n'));
    const steps = first(policy, 19);
    expect(steps[11]?.[0]).toBe(10_240);
    expect(steps[14]?.[0]).toBe(81_920);
    expect(steps[17]).toEqual([655_360, 1_310_715]);
    expect(steps[18]?.[0]).toBe(1_000_000);
  });

  it('of Flux: 191.25 s after eight retries, 15m from retry 12', () => {
    const policy = policyOf(container('[--min-retry-delay=750ms]'));
    const steps = first(policy, 12);
    expect(steps[7]).toEqual([96_000, 191_250]);
    expect(steps[10]?.[0]).toBe(768_000);
    expect(steps[11]?.[0]).toBe(900_000);
  });

  it('of Sealed Secrets: 155 ms, and 163.8 s with 15 retries', () => {
    expect(first(policyOf(container('[--max-unseal-retries=5]')), 9).at(-1)).toEqual([80, 155]);
    expect(first(policyOf(container('[--max-unseal-retries=15]')), 20).at(-1)?.[1]).toBe(163_835);
  });

  it('of the executor of Argo Workflows', () => {
    const text = container('[]', '[{name: EXECUTOR_RETRY_BACKOFF_JITTER, value: "0"}]');
    expect(first(policyOf(text), 9).map(([wait]) => wait)).toEqual([1000, 1600, 2560, 4096]);
  });
});

describe('what is not known', () => {
  it('leaves the schedule out and says what is missing', () => {
    const policy = policyOf(container('[--min-retry-delay=$(MIN)]'));
    expect(policy.schedule).toBeUndefined();
    expect(policy.missing).toEqual(['minRetryDelay']);
  });

  it("takes a template's own default, and says so", () => {
    const text = container('["--min-retry-delay={{ .Values.min | default "2s" }}"]').replace(
      '"2s"',
      '`2s`',
    );
    const policy = policyOf(text);
    expect(first(policy, 2).map(([wait]) => wait)).toEqual([2000, 4000]);
    expect(policy.assuming).toHaveLength(1);
  });
});

describe('the bucket', () => {
  const text = configMap(
    '  baseDelay: 5ms\n  maxDelay: 30s\n  bucketQPS: "10"\n  bucketBurst: "100"\n',
  );
  const codes = (given?: Given) => analyse(text, given).findings.map(({ code }) => code);

  it.each<[string, Given, string]>([
    ['is gone by default', {}, 'controller-runtime/bucket-not-used'],
    [
      'is gone since 0.23',
      { versions: { 'controller-runtime': '0.23.0' } },
      'controller-runtime/bucket-not-used',
    ],
    [
      'is there before',
      { versions: { 'controller-runtime': '0.22.4' } },
      'controller-runtime/cap-not-hard',
    ],
    [
      'is gone before where the priority queue is on',
      { versions: { 'controller-runtime': '0.21.0' }, gates: { UsePriorityQueue: true } },
      'controller-runtime/bucket-not-used',
    ],
    [
      'is there where the priority queue is off',
      { gates: { UsePriorityQueue: false } },
      'controller-runtime/cap-not-hard',
    ],
  ])('%s', (_, given, code) => {
    expect(codes(given)).toEqual([code]);
  });
});

describe('the cap that a loop is advised to have', () => {
  const loop = (cap: string, rest: string) => configMap(`  ${rest}\n  cap: ${cap}\n`);

  it.each([
    ['duration: 1s\n  factor: "2"\n  steps: "5"', '16s', 4],
    ['duration: 10s\n  factor: "2"\n  steps: "5"', '2m40s', 4],
    ['duration: 1s\n  factor: "2"\n  steps: "10"', '8m32s', 9],
    ['duration: 10s\n  factor: "0.9"\n  steps: "3"', '9s', 2],
  ])('lets all retries of %j happen: %s', (rest, enough, retries) => {
    const [finding] = analyse(loop('5s', rest)).findings;
    expect(finding?.message).toContain(`Write a cap of at least ${enough},`);
    expect(analyse(loop(enough, rest)).findings).toEqual([]);
    expect(first(policyOf(loop(enough, rest)), 20)).toHaveLength(retries);
  });
});

describe('notes and effects', () => {
  it.each([
    [configMap('  baseDelay: 5ms\n  maxDelay: 1000s\n  qps: "10"\n  burst: "100"\n'), 9],
    [configMap('  fastDelay: 5ms\n  slowDelay: 10s\n  maxFastAttempts: "3"\n'), 5],
    [configMap('  duration: 1s\n  factor: "2"\n  steps: "4"\n  jitter: "0.1"\n'), 3],
    [container('[--min-retry-delay=1s, --max-retry-delay=1m]'), 5],
    [container('[--max-unseal-retries=15]'), 3],
    [container('[--max-reconcile-rate=15]'), 2],
    [container('[--wq-cooldown-ns=1m, --wq-bucket-qps=50]'), 4],
    [container('[--self-heal-backoff-timeout-seconds=5]'), 3],
  ])('are plain sentences without an end mark, case %#', (text, least) => {
    const { family, policy, schedule } = policyOf(text);
    const notes = [...(family.notes?.(policy, schedule) ?? [])].map((note) => note.text);
    const effects = Object.keys(family.fields).flatMap(
      (name) => family.effect?.(policy, name) ?? [],
    );
    const all = [...notes, ...effects];
    expect(all.length).toBeGreaterThanOrEqual(least);
    for (const sentence of all) {
      expect(sentence).toMatch(/^[A-Z`0-9].*[^.]$/);
      expect(sentence).not.toMatch(/undefined|NaN|\n/);
    }
  });
});

describe('cost', () => {
  it('is none for manifests that set nothing of this', () => {
    const own = families.filter(({ id }) =>
      /^(controller-runtime|flux\/retry-delay|argo-cd\/(work-queue|self-heal)|sealed-secrets|crossplane)/.test(
        id,
      ),
    );
    const { mayHold } = buildRegistry(own);
    expect(own.length).toBe(8);
    expect(mayHold(container('[--leader-elect]'))).toBe(false);
    expect(mayHold(configMap('  log: debug\n'))).toBe(false);
    expect(mayHold(container('[--max-retry-delay=1m]'))).toBe(true);
  });
});
