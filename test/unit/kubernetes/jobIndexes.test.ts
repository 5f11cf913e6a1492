import { describe, expect, it } from 'vitest';
import type { AnalysedPolicy } from '../../../engine/analysePlace.ts';
import { explain } from '../../../engine/explain.ts';
import { take } from '../../../engine/growth.ts';
import { bound } from '../../../engine/schedule.ts';
import { analyse } from '../../support/analyse.ts';

const job = (spec: string, policy = 'Never') => `apiVersion: batch/v1
kind: Job
metadata:
  name: shards
spec:
  completionMode: Indexed
${spec}  template:
    spec:
      restartPolicy: ${policy}
      containers:
        - name: shard
          image: registry.example/shard:1
`;

function policyIn(text: string, id: 'job' | 'job-index'): AnalysedPolicy {
  const found = analyse(text).policies.find(({ family }) => family.id === `kubernetes/${id}`);
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
}

const waitsIn = ({ schedule }: AnalysedPolicy): readonly number[] =>
  take(schedule?.waits ?? [], 4).map(({ lo }) => lo / 1000);

const codesIn = (text: string): readonly string[] => analyse(text).findings.map(({ code }) => code);

const many = (limit: number, deadline: string) =>
  job(
    `  completions: 50\n  parallelism: 50\n  backoffLimitPerIndex: 3\n  backoffLimit: ${String(limit)}\n${deadline}`,
  );

describe('a Job whose indexes have limits of their own', () => {
  it.each([60, 250])('has the waits of one index, not those of %d failures in a row', (limit) => {
    const { schedule } = policyIn(many(limit, ''), 'job');
    if (schedule === undefined) throw new Error('no schedule');
    expect(bound(schedule)).toMatchObject({
      kind: 'bounded',
      by: { origin: { field: 'backoffLimitPerIndex' } },
      retries: { lo: 3, hi: 3 },
      lasts: { lo: 70_000, hi: 70_000 },
    });
  });

  it('is not said to go on for days, nor to be cut short by a deadline that all indexes meet', () => {
    expect(codesIn(many(250, ''))).toEqual([]);
    expect(codesIn(many(250, '  activeDeadlineSeconds: 100\n'))).toEqual([]);
  });

  it('is cut short by a deadline that one index does not meet', () => {
    const { findings } = analyse(many(250, '  activeDeadlineSeconds: 60\n'));
    expect(findings.map(({ message }) => message)).toEqual([
      'Only 2 of the 3 retries of an index can start before the deadline of 1m: all of them need 1m10s of waiting. Raise `activeDeadlineSeconds` above that, or lower `backoffLimitPerIndex` to 2',
    ]);
  });

  it('names the limit per index where that is what takes days', () => {
    const text = job('  completions: 3\n  backoffLimitPerIndex: 500\n');
    expect(analyse(text).findings[0]?.message).toContain('lower `backoffLimitPerIndex`');
  });

  it('says so in its sentence, its end and its effects', () => {
    const policy = policyIn(many(60, '  maxFailedIndexes: 1\n'), 'job');
    const { sentence, end, field } = explain(policy, 'backoffLimit');
    expect(sentence).toBe(
      'Each index on its own: 3 retries (4 attempts): 10s, 20s, 40s; 1m10s of waiting in all',
    );
    expect(end).toBe(
      '`backoffLimitPerIndex`: the index fails, and the Job does when the other indexes have ended after retry 3, or 61 pods have failed over all indexes, or 2 indexes have failed',
    );
    expect(field?.effect).toBe(
      'The Job fails when 61 pods have failed over all indexes; each index waits on its own',
    );
    expect(explain(policy, 'backoffLimitPerIndex').field?.effect).toBe(
      '4 pods for each index, 1m10s of waiting',
    );
  });

  it('has the end of its index where the limit is only known at run time', () => {
    const policy = policyIn(
      job('  completions: 3\n  backoffLimitPerIndex: {{ .Values.n }}\n'),
      'job',
    );
    expect(waitsIn(policy)).toEqual([10, 20, 40, 80]);
    expect(explain(policy).end).toBe('every index has succeeded or used up its own retries');
  });

  it('fails at the limit of the whole Job where that is the smaller one', () => {
    const policy = policyIn(
      job('  completions: 3\n  backoffLimitPerIndex: 5\n  backoffLimit: 2\n'),
      'job',
    );
    expect(explain(policy).end).toContain('`backoffLimit`: the Job fails after retry 2');
  });
});

describe('indexes whose containers are restarted in place', () => {
  it.each(['job', 'job-index'] as const)('are ended by backoffLimit alone: %s', (id) => {
    const limited = job(
      '  completions: 5\n  backoffLimitPerIndex: 1\n  backoffLimit: 3\n',
      'OnFailure',
    );
    expect(explain(policyIn(limited, id)).end).toBe(
      '`backoffLimit`: the last restart is stopped as it begins and the Job fails after retry 3',
    );
    const endless = job('  completions: 5\n  backoffLimitPerIndex: 1\n', 'OnFailure');
    expect(explain(policyIn(endless, id)).end).toBe('nothing: it retries until it succeeds');
  });

  it('have one finding, with the restart that ends them', () => {
    const text = job(
      '  completions: 5\n  backoffLimitPerIndex: 1\n  backoffLimit: 3\n',
      'OnFailure',
    );
    expect(analyse(text).findings.map(({ message }) => message)).toEqual([
      'With `restartPolicy: OnFailure` containers are restarted in their pod, which `backoffLimitPerIndex` does not count: only `backoffLimit` ends them, as restart 3 over all indexes begins. Write `Never`',
    ]);
  });
});
