import { describe, expect, it } from 'vitest';
import { formatInstant, instant, ms } from '../../../engine/units.ts';
import {
  clockText,
  countdown,
  nextText,
  serverTime,
  spokenSpan,
  timeText,
} from '../../../client/src/panel/model/countdown.ts';
import {
  connectionText,
  hasRole,
  missingRole,
  overview,
  totals,
  totalsText,
} from '../../../client/src/panel/model/overview.ts';
import {
  arrange,
  choices,
  everything,
  mostUrgentFirst,
} from '../../../client/src/panel/model/table.ts';
import { sentence, spokenRow } from '../../../client/src/panel/model/words.ts';
import { inferred, unknown } from '../../../engine/live.ts';
import { at, gaveUp, noon, shown, trying, waiting } from './samples.ts';

const window = (lo: string, hi: string) => ({ lo: at(lo), hi: at(hi) });

describe('a countdown', () => {
  it.each([
    ['12:02:14', '12:02:14', 'running', '02:14'],
    ['13:02:14', '13:02:14', 'running', '1:02:14'],
    ['12:02:14', '12:02:15', 'running', '02:14'],
    ['12:02:14', '12:03:14', 'running', '02:14 to 03:14'],
    ['11:59:00', '12:03:14', 'due', 'within 03:14'],
    ['12:00:00', '12:00:00', 'due', 'due now'],
    ['11:59:50', '11:59:50', 'due', 'due now'],
    ['11:56:48', '11:56:48', 'overdue', 'overdue by 03:12'],
  ])('to %s..%s is %s: %s', (lo, hi, kind, text) => {
    expect(countdown(window(lo, hi), noon)).toEqual({ kind, text });
  });

  it('rounds up, so that it says 00:01 until the time has come', () => {
    expect(clockText(1)).toBe('00:01');
    expect(clockText(0)).toBe('00:00');
    expect(clockText(97_200_000)).toBe('1d 03:00');
  });

  it('runs by the clock of the server', () => {
    const now = serverTime(noon, ms(-60_000));
    expect(countdown(window('12:00:00', '12:00:00'), now).text).toBe('01:00');
  });

  it('says a span in words', () => {
    expect(spokenSpan(7_860_000)).toBe('2 hours 11 minutes');
    expect(spokenSpan(42_000)).toBe('42 seconds');
    expect(spokenSpan(61_000)).toBe('1 minute 1 second');
    expect(spokenSpan(0)).toBe('0 seconds');
  });

  it('writes a time in UTC, with the day where it is another one', () => {
    expect(timeText(at('16:04:00'), 'utc', noon)).toBe('16:04:00 UTC');
    expect(timeText(instant(noon + 86_400_000), 'utc', noon)).toBe('Jan 11, 12:00:00 UTC');
    expect(nextText(window('16:04:00', '16:05:00'), 'utc', noon)).toBe(
      '16:04:00 UTC to 16:05:00 UTC',
    );
  });
});

const rows = [
  shown('soon', waiting('12:01:00')),
  shown('running', trying),
  shown('guess', waiting('12:00:30'), { isEstimate: true }),
  shown('old', gaveUp('09:00:00')),
  shown('later', waiting('14:00:00')),
  shown('new', gaveUp('11:00:00')),
  shown('dark', waiting(undefined)),
  shown('hidden', { kind: 'unseen', why: 'forbidden', detail: 'you may not' }),
];

const names = (list: readonly { readonly name: string }[]): string =>
  list.map(({ name }) => name).join(' ');

describe('the order of rows', () => {
  it('is what gave up last, the soonest retry, unknown times, what runs, estimates, what is not seen', () => {
    expect(names(arrange(rows, everything, mostUrgentFirst))).toBe(
      'new old soon later dark running guess hidden',
    );
  });

  it('is the same for the groups of the overview', () => {
    const groups = overview(rows, []);
    expect(groups.map(({ group }) => group)).toEqual([
      'gave-up',
      'waiting',
      'attempting',
      'estimate',
      'unseen',
    ]);
    expect(groups.map((group) => names(group.rows))).toEqual([
      'new old',
      'soon later dark',
      'running',
      'guess',
      'hidden',
    ]);
  });

  it('turns round, and leaves what is equal in the order of urgency', () => {
    const sorting = { by: 'namespace', descending: true } as const;
    expect(names(arrange(rows, everything, sorting))).toBe(
      'new old soon later dark running guess hidden',
    );
    expect(names(arrange(rows, everything, { by: 'object', descending: true }))).toBe(
      'soon running old new later hidden guess dark',
    );
  });

  it('is narrowed down by every word that is searched for', () => {
    const found = arrange(rows, { ...everything, text: 'certificate SOON' }, mostUrgentFirst);
    expect(names(found)).toBe('soon');
    expect(arrange(rows, { ...everything, systems: ['flux'] }, mostUrgentFirst)).toEqual([]);
    expect(names(arrange(rows, { ...everything, groups: ['attempting'] }, mostUrgentFirst))).toBe(
      'running',
    );
  });

  it('offers what there is to choose from, counted', () => {
    expect(choices(rows, ({ group }) => group)).toContainEqual({ value: 'gave-up', count: 2 });
  });
});

