import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openPort } from '../../client/src/cluster/kubernetesPort.ts';
import { formatInstant } from '../../engine/units.ts';
import { command, run } from '../support/cli.ts';
import { complete, connect, launch, objectOf, placeOf, rowOf, until, type Plane } from './plane.ts';
import { proxyTo } from './proxy.ts';

let plane: Plane;

beforeAll(async () => {
  plane = await launch();
  for (const name of ['certificate', 'request', 'workflow', 'widget', 'release']) {
    await plane.create(objectOf(name));
  }
}, 900_000);

afterAll(() => plane.stop());

const open = (
  ...parameters: Parameters<typeof connect> extends [Plane, ...infer Rest] ? Rest : never
) => {
  const session = connect(plane, ...parameters);
  onTestFinished(() => session.dispose());
  return session;
};

type Status = {
  readonly states: readonly Record<string, unknown>[];
  readonly unseen: readonly Record<string, unknown>[];
};

async function status(args: readonly string[], user: 'admin' | 'viewer' | 'nobody' = 'admin') {
  const outcome = await run(['status', '--kubeconfig', plane.kubeconfigs[user], ...args]);
  return outcome;
}

async function stateOf(name: string) {
  const { stdout } = await status(['-A', '--format', 'json']);
  const { states } = JSON.parse(stdout) as Status;
  return states.find((state) => (state['resource'] as { name: string }).name === name);
}

/** The first time the next retry may come, to the second, as the session and the command say it. */
async function nextOf(name: string) {
  const session = open();
  await complete(session);
  const row = rowOf(session, name);
  const told = await stateOf(name);
  if (row?.state.kind !== 'waiting') return [row?.state.kind, told?.['state']];
  const { next } = row.state;
  const nextAt = told?.['nextAt'] as { how: string; min?: string };
  return [
    next.how === 'unknown' ? next.how : formatInstant(next.value.lo),
    nextAt.min ?? nextAt.how,
  ];
}

describe('objects with a known status', () => {
  it.each([
    ['web', '2026-01-10T16:00:00Z'],
    ['etl-abc12', '2026-01-10T10:06:00Z'],
    ['web-1', 'unknown'],
    ['portal', 'gave-up'],
  ])('%s retries at %s, in a session and in the command alike', async (name, expected) => {
    expect(await nextOf(name)).toEqual([expected, expected]);
  });

  it('counts the retries and gives the bounds of what is estimated', async () => {
    expect(await stateOf('web')).toMatchObject({
      family: 'cert-manager/issuance',
      state: 'waiting',
      retry: { how: 'reported', value: 4 },
      wait: { minMs: 28_800_000, maxMs: 28_800_000 },
      capped: false,
    });
    expect(await stateOf('etl-abc12')).toMatchObject({
      retry: { value: 2 },
      wait: { minMs: 60_000, maxMs: 60_000 },
    });
    expect(await stateOf('w1')).toMatchObject({
      family: 'controller-runtime/work-queue',
      estimate: true,
      wait: { minMs: 5, maxMs: 1_000_000 },
    });
  });

  it('counts the Jobs that failed, for kinds whose retries are Jobs', async () => {
    const owner = await plane.create(objectOf('terraform'));
    const group = 'captf.infrastructure.cluster.x-k8s.io';
    await plane.create({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'captf-c-prod-apply-a1-0f1e2d',
        namespace: 'team-a',
        labels: {
          [`${group}/op`]: 'apply',
          [`${group}/attempt`]: '1',
          [`${group}/owner-kind`]: 'TerraformCluster',
          [`${group}/owner-name`]: 'prod',
        },
        annotations: { 'captf.io/bookkept': 'true' },
        ownerReferences: [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: 'prod',
            uid: owner.metadata.uid,
            controller: true,
          },
        ],
      },
      spec: {
        // Nothing runs it: the test writes its end.
        parallelism: 0,
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'terraform', image: 'none' }] },
        },
      },
    });
    const at = '/apis/batch/v1/namespaces/team-a/jobs/captf-c-prod-apply-a1-0f1e2d/status';
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      lastTransitionTime: '2026-01-10T10:00:00Z',
      lastProbeTime: '2026-01-10T10:00:00Z',
    };
    const session = open();
    await complete(session);
    await plane.api(
      'PATCH',
      at,
      { status: { conditions: [failed] } },
      'application/merge-patch+json',
    );
    await until(session, (one) => rowOf(one, 'prod', 'captf/jobs')?.state.kind === 'waiting');
    const row = rowOf(session, 'prod', 'captf/jobs');
    expect(
      row?.state.kind === 'waiting' &&
        row.state.next.how !== 'unknown' &&
        formatInstant(row.state.next.value.hi),
    ).toBe('2026-01-10T10:10:00Z');
    // Its owner tells when the next one starts: that this one gave up is no row, here or there.
    expect(rowOf(session, 'captf-c-prod-apply-a1-0f1e2d')).toBeUndefined();
    expect(await stateOf('captf-c-prod-apply-a1-0f1e2d')).toBeUndefined();
    expect(await stateOf('prod')).toMatchObject({ family: 'captf/jobs', state: 'waiting' });
  });
});

