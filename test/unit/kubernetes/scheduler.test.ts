import { describe, expect, it } from 'vitest';
import { family } from '../../../engine/families/kubernetes/scheduler.family.ts';
import { explain } from '../../../engine/explain.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import { emptyView } from '../../../engine/live.ts';
import { firstSteps } from '../../../engine/schedule.ts';
import { instant } from '../../../engine/units.ts';
import { analyse, environment, waitsOf, type Given } from '../../support/analyse.ts';
import vectors from '../../vectors/kubernetes-components.json' with { type: 'json' };

const policyIn = (settings: string, given: Given = {}) =>
  analyse(
    `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n${settings}`,
    given,
  ).policies.find(({ policy }) => policy.family === family.id);

describe('waits of a pod that no node fits', () => {
  it('are those of the scheduler by default, and their totals', () => {
    const schedule = policyIn('')?.schedule;
    if (schedule === undefined) throw new Error('no schedule');
    const { steps } = firstSteps(schedule, 8);
    const { waitsSeconds, totalSeconds } = vectors.scheduler;
    expect(steps.map(({ wait }) => wait.lo / 1000)).toEqual(waitsSeconds);
    expect(steps.map(({ total }) => total.hi / 1000)).toEqual(totalSeconds);
  });

  it.each([
    ['podInitialBackoffSeconds: 3', ['3s', '6s', '10s', '10s']],
    ['podMaxBackoffSeconds: 1', ['1s', '1s', '1s']],
    ['podInitialBackoffSeconds: 10', ['10s', '10s', '10s']],
    ['podMaxBackoffSeconds: 3600', ['1s', '2s', '4s', '8s', '16s', '32s', '1m4s']],
  ])('%s', (settings, waits) => {
    expect(waitsOf(policyIn(settings), waits.length)).toEqual(waits);
  });
});

describe('what a hover says', () => {
  const notes = (given: Given) => {
    const policy = policyIn('', given);
    return policy === undefined ? '' : explain(policy).notes.join('\n');
  };

  it.each([
    [{}, true, 'counted apart'],
    [{ versions: { kubernetes: '1.33.2' } }, true, 'All attempts count'],
    [{ versions: { kubernetes: '1.32.0' } }, false, 'All attempts count'],
    [{ gates: { SchedulerPopFromBackoffQ: false } }, false, 'counted apart'],
  ])('under %j', (given, popsEarly, counting) => {
    expect(notes(given).includes('SchedulerPopFromBackoffQ')).toBe(popsEarly);
    expect(notes(given)).toContain(counting);
  });

  it('says what each field does', () => {
    const policy = policyIn('');
    if (policy === undefined) throw new Error('no policy');
    expect(explain(policy, 'podMaxBackoffSeconds').field?.effect).toBe(
      'From failed attempt 5 on a pod waits 10s',
    );
    expect(explain(policy, 'podInitialBackoffSeconds').field?.effect).toBe(
      'A pod waits 1s after its first failed attempt, and twice as long after each further one',
    );
  });
});

describe('live pods', () => {
  const statesOf = (pod: object) =>
    family.live?.read({
      object: jsonTree({ apiVersion: 'v1', kind: 'Pod', ...pod }).root,
      ref: { apiVersion: 'v1', kind: 'Pod', name: 'p' },
      view: emptyView,
      env: environment(),
      now: instant(1_770_000_000_000),
    }) ?? [];

  const condition = (reason: string) => ({
    conditions: [
      { type: 'Other', status: 'True' },
      {
        type: 'PodScheduled',
        status: 'False',
        reason,
        message: '0/3 nodes are available: 3 Insufficient cpu.',
        lastTransitionTime: '2026-01-10T16:00:00Z',
      },
    ],
  });

  it('waits without a time that anybody could know', () => {
    const [first] = statesOf({ spec: {}, status: condition('Unschedulable') });
    expect(first?.part).toBe('scheduling');
    expect(first?.state).toMatchObject({ kind: 'waiting', next: { how: 'unknown' } });
    expect(first?.state.kind === 'waiting' && first.state.seen.map(({ path }) => path)).toEqual([
      'status.conditions[1].reason',
      'status.conditions[1].message',
      'status.conditions[1].lastTransitionTime',
    ]);
  });

  it.each([
    ['a pod on a node', { spec: { nodeName: 'n' }, status: condition('Unschedulable') }],
    ['a gated pod', { spec: {}, status: condition('SchedulingGated') }],
    ['a new pod', { spec: {}, status: {} }],
    [
      'a pod being deleted',
      {
        metadata: { deletionTimestamp: '2026-01-10T16:00:00Z' },
        spec: {},
        status: condition('Unschedulable'),
      },
    ],
  ])('says nothing of %s', (_, pod) => {
    expect(statesOf(pod)).toEqual([]);
  });
});