describe('what is not seen', () => {
  const unseen = [
    { resource: 'jobs.batch', namespace: 'web', why: 'forbidden', detail: 'no' },
    { resource: 'workflows.argoproj.io', why: 'unserved', detail: 'not there' },
  ] as const;

  it('has its own group, without what is not installed', () => {
    expect(overview([], unseen)).toMatchObject([{ group: 'unseen', unseen: [unseen[0]] }]);
  });

  it('comes with the role that would show it', () => {
    expect(missingRole(unseen[0], unseen)).toBe(`apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: kube-backoff-read
  namespace: web
rules:
  - apiGroups: ['batch']
    resources: ['jobs']
    verbs: ['list', 'watch']
`);
    const pods = { resource: 'pods', why: 'forbidden', detail: '' } as const;
    expect(missingRole({ resource: 'pods' }, [...unseen, pods])).toContain(
      "kind: ClusterRole\nmetadata:\n  name: kube-backoff-read\nrules:\n  - apiGroups: ['']",
    );
  });
});

describe('what no role helps against', () => {
  const jobs = {
    resource: 'jobs.batch',
    namespace: 'web',
    why: 'forbidden',
    detail: 'no',
  } as const;
  const rest = {
    resource: '*',
    why: 'forbidden',
    detail: '12 of 212 were not asked about',
  } as const;
  const lost = { resource: 'pods', why: 'failed', detail: 'timeout' } as const;

  it('has none: what was not asked about is everything, secrets included', () => {
    expect(missingRole(rest, [jobs, rest])).toBeUndefined();
    expect(missingRole(lost, [lost])).toBeUndefined();
    expect([jobs, rest, lost].map(hasRole)).toEqual([true, false, false]);
  });

  it('is also what is forbidden no more by the time it is asked for', () => {
    expect(missingRole(jobs, [])).toBeUndefined();
    expect(missingRole({ resource: 'jobs.batch' }, [jobs])).toBeUndefined();
  });
});

describe('the totals', () => {
  it('count what gave up and what backs off, and name the soonest retry that is no estimate', () => {
    expect(totalsText(totals(rows), noon)).toBe('2 gave up · 4 backing off · next 01:00');
    expect(totalsText(totals([]), noon)).toBe('nothing backing off');
  });
});

describe('the words of a row', () => {
  it.each([
    [
      shown('web-tls', waiting('14:11:00')),
      'Certificate web-tls in shop, backing off, retry 4, next retry in 2 hours 11 minutes, at 14:11 UTC',
    ],
    [
      shown('web-tls', waiting('11:00:00', { capped: inferred(true, 'x') })),
      'Certificate web-tls in shop, backing off, retry 4, next retry due, cap reached',
    ],
    [
      shown('web-tls', waiting(undefined, { retry: unknown('x') }), { part: 'app' }),
      'Certificate web-tls, app in shop, backing off, next retry not known',
    ],
    [
      shown('web-tls', gaveUp('09:00:00')),
      'Certificate web-tls in shop, gave up, will not be retried, by limit',
    ],
    [shown('web-tls', trying), 'Certificate web-tls in shop, trying now, retry 2'],
  ])('are spoken', (row, text) => {
    expect(spokenRow(row, noon)).toBe(text);
  });

  it('are one sentence for a chat', () => {
    expect(sentence(shown('web-tls', waiting('14:11:00')), noon)).toBe(
      'Certificate shop/web-tls waits for retry 4, next 2026-01-10T14:11:00Z (in 2h11m, after a wait of 8h). Issuance failed.',
    );
    expect(sentence(shown('web-tls', gaveUp('09:00:00')), noon)).toBe(
      'Certificate shop/web-tls gave up at 2026-01-10T09:00:00Z: nothing retries it by itself. All retries are used up.',
    );
    expect(sentence(shown('web-tls', gaveUp('12:30:00')), noon)).toBe(
      'Certificate shop/web-tls gives up at 2026-01-10T12:30:00Z: nothing retries it by itself. All retries are used up.',
    );
    const owned = { ...gaveUp('09:00:00'), owner: 'TerraformCluster prod' } as const;
    expect(sentence(shown('web-tls', owned), noon)).toBe(
      'Certificate shop/web-tls gave up at 2026-01-10T09:00:00Z: TerraformCluster prod decides whether another one starts. All retries are used up.',
    );
  });

  it('call an estimate one', () => {
    const guess = waiting(undefined, {
      next: inferred({ lo: instant(noon - 500), hi: at('12:07:00') }, 'bounds'),
      retry: unknown('in memory'),
    });
    expect(sentence(shown('keys', guess, { isEstimate: true }), noon)).toBe(
      'Certificate shop/keys waits, next between 2026-01-10T11:59:59Z and 2026-01-10T12:07:00Z (within 07:00, after a wait of 8h), an estimate. Issuance failed.',
    );
  });
});

describe('a connection in words', () => {
  it('tells its own back-off like any other', () => {
    const state = {
      kind: 'reconnecting',
      retry: 3,
      wait: ms(4000),
      nextAt: at('12:00:04'),
      why: 'connection refused',
    } as const;
    expect(connectionText(state, noon)).toBe(
      'Connection lost: connection refused. Retry 3 in 00:04.',
    );
    expect(formatInstant(state.nextAt)).toBe('2026-01-10T12:00:04Z');
  });
});