describe('who may see what', () => {
  it('shows one namespace, and names those that are forbidden', async () => {
    await plane.create({
      ...objectOf('certificate'),
      metadata: { name: 'allowed', namespace: 'team-a' },
    });
    const session = open('viewer');
    await complete(session);
    expect(rowOf(session, 'allowed')?.state.kind).toBe('waiting');
    expect(rowOf(session, 'web')).toBeUndefined();
    const forbidden = session
      .snapshot()
      .unseen.filter(({ resource }) => resource === 'certificates.cert-manager.io');
    expect(forbidden.map(({ why, namespace }) => `${why} ${namespace ?? ''}`)).toContain(
      'forbidden shop',
    );
    expect(forbidden.map(({ namespace }) => namespace)).not.toContain('team-a');
    const { code, stderr } = await status(['-A'], 'viewer');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /not seen \(forbidden\): certificates\.cert-manager\.io in \d+ namespaces/,
    );
  });

  it('says that nothing may be seen, for someone who may see nothing', async () => {
    const { code, stdout } = await status(['-A', '--format', 'json'], 'nobody');
    const { states, unseen } = JSON.parse(stdout) as Status;
    expect(code).toBe(0);
    expect(states).toEqual([]);
    expect(unseen.filter(({ why }) => why === 'forbidden').length).toBeGreaterThan(3);
    const table = await status(['-A'], 'nobody');
    expect(table.stdout).toBe('Nothing could be listed in nobody, so nothing is known\n');
    // One who may look, and finds nothing, is told something else.
    const looked = await status(['-n', 'empty']);
    expect(looked.stdout).toMatch(/^Nothing is backing off/);
  });

  it('asks for a sign-in where the token is not taken', async () => {
    const wrong = plane.kubeconfigs.admin.replace('admin', 'wrong');
    const { readFile, writeFile } = await import('node:fs/promises');
    const text = await readFile(plane.kubeconfigs.admin, 'utf8');
    await writeFile(wrong, text.replace(plane.tokens.admin, 'no-such-token'));
    const session = open('admin', {}, wrong);
    await until(session, (one) => one.snapshot().state.kind === 'unauthorised');
    const outcome = await run(['status', '--kubeconfig', wrong]);
    expect(outcome).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'kube-backoff: admin: Unauthorized\n',
    });
    // The way back: the file is mended, and the session goes on.
    await writeFile(wrong, text);
    session.resume();
    await complete(session);
    expect(rowOf(session, 'web')?.state.kind).toBe('waiting');
  });
});

