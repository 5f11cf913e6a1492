import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../../engine/durations/format.ts';
import { parseGoDuration } from '../../../engine/durations/go.ts';
import {
  backoffOf,
  issuanceWait,
  issuanceWaits,
  knownBackoff,
} from '../../../engine/families/cert-manager/backoff.ts';
import { take } from '../../../engine/growth.ts';
import { ms, type Ms } from '../../../engine/units.ts';
import { environment } from '../../support/analyse.ts';
import vectors from '../../vectors/cert-manager.json' with { type: 'json' };

const duration = (text: string): Ms => {
  const read = parseGoDuration(text);
  if (!read.ok) throw new Error(read.message);
  return read.value;
};

const version = (text: string) => environment({ versions: { 'cert-manager': text } });

describe('wait after failed issuances, as the controller computes it', () => {
  const rows = vectors.entries.flatMap(({ minMs, maxMs, attemptsMissing, delayMsByAttempts }) => [
    { minMs, maxMs, failures: undefined, delay: attemptsMissing },
    ...Object.entries(delayMsByAttempts).map(([failures, delay]) => ({
      minMs,
      maxMs,
      failures: Number(failures),
      delay,
    })),
  ]);

  it.each(rows)('$minMs..$maxMs after $failures', ({ minMs, maxMs, failures, delay }) => {
    const backoff = backoffOf(version('1.21.1'), ms(minMs), ms(maxMs));
    expect(issuanceWait(backoff, failures)).toBe(delay);
  });

  it('lists the same waits as it computes one by one', () => {
    for (const { minMs, maxMs } of vectors.entries) {
      const backoff = backoffOf(version('1.21.1'), ms(minMs), ms(maxMs));
      const listed = take(issuanceWaits(backoff), 80).map(({ lo }) => lo);
      expect(listed).toEqual(listed.map((_, index) => issuanceWait(backoff, index + 1)));
    }
  });
});

describe('waits by version', () => {
  it.each([
    ['1.21.1', '1h', '32h', ['1h', '2h', '4h', '8h', '16h', '32h', '32h', '32h']],
    [
      '1.21.0',
      '5m',
      '32h',
      ['5m', '10m', '20m', '40m', '1h20m', '2h40m', '5h20m', '10h40m', '21h20m', '32h', '32h'],
    ],
    ['1.21.1', '10m', '1h', ['10m', '20m', '40m', '1h', '1h', '1h', '1h', '1h']],
    ['1.21.1', '0s', '32h', ['0s', '0s']],
    ['1.20.3', '5m', '1h', ['5m', '10m', '20m', '40m', '1h20m', '2h40m', '32h', '32h']],
    ['1.20.0', '2h', '1h', ['2h', '4h', '8h', '16h', '32h', '64h', '32h', '32h']],
    ['1.20.0', '48h', '1h', ['48h', '96h', '192h', '384h', '768h', '1536h', '48h', '48h']],
    ['1.20.0', '-1h', '32h', ['0s', '0s']],
    ['1.19.4', '5m', '1h', ['1h', '2h', '4h', '8h', '16h', '32h', '32h', '32h']],
    ['1.8.0', '5m', '1h', ['1h', '2h', '4h', '8h', '16h', '32h', '32h', '32h']],
    ['1.7.3', '5m', '1h', ['1h', '1h', '1h', '1h', '1h', '1h', '1h', '1h']],
  ])('%s with %s and %s', (text, min, max, expected) => {
    const backoff = backoffOf(version(text), duration(min), duration(max));

    expect(
      take(issuanceWaits(backoff), expected.length).map(({ lo }) => formatDuration(lo)),
    ).toEqual(expected);
  });

  it('stays at the minimum where the count of failures is never stored', () => {
    const env = environment({ gates: { ServerSideApply: true } });
    expect(take(issuanceWaits(knownBackoff(env)), 3).map(({ lo }) => formatDuration(lo))).toEqual([
      '1h',
      '1h',
      '1h',
    ]);
  });

  it('takes the bounds from the controller where they are known', () => {
    const controllers = {
      'cert-manager/certificateRequestMinimumBackoffDuration': '10m',
      'cert-manager/certificateRequestMaximumBackoffDuration': '1h',
    };
    expect(knownBackoff(environment({ controllers }))).toMatchObject({
      min: duration('10m'),
      max: duration('1h'),
      minFrom: 'set',
      maxFrom: 'set',
    });
    expect(
      knownBackoff(environment({ controllers, versions: { 'cert-manager': '1.20.1' } })),
    ).toMatchObject({ min: duration('10m'), max: duration('32h'), maxFrom: 'built-in' });
    expect(
      knownBackoff(environment({ controllers, versions: { 'cert-manager': '1.19.1' } })),
    ).toMatchObject({ min: duration('1h'), max: duration('32h'), minFrom: 'built-in' });
  });
});
