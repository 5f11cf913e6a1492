import { formatDuration, formatWindow } from '../../../../engine/durations/format.ts';
import { ms, type Instant } from '../../../../engine/units.ts';
import { countdown, nextText, utcText, type TimeStyle } from '../model/countdown.ts';
import type { ActionLine, Detail, Ladder, Link, PastEntry, Rung } from '../model/detail.ts';
import { bothClocks, waitText } from '../model/nextTexts.ts';
import { titleOf, type PanelRow } from '../model/panelRow.ts';
import { stateText, withoutNext } from '../model/words.ts';
import { el } from './dom.ts';
import { keyed, patch, want, wantButton, withCode, type Child, type Wanted } from './patch.ts';

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
  let draw = (_now: Instant): void => undefined;
  let shown: string | undefined;
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
      const hadFocus = element.contains(document.activeElement);
      draw = (at) => {
        patch(element, row === undefined ? [] : contentOf(row, own, times, at, events));
      };
      draw(now);
      if (shown !== row?.id) element.scrollTop = 0;
      shown = row?.id;
      // What had the keyboard may have gone, such as an action that is not offered any more.
      if (hadFocus && !element.contains(document.activeElement)) element.focus();
    },
    tick: (now) => {
      draw(now);
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
): readonly Wanted[] {
  return [
    want(
      'header',
      { class: 'detail-head' },
      want('h2', {}, `${row.kind} ${titleOf(row)}`),
      wantButton('close', 'Close', events.close),
    ),
    headline(row, now),
    want('p', { class: 'reason' }, ...withCode(row.reason)),
    factsOf(row, now),
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
            want('p', { class: 'fine' }, ...withCode(detail.formula)),
            want('p', { class: 'fine' }, detail.version),
          ),
        ]),
  ];
}

/** The number to look at: how long until the next retry. */
function headline(row: PanelRow, now: Instant): Wanted {
  const { next } = row;
  const text = next === undefined ? withoutNext(row) : countdown(next, now).text;
  const figure = want('span', { class: `figure ${row.group}`, 'aria-hidden': 'true' }, text);
  const label =
    next === undefined
      ? stateText(row)
      : row.group === 'estimate'
        ? 'next retry, an estimate'
        : `next retry${row.retry === undefined ? '' : `, number ${String(row.retry)}`}`;
  return want('div', { class: 'headline' }, figure, want('span', {}, label));
}

function factsOf(row: PanelRow, now: Instant): Wanted {
  const { next, nextHow, nextNote, failures, lastFailureAt, endedAt, endedBy } = row;
  const wait = waitText(row);
  const lines: (readonly [string, string])[] = [];
  if (next !== undefined) {
    lines.push(['Next', bothClocks(next, now).join(', ')]);
    if (nextHow === 'inferred' && nextNote !== undefined) lines.push(['Inferred from', nextNote]);
  } else if (nextNote !== undefined) lines.push(['Next', nextNote]);
  if (wait !== undefined) lines.push(['Wait', wait]);
  if (failures !== undefined) lines.push(['Failures', String(failures)]);
  if (lastFailureAt !== undefined) lines.push(['Last failure', ago(lastFailureAt, now)]);
  if (endedAt !== undefined && endedAt > now) {
    lines.push(['Gives up', bothClocks({ lo: endedAt, hi: endedAt }, now).join(', ')]);
  } else if (endedAt !== undefined) lines.push(['Gave up', ago(endedAt, now)]);
  if (endedBy !== undefined) lines.push(['Ended by', endedBy]);
  return want(
    'dl',
    { class: 'facts-list' },
    ...lines.flatMap(([term, text]) => [want('dt', {}, term), want('dd', {}, ...withCode(text))]),
  );
}

const ago = (at: Instant, now: Instant): string =>
  `${utcText(at)} (${formatDuration(ms(Math.max(0, Math.round((now - at) / 1000) * 1000)))} ago)`;

function section(title: string, ...children: readonly Child[]): Wanted {
  return keyed(title, want('section', { class: 'part' }, want('h3', {}, title), ...children));
}

