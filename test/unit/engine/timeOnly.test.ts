import { expect, it } from 'vitest';
import { constant } from '../../../engine/growth.ts';
import { bound } from '../../../engine/schedule.ts';
import { describeEnd } from '../../../engine/summary.ts';
import { minutes, zero } from '../../../engine/units.ts';

it('lets retries without a wait go on until the deadline', () => {
  const end = bound({
    waits: constant(zero),
    stops: [
      {
        kind: 'elapsed',
        limit: minutes(5),
        edge: 'included',
        then: 'it fails',
        origin: { kind: 'field', field: 'maxDuration' },
      },
    ],
    resets: [],
    clock: 'after-attempt',
  });
  expect(describeEnd(end)).toBe('after 5m, by maxDuration');
});
