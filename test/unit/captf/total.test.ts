import {
  array,
  assert,
  constantFrom,
  integer,
  jsonValue,
  property,
  record,
  tuple,
} from 'fast-check';
import { expect, it } from 'vitest';
import { jobsLive } from '../../../engine/families/captf/jobsLive.ts';
import { refreshLive } from '../../../engine/families/captf/refreshLive.ts';
import { job, partOf, read, waitingLine } from './recorded.ts';

const ends = record({
  at: integer({ min: 0, max: 59 }).map((minute) => `10:${String(minute).padStart(2, '0')}:00`),
  as: constantFrom('Complete', 'Failed'),
  reason: constantFrom('BackoffLimitExceeded', 'DeadlineExceeded'),
});
const marks = constantFrom(
  {},
  { interrupted: 'true' },
  { 'destructive-plan-blocked': 'true' },
  { 'plan-changed': 'true' },
  { 'drift-remediation': 'true' },
);
const jobs = array(tuple(constantFrom('apply', 'drift', 'plan'), ends, marks), {
  maxLength: 8,
}).map((list) => list.map(([op, end, mark], index) => job(op, index + 1, end, mark)));

it('reads the same states in whatever order the Jobs arrive', () => {
  assert(
    property(jobs, (list) => {
      expect(read({ jobs: list.toReversed() })).toEqual(read({ jobs: list }));
    }),
    { numRuns: 200 },
  );
});

it('lets no operation change what another one waits', () => {
  assert(
    property(jobs, ends, (list, end) => {
      const before = waitingLine(partOf(read({ jobs: list }), 'apply'));
      const more = [...list, job('refresh', 1, end)];
      expect(waitingLine(partOf(read({ jobs: more }), 'apply'))).toBe(before);
    }),
    { numRuns: 200 },
  );
});

it('reads any JSON without throwing', () => {
  assert(
    property(array(jsonValue(), { maxLength: 4 }), jsonValue(), (values, status) => {
      const recorded = { status, spec: status, jobs: values, events: values, others: values };
      for (const reader of [jobsLive, refreshLive]) {
        expect(Array.isArray(read({ ...recorded, kind: 'TerraformMachine' }, reader))).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});
