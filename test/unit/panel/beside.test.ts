import { describe, expect, it } from 'vitest';
import type { ClusterPort, PortResult } from '../../../client/src/cluster/port.ts';
import type {
  ClusterSession,
  LiveRow,
  SessionState,
} from '../../../client/src/cluster/sessionTypes.ts';
import type { AnchoredResource } from '../../../client/src/languageClient.ts';
import { besideObjects } from '../../../client/src/live/besideObjects.ts';
import { createHub } from '../../../client/src/live/hub.ts';
import { manifestLooks } from '../../../client/src/live/manifestLooks.ts';
import { ms } from '../../../engine/units.ts';
import { at, liveRow, noon, snapshot, waiting } from './samples.ts';

const nowhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

const policyOf = (value: string) => ({
  family: 'kubernetes/job',
  anchor: 'spec',
  names: [],
  at: nowhere,
  block: nowhere,
  settings: [{ name: 'backoffLimit', text: value, value }],
});

const manifest = (kind: string, name: string, apiVersion = 'batch/v1'): AnchoredResource => ({
  resource: { apiVersion, kind, namespace: 'shop', name },
  at: [nowhere],
  range: nowhere,
  policies: kind === 'Job' ? [policyOf('5')] : [],
});

const job = (backoffLimit = 10) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'report', namespace: 'shop' },
  spec: { backoffLimit, template: { spec: { restartPolicy: 'Never' } } },
});

const answered = (body: unknown): PortResult => ({ ok: true, answer: { body } });
const refused: PortResult = { ok: false, failure: { kind: 'unauthorised', detail: '401' } };

