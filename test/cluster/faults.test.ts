/** What goes wrong between a session and a real API server, and what an object may lack there. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { keyOfType, liveKinds } from '../../client/src/cluster/liveKinds.ts';
import type { ClusterSession } from '../../client/src/cluster/sessionTypes.ts';
import { families } from '../../engine/families/index.ts';
import { launchControlPlane } from '../../scripts/controlPlane/launch.mjs';
import { run } from '../support/cli.ts';
import { faultProxyTo, type FaultProxy } from './faultProxy.ts';
import { complete, connect, objectOf, rowOf, until, type Plane } from './plane.ts';

const kinds = liveKinds(families);
const types = [...kinds.read, ...kinds.read.flatMap((type) => kinds.neededFor(keyOfType(type)))];
/** Every kind of every family that is not Kubernetes' own. */
const custom = [...new Map(types.map((type) => [keyOfType(type), type])).values()].filter(
  ({ group }) => !['', 'apps', 'batch', 'events.k8s.io'].includes(group),
);

const certificates = '/apis/cert-manager.io/v1/certificates';
let plane: Plane;
let proxy: FaultProxy;

beforeAll(async () => {
  plane = await launchControlPlane({ kinds: custom, controllerManager: false, log: console.log });
  await plane.create(objectOf('certificate'));
}, 900_000);

afterAll(() => plane.stop());

beforeEach(async () => {
  proxy = await faultProxyTo(plane);
  onTestFinished(() => proxy.close());
});

function open(user: 'admin' | 'viewer' = 'admin', kubeconfig = proxy.kubeconfig) {
  const failures: string[] = [];
  const log = (line: string): void => void failures.push(line);
  const session = connect(plane, user, { log }, kubeconfig);
  onTestFinished(() => session.dispose());
  return { session, failures };
}

const lists = () =>
  proxy.seen.filter((one) => one.path === certificates && !one.query.has('watch'));
const watches = () =>
  proxy.seen.filter((one) => one.path === certificates && one.query.has('watch'));
const isLive = (session: ClusterSession) => session.snapshot().state.kind === 'live';
const made = (name: string) => ({
  ...objectOf('certificate'),
  metadata: { name, namespace: 'shop' },
});

describe('a session before a real API server', () => {
  it('goes on from the last version after a cut, without a second list', async () => {
    const { session } = open();
    await complete(session);
    proxy.isRefusing = true;
    proxy.cut();
    await until(session, (one) => one.snapshot().state.kind === 'reconnecting');
    await plane.create(made('while-away'));
    proxy.isRefusing = false;
    await until(session, (one) => rowOf(one, 'while-away')?.state.kind === 'waiting');
    await until(session, isLive);
    expect(lists()).toHaveLength(1);
    const [first, ...others] = watches();
    expect(others.length).toBeGreaterThan(0);
    expect(others.at(-1)?.query.get('resourceVersion')).toMatch(/^\d+$/);
    expect(first?.query.get('allowWatchBookmarks')).toBe('true');
  });

  it('lists again when its version was compacted away, and drops what went meanwhile', async () => {
    await plane.create(made('goes'));
    const { session } = open();
    await until(session, (one) => rowOf(one, 'goes') !== undefined);
    await complete(session);
    proxy.isRefusing = true;
    proxy.cut();
    await plane.api('DELETE', '/apis/cert-manager.io/v1/namespaces/shop/certificates/goes');
    await plane.create(made('comes'));
    // The API server remembers versions by itself, until it starts anew.
    await plane.restartApiServer();
    await plane.create(made('comes-later'));
    await plane.compact();
    proxy.isRefusing = false;
    await until(session, (one) => rowOf(one, 'comes-later') !== undefined, 60_000);
    await until(session, isLive, 60_000);
    expect(rowOf(session, 'goes')).toBeUndefined();
    expect(rowOf(session, 'comes')?.state.kind).toBe('waiting');
    expect(watches().some(({ isGone, status }) => isGone || status === 410)).toBe(true);
    expect(lists()).toHaveLength(2);
  });

  it('waits as long as a 429 asks, and says so meanwhile', async () => {
    let isBusy = true;
    proxy.answer = ({ path: asked }) =>
      isBusy && asked === certificates
        ? { status: 429, headers: { 'retry-after': '3' }, body: { message: 'slow down' } }
        : undefined;
    const { session } = open();
    await until(session, (one) => one.snapshot().unseen.length > 0);
    expect(session.snapshot().unseen).toEqual([
      { resource: 'certificates.cert-manager.io', why: 'stale', detail: 'slow down' },
    ]);
    isBusy = false;
    await complete(session);
    const [refused, again] = lists();
    const waited = (again?.at ?? 0) - (refused?.at ?? 0);
    expect(waited).toBeGreaterThanOrEqual(2990);
    expect(rowOf(session, 'web')?.state.kind).toBe('waiting');
  });

  it('asks a server that is busy from the first word on no sooner than it says', async () => {
    proxy.answer = () => ({ status: 429, headers: { 'retry-after': '2' } });
    const { session } = open();
    await until(session, (one) => one.snapshot().state.kind === 'reconnecting');
    const before = proxy.seen.length;
    await delay(1000);
    expect(proxy.seen).toHaveLength(before);
    proxy.answer = () => undefined;
    await complete(session);
  });

  it('ends everything at a 401 in mid-session, and has a way back', async () => {
    const tokens = path.join(plane.folder, 'tokens.csv');
    const all = await readFile(tokens, 'utf8');
    await plane.create({ ...made('allowed'), metadata: { name: 'allowed', namespace: 'team-a' } });
    const own = await faultProxyTo(plane, 'viewer');
    onTestFinished(() => own.close());
    const { session } = open('viewer', own.kubeconfig);
    await complete(session);
    await plane.restartApiServer(() => writeFile(tokens, withoutViewer(all)));
    await until(session, (one) => one.snapshot().state.kind === 'unauthorised', 60_000);
    await delay(300);
    const before = own.seen.length;
    await delay(3000);
    expect(own.seen).toHaveLength(before);
    expect(rowOf(session, 'allowed')?.state.kind).toBe('waiting');
    await plane.restartApiServer(() => writeFile(tokens, all));
    session.resume();
    await complete(session);
  });

  it.each([3_600_000, -240_000])('counts by a server clock that is %d ms ahead', async (skew) => {
    proxy.skew = skew;
    const { session } = open();
    await complete(session);
    const { clockSkew, checkedAt } = session.snapshot();
    expect(Math.abs(clockSkew - skew)).toBeLessThanOrEqual(1000);
    expect(Math.abs(checkedAt - Date.now() - skew)).toBeLessThan(30_000);
    const { stdout } = await run([
      ...['status', '-A', '--format', 'json', '--kubeconfig', proxy.kubeconfig],
    ]);
    const told = JSON.parse(stdout) as { clockSkewMs: number; checkedAt: string };
    expect(Math.abs(told.clockSkewMs - skew)).toBeLessThanOrEqual(1000);
    expect(Math.abs(Date.parse(told.checkedAt) - Date.now() - skew)).toBeLessThan(30_000);
  });
});

