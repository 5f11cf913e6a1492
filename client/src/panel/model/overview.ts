import type { SessionState, Unseen } from '../../cluster/sessionTypes.ts';
import type { Instant } from '../../../../engine/units.ts';
import { clockText, countdown } from './countdown.ts';
import { groups, type Group, type PanelRow } from './panelRow.ts';
import { byUrgency } from './table.ts';

/** One group of the overview; empty groups are left out. */
export type OverviewGroup = {
  readonly group: Group;
  readonly title: string;
  readonly rows: readonly PanelRow[];
  /** What could not be looked at, in the group of the unseen. */
  readonly unseen: readonly Unseen[];
};

export const groupTitles: Readonly<Record<Group, string>> = {
  'gave-up': 'Gave up: needs a person',
  waiting: 'Waiting for the next retry',
  attempting: 'Trying now',
  estimate: 'Failing, next retry estimated',
  unseen: 'Not seen',
};

/** The groups of one context: what gave up, then the soonest next retry, then estimates, then what is not seen. */
export function overview(
  rows: Iterable<PanelRow>,
  unseen: readonly Unseen[],
): readonly OverviewGroup[] {
  const byGroup = new Map<Group, PanelRow[]>(groups.map((group) => [group, []]));
  for (const row of rows) byGroup.get(row.group)?.push(row);
  return groups.flatMap((group): readonly OverviewGroup[] => {
    const members = byGroup.get(group) ?? [];
    const hidden = group === 'unseen' ? notable(unseen) : [];
    if (members.length === 0 && hidden.length === 0) return [];
    return [{ group, title: groupTitles[group], rows: members.sort(byUrgency), unseen: hidden }];
  });
}

/** How many back off, how many gave up, and the soonest next retry: for the status bar. */
export type Totals = {
  readonly backingOff: number;
  readonly gaveUp: number;
  readonly next?: PanelRow & { readonly next: NonNullable<PanelRow['next']> };
};

export function totals(rows: Iterable<PanelRow>): Totals {
  let backingOff = 0;
  let gaveUp = 0;
  let next: Totals['next'];
  for (const row of rows) {
    if (row.group === 'gave-up') gaveUp += 1;
    if (row.group !== 'waiting' && row.group !== 'estimate') continue;
    backingOff += 1;
    if (row.group === 'estimate' || row.next === undefined) continue;
    if (next !== undefined && next.next.hi <= row.next.hi) continue;
    next = { ...row, next: row.next };
  }
  return { backingOff, gaveUp, ...(next === undefined ? {} : { next }) };
}

/** `3 backing off · next 02:14`. */
export function totalsText({ backingOff, gaveUp, next }: Totals, now: Instant): string {
  const parts: string[] = [];
  if (gaveUp > 0) parts.push(`${String(gaveUp)} gave up`);
  if (backingOff > 0) parts.push(`${String(backingOff)} backing off`);
  if (next !== undefined) parts.push(`next ${countdown(next.next, now).text}`);
  return parts.length === 0 ? 'nothing backing off' : parts.join(' · ');
}

/** The connection itself in one sentence; `now` is our own time, by which the session retries. */
export function connectionText(state: SessionState, now: Instant): string {
  switch (state.kind) {
    case 'connecting':
      return 'Connecting.';
    case 'live':
      return 'Live.';
    case 'reconnecting':
      return `Connection lost: ${state.why}. Retry ${String(state.retry)} in ${clockText(state.nextAt - now)}.`;
    case 'unauthorised':
      return `Signed out: ${state.detail}. Sign in, then connect again.`;
    case 'stopped':
      return `Stopped: ${state.why}.`;
  }
}

/** What is not seen, in one sentence: `certificates in web: forbidden`. */
export const unseenTitle = ({ resource, namespace }: Unseen): string =>
  namespace === undefined ? resource : `${resource} in ${namespace}`;

/** What is worth a line: systems that are not installed are no news, and are counted only. */
export const notable = (unseen: readonly Unseen[]): readonly Unseen[] =>
  unseen.filter(({ why }) => why !== 'unserved');

/** What is not seen, as it is asked for: lists change, so no place in one names it. */
export type UnseenName = Pick<Unseen, 'resource' | 'namespace'>;

/** Whether a role would show it: not what was never asked about, which stands for all there is. */
export const hasRole = ({ resource, why }: Unseen): boolean =>
  why === 'forbidden' && resource !== '*';

/** The role that would let a person see what is forbidden to them now; nothing where none helps. */
export function missingRole(
  { resource, namespace }: UnseenName,
  unseen: readonly Unseen[],
): string | undefined {
  const isMeant = (one: Unseen): boolean =>
    one.resource === resource && one.namespace === namespace && hasRole(one);
  if (!unseen.some(isMeant)) return undefined;
  const [plural = resource, ...group] = resource.split('.');
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${kind}`,
    'metadata:',
    '  name: kube-backoff-read',
    ...(namespace === undefined ? [] : [`  namespace: ${namespace}`]),
    'rules:',
    `  - apiGroups: ['${group.join('.')}']`,
    `    resources: ['${plural}']`,
    `    verbs: ['list', 'watch']`,
    '',
  ].join('\n');
}
