import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { family } from '../../../engine/families/jobset/failurePolicy.family.ts';
import { formatDuration } from '../../../engine/durations/format.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { emptyView } from '../../../engine/live.ts';
import { instant, seconds } from '../../../engine/units.ts';
import { analyse, endOf, environment, type Given } from '../../support/analyse.ts';
import vectors from '../../vectors/jobset.json' with { type: 'json' };

const jobs = (backoffLimit: number, restartPolicy = 'Never') =>
  `replicatedJobs: [{name: workers, template: {spec: {backoffLimit: ${String(backoffLimit)}, template: {spec: {restartPolicy: ${restartPolicy}, containers: [{name: a, image: b}]}}}}}]`;

const policyIn = (policy: string, rest = jobs(6), given: Given = {}) => {
  const found = analyse(
    `apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec:\n  ${rest}\n${policy === '' ? '' : `  failurePolicy: ${policy}\n`}`,
    given,
  ).policies.find((one) => one.policy.family === family.id);
  if (found === undefined) throw new Error('no policy');
  return found;
};

describe('how often a JobSet restarts', () => {
  it.each([
    ['', 'after 0 retries'],
    ['{maxRestarts: 3}', 'after 3 retries'],
    ['{maxRestarts: -1}', 'after 0 retries'],
    ['{maxRestarts: 3, rules: [{action: FailJobSet}]}', 'after 0 retries'],
    ['{maxRestarts: 3, rules: [{action: RestartJobSetAndIgnoreMaxRestarts}]}', 'never'],
    [
      '{maxRestarts: 3, rules: [{action: FailJobSet, onJobFailureReasons: [FailedIndexes]}]}',
      'after 3 retries',
    ],
  ])('with %s', (policy, end) => {
    expect(endOf(policyIn(policy))).toBe(end);
  });

  it.each(vectors.runs)('runs $runs times in all', (vector) => {
    const policy = policyIn(
      `{maxRestarts: ${String(vector.maxRestarts)}}`,
      jobs(vector.backoffLimit),
    );
    const notes = explain(policy).notes.join('\n');
    expect(notes).toContain(`${String(vector.podsPerJob)} pods`);
    expect(notes).toContain(`${formatDuration(seconds(vector.waitingSeconds))} of waiting`);
  });

  it('counts restarts of containers where pods restart them', () => {
    const notes = explain(policyIn('{maxRestarts: 1}', jobs(4, 'OnFailure'))).notes.join('\n');
    expect(notes).toContain('restart in their pods (4 times before it fails');
  });

  it.each([
    ['{maxRestarts: 2}', 'maxRestarts', 'The Jobs are created again 2 times; the failure after'],
    ['{restartStrategy: BlockingRecreate}', 'restartStrategy', 'No Job is created again before'],
    ['{rules: [{action: FailJobSet}]}', 'rules', 'takes: FailJobSet'],
  ])('%s says what %s does', (policy, name, effect) => {
    expect(explain(policyIn(policy), name).field?.effect).toContain(effect);
  });

  it('takes gates for what they are', () => {
    const yaml =
      'apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec:\n  failurePolicy:\n    maxRestarts: 1\n    rules:\n    - {action: RestartJob, onJobFailureReasons: [FailedIndexes]}\n';
    const codes = (given: Given) => analyse(yaml, given).findings.map(({ code }) => code);
    expect(codes({})).toEqual(['jobset/needs-feature-gate']);
    expect(codes({ gates: { RestartJob: true } })).toEqual([]);
  });
});

