import type { TimeStyle } from '../model/countdown.ts';
import { groups } from '../model/panelRow.ts';
import { everything, mostUrgentFirst, type Filter, type Sorting } from '../model/table.ts';
import { isFlag, isText, listOf, maybe, shape, word } from '../model/validate.ts';

/** How a person has set the panel up; kept while it is hidden. */
export type ViewState = {
  readonly filter: Filter;
  readonly sorting: Sorting;
  readonly times: TimeStyle;
  readonly selected?: string;
};

export const firstView: ViewState = {
  filter: everything,
  sorting: mostUrgentFirst,
  times: 'relative',
};

const isFilter = shape<Filter>({
  text: isText,
  contexts: listOf(isText),
  namespaces: listOf(isText),
  systems: listOf(isText),
  groups: listOf(word(...groups)),
});

const isSorting = shape<Sorting>({
  by: word('urgency', 'object', 'namespace', 'system', 'retry', 'failures', 'wait', 'context'),
  descending: isFlag,
});

const isViewState = shape<ViewState>({
  filter: isFilter,
  sorting: isSorting,
  times: word('relative', 'local', 'utc'),
  selected: maybe(isText),
});

/** What was kept, or the first view where that is none of ours. */
export const recalled = (kept: unknown): ViewState => (isViewState(kept) ? kept : firstView);
