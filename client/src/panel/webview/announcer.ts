import type { Instant } from '../../../../engine/units.ts';
import type { PanelRow } from '../model/panelRow.ts';
import { spokenRow, stateText } from '../model/words.ts';
import { el, write } from './dom.ts';

export type Announcer = {
  readonly element: HTMLElement;
  /** Notes that a row came, or changed from one state to another. */
  readonly changed: (row: PanelRow, before: PanelRow | undefined, now: Instant) => void;
  readonly removed: (row: PanelRow) => void;
  readonly say: (text: string) => void;
};

// Changes that come within this time are said in one sentence.
const gathering = 1500;

/** Tells a screen reader what changed: states, never the seconds that pass. */
export function createAnnouncer(): Announcer {
  const element = el('div', { class: 'spoken', 'aria-live': 'polite', role: 'status' });
  let waiting: string[] = [];
  let timer: number | undefined;
  const later = (text: string): void => {
    waiting.push(text);
    timer ??= window.setTimeout(() => {
      timer = undefined;
      const [only] = waiting;
      write(
        element,
        waiting.length === 1 && only !== undefined
          ? only
          : `${String(waiting.length)} states changed`,
      );
      waiting = [];
    }, gathering);
  };
  return {
    element,
    changed: (row, before, now) => {
      if (before !== undefined && before.group === row.group) return;
      later(spokenRow(row, now));
    },
    removed: (row) => {
      later(`${row.kind} ${row.name}: no longer ${stateText(row)}`);
    },
    say: (text) => {
      write(element, text);
    },
  };
}
