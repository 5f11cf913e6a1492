import type { TimeStyle } from '../model/countdown.ts';
import { groups, type Group, type PanelRow } from '../model/panelRow.ts';
import { choices, type Filter } from '../model/table.ts';
import { stateText } from '../model/words.ts';
import { button, el, write } from './dom.ts';

export type ToolbarEvents = {
  readonly filter: (filter: Filter) => void;
  readonly times: (times: TimeStyle) => void;
  readonly export: (format: 'json' | 'markdown') => void;
  /** Down from the search: into the table. */
  readonly leave: () => void;
};

export type Toolbar = {
  readonly element: HTMLElement;
  readonly show: (
    rows: Iterable<PanelRow>,
    filter: Filter,
    times: TimeStyle,
    count: { readonly shown: number; readonly all: number },
  ) => void;
  readonly focus: () => void;
};

type Select = HTMLElementTagNameMap['vscode-single-select'];
type Choice = { readonly value: string; readonly label: string };

/** What narrows the table down, how times are written, and the way out as Markdown or JSON. */
export function createToolbar(events: ToolbarEvents): Toolbar {
  let filter: Filter | undefined;
  const change = (part: Partial<Filter>): void => {
    if (filter !== undefined) events.filter({ ...filter, ...part });
  };
  const search = el('vscode-textfield', { placeholder: 'Search ( / )' });
  search.label = 'Search by object, kind, system or reason';
  search.addEventListener('input', () => {
    change({ text: search.value });
  });
  search.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') events.leave();
    else if (event.key === 'Escape' && search.value !== '') {
      search.value = '';
      change({ text: '' });
    } else return;
    event.preventDefault();
  });
  const state = select('State', (value) => {
    change({ groups: groups.filter((group) => group === value) });
  });
  const system = select('System', (value) => {
    change({ systems: oneOrAll(value) });
  });
  const namespace = select('Namespace', (value) => {
    change({ namespaces: oneOrAll(value) });
  });
  const context = select('Context', (value) => {
    change({ contexts: oneOrAll(value) });
  });
  const time = select('Times', (value) => {
    if (value === 'relative' || value === 'local' || value === 'utc') events.times(value);
  });
  const count = el('span', { class: 'count' });
  const clear = button('Clear filters', () => {
    search.value = '';
    change({ text: '', contexts: [], namespaces: [], systems: [], groups: [] });
  });
  const element = el(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': 'Filter and export' },
    search,
    state,
    system,
    namespace,
    context,
    time,
    count,
    clear,
    el(
      'span',
      { class: 'exports' },
      button('Copy as Markdown', () => events.export('markdown')),
      button('Export as JSON', () => events.export('json')),
    ),
  );
  return {
    element,
    show: (rows, next, times, { shown, all }) => {
      filter = next;
      const list = [...rows];
      if (search.value !== next.text && document.activeElement !== search) search.value = next.text;
      offer(state, 'All states', groupChoices(list), next.groups[0]);
      offer(
        system,
        'All systems',
        valuesOf(list, (row) => row.system),
        next.systems[0],
      );
      offer(
        namespace,
        'All namespaces',
        valuesOf(list, (row) => row.namespace ?? ''),
        next.namespaces[0],
      );
      const contexts = valuesOf(list, (row) => row.context);
      offer(context, 'All contexts', contexts, next.contexts[0]);
      context.hidden = contexts.length < 2 && next.contexts.length === 0;
      offer(time, undefined, timeChoices, times);
      write(count, shown === all ? `${String(all)} in all` : `${String(shown)} of ${String(all)}`);
      clear.hidden = shown === all && next.text === '';
    },
    focus: () => {
      search.focus();
    },
  };
}

const oneOrAll = (value: string): readonly string[] => (value === '' ? [] : [value]);

const timeChoices: readonly Choice[] = [
  { value: 'relative', label: 'Time left' },
  { value: 'local', label: 'Local time' },
  { value: 'utc', label: 'UTC' },
];

const valuesOf = (rows: readonly PanelRow[], of: (row: PanelRow) => string): readonly Choice[] =>
  choices(rows, of).map(({ value, count }) => ({
    value,
    label: `${value === '' ? 'no namespace' : value} (${String(count)})`,
  }));

function groupChoices(rows: readonly PanelRow[]): readonly Choice[] {
  return groups.flatMap((group: Group) => {
    const own = rows.filter((row) => row.group === group);
    const [first] = own;
    return first === undefined
      ? []
      : [{ value: group, label: `${stateText(first)} (${String(own.length)})` }];
  });
}

function select(label: string, run: (value: string) => void): Select {
  const made = el('vscode-single-select', { class: 'select' });
  made.label = label;
  made.addEventListener('change', () => {
    run(made.value);
  });
  return made;
}

const offered = new WeakMap<Select, string>();

/** Writes the options anew only where they differ: an open list would close otherwise. */
function offer(
  made: Select,
  all: string | undefined,
  list: readonly Choice[],
  chosen: string | undefined,
): void {
  const every = all === undefined ? list : [{ value: '', label: all }, ...list];
  const known = every.some(({ value }) => value === (chosen ?? ''))
    ? every
    : [...every, { value: chosen ?? '', label: chosen ?? '' }];
  const signature = JSON.stringify([known, chosen]);
  if (offered.get(made) === signature || made.open) return;
  offered.set(made, signature);
  made.replaceChildren(
    ...known.map(({ value, label }) => {
      const option = el('vscode-option', {}, label);
      option.value = value;
      option.selected = value === (chosen ?? '');
      return option;
    }),
  );
}
