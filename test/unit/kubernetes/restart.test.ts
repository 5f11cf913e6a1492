import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { family } from '../../../engine/families/kubernetes/restart.family.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { emptyView } from '../../../engine/live.ts';
import { formatInstant, instant } from '../../../engine/units.ts';
import { analyse, endOf, environment, waitsOf, type Given } from '../../support/analyse.ts';

const restartsIn = (text: string, given: Given = {}) =>
  analyse(text, given).policies.filter(({ policy }) => policy.family === family.id);

const pod = (policy: string, container: string, list = 'containers') => `apiVersion: v1
kind: Pod
metadata: { name: work }
spec:
  restartPolicy: ${policy}
  ${list}: [{ name: work, image: registry.example/work:1${container} }]
`;

const rules = (policy: string, operator: string, values: string) =>
  `, restartPolicy: ${policy}, restartPolicyRules: [{ action: Restart, exitCodes: { operator: ${operator}, values: ${values} } }]`;

describe('rules of a single container', () => {
  it.each([
    ['Never', 'In', '[42]', 'it ends with any exit code but 42'],
    ['Never', 'NotIn', '[42]', 'it ends with exit code 42'],
    ['Never', 'NotIn', '[1, 2]', 'it ends with exit code 1 or 2'],
    ['Never', 'NotIn', '[]', 'never'],
    ['OnFailure', 'In', '[42]', 'it ends with exit code 0'],
    ['OnFailure', 'NotIn', '[42]', 'never'],
    ['OnFailure', 'NotIn', '[0]', 'it ends with exit code 0'],
  ])('%s and a rule %s %s', (policy, operator, values, end) => {
    const [found] = restartsIn(pod('Never', rules(policy, operator, values)));
    expect(endOf(found)).toBe(end);
  });

  it('do not count where the version drops them', () => {
    const given = { versions: { kubernetes: '1.33.2' } };
    const [found] = restartsIn(pod('Never', rules('Never', 'In', '[42]')), given);
    expect(endOf(found)).toBe('after 0 retries');
  });
});

describe('an init container with a policy of its own', () => {
  const sidecar = pod('Never', ', restartPolicy: Always', 'initContainers');

  it.each([
    ['1.29.0', 'never'],
    ['1.28.9', 'after 0 retries'],
    ['1.25.0', 'after 0 retries'],
  ])('on %s', (kubernetes, end) => {
    expect(endOf(restartsIn(sidecar, { versions: { kubernetes } })[0])).toBe(end);
  });

  it('is a sidecar where the gate is on', () => {
    const given = { versions: { kubernetes: '1.28.9' }, gates: { SidecarContainers: true } };
    expect(endOf(restartsIn(sidecar, given)[0])).toBe('never');
  });
});

describe('a pod of a JobSet that says nothing', () => {
  it('restarts on failure, as the webhook writes', () => {
    const [found] = restartsIn(`apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
spec:
  replicatedJobs:
    - name: workers
      template: { spec: { template: { spec: { containers: [{ name: a, image: b }] } } } }
`);
    expect(endOf(found)).toContain('it ends with exit code 0');
  });
});

describe('a pod of a LeaderWorkerSet', () => {
  const group = (policy: string) => `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
spec:
  leaderWorkerTemplate:
    size: 2
${policy}    workerTemplate: { spec: { containers: [{ name: a, image: b }] } }
`;

  it('never sees its waits grow where the group is created anew', () => {
    const [found] = restartsIn(group(''));
    if (found === undefined) throw new Error('no policy');
    expect(waitsOf(found, 5)).toEqual(['0s']);
    expect(endOf(found)).toContain('create the whole group anew');
    const notes = explain(found).notes.join('\n');
    expect(notes).toContain('CrashLoopBackOff never grows');
    expect(notes).not.toContain('after the same waits');
  });

  it.each([
    ['    restartPolicy: None\n', {}],
    ['', { versions: { 'leader-worker-set': '0.3.0' } }],
  ])('restarts as ever where the group is left alone', (policy, given) => {
    const [found] = restartsIn(group(policy), given);
    expect(waitsOf(found, 3)).toEqual(['0s', '10s', '20s']);
    expect(endOf(found)).toBe('never');
  });
});

describe('a container that just ended', () => {
  const stateOf = (spec: unknown, terminated: unknown, restartCount = 9, metadata = {}) => {
    const name = 'app';
    const status = { name, restartCount, state: { terminated } };
    const isInit = JSON.stringify(spec).includes('initContainers');
    const statuses = isInit ? { initContainerStatuses: [status] } : { containerStatuses: [status] };
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'shop', ...metadata },
      spec,
      status: { phase: 'Running', ...statuses },
    };
    const [found] = (family.live?.read ?? (() => []))({
      object: jsonTree(object).root,
      ref: { apiVersion: 'v1', kind: 'Pod', name: 'shop' },
      view: emptyView,
      env: environment(),
      now: instant(Date.parse('2026-11-30T22:10:06Z')),
    });
    if (found === undefined) throw new Error('no state');
    return found.state;
  };
  const always = { restartPolicy: 'Always', containers: [{ name: 'app' }] };
  const finishedAt = '2026-11-30T22:10:05Z';

  it('waits not at all after a run of more than ten minutes', () => {
    const state = stateOf(always, { exitCode: 1, startedAt: '2026-11-30T21:55:00Z', finishedAt });
    if (state.kind !== 'waiting' || state.wait.how === 'unknown') throw new Error(state.kind);
    expect(state.wait.value).toEqual({ lo: 0, hi: 0 });
    expect(state.reason).toContain('the waits start over');
  });

  it('has a range where it ran for less', () => {
    const state = stateOf(
      always,
      { exitCode: 1, startedAt: '2026-11-30T22:05:00Z', finishedAt },
      3,
    );
    if (state.kind !== 'waiting' || state.next.how === 'unknown') throw new Error(state.kind);
    expect(state.wait).toMatchObject({ value: { lo: 0, hi: 40_000 } });
    expect(formatInstant(state.next.value.lo)).toBe('2026-11-30T22:10:05Z');
  });

  const withRule = {
    restartPolicy: 'Never',
    containers: [
      {
        name: 'app',
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
      },
    ],
  };

  it.each([
    ['restarted by its rule', withRule, 42, 'waiting'],
    ['not restarted by a rule for another code', withRule, 1, 'idle'],
    [
      'an init container that has done its work',
      { restartPolicy: 'Always', initContainers: [{ name: 'app' }] },
      0,
      'idle',
    ],
    [
      'a sidecar',
      { restartPolicy: 'Never', initContainers: [{ name: 'app', restartPolicy: 'Always' }] },
      0,
      'waiting',
    ],
  ])('%s', (_name, spec, exitCode, kind) => {
    expect(stateOf(spec, { exitCode, finishedAt }).kind).toBe(kind);
  });

  it('is not restarted in a pod that is being deleted', () => {
    const deleted = { deletionTimestamp: '2026-11-30T22:10:00Z' };
    expect(stateOf(always, { exitCode: 1, finishedAt }, 3, deleted)).toMatchObject({
      kind: 'idle',
      because: 'finished',
    });
  });
});
