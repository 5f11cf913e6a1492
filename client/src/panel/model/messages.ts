import type { Unseen } from '../../cluster/sessionTypes.ts';
import type { Instant, Ms } from '../../../../engine/units.ts';
import type { ActionLine, Detail, EvidenceLine, Ladder, Link, PastEntry, Rung } from './detail.ts';
import { groups, type PanelRow } from './panelRow.ts';
import {
  either,
  isCount,
  isFlag,
  isNumber,
  isText,
  isWindow,
  listOf,
  maybe,
  shape,
  tagged,
  word,
  type Check,
} from './validate.ts';

/** Where the connection with one context stands, for its band above the table. */
export type ContextLine = {
  readonly name: string;
  readonly server: string;
  readonly isDemo: boolean;
  /** The name says that people depend on it. */
  readonly isProduction: boolean;
  readonly isLocked: boolean;
  readonly state: 'connecting' | 'live' | 'reconnecting' | 'unauthorised' | 'stopped' | 'paused';
  readonly why?: string;
  /** The session's own back-off. */
  readonly retry?: number;
  /** By our own clock. */
  readonly retryAt?: Instant;
  /** The server's clock minus ours. */
  readonly skew: Ms;
  readonly checkedAt: Instant;
  readonly idle: number;
  /** How many lists of what can back off were answered. */
  readonly listed: number;
  readonly isComplete: boolean;
  readonly unseen: readonly Unseen[];
  /** `cert-manager 1.16.2 (from the image of cert-manager/cert-manager)`. */
  readonly versions: readonly string[];
  /** `cert-manager certificateRequestMinimumBackoffDuration 5m`, as a controller was started. */
  readonly flags: readonly string[];
};

export type ToPanel =
  | {
      readonly type: 'all';
      readonly rows: readonly PanelRow[];
      readonly contexts: readonly ContextLine[];
    }
  | {
      readonly type: 'patch';
      readonly changed: readonly PanelRow[];
      readonly removed: readonly string[];
    }
  | { readonly type: 'contexts'; readonly contexts: readonly ContextLine[] }
  | { readonly type: 'detail'; readonly detail: Detail }
  | { readonly type: 'select'; readonly id: string }
  /** Something was done that the screen does not show by itself. */
  | { readonly type: 'done'; readonly what: string };

export type FromPanel =
  | { readonly type: 'ready' }
  | { readonly type: 'select'; readonly id: string }
  | { readonly type: 'deselect' }
  | { readonly type: 'link'; readonly id: string; readonly link: Link }
  | { readonly type: 'action'; readonly id: string; readonly action: string }
  | {
      readonly type: 'export';
      readonly format: 'json' | 'markdown';
      readonly ids: readonly string[];
    }
  | { readonly type: 'context'; readonly name: string; readonly does: ContextCommand }
  | {
      readonly type: 'role';
      readonly name: string;
      readonly resource: string;
      readonly namespace?: string;
    };

/** What a person can do with a connection. */
export type ContextCommand = 'resume' | 'disconnect' | 'unlock' | 'lock';

const isRow = shape<PanelRow>({
  id: isText,
  context: isText,
  group: word(...groups),
  system: isText,
  family: isText,
  apiVersion: isText,
  kind: isText,
  namespace: maybe(isText),
  name: isText,
  part: maybe(isText),
  retry: maybe(isNumber),
  failures: maybe(isNumber),
  wait: maybe(isWindow),
  next: maybe(isWindow),
  nextHow: word('reported', 'inferred', 'unknown'),
  nextNote: maybe(isText),
  lastFailureAt: maybe(isNumber),
  endedAt: maybe(isNumber),
  endedBy: maybe(isText),
  owner: maybe(isText),
  capped: maybe(isFlag),
  reason: isText,
});

const isUnseen = shape<Unseen>({
  resource: isText,
  namespace: maybe(isText),
  why: isText,
  detail: isText,
});

const isContextLine = shape<ContextLine>({
  name: isText,
  server: isText,
  isDemo: isFlag,
  isProduction: isFlag,
  isLocked: isFlag,
  state: word('connecting', 'live', 'reconnecting', 'unauthorised', 'stopped', 'paused'),
  why: maybe(isText),
  retry: maybe(isCount),
  retryAt: maybe(isNumber),
  skew: isNumber,
  checkedAt: isNumber,
  idle: isCount,
  listed: isCount,
  isComplete: isFlag,
  unseen: listOf(isUnseen),
  versions: listOf(isText),
  flags: listOf(isText),
});

const isRung = shape<Rung>({
  retry: isCount,
  wait: isWindow,
  total: isWindow,
  isCapped: isFlag,
  place: maybe(word('past', 'here', 'later')),
  at: maybe(isWindow),
});

const isLadder = shape<Ladder>({
  rungs: listOf(isRung),
  hasMore: isFlag,
  summary: isText,
  cap: maybe(isText),
  end: isText,
  resets: listOf(isText),
});

const isPast = shape<PastEntry>({
  at: isNumber,
  what: isText,
  source: isText,
  kind: word('failure', 'retry', 'success', 'note'),
});

const isEvidence = shape<EvidenceLine>({ object: isText, path: isText, value: isText });

const isAction = shape<ActionLine>({
  id: isText,
  title: isText,
  effect: isText,
  blocked: maybe(isText),
});

const links = ['yaml', 'policy', 'events', 'logs', 'sentence', 'markdown'];

const isDetail = shape<Detail>({
  id: isText,
  policy: isText,
  formula: isText,
  version: isText,
  ladder: maybe(isLadder),
  withoutLadder: maybe(isText),
  past: either(word('loading'), listOf(isPast)),
  evidence: listOf(isEvidence),
  links: listOf(word(...links)),
  actions: listOf(isAction),
  advice: maybe(isText),
});

/** What the host may tell the panel; anything else is dropped. */
export const isToPanel: Check<ToPanel> = tagged<ToPanel>({
  all: { rows: listOf(isRow), contexts: listOf(isContextLine) },
  patch: { changed: listOf(isRow), removed: listOf(isText) },
  contexts: { contexts: listOf(isContextLine) },
  detail: { detail: isDetail },
  select: { id: isText },
  done: { what: isText },
});

/** What the panel may ask of the host; anything else is dropped. */
export const isFromPanel: Check<FromPanel> = tagged<FromPanel>({
  ready: {},
  select: { id: isText },
  deselect: {},
  link: { id: isText, link: word(...links) },
  action: { id: isText, action: isText },
  export: { format: word('json', 'markdown'), ids: listOf(isText) },
  context: { name: isText, does: word('resume', 'disconnect', 'unlock', 'lock') },
  role: { name: isText, resource: isText, namespace: maybe(isText) },
});
