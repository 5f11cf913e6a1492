import { formatDuration, formatWindow } from '../../../../engine/durations/format.ts';
import { ms, type Instant } from '../../../../engine/units.ts';
import { countdown, timeText, utcText, type TimeStyle } from '../model/countdown.ts';
import type { ActionLine, Detail, Ladder, Link, PastEntry, Rung } from '../model/detail.ts';
import { titleOf, type PanelRow } from '../model/panelRow.ts';
import { stateText, withoutNext } from '../model/words.ts';
import { button, el, withCode, write } from './dom.ts';

export type DetailEvents = {
  readonly link: (id: string, link: Link) => void;
  readonly action: (id: string, action: string) => void;
  readonly close: () => void;
};

export type DetailPane = {
  readonly element: HTMLElement;
  readonly show: (
    row: PanelRow | undefined,
    detail: Detail | undefined,
    times: TimeStyle,
    now: Instant,
  ) => void;
  readonly tick: (now: Instant) => void;
  readonly focus: () => void;
};

/** Everything about one object: where it stands on its schedule, what happened, what it rests on, what can be done. */
export function createDetailPane(events: DetailEvents): DetailPane {
  const element = el('aside', { class: 'detail', 'aria-label': 'Details', tabindex: '-1' });
  let ticks: readonly ((now: Instant) => void)[] = [];
  let shown = '';
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    events.close();
    event.preventDefault();
  });
  return {
    element,
    show: (row, detail, times, now) => {
      element.hidden = row === undefined;
      const own = row !== undefined && detail?.id === row.id ? detail : undefined;
      const signature = JSON.stringify([row, own, times]);
      if (signature === shown) return;
      shown = signature;
      if (row === undefined) {
        element.replaceChildren();
        return;
      }
      const next: ((now: Instant) => void)[] = [];
      const hadFocus = element.contains(document.activeElement);
      element.replaceChildren(...contentOf(row, own, times, now, events, next));
      ticks = next;
      if (hadFocus) element.focus();
    },
    tick: (now) => {
      for (const tick of ticks) tick(now);
    },
    focus: () => {
      element.focus();
    },
  };
}

function contentOf(
  row: PanelRow,
  detail: Detail | undefined,
  times: TimeStyle,
  now: Instant,
  events: DetailEvents,
  ticks: ((now: Instant) => void)[],
): readonly HTMLElement[] {
  return [
    el(
      'header',
      { class: 'detail-head' },
      el('h2', {}, `${row.kind} ${titleOf(row)}`),
      button('Close', events.close),
    ),
    headline(row, now, ticks),
    el('p', { class: 'reason' }, ...withCode(row.reason)),
    factsOf(row, now, ticks),
    ...(detail === undefined ? [] : linksOf(detail, events)),
    ...(detail === undefined ? [] : ladderOf(detail, times, now)),
    ...(detail === undefined ? [] : pastOf(detail.past)),
    ...(detail === undefined ? [] : evidenceOf(detail)),
    ...(detail === undefined ? [] : actionsOf(detail, events)),
    ...(detail === undefined
      ? []
      : [
          section(
            'How it is computed',
            el('p', { class: 'fine' }, ...withCode(detail.formula)),
            el('p', { class: 'fine' }, detail.version),
          ),
        ]),
  ];
}

/** The number to look at: how long until the next retry. */
function headline(row: PanelRow, now: Instant, ticks: ((now: Instant) => void)[]): HTMLElement {
  const { next } = row;
  const figure = el('span', { class: `figure ${row.group}`, 'aria-hidden': 'true' });
  const tick = (at: Instant): void => {
    write(figure, next === undefined ? withoutNext(row) : countdown(next, at).text);
  };
  tick(now);
  if (next !== undefined) ticks.push(tick);
  const label =
    next === undefined
      ? stateText(row)
      : row.group === 'estimate'
        ? 'next retry, an estimate'
        : `next retry${row.retry === undefined ? '' : `, number ${String(row.retry)}`}`;
  return el('div', { class: 'headline' }, figure, el('span', {}, label));
}

function factsOf(row: PanelRow, now: Instant, ticks: ((now: Instant) => void)[]): HTMLElement {
  const { next, nextHow, nextNote, wait, capped, failures, lastFailureAt, endedAt, endedBy } = row;
  const lines: (readonly [string, string])[] = [];
  const since: (readonly [string, Instant])[] = [];
  const both = (at: Instant): string => `${timeText(at, 'local', now)} local, ${utcText(at)}`;
  if (next !== undefined) {
    lines.push([
      'Next',
      next.hi - next.lo <= 1000 ? both(next.lo) : `${both(next.lo)} to ${both(next.hi)}`,
    ]);
    if (nextHow === 'inferred' && nextNote !== undefined) lines.push(['Inferred from', nextNote]);
  } else if (nextNote !== undefined) lines.push(['Next', nextNote]);
  if (wait !== undefined)
    lines.push(['Wait', `${formatWindow(wait)}${capped === true ? ', the cap' : ''}`]);
  if (failures !== undefined) lines.push(['Failures', String(failures)]);
  if (lastFailureAt !== undefined) since.push(['Last failure', lastFailureAt]);
  if (endedAt !== undefined) since.push(['Gave up', endedAt]);
  if (endedBy !== undefined) lines.push(['Ended by', endedBy]);
  return el(
    'dl',
    { class: 'facts-list' },
    ...lines.flatMap(([term, text]) => [el('dt', {}, term), el('dd', {}, ...withCode(text))]),
    ...since.flatMap(([term, at]) => {
      const value = el('dd', {}, ago(at, now));
      ticks.push((later) => write(value, ago(at, later)));
      return [el('dt', {}, term), value];
    }),
  );
}

