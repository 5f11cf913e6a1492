import { describe, expect, it } from 'vitest';
import {
  restartBackoff,
  restartWait,
  restartWaits,
} from '../../../engine/families/kubernetes/crashLoop.ts';
import { podFailureWait } from '../../../engine/families/kubernetes/podFailures.ts';
import { jobSchedule } from '../../../engine/families/kubernetes/jobSchedule.ts';
import { take } from '../../../engine/growth.ts';
import { bound } from '../../../engine/schedule.ts';
import { ms, seconds } from '../../../engine/units.ts';
import { environment } from '../../support/analyse.ts';
import vectors from '../../vectors/kubernetes.json' with { type: 'json' };

const inSeconds = (waits: readonly { readonly lo: number }[]) => waits.map(({ lo }) => lo / 1000);

describe('waits as client-go computes them', () => {
  it.each(vectors.flowcontrol)('$baseMs to $maxMs', ({ baseMs, maxMs, delaysMs, afterQuietMs }) => {
    const backoff = { base: ms(baseMs), max: ms(maxMs), maxSetBy: 'built-in' } as const;
    expect(delaysMs.map((_, index) => restartWait(backoff, index + 1))).toEqual(delaysMs);
    expect(restartWait(backoff, 0)).toBe(0);
    expect(restartWait(backoff, 1)).toBe(afterQuietMs);
  });
});

describe('restarts of a container by version, gate and setting', () => {
  it.each(vectors.restarts)('$name ($version)', ({ version, gates, max, waits }) => {
    const env = environment({
      versions: { kubernetes: version },
      gates: Object.fromEntries(Object.entries(gates)),
      controllers:
        max === undefined ? {} : { 'kubernetes/crashLoopBackOff.maxContainerRestartPeriod': max },
    });
    expect(inSeconds(take(restartWaits(restartBackoff(env)), waits.length))).toEqual(waits);
  });

  it('names the retry from which the waits stay', () => {
    const waits = restartWaits(restartBackoff(environment()));
    const from = waits.constantFrom ?? 0;
    const listed = inSeconds(take(waits, 40));
    expect(new Set(listed.slice(from - 1)).size).toBe(1);
    expect(listed[from - 2]).not.toBe(listed[from - 1]);
  });

  it('takes a setting that no kubelet accepts for none', () => {
    const env = environment({
      controllers: { 'kubernetes/crashLoopBackOff.maxContainerRestartPeriod': '10m' },
    });
    expect(restartBackoff(env).max).toBe(seconds(300));
  });
});

describe('retries of a Job whose pod fails at once', () => {
  it.each(vectors.jobs)('$name: backoffLimit $backoffLimit, $restartPolicy', (row) => {
    const schedule = jobSchedule(
      {
        backoffLimit: row.backoffLimit,
        restartPolicy: row.restartPolicy === 'Never' ? 'Never' : 'OnFailure',
        deadline: undefined,
        failsOn: [],
        perIndex: 'none',
        atOnce: 1,
      },
      environment({ versions: { kubernetes: row.version } }),
    );
    const end = bound(schedule);
    expect(end.kind).toBe('bounded');
    if (end.kind !== 'bounded') return;
    expect(end.lasts).toEqual({ lo: row.total * 1000, hi: row.total * 1000 });
    if (row.waits === undefined) return;
    expect(end.retries?.hi).toBe(row.waits.length);
    expect(inSeconds(take(schedule.waits, row.waits.length))).toEqual(row.waits);
  });

  it('stops at the deadline before the limit', () => {
    const schedule = jobSchedule(
      {
        backoffLimit: 5,
        restartPolicy: 'Never',
        deadline: seconds(100),
        failsOn: [],
        perIndex: 'none',
        atOnce: 1,
      },
      environment(),
    );
    const end = bound(schedule);
    expect(end).toMatchObject({ by: { kind: 'elapsed' }, retries: { lo: 3, hi: 3 } });
  });

  it('waits longer at once where several pods fail together', () => {
    expect(podFailureWait(3, seconds(600))).toBe(seconds(40));
    expect(podFailureWait(4, seconds(600))).toBe(seconds(80));
    expect(podFailureWait(500, seconds(600))).toBe(seconds(600));
  });
});
