import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../../engine/durations/format.ts';
import { parseGoDuration } from '../../../engine/durations/go.ts';
import { backoffOf } from '../../../engine/families/cert-manager/backoff.ts';
import {
  attemptOffsets,
  attemptsWithin,
  renewalWindow,
} from '../../../engine/families/cert-manager/renewal.ts';
import type { Ms } from '../../../engine/units.ts';
import { environment } from '../../support/analyse.ts';

const duration = (text: string): Ms => {
  const read = parseGoDuration(text);
  if (!read.ok) throw new Error(read.message);
  return read.value;
};
const version = (text: string) => environment({ versions: { 'cert-manager': text } });

describe('attempts between renewal and expiry, each failing at once', () => {
  it.each([
    ['1h', undefined, '1h', '32h', 1, '0s'],
    ['6h', undefined, '1h', '32h', 2, '0s 1h'],
    ['24h', undefined, '1h', '32h', 4, '0s 1h 3h 7h'],
    ['168h', undefined, '1h', '32h', 6, '0s 1h 3h 7h 15h 31h'],
    ['720h', undefined, '1h', '32h', 12, '0s 1h 3h 7h 15h 31h 63h 95h 127h 159h 191h 223h'],
    ['2160h', undefined, '1h', '32h', 27, '0s 1h 3h 7h 15h 31h 63h 95h'],
    ['2160h', '360h', '1h', '32h', 16, '0s 1h 3h 7h 15h 31h 63h 95h'],
    ['1h', undefined, '5m', '32h', 3, '0s 5m 15m'],
    ['24h', undefined, '5m', '32h', 7, '0s 5m 15m 35m 1h15m 2h35m 5h15m'],
    // A retry that would start as the certificate expires is too late.
    ['3h', undefined, '1h', '32h', 1, '0s'],
    ['9h', undefined, '1h', '32h', 2, '0s 1h'],
  ])(
    '%s with renewBefore %s, %s up to %s: %i',
    (lifetime, renewBefore, min, max, count, offsets) => {
      const env = version('1.21.1');
      const rule = renewBefore === undefined ? {} : { renewBefore: duration(renewBefore) };
      const { window } = renewalWindow(duration(lifetime), rule, env);
      const backoff = backoffOf(env, duration(min), duration(max));
      expect(attemptsWithin(window, backoff)).toBe(count);
      const listed = attemptOffsets(window, backoff, offsets.split(' ').length).map(formatDuration);
      expect(listed.join(' ')).toBe(offsets);
    },
  );

  it('counts as the list does, also where the waits stay at the cap', () => {
    const backoff = backoffOf(version('1.21.1'), duration('10m'), duration('1h'));
    for (const text of ['1m', '10m', '11m', '1h', '1h10m', '5h', '23h', '24h10m', '24h11m']) {
      const window = duration(text);
      expect(attemptsWithin(window, backoff), text).toBe(
        attemptOffsets(window, backoff, 1e4).length,
      );
    }
  });

  it('has no count where the controller does not wait', () => {
    expect(
      attemptsWithin(duration('1h'), backoffOf(version('1.21.1'), duration('0'), duration('1h'))),
    ).toBeUndefined();
  });
});

describe('time between renewal and expiry', () => {
  it.each([
    ['1.21.1', '2160h', {}, '720h'],
    ['1.21.1', '2160h', { percentage: 25 }, '540h'],
    ['1.17.0', '2160h', { percentage: 25 }, '540h'],
    ['1.16.3', '2160h', { percentage: 25 }, '540h'],
    ['1.16.2', '2160h', { percentage: 25 }, '1620h'],
    ['1.15.5', '2160h', { percentage: 25 }, '720h'],
    ['1.21.1', '87600h', { percentage: 50 }, '43800h'],
    ['1.21.1', '2160h', { percentage: 100 }, '720h'],
    ['1.21.1', '720h', { renewBefore: '720h' }, '240h'],
    ['1.21.1', '720h', { renewBefore: '719h' }, '719h'],
    ['1.21.1', '720h', { renewBefore: '800h', percentage: 10 }, '72h'],
  ] as const)('%s: %s with %o is %s', (text, lifetime, rule, expected) => {
    const { percentage, renewBefore } = { percentage: undefined, renewBefore: undefined, ...rule };
    const before = renewBefore === undefined ? undefined : duration(renewBefore);
    const found = renewalWindow(
      duration(lifetime),
      { renewBefore: before, percentage },
      version(text),
    );
    expect(found.window).toBe(duration(expected));
  });

  it('overflows on ten years before 1.21, as the controller does', () => {
    const found = renewalWindow(duration('87600h'), { percentage: 50 }, version('1.20.3'));
    expect(found.window).toBeLessThan(0);
  });
});