const ago = (at: Instant, now: Instant): string =>
  `${utcText(at)} (${formatDuration(ms(Math.max(0, Math.round((now - at) / 1000) * 1000)))} ago)`;

function section(title: string, ...children: readonly (Node | string)[]): HTMLElement {
  return el('section', { class: 'part' }, el('h3', {}, title), ...children);
}

function ladderOf(detail: Detail, times: TimeStyle, now: Instant): readonly HTMLElement[] {
  const { ladder, withoutLadder, policy } = detail;
  if (ladder === undefined) {
    return withoutLadder === undefined ? [] : [section(policy, el('p', {}, withoutLadder))];
  }
  const longest = Math.max(...ladder.rungs.map(({ wait }) => wait.hi), 1);
  const rows = ladder.rungs.map((rung) => rungRow(rung, longest, times, now));
  const table = el(
    'table',
    { class: 'ladder' },
    el('caption', { class: 'spoken' }, `Schedule: ${ladder.summary}`),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        ...['Retry', 'Wait', 'Starts', 'Place'].map((text) => el('th', { scope: 'col' }, text)),
      ),
    ),
    el('tbody', {}, ...rows),
  );
  return [
    section(
      policy,
      el('p', { class: 'summary' }, `${ladder.summary}.`),
      table,
      ...(ladder.rungs.some(({ place, at }) => place === 'later' && at !== undefined)
        ? [
            el(
              'p',
              { class: 'fine' },
              `Starts after the next one are the earliest: attempts take time too.${ladder.hasMore ? ' More retries follow.' : ''}`,
            ),
          ]
        : []),
      endOf(ladder),
    ),
  ];
}

function rungRow(rung: Rung, longest: number, times: TimeStyle, now: Instant): HTMLElement {
  const { retry, wait, at, place, isCapped } = rung;
  const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
  bar.style.width = `${String(Math.max(1, Math.round((wait.hi / longest) * 100)))}%`;
  const starts =
    at === undefined
      ? place === 'past'
        ? 'over'
        : ''
      : timeText(at.lo, times === 'utc' ? 'utc' : 'local', now);
  return el(
    'tr',
    { class: `rung ${place}`, 'aria-current': place === 'here' ? 'step' : undefined },
    el('th', { scope: 'row' }, String(retry)),
    el('td', { class: 'wait' }, `${formatWindow(wait)}${isCapped ? ' cap' : ''}`, bar),
    el('td', {}, starts),
    el('td', { class: 'here' }, place === 'here' ? '◀ you are here' : ''),
  );
}

function endOf({ end, cap, resets }: Ladder): HTMLElement {
  const lines: (readonly [string, string])[] = [['Ends', end]];
  if (cap !== undefined) lines.push(['Cap', cap]);
  if (resets.length > 0) lines.push(['Resets', resets.join('; ')]);
  return el(
    'dl',
    { class: 'facts-list' },
    ...lines.flatMap(([term, text]) => [el('dt', {}, term), el('dd', {}, text)]),
  );
}

function pastOf(past: Detail['past']): readonly HTMLElement[] {
  if (past === 'loading') return [section('What happened', el('p', {}, 'Reading …'))];
  if (past.length === 0) {
    return [
      section(
        'What happened',
        el('p', { class: 'fine' }, 'No event or child object tells of it any more.'),
      ),
    ];
  }
  return [section('What happened', el('ol', { class: 'past' }, ...past.map(pastLine)))];
}

const pastLine = ({ at, what, source, kind }: PastEntry): HTMLElement =>
  el(
    'li',
    { class: kind },
    el('time', { datetime: utcText(at) }, utcText(at)),
    el('span', {}, ` ${what} `),
    el('span', { class: 'fine' }, source),
  );

function evidenceOf({ evidence }: Detail): readonly HTMLElement[] {
  if (evidence.length === 0) return [];
  return [
    section(
      'Evidence',
      el(
        'ul',
        { class: 'evidence' },
        ...evidence.map(({ object, path, value }) =>
          el(
            'li',
            {},
            el('code', {}, path),
            ' is ',
            el('code', {}, value),
            el('span', { class: 'fine' }, ` ${object}`),
          ),
        ),
      ),
    ),
  ];
}

const linkTitles: Readonly<Record<Link, string>> = {
  yaml: 'Object YAML',
  policy: 'Line that sets the policy',
  events: 'Events',
  logs: 'Copy logs command',
  sentence: 'Copy sentence',
  markdown: 'Copy as Markdown',
};

const linksOf = ({ id, links }: Detail, events: DetailEvents): readonly HTMLElement[] => [
  el(
    'div',
    { class: 'links', role: 'group', 'aria-label': 'Links' },
    ...links.map((link) => button(linkTitles[link], () => events.link(id, link))),
  ),
];

function actionsOf({ id, actions, advice }: Detail, events: DetailEvents): readonly HTMLElement[] {
  if (actions.length === 0 && advice === undefined) return [];
  return [
    section(
      'What can be done',
      ...(advice === undefined ? [] : [el('p', {}, ...withCode(advice))]),
      ...actions.map((action) => actionLine(id, action, events)),
    ),
  ];
}

function actionLine(
  id: string,
  { id: action, title, effect, blocked }: ActionLine,
  events: DetailEvents,
): HTMLElement {
  const run = button(`${title} …`, () => events.action(id, action));
  run.disabled = blocked !== undefined;
  if (run.disabled) run.setAttribute('aria-disabled', 'true');
  return el(
    'div',
    { class: 'action' },
    run,
    el('p', {}, ...withCode(effect)),
    ...(blocked === undefined ? [] : [el('p', { class: 'fine' }, blocked)]),
  );
}