const withoutViewer = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !line.includes(',viewer,'))
    .join('\n');

/** What nobody should write, and somebody will. */
const broken: Readonly<Record<string, object>> = {
  'no-fields': {},
  'empty-status': { spec: {}, status: {} },
  'wrong-shapes': {
    spec: { retries: 'x' },
    status: {
      phase: 7,
      conditions: 'none',
      nodes: [],
      failedIssuanceAttempts: 'many',
      lastFailureTime: 3,
    },
  },
  'wrong-values': {
    status: {
      failedIssuanceAttempts: -4,
      lastFailureTime: 'yesterday',
      phase: '',
      nodes: { a: { type: 'Retry', phase: 'Running', children: ['b', 7] } },
      conditions: [{}, { type: 7 }, { type: 'Ready', status: true, lastTransitionTime: 'no' }],
    },
  },
};

describe('objects that lack everything, or say what nobody can read', () => {
  const own = {
    Pod: { apiVersion: 'v1', spec: { containers: [{ name: 'main', image: 'none' }] } },
    Job: {
      apiVersion: 'batch/v1',
      spec: {
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none' }] },
        },
      },
    },
    Deployment: { apiVersion: 'apps/v1', spec: workload() },
    DaemonSet: { apiVersion: 'apps/v1', spec: workload() },
  };

  it('leave no kind of any family unread, and fail none', async () => {
    for (const { group, version, kind } of custom) {
      for (const [name, parts] of Object.entries(broken)) {
        const metadata = { name, namespace: 'odd' };
        await plane.create({ apiVersion: `${group}/${version}`, kind, metadata, ...parts });
      }
    }
    for (const [kind, object] of Object.entries(own)) {
      await plane.create({ kind, metadata: { name: 'bare', namespace: 'odd' }, ...object });
    }
    const { session, failures } = open();
    await complete(session);
    expect(failures).toEqual([]);
    const { rows, unseen } = session.snapshot();
    const odd = [...rows.values()].filter(({ resource }) => resource.namespace === 'odd');
    expect(odd.filter(({ state }) => state.kind === 'unseen' && state.why === 'stale')).toEqual([]);
    // Nothing that is unreadable is shown as a time.
    const times = odd.flatMap(({ state, resource, family }) =>
      state.kind === 'waiting' &&
      state.next.how !== 'unknown' &&
      !Number.isFinite(state.next.value.hi)
        ? [`${family} ${resource.name ?? ''}`]
        : [],
    );
    expect(times).toEqual([]);
    const failedToRead = unseen.filter(({ why }) => why === 'failed' || why === 'stale');
    expect(failedToRead).toEqual([]);
    const { code, stderr } = await run([
      ...['status', '-n', 'odd', '--all', '--kubeconfig', proxy.kubeconfig],
    ]);
    expect({ code, stderr: stderr.replaceAll(/^not seen .*\n/gm, '') }).toEqual({
      code: 0,
      stderr: '',
    });
  });
});

function workload() {
  const labels = { app: 'bare' };
  return {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } },
  };
}
