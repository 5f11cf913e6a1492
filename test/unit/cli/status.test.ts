import { describe, expect, it } from 'vitest';
import { runStatus } from '../../../cli/statusCommandRun.ts';
import type { StatusOptions } from '../../../cli/statusCommand.ts';
import type { Terminal } from '../../../cli/terminal.ts';
import { certificate, type FakeObject } from '../cluster/fakeCluster.ts';
import { jobKind, setUp, widgetKind } from '../cluster/setUp.ts';

const same = (text: string): string => text;
const styles = { bold: same, dim: same, red: same, yellow: same, blue: same, cyan: same };

const defaults: StatusOptions = {
  namespace: [],
  allNamespaces: true,
  system: [],
  format: 'table',
  color: 'never',
};

/** The command on a cluster in memory, on a screen or in a pipe, and everything that it says. */
function start(
  options: Partial<StatusOptions>,
  screen?: { readonly columns: number; readonly rows: number },
) {
  const { clock, cluster } = setUp();
  const said = { out: '', err: '', codes: [] as number[] };
  let interrupt = (): void => undefined;
  const interrupted = new Promise<void>((resolve) => {
    interrupt = resolve;
  });
  const terminal: Terminal = {
    cwd: import.meta.dirname,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    exit: (code) => {
      said.codes.push(code);
    },
    styles: () => styles,
    stdin: () => {
      throw new Error('nothing is read');
    },
    now: () => clock.now(),
    screen: () => screen,
    interrupted: () => interrupted,
  };
  const { port } = cluster;
  const terms = { trust: { kind: 'plain' }, credentialEnv: [], digest: '' } as const;
  const run = () =>
    runStatus({ ...defaults, ...options }, terminal, {
      open: () => ({ ok: true, port, terms }),
      clock,
    });
  /** What is on the screen now. */
  const seen = (): readonly string[] =>
    (said.out.split('\u001B[H\u001B[2J').at(-1) ?? '').split('\n').filter((line) => line !== '');
  return { clock, cluster, said, run, seen, interrupt };
}

const terminalSize = { columns: 400, rows: 40 };
const watched = { watch: true } as const;
const away = { kind: 'unreachable', detail: 'test: the connection was refused' } as const;
const refused = { kind: 'unauthorised', detail: 'Unauthorized' } as const;

describe('status --watch on a screen', () => {
  it('counts down by the present time of the server, though the server says nothing', async () => {
    const { clock, cluster, run, seen } = start(watched, terminalSize);
    cluster.state.skew = 60_000;
    cluster.put(certificate('web', 4));
    void run();
    await clock.pass(1000);
    const left = (): string => /\(in ([^)]+)\)/.exec(seen().join('\n'))?.[1] ?? '';
    // It is 9:00:01 here, 9:01:01 there, and the next retry is at 16:00:00.
    expect(left()).toBe('6h58m59s');
    await clock.pass(10_000);
    expect(left()).toBe('6h58m49s');
    expect(seen().join('\n')).toContain('1 row in test at 2026-01-10T09:01:11Z');
  });

  it('keeps saying that the connection is lost, and what is not seen', async () => {
    const { clock, cluster, run, seen } = start(watched, terminalSize);
    cluster.state.mayListAll = false;
    cluster.state.rules = () => [
      { apiGroups: ['cert-manager.io'], resources: ['certificates'], verbs: ['list', 'watch'] },
    ];
    cluster.put(certificate('web', 4));
    void run();
    await clock.pass(5000);
    expect(seen()[0]).toBe('test: live; Ctrl+C ends');
    expect(seen().at(-1)).toMatch(/^not seen \(forbidden\): /);
    cluster.state.watchFault = () => away;
    cluster.state.fault = () => away;
    cluster.cut(away);
    await clock.pass(5000);
    expect(seen()[0]).toMatch(
      /^test: connection lost \(test: the connection was refused\), retry \d+ in \d+s; rows are those of 2026-01-10T09:00:0\dZ$/,
    );
    expect(seen().join('\n')).toContain('Certificate/web');
    expect(seen().join('\n')).toContain('not seen (forbidden): ');
  });

  it('ends with 2 and the reason when it is signed out', async () => {
    const { clock, cluster, run, seen, said } = start(watched, terminalSize);
    cluster.put(certificate('web', 4));
    const over = run();
    await clock.pass(1000);
    cluster.state.watchFault = () => refused;
    cluster.state.fault = () => refused;
    cluster.cut();
    await clock.pass(60_000);
    await over;
    expect(said.codes).toEqual([2]);
    expect(said.err).toContain('kube-backoff: test: Unauthorized: sign in, then start again\n');
    expect(seen()[0]).toBe('test: ended: Unauthorized');
  });

  it('begins with what is urgent where there are more rows than lines', async () => {
    const { clock, cluster, run, seen } = start(watched, { columns: 400, rows: 12 });
    for (let index = 0; index < 40; index += 1) {
      cluster.put(certificate(`c${String(index)}`, 4));
    }
    void run();
    await clock.pass(1000);
    expect(seen().length).toBeLessThan(12);
    expect(seen()[0]).toBe('test: live; Ctrl+C ends');
    expect(seen().join('\n')).toMatch(/… and 3\d more rows, for which there is no room\n40 rows/);
  });

  it('ends with 0 when it is interrupted', async () => {
    const { clock, run, interrupt, said } = start(watched, terminalSize);
    const over = run();
    await clock.pass(1000);
    interrupt();
    await over;
    expect(said.codes).toEqual([0]);
    expect(clock.timers()).toBe(0);
  });
});

