import { groups, titleOf, type Group, type PanelRow } from './panelRow.ts';

export type SortKey =
  'urgency' | 'object' | 'namespace' | 'system' | 'retry' | 'failures' | 'wait' | 'context';

export type Sorting = { readonly by: SortKey; readonly descending: boolean };

/** An empty list means that everything passes. */
export type Filter = {
  readonly text: string;
  readonly contexts: readonly string[];
  readonly namespaces: readonly string[];
  readonly systems: readonly string[];
  readonly groups: readonly Group[];
};

export const everything: Filter = {
  text: '',
  contexts: [],
  namespaces: [],
  systems: [],
  groups: [],
};

/** What gave up first, then the soonest next retry, then what is being tried, then estimates. */
export const mostUrgentFirst: Sorting = { by: 'urgency', descending: false };

/** The rows that pass a filter, in order. Makes a new list; the rows stay the same objects. */
export function arrange(
  rows: Iterable<PanelRow>,
  filter: Filter,
  sorting: Sorting,
): readonly PanelRow[] {
  const passed = [...rows].filter(passes(filter));
  const compare = comparisons[sorting.by];
  const turned = sorting.descending ? (a: PanelRow, b: PanelRow): number => compare(b, a) : compare;
  return passed.sort((a, b) => turned(a, b) || byUrgency(a, b));
}

function passes(filter: Filter): (row: PanelRow) => boolean {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const isIn = (list: readonly string[], value: string): boolean =>
    list.length === 0 || list.includes(value);
  return (row) =>
    isIn(filter.contexts, row.context) &&
    isIn(filter.namespaces, row.namespace ?? '') &&
    isIn(filter.systems, row.system) &&
    isIn(filter.groups, row.group) &&
    words.every((word) => searchText(row).includes(word));
}

const searchText = (row: PanelRow): string =>
  `${row.kind} ${titleOf(row)} ${row.system} ${row.context} ${row.reason}`.toLowerCase();

/** The order of `urgency`, which also decides between rows that another order leaves equal. */
export function byUrgency(a: PanelRow, b: PanelRow): number {
  return (
    groups.indexOf(a.group) - groups.indexOf(b.group) ||
    // What gave up last is the news; among waits the soonest matters, and unknown times come last.
    (a.group === 'gave-up'
      ? (b.endedAt ?? 0) - (a.endedAt ?? 0)
      : upwards(a.next?.hi, b.next?.hi)) ||
    byText(titleOf(a), titleOf(b)) ||
    byText(a.id, b.id)
  );
}

const comparisons: Readonly<Record<SortKey, (a: PanelRow, b: PanelRow) => number>> = {
  urgency: byUrgency,
  object: (a, b) => byText(a.name, b.name),
  namespace: (a, b) => byText(a.namespace ?? '', b.namespace ?? ''),
  system: (a, b) => byText(a.system, b.system),
  retry: (a, b) => upwards(a.retry, b.retry),
  failures: (a, b) => upwards(a.failures, b.failures),
  wait: (a, b) => upwards(a.wait?.hi, b.wait?.hi),
  context: (a, b) => byText(a.context, b.context),
};

/** Unknown values come last. */
function upwards(a: number | undefined, b: number | undefined): number {
  if (a === undefined) return b === undefined ? 0 : 1;
  return b === undefined ? -1 : a - b;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The values a filter can offer, each with how many rows have it. */
export function choices(
  rows: Iterable<PanelRow>,
  of: (row: PanelRow) => string,
): readonly { readonly value: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => byText(a.value, b.value));
}
