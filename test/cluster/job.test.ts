import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { formatInstant, instant, type Instant, type Window } from '../../engine/units.ts';
import { complete, connect, launch, rowOf, until, type Plane } from './plane.ts';

let plane: Plane;

beforeAll(async () => {
  plane = await launch();
}, 900_000);

afterAll(() => plane.stop());

type Pod = { readonly metadata: { readonly name: string; readonly creationTimestamp: string } };
type Job = { readonly status?: { readonly failed?: number; readonly active?: number } };

const job = '/apis/batch/v1/namespaces/ci/jobs/build';
const pods = '/api/v1/namespaces/ci/pods';

/** Waits for a pod that was not there before: the controller may make two within a second. */
async function freshPod(seen: Set<string>): Promise<Pod> {
  for (;;) {
    const { body } = await plane.api('GET', pods);
    const { items } = body as { readonly items: readonly Pod[] };
    const fresh = items.find(({ metadata }) => !seen.has(metadata.name));
    if (fresh !== undefined) {
      seen.add(fresh.metadata.name);
      return fresh;
    }
    await delay(50);
  }
}

/**
 * Waits until the controller has counted the failures and has seen its new pod.
 *
 * Both reach it as events that make it look at the Job at once, past its back-off: a pod that ended in the moment it
 * was made would be replaced at once too, which no kubelet does.
 */
async function settled(failures: number): Promise<void> {
  for (;;) {
    const { body } = await plane.api('GET', job);
    const { failed = 0, active = 0 } = (body as Job).status ?? {};
    if (failed === failures && active === 1) break;
    await delay(50);
  }
  await delay(1500);
}

/** Ends a pod as a kubelet would, which is not there. */
async function fail({ metadata: { name } }: Pod): Promise<void> {
  const now = formatInstant(instant(Math.floor(Date.now() / 1000) * 1000));
  const terminated = { exitCode: 1, startedAt: now, finishedAt: now };
  const main = { name: 'main', image: 'none', imageID: '', ready: false, restartCount: 0 };
  const containerStatuses = [{ ...main, state: { terminated } }];
  const status = { phase: 'Failed', containerStatuses };
  const type = 'application/strategic-merge-patch+json';
  await plane.api('PATCH', `${pods}/${name}/status`, { status }, type);
}

describe('a Job under the real Job controller', () => {
  it('gets its next pod within the time that was foretold', async () => {
    await plane.create({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'build', namespace: 'ci' },
      spec: {
        backoffLimit: 2,
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none' }] },
        },
      },
    });
    const session = connect(plane);
    onTestFinished(() => session.dispose());
    await complete(session);
    expect(session.snapshot().versions).toContainEqual({
      system: 'kubernetes',
      version: '1.20.2',
      from: 'the API server',
    });
    const told: (Window<Instant> | undefined)[] = [];
    const stop = session.subscribe(() => {
      const state = rowOf(session, 'build', 'kubernetes/job')?.state;
      if (state?.kind !== 'waiting' || state.next.how === 'unknown') return;
      if (state.failures.how !== 'unknown') told[state.failures.value] = state.next.value;
    });
    const seen = new Set<string>();
    let pod = await freshPod(seen);
    for (let failure = 1; failure <= 2; failure += 1) {
      await settled(failure - 1);
      await fail(pod);
      pod = await freshPod(seen);
      const made = Date.parse(pod.metadata.creationTimestamp);
      const window = told[failure];
      // The first replacement comes at once on 1.20: the Job may never have been seen without a pod.
      if (window === undefined) expect(failure).toBe(1);
      else {
        expect(made).toBeGreaterThanOrEqual(window.lo - 1000);
        expect(made).toBeLessThanOrEqual(window.hi + 1000);
        console.log(
          `failure ${String(failure)}: told ${formatInstant(window.lo)} to ${formatInstant(window.hi)}, came ${pod.metadata.creationTimestamp}`,
        );
      }
    }
    stop();
    await settled(2);
    await fail(pod);
    // Old versions wait once more before they say that it has failed.
    await until(
      session,
      (one) => rowOf(one, 'build', 'kubernetes/job')?.state.kind === 'gave-up',
      60_000,
    );
    const row = rowOf(session, 'build', 'kubernetes/job');
    expect(row?.state.kind === 'gave-up' && row.state.reason).toContain('BackoffLimitExceeded');
    const history = await session.history(row?.resource ?? { apiVersion: '', kind: '' });
    expect(history.filter(({ kind }) => kind === 'failure').length).toBeGreaterThanOrEqual(3);
    expect(history.map(({ what }) => what).join('\n')).toContain('BackoffLimitExceeded');
  }, 150_000);
});