/** One connection whose session and port count what is asked of them. */
function world(given: {
  readonly rows?: readonly LiveRow[];
  readonly objects?: ReadonlyMap<string, unknown>;
  readonly answer?: () => PortResult;
}) {
  const asked: string[] = [];
  const counts = { snapshots: 0, objects: 0, changed: 0 };
  const now = { value: 0 };
  const is = { isPaused: false };
  let state: SessionState = { kind: 'live', since: noon };
  const session: Pick<ClusterSession, 'snapshot' | 'object' | 'subscribe' | 'dispose'> = {
    snapshot: () => {
      counts.snapshots += 1;
      return snapshot({ state, rows: new Map((given.rows ?? []).map((row) => [row.key, row])) });
    },
    object: ({ name }) => {
      counts.objects += 1;
      return given.objects?.get(name ?? '');
    },
    subscribe: () => () => undefined,
    dispose: () => undefined,
  };
  const port: Pick<ClusterPort, 'request'> = {
    request: ({ path }) => {
      asked.push(path);
      return Promise.resolve(given.answer?.() ?? answered(job()));
    },
  };
  const hub = createHub();
  hub.add({
    name: 'dev',
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
    session: session as ClusterSession,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
    port: port as ClusterPort,
    isDemo: false,
  });
  const beside = besideObjects({
    hub,
    now: () => now.value,
    isPaused: () => is.isPaused,
    changed: () => {
      counts.changed += 1;
    },
  });
  const driftOf = (one: AnchoredResource): readonly string[] =>
    one.policies.flatMap((policy) => beside.look().driftOf(one, policy));
  const become = (next: SessionState): void => {
    state = next;
  };
  return { hub, beside, asked, counts, now, is, driftOf, become };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe('the objects of a manifest that the session does not keep', () => {
  const report = manifest('Job', 'report');

  it('are read once, and again after a minute, while the last answer stays', async () => {
    const { asked, counts, now, driftOf } = world({});
    expect(driftOf(report)).toEqual([]);
    await settle();
    expect(driftOf(report)).toEqual(['backoffLimit is 5 here, 10 in the cluster']);
    now.value = 59_000;
    driftOf(report);
    await settle();
    expect(asked).toEqual(['/apis/batch/v1/namespaces/shop/jobs/report']);
    now.value = 60_000;
    expect(driftOf(report)).toHaveLength(1);
    await settle();
    expect(asked).toHaveLength(2);
    expect(counts.changed).toBe(1);
  });

  it('are not asked for while nobody looks', async () => {
    const { asked, is, driftOf } = world({});
    is.isPaused = true;
    driftOf(report);
    await settle();
    expect(asked).toEqual([]);
    is.isPaused = false;
    driftOf(report);
    await settle();
    expect(asked).toHaveLength(1);
  });

  it.each<SessionState>([
    { kind: 'connecting', since: noon },
    { kind: 'unauthorised', detail: '401' },
    { kind: 'stopped', why: 'x' },
    { kind: 'reconnecting', retry: 1, wait: ms(1000), nextAt: noon, why: 'x' },
  ])('are not asked for while the session is $kind', async (state) => {
    const { asked, become, driftOf } = world({});
    become(state);
    driftOf(report);
    await settle();
    expect(asked).toEqual([]);
  });

  it('are not asked for after a 401 before the session is live anew', async () => {
    const { asked, become, now, driftOf } = world({ answer: () => refused });
    driftOf(report);
    await settle();
    now.value = 300_000;
    driftOf(report);
    driftOf(manifest('Job', 'other'));
    await settle();
    expect(asked).toHaveLength(1);
    become({ kind: 'live', since: at('13:00:00') });
    driftOf(report);
    await settle();
    expect(asked).toHaveLength(2);
  });

  it('are not asked for before the time that the server said', async () => {
    const failure = { kind: 'throttled', detail: '429', retryAfter: ms(90_000) } as const;
    const { asked, now, driftOf } = world({ answer: () => ({ ok: false, failure }) });
    driftOf(report);
    await settle();
    now.value = 89_000;
    driftOf(report);
    await settle();
    expect(asked).toHaveLength(1);
    now.value = 90_000;
    driftOf(report);
    await settle();
    expect(asked).toHaveLength(2);
  });

  it('stay as they were last read where the next read fails', async () => {
    const answers = [answered(job()), refused];
    const { now, driftOf } = world({ answer: () => answers.shift() ?? refused });
    driftOf(report);
    await settle();
    now.value = 60_000;
    driftOf(report);
    await settle();
    expect(driftOf(report)).toHaveLength(1);
  });

  it('are asked for a few at a time', () => {
    const { asked, driftOf } = world({});
    for (let index = 0; index < 40; index += 1) driftOf(manifest('Job', `job-${String(index)}`));
    expect(asked).toHaveLength(4);
  });
});

describe('the rows of a manifest', () => {
  const pod = (name: string): LiveRow =>
    liveRow(name, waiting('13:00:00'), {
      resource: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name },
    });
  const owned = (kind: string, name: string) => ({
    metadata: { ownerReferences: [{ kind, name }] },
  });
  const rows = [
    pod('cart-7d-x'),
    pod('report-288-y'),
    pod('lone'),
    liveRow('tls', waiting(undefined)),
  ];
  const objects = new Map<string, unknown>([
    ['cart-7d-x', owned('ReplicaSet', 'cart-7d')],
    ['report-288-y', owned('Job', 'report-288')],
  ]);

  it.each([
    ['Deployment', 'cart', 'apps/v1', ['cart-7d-x']],
    ['ReplicaSet', 'cart-7d', 'apps/v1', ['cart-7d-x']],
    ['CronJob', 'report', 'batch/v1', ['report-288-y']],
    ['Job', 'report-288', 'batch/v1', ['report-288-y']],
    ['Pod', 'lone', 'v1', ['lone']],
    ['Certificate', 'tls', 'cert-manager.io/v1', ['tls']],
    ['Certificate', 'tls', 'example.com/v1', []],
    ['Deployment', 'car', 'apps/v1', []],
  ])('of %s %s in %s are %j', (kind, name, apiVersion, expected) => {
    const { beside } = world({ rows, objects });
    const found = beside.look().rowsOf(manifest(kind, name, apiVersion));
    expect(found.map(({ row }) => row.name)).toEqual(expected);
  });

  it('of a generated name are those that begin with it', () => {
    const { beside } = world({ rows, objects });
    const { resource, ...rest } = manifest('Pod', 'report-', 'v1');
    const generated = { ...rest, resource, generateName: 'report-' };
    expect(
      beside
        .look()
        .rowsOf(generated)
        .map(({ row }) => row.name),
    ).toEqual(['report-288-y']);
  });

  it('cost one snapshot a look, and each row is taken apart once, however many objects ask', () => {
    const many = Array.from({ length: 500 }, (_, index) => pod(`many-${String(index)}`));
    const { beside, counts } = world({ rows: many });
    counts.snapshots = 0;
    for (let time = 0; time < 3; time += 1) {
      const look = beside.look();
      for (let index = 0; index < 40; index += 1) {
        expect(look.rowsOf(manifest('Pod', `many-${String(index)}`, 'v1'))).toHaveLength(1);
      }
    }
    expect(counts.snapshots).toBe(3);
    expect(counts.objects).toBe(500);
  });

  it('are those of now after a change', () => {
    const { beside, hub } = world({ rows, objects });
    const lone = manifest('Pod', 'lone', 'v1');
    expect(beside.look().rowsOf(lone)).toHaveLength(1);
    hub.remove('dev');
    expect(beside.look().rowsOf(lone)).toEqual([]);
  });
});

describe('a manifest on the screen', () => {
  it('is a look when it comes, and as long as the cluster has something to say beside it', () => {
    const isLook = manifestLooks();
    expect(isLook(new Map())).toBe(false);
    expect(isLook(new Map([['a.yaml', '']]))).toBe(true);
    expect(isLook(new Map([['a.yaml', '']]))).toBe(false);
    expect(isLook(new Map([['a.yaml', '3:This object gave up']]))).toBe(true);
    expect(isLook(new Map([['a.yaml', '3:This object gave up']]))).toBe(true);
    expect(isLook(new Map([['b.yaml', '']]))).toBe(true);
    expect(isLook(new Map([['b.yaml', '']]))).toBe(false);
    expect(isLook(new Map([['a.yaml', '']]))).toBe(true);
  });
});