describe('live JobSets', () => {
  const read = (object: object) =>
    family.live?.read({
      object: jsonTree(object).root,
      ref: { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', name: 'a' },
      view: emptyView,
      env: environment(),
      now: instant(1_770_000_000_000),
    }) ?? [];

  const spec = { failurePolicy: { maxRestarts: 3 } };
  const failed = (reason: string) => ({
    type: 'Failed',
    status: 'True',
    reason,
    lastTransitionTime: '2026-01-10T16:00:00Z',
  });

  it.each([
    [
      'gave up at the limit',
      {
        spec,
        status: {
          restarts: 3,
          restartsCountTowardsMax: 3,
          conditions: [failed('ReachedMaxRestarts')],
        },
      },
      {
        kind: 'gave-up',
        by: { how: 'reported', value: { kind: 'retries', limit: 3 } },
        failures: { value: 4 },
        at: { value: Date.parse('2026-01-10T16:00:00Z') },
      },
    ],
    [
      'failed by a rule',
      { spec, status: { conditions: [failed('FailJobSetFailurePolicyAction')] } },
      { kind: 'gave-up', by: { value: { kind: 'condition' } } },
    ],
    [
      'failed without a policy',
      { spec: {}, status: { conditions: [failed('FailedJobs')] } },
      { kind: 'gave-up', by: { value: { kind: 'retries', limit: 0 } } },
    ],
    [
      'failed for another reason',
      { spec, status: { conditions: [failed('Other')] } },
      { kind: 'gave-up', by: { how: 'unknown' }, reason: expect.stringContaining('(Other)') },
    ],
    [
      'restarts now',
      {
        spec,
        status: {
          restarts: 2,
          restartsCountTowardsMax: 1,
          conditions: [{ type: 'RestartingJobSet', status: 'True' }],
        },
      },
      {
        kind: 'attempting',
        retry: { how: 'reported', value: 2 },
        reason: 'Its Jobs are created again without a wait (restart 2, 2 restarts left)',
      },
    ],
    [
      'runs at its last restart',
      { spec, status: { restarts: 3, restartsCountTowardsMax: 3 } },
      {
        kind: 'idle',
        reason: 'It runs after 3 restarts (the next failure that counts ends it)',
      },
    ],
    [
      'has completed',
      { spec, status: { restarts: 1, conditions: [{ type: 'Completed', status: 'True' }] } },
      { kind: 'idle', because: 'finished', reason: 'It has completed after 1 restart' },
    ],
    [
      'is suspended',
      { spec, status: { conditions: [{ type: 'Suspended', status: 'True' }] } },
      { kind: 'idle', because: 'not-started' },
    ],
  ])('one that %s', (_, object, state) => {
    expect(read(object)).toMatchObject([{ state }]);
  });

  it('tells what its facts rest on', () => {
    const [first] = read({ spec, status: { restarts: 1 } });
    const seen = first?.state.kind === 'idle' ? first.state.seen : [];
    expect(seen.map(({ path, value }) => [path, value])).toEqual([
      ['status.restarts', 1],
      ['spec.failurePolicy.maxRestarts', 3],
    ]);
  });
});

describe('a word that is no action', () => {
  const fixesOf = (word: string, given: Given = {}) =>
    analyse(
      `apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nspec:\n  failurePolicy: {maxRestarts: 3, rules: [{action: ${word}}]}\n`,
      given,
    ).findings.flatMap(({ fixes }) => fixes.map(({ title }) => title));

  it.each([
    ['Restart', 'Write RestartJobSet'],
    ['fail', 'Write FailJobSet'],
    ['restartJobs', 'Write RestartJobSet'],
  ])('%s becomes one that needs no gate', (word, title) => {
    expect(fixesOf(word)).toContain(title);
  });

  it('may become one that is behind a gate where that is on', () => {
    const given = { versions: { jobset: '0.12.0' }, gates: { RestartJob: true } };
    expect(fixesOf('restartJob', given)).toContain('Write RestartJob');
  });
});

describe('rules that the version drops', () => {
  const rules = '{maxRestarts: 2, rules: [{action: RestartJobSetAndIgnoreMaxRestarts}]}';

  it('leave the limit in force', () => {
    const given = { versions: { jobset: '0.5.0' } };
    expect(endOf(policyIn(rules, jobs(6), given))).toBe('after 2 retries');
    expect(endOf(policyIn(rules))).toBe('never');
  });

  it('include their patterns, before 0.10', () => {
    const byMessage =
      '{maxRestarts: 2, rules: [{action: FailJobSet, onJobFailureMessagePatterns: [gone]}]}';
    const given = { versions: { jobset: '0.9.0' } };
    expect(endOf(policyIn(byMessage, jobs(6), given))).toBe('after 0 retries');
    expect(endOf(policyIn(byMessage))).toBe('after 2 retries');
  });
});

describe('restarts in place', () => {
  it('take the limits of the Jobs away', () => {
    const notes = explain(policyIn('{restartStrategy: InPlaceRestart, maxRestarts: 2}')).notes;
    expect(notes.join('\n')).toContain('2147483647');
  });
});
