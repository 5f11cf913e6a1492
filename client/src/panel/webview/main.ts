import { instant, zero, type Instant } from '../../../../engine/units.ts';
import { serverTime } from '../model/countdown.ts';
import type { Detail } from '../model/detail.ts';
import { emptyText } from '../model/emptyText.ts';
import type { ContextLine, ToPanel } from '../model/messages.ts';
import type { PanelRow } from '../model/panelRow.ts';
import { arrange, type SortKey, type Sorting } from '../model/table.ts';
import { createAnnouncer } from './announcer.ts';
import { createBands } from './bands.ts';
import { createDetailPane } from './detailPane.ts';
import { el, write } from './dom.ts';
import { createGrid } from './grid.ts';
import { connectToHost } from './host.ts';
import { createToolbar } from './toolbar.ts';
import { recalled, type ViewState } from './viewState.ts';

/** Rows are put into a new order at most this often; what they say is written at once. */
const rearrangeEvery = 250;

const host = connectToHost();
const rows = new Map<string, PanelRow>();
let contexts: readonly ContextLine[] = [];
let details: Detail | undefined;
let view: ViewState = recalled(host.recall());
let arranged: readonly PanelRow[] = [];

const ours = (): Instant => instant(Date.now());
const nowOf = ({ context }: PanelRow): Instant =>
  serverTime(ours(), (contexts.find(({ name }) => name === context) ?? noSkew).skew);
const noSkew = { skew: zero };

const announcer = createAnnouncer();
const grid = createGrid({
  sort: (by) => set({ sorting: sorted(view.sorting, by) }),
  select,
  enter: () => pane.focus(),
  search: () => toolbar.focus(),
});
const pane = createDetailPane({
  link: (id, link) => host.tell({ type: 'link', id, link }),
  action: (id, action) => host.tell({ type: 'action', id, action }),
  close: () => {
    const { selected: _, ...rest } = view;
    view = rest;
    host.remember(view);
    host.tell({ type: 'deselect' });
    render();
    toList();
  },
});
const toolbar = createToolbar({
  filter: (filter) => set({ filter }),
  times: (times) => set({ times }),
  export: (format) => host.tell({ type: 'export', format, ids: arranged.map(({ id }) => id) }),
  leave: () => grid.focus(),
});
const bands = createBands({
  command: (name, does) => host.tell({ type: 'context', name, does }),
  copyRole: (name, { resource, namespace }) =>
    host.tell({ type: 'role', name, resource, ...(namespace === undefined ? {} : { namespace }) }),
});
const empty = el('div', { class: 'empty' });

document.body.append(
  el(
    'main',
    { class: 'panel' },
    el('h1', { class: 'spoken' }, 'What is backing off'),
    bands.element,
    toolbar.element,
    el('div', { class: 'split' }, el('div', { class: 'list' }, grid.element, empty), pane.element),
    announcer.element,
  ),
);

function set(part: Partial<ViewState>): void {
  view = { ...view, ...part };
  host.remember(view);
  render();
}

function select(id: string): void {
  if (view.selected === id) return;
  set({ selected: id });
  host.tell({ type: 'select', id });
}

const sorted = (before: Sorting, by: SortKey): Sorting =>
  before.by === by ? { by, descending: !before.descending } : { by, descending: false };

/** Where the keyboard goes when what had it is closed or gone. */
function toList(): void {
  if (arranged.length > 0) grid.focus();
  else toolbar.focus();
}

/** Draws everything; the keyboard is never left on something that is gone or hidden. */
function render(): void {
  const hadFocus = document.hasFocus() && document.activeElement !== document.body;
  draw();
  if (hadFocus && isLost(document.activeElement)) toList();
}

const isLost = (focused: Element | null): boolean =>
  focused === null || focused === document.body || focused.closest('[hidden]') !== null;

function draw(): void {
  arranged = arrange(rows.values(), view.filter, view.sorting);
  bands.show(contexts);
  toolbar.show(rows.values(), view.filter, view.times, {
    shown: arranged.length,
    all: rows.size,
  });
  showRows();
}

function showRows(): void {
  grid.show({
    rows: arranged,
    sorting: view.sorting,
    times: view.times,
    selected: view.selected,
    hasContexts: contexts.length > 1,
    now: nowOf,
  });
  grid.element.hidden = arranged.length === 0;
  empty.hidden = arranged.length > 0;
  write(empty, emptyText(contexts, rows.size));
  showDetail();
}

function showDetail(): void {
  const row = view.selected === undefined ? undefined : rows.get(view.selected);
  pane.show(row, details, view.times, row === undefined ? ours() : nowOf(row));
}

let rearranging: number | undefined;

/** A burst of changes is drawn once per frame, and put in order a few times a second. */
function rearrangeLater(): void {
  rearranging ??= window.setTimeout(() => {
    rearranging = undefined;
    render();
  }, rearrangeEvery);
}

function take(message: ToPanel): void {
  switch (message.type) {
    case 'all':
      rows.clear();
      for (const row of message.rows) rows.set(row.id, row);
      contexts = message.contexts;
      render();
      if (view.selected !== undefined && rows.has(view.selected)) {
        host.tell({ type: 'select', id: view.selected });
      }
      return;
    case 'patch':
      for (const row of message.changed) {
        announcer.changed(row, rows.get(row.id), nowOf(row));
        rows.set(row.id, row);
      }
      for (const id of message.removed) {
        const row = rows.get(id);
        if (row !== undefined) announcer.removed(row);
        rows.delete(id);
      }
      rearrangeLater();
      return;
    case 'contexts':
      for (const { name, state } of message.contexts) {
        const before = contexts.find((line) => line.name === name);
        if (before !== undefined && before.state !== state) announcer.say(`${name}: ${state}`);
      }
      contexts = message.contexts;
      rearrangeLater();
      return;
    case 'detail':
      details = message.detail;
      showDetail();
      return;
    case 'select':
      set({ selected: message.id });
      host.tell({ type: 'select', id: message.id });
      return;
    case 'done':
      announcer.say(message.what);
  }
}

/** Once a second, on the second, and only while somebody can see it. */
function tick(): void {
  if (document.visibilityState === 'visible') {
    grid.tick();
    bands.tick();
    const row = view.selected === undefined ? undefined : rows.get(view.selected);
    if (row !== undefined) pane.tick(nowOf(row));
  }
  window.setTimeout(tick, 1000 - (Date.now() % 1000));
}

host.listen(take);
render();
tick();
host.tell({ type: 'ready' });
