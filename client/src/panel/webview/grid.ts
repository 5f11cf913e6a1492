import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { Instant } from '../../../../engine/units.ts';
import type { TimeStyle } from '../model/countdown.ts';
import { timesTooltip } from '../model/nextTexts.ts';
import type { PanelRow } from '../model/panelRow.ts';
import type { SortKey, Sorting } from '../model/table.ts';
import { spokenRow } from '../model/words.ts';
import { el, place, setAttribute, write } from './dom.ts';
import { columns } from './rowCells.ts';

export type GridEvents = {
  readonly sort: (by: SortKey) => void;
  readonly select: (id: string) => void;
  /** Enter on a row: into its details. */
  readonly enter: () => void;
  readonly search: () => void;
};

export type GridView = {
  readonly rows: readonly PanelRow[];
  readonly sorting: Sorting;
  readonly times: TimeStyle;
  readonly selected: string | undefined;
  readonly hasContexts: boolean;
  readonly now: (row: PanelRow) => Instant;
};

export type Grid = {
  readonly element: HTMLElement;
  readonly show: (view: GridView) => void;
  /** Writes what time changes in the rows that are on the screen. */
  readonly tick: () => void;
  readonly focus: () => void;
};

const rowHeight = 26;
const overscan = 8;

type DrawnRow = { readonly element: HTMLTableRowElement; readonly cells: readonly HTMLElement[] };

/** The table: only the rows on the screen exist, and a row that changes is written in place. */
export function createGrid(events: GridEvents): Grid {
  const scroller = el('div', { class: 'scroller', tabindex: '-1' });
  const head = el('tr');
  const body = el('tbody');
  const above = spacer();
  const below = spacer();
  const table = el(
    'table',
    { role: 'grid', 'aria-label': 'What is backing off', class: 'grid' },
    el('thead', {}, head),
    body,
  );
  scroller.append(table);
  const headers = columns.map(({ id, title, sort }) =>
    headerOf(id, title, () => events.sort(sort)),
  );
  head.append(...headers.map(({ cell }) => cell));

  const drawn = new Map<string, DrawnRow>();
  let view: GridView | undefined;
  let active = 0;
  let takesFocus = false;

  const virtualizer = new Virtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: 0,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan,
    // The header takes part of the height, and stays where it is.
    scrollPaddingEnd: rowHeight + 2,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(),
  });
  // oxlint-disable-next-line no-underscore-dangle -- how the virtualiser is driven without a framework
  virtualizer._didMount();

  const draw = (): void => {
    if (view === undefined) return;
    const items = virtualizer.getVirtualItems();
    const wanted = new Set<string>();
    const elements: HTMLTableRowElement[] = [];
    for (const { index } of items) {
      const row = view.rows[index];
      if (row === undefined) continue;
      wanted.add(row.id);
      let one = drawn.get(row.id);
      if (one === undefined) {
        one = drawRow(row.id);
        drawn.set(row.id, one);
      }
      fill(one, row, index, view);
      elements.push(one.element);
    }
    for (const [id, { element }] of drawn) {
      if (wanted.has(id)) continue;
      // The keyboard stays in the table when the row that has it is scrolled away.
      if (element === document.activeElement) scroller.focus({ preventScroll: true });
      element.remove();
      drawn.delete(id);
    }
    place(body, [above, ...elements, below]);
    const total = virtualizer.getTotalSize();
    above.style.height = `${String(items[0]?.start ?? 0)}px`;
    below.style.height = `${String(total - (items.at(-1)?.end ?? 0))}px`;
    const id = view.rows[active]?.id;
    const element = takesFocus && id !== undefined ? drawn.get(id)?.element : undefined;
    // A row that was not on the screen is there once the scroll has happened.
    if (element !== undefined) {
      takesFocus = false;
      element.focus({ preventScroll: true });
    }
  };

  const drawRow = (id: string): DrawnRow => {
    const cells = columns.map(({ id: column, isNumber }) =>
      el('td', { class: `cell ${column}${isNumber ? ' number' : ''}` }),
    );
    const element = el('tr', { class: 'row', 'data-id': id, tabindex: '-1' }, ...cells);
    return { element, cells };
  };

  const fill = (one: DrawnRow, row: PanelRow, index: number, current: GridView): void => {
    const now = current.now(row);
    const { element, cells } = one;
    setAttribute(element, 'aria-rowindex', String(index + 2));
    setAttribute(element, 'aria-selected', String(row.id === current.selected));
    fillLabels(one, row, now);
    setAttribute(element, 'data-group', row.group);
    setAttribute(element, 'tabindex', index === active ? '0' : '-1');
    for (const [at, column] of columns.entries()) {
      const cell = cells[at];
      if (cell !== undefined) write(cell, column.text(row, current.times, now));
    }
    setAttribute(element, 'title', row.reason);
  };

  /** Brings the keyboard to a row; nothing is selected by it. */
  const focusRow = (to: number): void => {
    if (view === undefined || view.rows.length === 0) return;
    active = Math.max(0, Math.min(view.rows.length - 1, to));
    takesFocus = true;
    virtualizer.scrollToIndex(active, { align: 'auto' });
    draw();
  };

  const choose = (): void => {
    const id = view?.rows[active]?.id;
    if (id !== undefined) events.select(id);
  };

  const move = (to: number): void => {
    focusRow(to);
    choose();
  };

  /** A label with a time in it is old a second later: it is written when it is about to be read. */
  const refresh = ({ target }: Event): void => {
    const id = rowOf(target);
    const one = id === undefined ? undefined : drawn.get(id);
    const row = view?.rows.find((each) => each.id === id);
    if (one !== undefined && row !== undefined && view !== undefined) {
      fillLabels(one, row, view.now(row));
    }
  };

  body.addEventListener('focusin', refresh);
  body.addEventListener('pointerover', refresh);

  body.addEventListener('click', ({ target }) => {
    const id = rowOf(target);
    const index = view?.rows.findIndex((row) => row.id === id) ?? -1;
    if (index >= 0) move(index);
  });
  body.addEventListener('dblclick', () => {
    events.enter();
  });
  scroller.addEventListener('keydown', (event) => {
    const isOnRow = event.target instanceof HTMLTableRowElement;
    if (!isOnRow && event.target !== scroller) return;
    const page = Math.max(1, Math.floor(scroller.clientHeight / rowHeight) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: Number.MAX_SAFE_INTEGER,
    };
    const to = steps[event.key];
    if (to !== undefined) move(to);
    else if (event.key === 'Enter') {
      choose();
      events.enter();
    } else if (event.key === '/' && !event.ctrlKey && !event.metaKey) events.search();
    else return;
    event.preventDefault();
  });

  return {
    element: scroller,
    show: (next) => {
      const before = view?.rows[active]?.id;
      view = next;
      const kept = next.rows.findIndex((row) => row.id === (next.selected ?? before));
      active = kept >= 0 ? kept : Math.max(0, Math.min(active, next.rows.length - 1));
      setAttribute(table, 'aria-rowcount', String(next.rows.length + 1));
      table.classList.toggle('one-context', !next.hasContexts);
      for (const [at, { column, cell }] of headers.map(
        (header, index) => [index, { ...header, column: columns[index] }] as const,
      )) {
        const isSorted = column !== undefined && column.sort === next.sorting.by;
        const isFirst = columns.findIndex(({ sort }) => sort === next.sorting.by) === at;
        setAttribute(
          cell,
          'aria-sort',
          isSorted && isFirst ? (next.sorting.descending ? 'descending' : 'ascending') : undefined,
        );
      }
      virtualizer.setOptions({ ...virtualizer.options, count: next.rows.length });
      // oxlint-disable-next-line no-underscore-dangle -- as above
      virtualizer._willUpdate();
      virtualizer.measure();
      draw();
    },
    tick: () => {
      if (view === undefined) return;
      for (const [id, one] of drawn) {
        const index = Number(one.element.getAttribute('aria-rowindex')) - 2;
        const row = view.rows[index];
        if (row !== undefined && row.id === id) fillTimes(one, row, view);
      }
    },
    focus: () => {
      focusRow(active);
    },
  };
}

