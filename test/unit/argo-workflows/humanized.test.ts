import { describe, expect, it } from 'vitest';
import { formatDuration, formatWindow } from '../../../engine/durations/format.ts';
import {
  readHumanized,
  waitInMessage,
} from '../../../engine/families/argo-workflows/live/humanized.ts';

describe('the words of a wait', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['0 seconds', '0s..1s'],
    ['1 second', '1s..2s'],
    ['45 seconds', '45s..46s'],
    ['1 minute 0 seconds', '1m..1m1s'],
    ['59 minutes 59 seconds', '59m59s..1h'],
    ['1 hour 20 minutes', '1h20m..1h21m'],
    ['2 days 3 hours', '51h..52h'],
    ['1 week 0 hours', '168h..336h'],
  ];
  it.each(rows)('%s', (text, expected) => {
    const window = readHumanized(text);
    expect(window === undefined ? 'none' : formatWindow(window)).toBe(expected);
  });

  it('reads nothing else', () => {
    for (const text of ['', 'soon', 'a long while 3 hours', '-1 seconds', '1 fortnight']) {
      expect(readHumanized(text)).toBeUndefined();
    }
    expect(waitInMessage('No more retries left')).toBeUndefined();
    const window = waitInMessage('Backoff for 2 minutes 0 seconds');
    expect(window === undefined ? '' : formatDuration(window.lo)).toBe('2m');
  });
});
