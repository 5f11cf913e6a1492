import { ms, type Ms } from '../../../engine/units.ts';
import type { Clock } from '../cluster/clock.ts';
import type { Detail } from './model/detail.ts';
import type { ContextLine, FromPanel, ToPanel } from './model/messages.ts';
import type { PanelRow } from './model/panelRow.ts';

/** What the panel shows; the rest of the extension has it. */
export type PanelSource = {
  readonly rows: () => Iterable<PanelRow>;
  readonly contexts: () => readonly ContextLine[];
  readonly detail: (id: string) => Detail | undefined;
};

/** The way to the page; what is told while it is not there is lost. */
export type Page = {
  readonly tell: (message: ToPanel) => void;
  readonly selected: (id: string | undefined) => void;
  readonly asked: (
    message: Exclude<FromPanel, { readonly type: 'ready' | 'select' | 'deselect' }>,
  ) => void;
};

export type PanelFeed = {
  readonly take: (message: FromPanel) => void;
  readonly patch: (changed: readonly PanelRow[], removed: readonly string[]) => void;
  readonly contexts: () => void;
  readonly detail: (detail: Detail) => void;
  readonly done: (what: string) => void;
  /** Selects a row, now or when the page is there. */
  readonly select: (id: string) => void;
  /** The page is closed or hidden: nobody looks at anything in it, and it says so when it is back. */
  readonly left: () => void;
  readonly dispose: () => void;
};

// A message per update would be more than anybody can see; this gathers what comes in between.
const gathering: Ms = ms(100);

/** What the page is told, and when. */
export function panelFeed(source: PanelSource, page: Page, clock: Clock): PanelFeed {
  let isReady = false;
  let wanted: string | undefined;
  let selected: string | undefined;
  let cancel: (() => void) | undefined;
  let told = '';
  const changed = new Map<string, PanelRow>();
  const removed = new Set<string>();
  let contextsChanged = false;

  const tell = (message: ToPanel): void => {
    if (isReady) page.tell(message);
  };
  const tellDetail = (detail: Detail): void => {
    told = JSON.stringify(detail);
    tell({ type: 'detail', detail });
  };
  const choose = (id: string | undefined): void => {
    if (id === undefined && selected === undefined) return;
    selected = id;
    page.selected(id);
  };
  const forget = (): void => {
    changed.clear();
    removed.clear();
    contextsChanged = false;
  };
  const flush = (): void => {
    cancel = undefined;
    if (changed.size + removed.size > 0) {
      tell({ type: 'patch', changed: [...changed.values()], removed: [...removed] });
    }
    if (contextsChanged) tell({ type: 'contexts', contexts: source.contexts() });
    // Versions, settings and locks belong to the connection, and move what the row itself does not.
    const mayDiffer = contextsChanged || (selected !== undefined && changed.has(selected));
    const detail = selected === undefined || !mayDiffer ? undefined : source.detail(selected);
    if (detail !== undefined && JSON.stringify(detail) !== told) tellDetail(detail);
    forget();
  };
  const flushSoon = (): void => {
    cancel ??= clock.after(gathering, flush);
  };

  return {
    take: (message) => {
      switch (message.type) {
        case 'ready':
          isReady = true;
          forget();
          tell({ type: 'all', rows: [...source.rows()], contexts: source.contexts() });
          if (wanted !== undefined) tell({ type: 'select', id: wanted });
          wanted = undefined;
          return;
        case 'select': {
          const detail = source.detail(message.id);
          selected = message.id;
          if (detail !== undefined) tellDetail(detail);
          page.selected(message.id);
          return;
        }
        case 'deselect':
          choose(undefined);
          return;
        default:
          page.asked(message);
      }
    },
    patch: (rows, gone) => {
      for (const row of rows) {
        changed.set(row.id, row);
        removed.delete(row.id);
      }
      for (const id of gone) {
        changed.delete(id);
        removed.add(id);
      }
      flushSoon();
    },
    contexts: () => {
      contextsChanged = true;
      flushSoon();
    },
    detail: tellDetail,
    done: (what) => {
      tell({ type: 'done', what });
    },
    select: (id) => {
      if (isReady) tell({ type: 'select', id });
      else wanted = id;
    },
    left: () => {
      isReady = false;
      choose(undefined);
    },
    dispose: () => {
      cancel?.();
    },
  };
}
