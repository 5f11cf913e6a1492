import { instant } from '../../../../engine/units.ts';
import { clockText, spokenSpan } from '../model/countdown.ts';
import type { ContextCommand, ContextLine } from '../model/messages.ts';
import { hasRole, unseenTitle, type UnseenName } from '../model/overview.ts';
import { button, el, write } from './dom.ts';

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
  let ticking: readonly (() => void)[] = [];
  let shown = '';
  return {
    element,
    show: (contexts) => {
      const signature = JSON.stringify(
        contexts.map((line) => ({ ...line, checkedAt: 0, skew: 0 })),
      );
      if (signature === shown) return;
      shown = signature;
      const ticks: (() => void)[] = [];
      element.replaceChildren(...contexts.map((line) => bandOf(line, events, ticks)));
      ticking = ticks;
    },
    tick: () => {
      for (const tick of ticking) tick();
    },
  };
}

function bandOf(line: ContextLine, events: BandEvents, ticks: (() => void)[]): HTMLElement {
  const status = el('span', { class: `status ${line.state}` });
  const tick = (): void => write(status, statusText(line));
  tick();
  if (line.retryAt !== undefined) ticks.push(tick);
  const facts = [
    ...(line.isComplete || line.state !== 'live' ? [] : ['reading …']),
    ...(line.isComplete && line.idle > 0 ? [`${String(line.idle)} healthy`] : []),
    ...(Math.abs(line.skew) < 2000
      ? []
      : [
          `its clock is ${spokenSpan(Math.abs(line.skew))} ${line.skew > 0 ? 'ahead' : 'behind'}, corrected`,
        ]),
  ];
  const mark = line.isDemo
    ? [el('strong', { class: 'mark demo' }, 'Made-up objects')]
    : line.isProduction
      ? [el('strong', { class: 'mark production' }, 'Production')]
      : [];
  const kind = line.isDemo ? ' is-demo' : line.isProduction ? ' is-production' : '';
  return el(
    'section',
    { class: `band${kind}`, 'aria-label': `Context ${line.name}` },
    el(
      'div',
      { class: 'band-line' },
      el('span', { class: 'context-name' }, line.name),
      ...mark,
      ...(line.isDemo ? [] : [el('span', { class: 'server' }, line.server)]),
      status,
      el('span', { class: 'facts' }, facts.join(' · ')),
      el('span', { class: 'grow' }),
      ...commandsOf(line, events),
    ),
    ...unseenOf(line, events),
  );
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
    ? button('Read-only: unlock', () => command(name, 'unlock'))
    : button('Unlocked: make read-only', () => command(name, 'lock'));
  const again =
    state === 'unauthorised' || state === 'stopped' || state === 'reconnecting'
      ? [
          button(
            state === 'reconnecting' ? 'Try now' : 'Connect again',
            () => command(name, 'resume'),
            true,
          ),
        ]
      : [];
  return [...again, lock, button('Disconnect', () => command(name, 'disconnect'))];
}

/** One line that opens: what is forbidden, with the role that would show it, what is not served, and versions. */
function unseenOf(
  { name, unseen, versions, flags }: ContextLine,
  { copyRole }: BandEvents,
): readonly HTMLElement[] {
  const unserved = unseen.filter(({ why }) => why === 'unserved');
  const lines = unseen.flatMap((one): readonly HTMLElement[] =>
    one.why === 'unserved'
      ? []
      : [
          el(
            'li',
            {},
            el('strong', {}, unseenTitle(one)),
            ` ${one.why}: ${one.detail} `,
            ...(hasRole(one)
              ? [button('Copy a role that allows it', () => copyRole(name, one))]
              : []),
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
    el(
      'details',
      { class: 'unseen' },
      el('summary', {}, unseenSummary(unseen, versions, flags)),
      el('ul', {}, ...lines, ...plain.map((text) => el('li', {}, text))),
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