function ladderOf(detail: Detail, times: TimeStyle, now: Instant): readonly Wanted[] {
  const { ladder, withoutLadder, policy } = detail;
  if (ladder === undefined) {
    return withoutLadder === undefined ? [] : [section(policy, want('p', {}, withoutLadder))];
  }
  const longest = Math.max(...ladder.rungs.map(({ wait }) => wait.hi), 1);
  const rows = ladder.rungs.map((rung) => rungRow(rung, longest, times, now));
  const table = want(
    'table',
    { class: 'ladder' },
    want('caption', { class: 'spoken' }, `Schedule: ${ladder.summary}`),
    want(
      'thead',
      {},
      want(
        'tr',
        {},
        ...['Retry', 'Wait', 'Starts', 'Place'].map((text) => want('th', { scope: 'col' }, text)),
      ),
    ),
    want('tbody', {}, ...rows),
  );
  return [
    section(
      policy,
      want('p', { class: 'summary' }, `${ladder.summary}.`),
      table,
      ...(ladder.rungs.some(({ place }) => place !== undefined)
        ? []
        : [
            want(
              'p',
              { class: 'fine' },
              'Nothing tells how many retries there have been, so none of these is marked as the next one.',
            ),
          ]),
      ...(ladder.rungs.some(({ place, at }) => place === 'later' && at !== undefined)
        ? [
            want(
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

function rungRow(rung: Rung, longest: number, times: TimeStyle, now: Instant): Wanted {
  const { retry, wait, at, place, isCapped } = rung;
  const share = `${String(Math.max(1, Math.round((wait.hi / longest) * 100)))}%`;
  const bar = { ...want('span', { class: 'bar', 'aria-hidden': 'true' }), width: share };
  const style = times === 'utc' ? 'utc' : 'local';
  // Of those after the next one only the earliest start can be told.
  const window = at === undefined || place === 'here' ? at : { lo: at.lo, hi: at.lo };
  const starts =
    window === undefined ? (place === 'past' ? 'over' : '') : nextText(window, style, now);
  const line = want(
    'tr',
    {
      class: place === undefined ? 'rung' : `rung ${place}`,
      'aria-current': place === 'here' ? 'step' : undefined,
    },
    want('th', { scope: 'row' }, String(retry)),
    want('td', { class: 'wait' }, `${formatWindow(wait)}${isCapped ? ' cap' : ''}`, bar),
    want('td', {}, starts),
    want('td', { class: 'here' }, place === 'here' ? '◀ you are here' : ''),
  );
  return keyed(String(retry), line);
}

function endOf({ end, cap, resets }: Ladder): Wanted {
  const lines: (readonly [string, string])[] = [['Ends', end]];
  if (cap !== undefined) lines.push(['Cap', cap]);
  if (resets.length > 0) lines.push(['Resets', resets.join('; ')]);
  return want(
    'dl',
    { class: 'facts-list' },
    ...lines.flatMap(([term, text]) => [want('dt', {}, term), want('dd', {}, text)]),
  );
}

function pastOf(past: Detail['past']): readonly Wanted[] {
  if (past === 'loading') return [section('What happened', want('p', {}, 'Reading …'))];
  if (past.length === 0) {
    return [
      section(
        'What happened',
        want('p', { class: 'fine' }, 'No event or child object tells of it any more.'),
      ),
    ];
  }
  return [section('What happened', want('ol', { class: 'past' }, ...past.map(pastLine)))];
}

const pastLine = ({ at, what, source, kind }: PastEntry): Wanted =>
  want(
    'li',
    { class: kind },
    want('time', { datetime: utcText(at) }, utcText(at)),
    want('span', {}, ` ${what} `),
    want('span', { class: 'fine' }, source),
  );

function evidenceOf({ evidence }: Detail): readonly Wanted[] {
  if (evidence.length === 0) return [];
  return [
    section(
      'Evidence',
      want(
        'ul',
        { class: 'evidence' },
        ...evidence.map(({ object, path, value }) =>
          want(
            'li',
            {},
            want('code', {}, path),
            ' is ',
            want('code', {}, value),
            want('span', { class: 'fine' }, ` ${object}`),
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

const linksOf = ({ id, links }: Detail, events: DetailEvents): readonly Wanted[] => [
  want(
    'div',
    { class: 'links', role: 'group', 'aria-label': 'Links' },
    ...links.map((link) => wantButton(link, linkTitles[link], () => events.link(id, link))),
  ),
];

function actionsOf({ id, actions, advice }: Detail, events: DetailEvents): readonly Wanted[] {
  if (actions.length === 0 && advice === undefined) return [];
  return [
    section(
      'What can be done',
      ...(advice === undefined ? [] : [want('p', {}, ...withCode(advice))]),
      ...actions.map((action) => actionLine(id, action, events)),
    ),
  ];
}

function actionLine(
  id: string,
  { id: action, title, effect, blocked }: ActionLine,
  events: DetailEvents,
): Wanted {
  const isDisabled = blocked !== undefined;
  const line = want(
    'div',
    { class: 'action' },
    wantButton('run', `${title} …`, () => events.action(id, action), { isDisabled }),
    want('p', {}, ...withCode(effect)),
    ...(blocked === undefined ? [] : [want('p', { class: 'fine' }, blocked)]),
  );
  return keyed(action, line);
}
