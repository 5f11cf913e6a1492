import { instant } from '../../../../engine/units.ts';
import { clockText, spokenSpan } from '../model/countdown.ts';
import { idleText } from '../model/emptyText.ts';
import type { ContextCommand, ContextLine } from '../model/messages.ts';
import { hasRole, unseenTitle, type UnseenName } from '../model/overview.ts';
import { el } from './dom.ts';
import { keyed, patch, want, wantButton, type Wanted } from './patch.ts';

export type BandEvents = {
  readonly command: (context: string, does: ContextCommand) => void;
  readonly copyRole: (context: string, unseen: UnseenName) => void;
};

export type Bands = {
  readonly element: HTMLElement;
  readonly show: (contexts: readonly ContextLine[]) => void;
  readonly tick: () => void;
};

/** One band per context: what it is, how the connection stands, what cannot be seen, and the lock. */
export function createBands(events: BandEvents): Bands {
  const element = el('div', { class: 'bands' });
  let shown: readonly ContextLine[] = [];
  const draw = (): void =>
    patch(
      element,
      shown.map((line) => bandOf(line, events)),
    );
  return {
    element,
    show: (contexts) => {
      if (contexts === shown) return;
      shown = contexts;
      draw();
    },
    tick: () => {
      if (shown.some(({ retryAt }) => retryAt !== undefined)) draw();
    },
  };
}

function bandOf(line: ContextLine, events: BandEvents): Wanted {
  const facts = [
    ...(line.isComplete || line.state !== 'live' ? [] : ['reading …']),
    ...(line.isComplete && line.idle > 0 ? [idleText(line.idle)] : []),
    ...(Math.abs(line.skew) < 2000
      ? []
      : [
          `its clock is ${spokenSpan(Math.abs(line.skew))} ${line.skew > 0 ? 'ahead' : 'behind'}, corrected`,
        ]),
  ];
  const mark = line.isDemo
    ? [want('strong', { class: 'mark demo' }, 'Made-up objects')]
    : line.isProduction
      ? [want('strong', { class: 'mark production' }, 'Production')]
      : [];
  const kind = line.isDemo ? ' is-demo' : line.isProduction ? ' is-production' : '';
  const band = want(
    'section',
    { class: `band${kind}`, 'aria-label': `Context ${line.name}` },
    want(
      'div',
      { class: 'band-line' },
      want('span', { class: 'context-name' }, line.name),
      ...mark,
      ...(line.isDemo ? [] : [want('span', { class: 'server' }, line.server)]),
      want('span', { class: `status ${line.state}` }, statusText(line)),
      want('span', { class: 'facts' }, facts.join(' · ')),
      want('span', { class: 'grow' }),
      ...commandsOf(line, events),
    ),
    ...unseenOf(line, events),
  );
  return keyed(line.name, band);
}

function statusText({ state, why, retry, retryAt }: ContextLine): string {
  switch (state) {
    case 'connecting':
      return 'Connecting …';
    case 'live':
      return 'Live';
    case 'paused':
      return 'Paused: nobody was looking. It goes on now.';
    case 'reconnecting': {
      const left = retryAt === undefined ? 0 : retryAt - instant(Date.now());
      const next = left > 0 ? `in ${clockText(left)}` : 'now';
      return `Connection lost (${why ?? 'no answer'}): retry ${String(retry ?? 1)} ${next}`;
    }
    case 'unauthorised':
      return `Signed out: ${why ?? ''}. Sign in, then connect again.`;
    case 'stopped':
      return `Stopped: ${why ?? ''}`;
  }
}

function commandsOf({ name, state, isLocked }: ContextLine, { command }: BandEvents) {
  const lock = isLocked
    ? wantButton('lock', 'Read-only: unlock', () => command(name, 'unlock'))
    : wantButton('lock', 'Unlocked: make read-only', () => command(name, 'lock'));
  const again =
    state === 'unauthorised' || state === 'stopped' || state === 'reconnecting'
      ? [
          wantButton(
            'again',
            state === 'reconnecting' ? 'Try now' : 'Connect again',
            () => command(name, 'resume'),
            { isPrimary: true },
          ),
        ]
      : [];
  return [
    ...again,
    lock,
    wantButton('disconnect', 'Disconnect', () => command(name, 'disconnect')),
  ];
}

/** One line that opens: what is forbidden, with the role that would show it, what is not served, and versions. */
function unseenOf(
  { name, unseen, versions, flags }: ContextLine,
  { copyRole }: BandEvents,
): readonly Wanted[] {
  const unserved = unseen.filter(({ why }) => why === 'unserved');
  const lines = unseen.flatMap((one): readonly Wanted[] =>
    one.why === 'unserved'
      ? []
      : [
          keyed(
            `${one.why} ${unseenTitle(one)}`,
            want(
              'li',
              {},
              want('strong', {}, unseenTitle(one)),
              ` ${one.why}: ${one.detail} `,
              ...(hasRole(one)
                ? [wantButton('role', 'Copy a role that allows it', () => copyRole(name, one))]
                : []),
            ),
          ),
        ],
  );
  const plain = [
    ...(unserved.length === 0 ? [] : [`Not served here: ${unserved.map(unseenTitle).join(', ')}`]),
    ...(versions.length === 0 ? [] : [`Versions: ${versions.join(', ')}`]),
    ...(flags.length === 0 ? [] : [`Read from the flags of controllers: ${flags.join(', ')}`]),
  ];
  if (lines.length + plain.length === 0) return [];
  return [
    want(
      'details',
      { class: 'unseen' },
      want('summary', {}, unseenSummary(unseen, versions, flags)),
      want('ul', {}, ...lines, ...plain.map((text) => want('li', {}, text))),
    ),
  ];
}

/** `Forbidden: 1 resource in 2 namespaces · 3 resources not served · 2 versions detected`. */
function unseenSummary(
  unseen: ContextLine['unseen'],
  versions: readonly string[],
  flags: readonly string[],
): string {
  const count = (why: ContextLine['unseen'][number]['why']): ContextLine['unseen'] =>
    unseen.filter((one) => one.why === why);
  const forbidden = count('forbidden');
  const others = [...count('stale'), ...count('failed')];
  const unserved = count('unserved').length;
  const many = (value: number, one: string): string =>
    `${String(value)} ${one}${value === 1 ? '' : 's'}`;
  const namespaces = new Set(forbidden.flatMap(({ namespace }) => namespace ?? []));
  const resources = new Set(forbidden.map(({ resource }) => resource));
  return [
    ...(forbidden.length === 0
      ? []
      : [
          `Forbidden: ${many(resources.size, 'resource')}${namespaces.size === 0 ? '' : ` in ${many(namespaces.size, 'namespace')}`}`,
        ]),
    ...(others.length === 0 ? [] : [`${many(others.length, 'resource')} could not be read`]),
    ...(unserved === 0 ? [] : [`${many(unserved, 'resource')} not served`]),
    ...(versions.length === 0 ? [] : [`${many(versions.length, 'version')} detected`]),
    ...(flags.length === 0 ? [] : [`${many(flags.length, 'flag')} detected`]),
  ].join(' · ');
}
