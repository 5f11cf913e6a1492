import { formatDuration } from '../../../engine/durations/format.ts';
import { resetText } from '../../../engine/explain.ts';
import { bound, steps, type Schedule, type Step } from '../../../engine/schedule.ts';
import { describeEnd, summarise } from '../../../engine/summary.ts';
import { after, type Instant, type Window } from '../../../engine/units.ts';
import type { Ladder, Rung } from './model/detail.ts';
import type { PanelRow } from './model/panelRow.ts';

const before = 4;
const later = 5;
// Counts beyond this are not walked: the waits stopped changing long ago.
const farthest = 10_000;

/**
 * The schedule around the place where an object stands: the last retries, the one that comes, and those after it.
 *
 * Where nothing counts the retries, the schedule begins at the first one, and none of them is called this one. For retry 4 of `1h, 2h, 4h, 8h, 16h …` the fourth rung is `here`, and the fifth starts 16h after it.
 */
export function ladder(schedule: Schedule, row: PanelRow): Ladder {
  const place = standing(row);
  const here = place === undefined ? undefined : Math.min(place, farthest);
  const end = bound(schedule);
  const { cap } = schedule;
  return {
    ...rungsAround(schedule, here, row),
    summary: summarise(schedule),
    end: end.kind === 'unbounded' ? 'nothing: it retries until it succeeds' : describeEnd(end),
    resets: schedule.resets.map(resetText),
    ...(cap === undefined
      ? {}
      : {
          cap: `${formatDuration(cap.value)} (${cap.origin.kind === 'field' ? cap.origin.field : cap.origin.name})`,
        }),
  };
}

/** The retry that comes next or runs now; for what gave up, the one that will not come. Absent where nobody counts. */
function standing({ group, retry, failures }: PanelRow): number | undefined {
  if (group === 'gave-up') return failures === undefined ? undefined : failures + 1;
  return retry ?? (failures === undefined ? undefined : Math.max(1, failures));
}

function rungsAround(
  schedule: Schedule,
  here: number | undefined,
  row: PanelRow,
): { readonly rungs: readonly Rung[]; readonly hasMore: boolean } {
  const middle = here ?? 1;
  const first = Math.max(1, middle - before);
  const rungs: Rung[] = [];
  let at: Window<Instant> | undefined;
  for (const step of steps(schedule)) {
    if (step.retry < first) continue;
    if (step.retry > middle + later) return { rungs, hasMore: true };
    at = startOf(step, here, row, at);
    rungs.push(rung(step, here, row, at));
  }
  return { rungs, hasMore: false };
}

/** The next retry starts when it is said to; each one after it a wait later, at the earliest. */
function startOf(
  { retry, wait }: Step,
  here: number | undefined,
  { group, next }: PanelRow,
  previous: Window<Instant> | undefined,
): Window<Instant> | undefined {
  if (group !== 'waiting' || here === undefined || retry < here) return undefined;
  if (retry === here) return next;
  return previous === undefined
    ? undefined
    : { lo: after(previous.lo, wait.lo), hi: after(previous.hi, wait.hi) };
}

function rung(
  { retry, wait, total, capped }: Step,
  here: number | undefined,
  { group }: PanelRow,
  at: Window<Instant> | undefined,
): Rung {
  const place = here === undefined ? undefined : placeOf(retry, here, group);
  return {
    retry,
    wait,
    total,
    isCapped: capped,
    ...(place === undefined ? {} : { place }),
    ...(at === undefined ? {} : { at }),
  };
}

function placeOf(retry: number, here: number, group: PanelRow['group']): Rung['place'] {
  if (retry === here && group !== 'gave-up') return 'here';
  return retry < here ? 'past' : 'later';
}
