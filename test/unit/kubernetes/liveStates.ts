import { jsonTree } from '../../../engine/jsonTree.ts';
import type { ClusterView, LiveReader, LiveState } from '../../../engine/live.ts';
import { formatInstant, instant } from '../../../engine/units.ts';
import { environment } from '../../support/analyse.ts';

export const now = instant(Date.parse('2026-11-30T10:00:30Z'));

export function states(
  { live }: { readonly live?: LiveReader },
  object: unknown,
  related: readonly unknown[] = [],
  version = '1.36.3',
): readonly LiveState[] {
  if (live === undefined) throw new Error('no reader');
  const view: ClusterView = {
    get: () => undefined,
    related: () => related.map((one) => jsonTree(one).root),
  };
  return live.read({
    object: jsonTree(object).root,
    ref: { apiVersion: 'x/v1', kind: 'X', namespace: 'shop', name: 'x' },
    view,
    env: environment({ versions: { kubernetes: version } }),
    now,
  });
}

/** `kind; retry; wait; next; capped`, the facts that a row shows. */
function told({ part, state }: LiveState): string {
  const at = part === undefined ? '' : `${part}: `;
  if (state.kind === 'idle') return `${at}idle (${state.because})`;
  if (state.kind === 'unseen') return `${at}unseen`;
  if (state.kind === 'gave-up') {
    const by = state.by.how === 'unknown' ? '?' : state.by.value.kind;
    return `${at}gave up by ${by}`;
  }
  const retry = state.retry.how === 'unknown' ? '?' : String(state.retry.value);
  if (state.kind === 'attempting') return `${at}attempting, retry ${retry}`;
  const wait =
    state.wait.how === 'unknown'
      ? '?'
      : `${String(state.wait.value.lo / 1000)}..${String(state.wait.value.hi / 1000)}s ${state.wait.how}`;
  const next =
    state.next.how === 'unknown'
      ? '?'
      : `${formatInstant(state.next.value.lo)}..${formatInstant(state.next.value.hi)}`;
  const capped = state.capped.how === 'unknown' ? '?' : String(state.capped.value);
  return `${at}waiting, retry ${retry}, wait ${wait}, next ${next}, capped ${capped}`;
}

export const one = (list: readonly LiveState[]): string => list.map(told).join('\n');

/** A pod whose container waits to be restarted. */
export const crashing = (message: string, restartCount: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'shop-1', namespace: 'shop' },
  spec: { containers: [{ name: 'app' }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'app',
        ready: false,
        restartCount,
        state: { waiting: { reason: 'CrashLoopBackOff', message } },
        lastState: {
          terminated: { exitCode: 1, reason: 'Error', finishedAt: '2026-11-30T10:00:05Z' },
        },
      },
    ],
  },
});

export const failedPod = (name: string, finishedAt: string, extra: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...extra },
  status: {
    phase: 'Failed',
    containerStatuses: [{ name: 'work', state: { terminated: { exitCode: 1, finishedAt } } }],
  },
});

export const aJob = (status: object, spec: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'migrate', namespace: 'shop' },
  spec: { backoffLimit: 6, template: { spec: { restartPolicy: 'Never' } }, ...spec },
  status,
});