describe('status --watch in a pipe', () => {
  it('tells of rows that come and of rows that go', async () => {
    const { clock, cluster, run, said } = start(watched);
    const over = run();
    await clock.pass(1000);
    cluster.put(certificate('web', 4));
    await clock.pass(1000);
    expect(said.out).toMatch(/^waiting .*Certificate\/web/m);
    cluster.drop(certificate('web', 4));
    await clock.pass(1000);
    expect(said.out.split('\n').at(-2)).toMatch(
      /^over +shop +Certificate\/web +cert-manager\/issuance +it recovered, was deleted, or may not be seen any more$/,
    );
    void over;
  });

  it('says that the connection is lost and back, once each', async () => {
    const { clock, cluster, run, said } = start(watched);
    void run();
    await clock.pass(1000);
    cluster.state.watchFault = () => away;
    cluster.state.fault = () => away;
    cluster.cut(away);
    await clock.pass(100);
    cluster.state.watchFault = () => undefined;
    cluster.state.fault = () => undefined;
    await clock.pass(60_000);
    const about = said.err.split('\n').filter((line) => line.startsWith('kube-backoff: test: '));
    expect(about).toEqual([
      expect.stringMatching(/connection lost \(.*refused\); retry 1 at 2026-01-10T/),
      'kube-backoff: test: connected again',
    ]);
  });

  it.each(['table', 'json', 'markdown'] as const)(
    'as %s, ends with 2 and the reason when it is signed out',
    async (format) => {
      const { clock, cluster, run, said } = start({ ...watched, format });
      cluster.put(certificate('web', 4));
      const over = run();
      await clock.pass(1000);
      cluster.state.watchFault = () => refused;
      cluster.state.fault = () => refused;
      cluster.cut();
      await clock.pass(60_000);
      await over;
      expect(said.codes).toEqual([2]);
      expect(said.err).toContain('kube-backoff: test: Unauthorized: sign in, then start again\n');
    },
  );
});

const widget: FakeObject = {
  ...widgetKind,
  metadata: { name: 'w', namespace: 'shop' },
  status: { conditions: [{ type: 'Ready', status: 'False', reason: 'ReconcileError' }] },
};

describe('status --system controller-runtime', () => {
  it('estimates only what no family reads', async () => {
    const { clock, cluster, run, said } = start({ system: ['controller-runtime'] });
    cluster.put(certificate('web', 4));
    cluster.put(widget);
    const over = run();
    await clock.pass(10_000);
    await over;
    expect(said.out).toContain('Widget/w');
    expect(said.out).not.toContain('Certificate/web');
    expect(said.codes).toEqual([0]);
  });
});

const failedJob = (message: string): FakeObject => ({
  ...jobKind,
  metadata: { name: 'report', namespace: 'shop' },
  spec: { template: { spec: { restartPolicy: 'Never' } } },
  status: {
    failed: 7,
    conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message }],
  },
});

describe('status, where objects hold what a terminal would obey', () => {
  const message = 'no\nwaiting  2026 made up\u001B[2J\u001B]0;title\u0007\u009B31m\u202Etxt';

  it.each(['table', 'markdown'] as const)(
    'prints one plain line for each as %s',
    async (format) => {
      const { clock, cluster, run, said } = start({ format });
      cluster.put(failedJob(message));
      const over = run();
      await clock.pass(10_000);
      await over;
      expect(said.out.split('\n').filter((line) => line.includes('made up'))).toEqual([
        expect.stringContaining('Job/report'),
      ]);
      expect(said.out).toContain('no waiting  2026 made up\uFFFD[2J');
      // oxlint-disable-next-line no-control-regex -- that is what must not be there
      expect(said.out + said.err).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/);
    },
  );
});
