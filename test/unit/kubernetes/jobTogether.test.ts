import { describe, expect, it } from 'vitest';
import { explain } from '../../../engine/explain.ts';
import { jobSchedule, type JobRetries } from '../../../engine/families/kubernetes/jobSchedule.ts';
import { take } from '../../../engine/growth.ts';
import { bound, firstSteps } from '../../../engine/schedule.ts';
import { seconds } from '../../../engine/units.ts';
import { analyse, environment } from '../../support/analyse.ts';

const four: JobRetries = {
  backoffLimit: 6,
  restartPolicy: 'Never',
  deadline: undefined,
  failsOn: [],
  perIndex: 'none',
  atOnce: 4,
};

const inSeconds = ({ lo, hi }: { readonly lo: number; readonly hi: number }) => [
  lo / 1000,
  hi / 1000,
];

function endOf(retries: JobRetries, kubernetes = '1.36.3') {
  const schedule = jobSchedule(retries, environment({ versions: { kubernetes } }));
  const end = bound(schedule);
  if (end.kind !== 'bounded') throw new Error(end.kind);
  return { by: end.by.kind, retries: end.retries, lasts: inSeconds(end.lasts), schedule };
}

describe('a Job that runs four pods at once', () => {
  it('waits the longer the more of them fail together', () => {
    const { schedule } = endOf(four);
    expect(take(schedule.waits, 3).map(inSeconds)).toEqual([
      [10, 80],
      [20, 320],
      [40, 320],
    ]);
  });

  it('fails after one wait where they fail together, after six where they fail one by one', () => {
    // Three fail, then four: seven in all with 40s between them. One by one: 10s to 320s.
    expect(endOf(four)).toMatchObject({
      by: 'retries',
      retries: { lo: 1, hi: 6 },
      lasts: [40, 630],
    });
  });

  it('waits no longer up to a retry than its failures allow', () => {
    const { schedule } = endOf(four);
    const totals = firstSteps(schedule, 6).steps.map(({ total }) => inSeconds(total));
    // One wait: four failures. Two: four, then six. Six: one by one.
    expect(totals).toEqual([
      [10, 80],
      [30, 400],
      [70, 560],
      [150, 600],
      [310, 620],
      [630, 630],
    ]);
  });

  it('may have no retry at all', () => {
    expect(endOf({ ...four, backoffLimit: 3 })).toMatchObject({
      retries: { lo: 0, hi: 3 },
      lasts: [0, 70],
    });
    expect(endOf({ ...four, backoffLimit: 0 })).toMatchObject({ retries: { lo: 0, hi: 0 } });
  });

  it('adds up restarts in place', () => {
    expect(endOf({ ...four, restartPolicy: 'OnFailure' })).toMatchObject({
      retries: { lo: 2, hi: 6 },
      lasts: [10, 310],
    });
  });

  it('doubled once for all that failed together in versions before 1.27', () => {
    const { schedule, ...end } = endOf(four, '1.26.5');
    expect(take(schedule.waits, 3).map(inSeconds)).toEqual([
      [0, 0],
      [10, 10],
      [20, 20],
    ]);
    expect(end).toMatchObject({ retries: { lo: 1, hi: 6 }, lasts: [0, 310] });
  });

  it('counts very large limits out', () => {
    expect(endOf({ ...four, backoffLimit: 2_000_000_000 }).lasts).toEqual([
      // Two billion failures are 500 million waits of four, the first of them 10s.
      10 + 160 + 499_999_998 * 600,
      630 + (2_000_000_000 - 6) * 600,
    ]);
  });

  it('may meet its deadline first, or its limit', () => {
    expect(endOf({ ...four, deadline: seconds(100) })).toMatchObject({
      by: 'elapsed',
      retries: { lo: 1, hi: 3 },
    });
  });
});

const manifest = (spec: string) => `apiVersion: batch/v1
kind: Job
metadata:
  name: work
spec:
${spec}  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: registry.example/work:1
`;

it('says both ends of it', () => {
  const text = manifest('  parallelism: 4\n  completions: 4\n  backoffLimit: 6\n');
  const policy = analyse(text).policies.find(({ family }) => family.id === 'kubernetes/job');
  if (policy === undefined) throw new Error('no Job');
  const { sentence, field } = explain(policy, 'backoffLimit');
  expect(sentence).toBe(
    '1 to 6 retries, 6 where the 4 pods fail one by one and 1 where they fail together: 10s..1m20s, 20s..5m20s, 40s..5m20s, 1m20s..5m20s, 2m40s..5m20s, 5m20s; 40s..10m30s of waiting in all',
  );
  expect(field?.effect).toBe('The Job fails when 7 pods have failed, after 40s..10m30s of waiting');
});

it('is silent about a deadline that pods which fail together do not meet', () => {
  const codes = (deadline: number) =>
    analyse(
      manifest(
        `  parallelism: 4\n  backoffLimit: 6\n  activeDeadlineSeconds: ${String(deadline)}\n`,
      ),
    ).findings.map(({ code }) => code);
  expect(codes(100)).toEqual([]);
  expect(codes(30)).toEqual(['kubernetes/job-deadline-cuts-retries']);
});
