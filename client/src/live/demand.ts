import { minutes, type Ms } from '../../../engine/units.ts';
import type { Clock } from '../cluster/clock.ts';

/** Nobody looks for this long: then no request is made until somebody does. */
export const patience: Ms = minutes(5);

/** Keeps count of who looks. */
export type Demand = {
  /** Says that something is on the screen, or that it is not any more. */
  readonly set: (who: string, looks: boolean) => void;
  readonly isPaused: () => boolean;
  readonly dispose: () => void;
};

/** Pauses once nobody has looked for a while, and goes on at once when somebody does. */
export function demand(
  clock: Pick<Clock, 'after'>,
  on: { readonly pause: () => void; readonly resume: () => void },
  lasts: Ms = patience,
): Demand {
  const looking = new Set<string>();
  let isPaused = false;
  let cancel: (() => void) | undefined;
  return {
    set: (who, looks) => {
      if (looks) looking.add(who);
      else looking.delete(who);
      if (looking.size > 0) {
        cancel?.();
        cancel = undefined;
        if (isPaused) {
          isPaused = false;
          on.resume();
        }
        return;
      }
      cancel ??= clock.after(lasts, () => {
        cancel = undefined;
        isPaused = true;
        on.pause();
      });
    },
    isPaused: () => isPaused,
    dispose: () => {
      cancel?.();
    },
  };
}
