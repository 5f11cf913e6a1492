import { ms, zero, type Ms } from '../../../engine/units.ts';

/** How something fails over and over; times count from the start of the demo. */
export type Plan = {
  /** Failures before the demo starts; the next retry comes `firstNext` after its start. */
  readonly failures: number;
  readonly firstNext: Ms;
  readonly attempt: Ms;
  /** The wait after so many failures. */
  readonly wait: (failures: number) => Ms;
  /** After so many failures it gives up; absent: never. */
  readonly most?: number;
  /** After so many failures the next attempt succeeds, and the story starts over a moment later. */
  readonly succeedsAfter?: number;
};

/** Where a story stands at one moment. */
export type Stand = {
  readonly kind: 'waiting' | 'attempting' | 'gave-up' | 'well';
  /** When each failed attempt ended, oldest first; negative before the start of the demo. */
  readonly ends: readonly Ms[];
  /** When the attempt that runs has started, or the last one had. */
  readonly startedAt: Ms;
  /** When the story goes on; absent where it does not. */
  readonly until?: Ms;
};

const rest: Ms = ms(45_000);

/** Tells the story up to a moment: the same moment always finds it at the same place. */
export function standAt(plan: Plan, elapsed: Ms): Stand {
  const { attempt, wait, most, succeedsAfter } = plan;
  const ends = [...pastEnds(plan)];
  let startedAt = ms((ends.at(-1) ?? 0) - attempt);
  let next: Ms = plan.firstNext;
  for (;;) {
    if (most !== undefined && ends.length >= most) return { kind: 'gave-up', ends, startedAt };
    if (elapsed < next) return { kind: 'waiting', ends, startedAt, until: next };
    startedAt = next;
    const end = ms(next + attempt);
    if (elapsed < end) return { kind: 'attempting', ends, startedAt, until: end };
    if (succeedsAfter !== undefined && ends.length >= succeedsAfter) {
      const over = ms(end + rest);
      if (elapsed < over) return { kind: 'well', ends: [], startedAt, until: over };
      ends.length = 0;
      startedAt = over;
      next = ms(over + attempt);
      if (elapsed < next) return { kind: 'attempting', ends, startedAt, until: next };
      ends.push(next);
      next = ms(next + wait(1));
      continue;
    }
    ends.push(end);
    next = ms(end + wait(ends.length));
  }
}

/** The failures before the start, counted back from the next retry. */
function pastEnds({ failures, firstNext, attempt, wait, most }: Plan): readonly Ms[] {
  const ends: Ms[] = [];
  let end = ms(firstNext - wait(failures));
  if (most !== undefined && failures >= most) end = ms(-Math.abs(firstNext));
  for (let count = failures; count > 0; count -= 1) {
    ends.unshift(end);
    end = ms(end - attempt - wait(count - 1));
  }
  return ends;
}

/** Waits that double from a base up to a cap. */
export const doubling =
  (base: Ms, cap: Ms) =>
  (failures: number): Ms =>
    failures < 1 ? zero : ms(Math.min(base * 2 ** Math.min(failures - 1, 40), cap));