const nextColumn = columns.findIndex(({ id }) => id === 'next');

/** What is spoken and shown of a row's times where somebody asks for it. */
function fillLabels({ element, cells }: DrawnRow, row: PanelRow, now: Instant): void {
  setAttribute(element, 'aria-label', spokenRow(row, now));
  const next = cells[nextColumn];
  if (next !== undefined) setAttribute(next, 'title', timesTooltip(row, now));
}

/** A tick changes one text; the spoken label is left alone, so that nothing is announced. */
function fillTimes({ cells }: DrawnRow, row: PanelRow, view: GridView): void {
  const cell = cells[nextColumn];
  const column = columns[nextColumn];
  if (cell !== undefined && column !== undefined && row.next !== undefined) {
    write(cell, column.text(row, view.times, view.now(row)));
  }
}

function headerOf(
  id: string,
  title: string,
  run: () => void,
): { readonly cell: HTMLTableCellElement } {
  const inner = el('button', { type: 'button', class: 'sort' }, title);
  inner.addEventListener('click', run);
  return { cell: el('th', { scope: 'col', class: id }, inner) };
}

const spacer = (): HTMLTableRowElement =>
  el('tr', { class: 'spacer', role: 'presentation', 'aria-hidden': 'true' });

const rowOf = (target: EventTarget | null): string | undefined =>
  target instanceof Element ? (target.closest('tr')?.dataset['id'] ?? undefined) : undefined;