describe('the command', () => {
  it('keeps to a namespace and a system', async () => {
    const names = async (...args: readonly string[]) => {
      const { stdout } = await status([...args, '--format', 'json']);
      const { states } = JSON.parse(stdout) as Status;
      return states
        .map((state) => (state['resource'] as { name: string }).name)
        .toSorted((a, b) => (a < b ? -1 : 1));
    };
    expect(await names('--namespace', 'shop')).toEqual(['web', 'web-1']);
    expect(await names('-n', 'shop', '-n', 'jobs', '--system', 'argo-workflows')).toEqual([
      'etl-abc12',
    ]);
    expect(await names()).toEqual(['w1']);
  });

  it.each([
    [['--context', 'none'], 'context "none" not found; choose one of: admin'],
    [['--system', 'cron'], '--system knows no "cron"'],
    [['-A', '-n', 'shop'], 'give either --namespace or -A'],
    [['--kubeconfig', '/no/such/file'], '/no/such/file does not exist'],
  ])('refuses %j', async (args, words) => {
    const { code, stdout, stderr } = await status(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('is a kubectl plugin, with a table and with Markdown', async () => {
    const table = await run(['-A', '--kubeconfig', plane.kubeconfigs.admin], {
      command: 'kubectl-backoff',
    });
    expect(table.stdout).toMatch(/^STATE +NEXT RETRY/);
    expect(table.stdout).toMatch(
      /waiting +due since 2026-01-10T16:00:00Z +4 +8h +shop +Certificate\/web/,
    );
    const markdown = await status(['-A', '--format', 'markdown']);
    expect(markdown.stdout).toContain(
      '| waiting | due since 2026-01-10T16:00:00Z | 4 | 8h | shop | Certificate/web |',
    );
  });
});

describe('status --watch', () => {
  it('goes on telling what changes until it is interrupted', async () => {
    const args = ['status', '-n', 'watched', '--watch', '--format', 'json'];
    const child = spawn(process.execPath, [
      command,
      ...args,
      '--kubeconfig',
      plane.kubeconfigs.admin,
    ]);
    onTestFinished(() => void child.kill('SIGKILL'));
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
    const states = () =>
      told
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as Status).states.length);
    await vi.waitFor(() => expect(states()).toEqual([0]), 20_000);
    await plane.create({
      ...objectOf('certificate'),
      metadata: { name: 'new', namespace: 'watched' },
    });
    await vi.waitFor(() => expect(states().at(-1)).toBe(1), 20_000);
    await plane.api('DELETE', '/apis/cert-manager.io/v1/namespaces/watched/certificates/new');
    await vi.waitFor(() => expect(states().at(-1)).toBe(0), 20_000);
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code).toBe(0);
  });
});

describe('faults', () => {
  it('comes back after its connections were cut, and misses nothing', async () => {
    const proxy = await proxyTo(plane);
    onTestFinished(() => proxy.close());
    const session = open('admin', {}, proxy.kubeconfig);
    await complete(session);
    proxy.refuse(true);
    proxy.cut();
    await until(session, (one) => one.snapshot().state.kind === 'reconnecting');
    const { state } = session.snapshot();
    expect(state.kind === 'reconnecting' && state.why).toMatch(/^127\.0\.0\.1: /);
    const away = { ...objectOf('certificate'), metadata: { name: 'away', namespace: 'shop' } };
    await plane.create(away);
    proxy.refuse(false);
    await until(session, (one) => rowOf(one, 'away')?.state.kind === 'waiting');
    expect(session.snapshot().state.kind).toBe('live');
  });

  it('lists again when the page token was compacted away', async () => {
    const opening = openPort(placeOf(plane, 'admin'));
    if (!opening.ok) throw new Error(opening.problem);
    const { port } = opening;
    onTestFinished(port.dispose);
    const path = '/apis/cert-manager.io/v1/certificates';
    const first = await port.request({ method: 'GET', path, query: { limit: '1' } });
    const body = first.ok ? (first.answer.body as { metadata: { continue: string } }) : undefined;
    await plane.create({ ...objectOf('widget'), metadata: { name: 'w2', namespace: 'default' } });
    await plane.compact();
    const query = { limit: '1', continue: body?.metadata.continue ?? '' };
    const second = await port.request({ method: 'GET', path, query });
    expect(second).toMatchObject({ ok: false, failure: { kind: 'gone' } });
  });

  it('comes back after a restart of the API server that has forgotten its version', async () => {
    const session = open();
    await complete(session);
    await plane.restartApiServer();
    await plane.create({
      ...objectOf('certificate'),
      metadata: { name: 'later', namespace: 'shop' },
    });
    await plane.compact();
    await until(session, (one) => rowOf(one, 'later')?.state.kind === 'waiting', 60_000);
    await until(session, (one) => one.snapshot().state.kind === 'live', 60_000);
    expect(rowOf(session, 'web')?.state.kind).toBe('waiting');
    const gone = await plane.api(
      'GET',
      '/apis/cert-manager.io/v1/namespaces/shop/certificates/later',
    );
    expect(gone.status).toBe(200);
  });

  it('asks nothing while it is paused', async () => {
    const proxy = await proxyTo(plane);
    onTestFinished(() => proxy.close());
    const session = open('admin', {}, proxy.kubeconfig);
    await complete(session);
    session.pause();
    await delay(200);
    const before = await requestsOf();
    await delay(1000);
    expect(await requestsOf()).toBe(before);
    session.resume();
    await complete(session);
    expect(rowOf(session, 'web')?.state.kind).toBe('waiting');
  });
});

/** The requests of our own client, by the API server's audit log. */
async function requestsOf(): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const lines = (await readFile(plane.auditLog, 'utf8')).split('\n');
  return lines.filter((line) => line.includes('"userAgent":"kube-backoff/')).length;
}
