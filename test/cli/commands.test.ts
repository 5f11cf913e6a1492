import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { FamilyJson } from '../../engine/familyJson.ts';
import type { PolicyJson } from '../../engine/policyJson.ts';
import type { FleetResult } from '../../engine/simulate.ts';
import { command, folderWith, run, workflow } from '../support/cli.ts';
import vectors from '../vectors/work-queue.json' with { type: 'json' };

type Explained = { readonly policies: readonly (PolicyJson & { readonly file: string })[] };

async function explain(text: string, ...args: readonly string[]): Promise<Explained> {
  const { stdout, code, stderr } = await run(['explain', '--format', 'json', ...args, '-'], {
    stdin: text,
  });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Explained;
}

describe('explain', () => {
  it('prints settings, waits and end in the public shape', async () => {
    const text = workflow('limit: 10', 'backoff: { duration: "1s", factor: 2 }');
    const { policies } = await explain(text, '--retries', '3');
    expect(policies).toHaveLength(1);
    expect(policies[0]).toMatchObject({
      file: '-',
      document: 0,
      resource: {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Workflow',
        namespace: 'ci',
        name: 'demo',
      },
      family: 'argo-workflows/retry-strategy',
      anchor: 'spec.templates[0].retryStrategy',
      range: { start: { line: 7, column: 7 }, end: { line: 9, column: 47 } },
      settings: {
        limit: {
          from: 'document',
          value: 10,
          text: '10',
          range: { start: { line: 8, column: 16 }, end: { line: 8, column: 18 } },
        },
        duration: { from: 'document', value: 1000, text: '1s' },
        cap: { from: 'unset', means: expect.stringContaining('grow') },
      },
      schedule: {
        waits: [
          { retry: 1, minMs: 1000, maxMs: 1000, totalMinMs: 1000, totalMaxMs: 1000, capped: false },
          { retry: 2, minMs: 2000, maxMs: 2000, totalMinMs: 3000, totalMaxMs: 3000, capped: false },
          { retry: 3, minMs: 4000, maxMs: 4000, totalMinMs: 7000, totalMaxMs: 7000, capped: false },
        ],
        more: true,
        end: {
          kind: 'retries',
          by: 'limit',
          retries: 10,
          totalMinMs: 1_023_000,
          totalMaxMs: 1_023_000,
          text: expect.stringMatching(/fails after retry 10$/),
        },
      },
      summary: expect.stringContaining('10 retries (11 attempts)'),
    });
  });

  it('has no schedule where a setting cannot be read, and says which', async () => {
    const [policy] = (await explain(workflow('limit: ten'))).policies;
    expect(policy).not.toHaveProperty('schedule');
    expect(policy?.settings['limit']).toMatchObject({
      from: 'unreadable',
      problem: expect.any(String),
    });
    expect(policy?.summary).toContain('limit');
  });

  it('prints nothing that a terminal would obey', async () => {
    const text = workflow('limit: "\\e[2Jten\\x07"').replace('name: demo', 'name: "a\\e[2Jb"');
    const { stdout, stderr } = await run(['explain', '-'], { stdin: text });
    expect(stdout).toContain('a\uFFFD[2Jb');
    // oxlint-disable-next-line no-control-regex -- that is what must not be there
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
  });

  it('has no schedule, but a likely one, where only run time decides', async () => {
    const text = `${workflow('limit: "{{inputs.parameters.n}}"')}      inputs: { parameters: [{ name: n, value: "4" }] }\n`;
    const [policy] = (await explain(text)).policies;
    expect(policy).not.toHaveProperty('schedule');
    expect(policy?.settings['limit']?.from).toBe('runtime');
    expect(policy?.likely?.schedule.end.retries).toBe(4);
    expect(policy?.summary).toContain('run time');
    const [unknown] = (await explain(workflow('limit: "{{inputs.parameters.n}}"'))).policies;
    expect(unknown).not.toHaveProperty('likely');
  });

  it('reads the state of an object that carries its status', async () => {
    const certificate = [
      'apiVersion: cert-manager.io/v1',
      'kind: Certificate',
      'metadata: { name: tls, namespace: web }',
      'spec: { secretName: tls, issuerRef: { name: ca } }',
      'status:',
      '  failedIssuanceAttempts: 3',
      '  lastFailureTime: "2026-01-10T12:00:00Z"',
      '',
    ].join('\n');
    const { policies } = await explain(certificate, '--at', '2026-01-10T13:00:00Z');
    const issuance = policies.find(({ family }) => family === 'cert-manager/issuance');
    expect(issuance?.state).toMatchObject({
      family: 'cert-manager/issuance',
      resource: { kind: 'Certificate', name: 'tls' },
      state: 'waiting',
      failures: { how: 'reported', value: 3 },
      lastFailureAt: { how: 'reported', at: '2026-01-10T12:00:00Z' },
      nextAt: { how: 'inferred', min: '2026-01-10T16:00:00Z' },
      evidence: expect.arrayContaining([
        expect.objectContaining({ path: 'status.failedIssuanceAttempts', value: 3 }),
      ]),
    });
    const text = await run(['explain', '--at', '2026-01-10T13:00:00Z', '-'], {
      stdin: certificate,
    });
    expect(text.stdout).toMatch(/state +.*waiting for retry/);
  });

  it('prints a table in text', async () => {
    const { stdout } = await run(['explain', '-'], {
      stdin: workflow('limit: 3', 'backoff: { duration: "10s", factor: 2 }'),
    });
    expect(stdout).toContain('-:7:7: ');
    expect(stdout).toMatch(/retry +wait +total\n +1 +10s +10s\n +2 +20s +30s\n +3 +40s +1m10s/);
  });

  it('lists as many waits in text as it is asked for', async () => {
    const stdin = workflow('limit: 30', 'backoff: { duration: "10s" }');
    const { stdout } = await run(['explain', '--retries', '20', '-'], { stdin });
    expect(stdout.match(/^ +\d+ +10s /gm)).toHaveLength(20);
    expect(stdout).toContain('and so on');
  });

  it('is 2 where a file cannot be read, with the others explained', async () => {
    const cwd = folderWith({ 'a.yaml': workflow('limit: 1') });
    const { code, stdout } = await run(['explain', '--format', 'json', 'a.yaml', 'b.yaml'], {
      cwd,
    });
    expect(code).toBe(2);
    expect((JSON.parse(stdout) as Explained).policies).toHaveLength(1);
  });
});

describe('simulate', () => {
  it.each(vectors.storm)(
    'counts as client-go does: $objects objects, $qps per second',
    async (fleet) => {
      const args = [
        ...['--objects', String(fleet.objects), '--base', `${String(fleet.baseMs)}ms`],
        ...['--cap', `${String(fleet.maxMs)}ms`, '--duration', `${String(fleet.horizonMs)}ms`],
        ...(fleet.qps > 0 ? ['--qps', String(fleet.qps), '--burst', String(fleet.burst)] : []),
      ];
      const { stdout, code } = await run(['simulate', '--format', 'json', ...args]);
      expect(code).toBe(0);
      const result = JSON.parse(stdout) as FleetResult & { readonly version: number };
      expect(result).toMatchObject({
        version: 1,
        objects: fleet.objects,
        durationMs: fleet.horizonMs,
        retries: fleet.retries,
        firstSecond: fleet.firstSecond,
        peakPerSecond: fleet.peakPerSecond,
        allRetriedOnceAtMs: fleet.allRetriedOnceAtMs,
      });
      expect(result.perSecond.reduce((sum, value) => sum + value, 0)).toBe(fleet.retries);
    },
  );

  it('takes the policy from a manifest, and ends with it', async () => {
    const text = workflow('limit: 3', 'backoff: { duration: "10s", factor: 2 }');
    const { stdout } = await run(
      ['simulate', '--format', 'json', '--objects', '10', '--duration', '5m', '-'],
      { stdin: text },
    );
    expect(JSON.parse(stdout)).toMatchObject({ retries: 30, gaveUp: 10 });
  });

  it.each([
    ['0.24.0', { firstSecond: 7000, retries: 16_000 }],
    ['0.22.0', { firstSecond: 109, retries: 6100 }],
  ])('shares the bucket of a work queue only where there is one: %s', async (version, expected) => {
    const data = 'baseDelay: 5ms, maxDelay: 1000s, bucketQPS: "10", bucketBurst: "100"';
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: q }\ndata: { ${data} }\n`;
    const cwd = folderWith({
      '.kube-backoff.yaml': `versions: { controller-runtime: ${version} }\n`,
      'queue.yaml': text,
    });
    const { stdout } = await run(
      ['simulate', '--duration', '10m', '--format', 'json', 'queue.yaml'],
      { cwd },
    );
    expect(JSON.parse(stdout)).toMatchObject(expected);
  });

  it('asks which policy is meant where there are several', async () => {
    const two = `${workflow('limit: 3')}    - { name: b, retryStrategy: { limit: 1 } }\n`;
    const { code, stderr } = await run(['simulate', '-'], { stdin: two });
    expect(code).toBe(2);
    expect(stderr).toContain('spec.templates[0].retryStrategy, spec.templates[1].retryStrategy');
    const args = ['simulate', '--anchor', 'spec.templates[1].retryStrategy', '--objects', '5'];
    const chosen = await run([...args, '--format', 'json', '-'], { stdin: two });
    expect(JSON.parse(chosen.stdout)).toMatchObject({ retries: 5 });
  });

  it('draws the rate over time in text', async () => {
    const { stdout } = await run(['simulate', '--base', '1s', '--cap', '1m', '--duration', '10m']);
    expect(stdout).toContain('retries per second');
    expect(stdout).toMatch(/█/);
    expect(stdout).toMatch(/all retried once +after 1s/);
  });
});

describe('families', () => {
  it('lists every family with fields, formula, versions and sources', async () => {
    const { stdout, code } = await run(['families', '--format', 'json']);
    expect(code).toBe(0);
    const { version, families } = JSON.parse(stdout) as {
      readonly version: number;
      readonly families: readonly FamilyJson[];
    };
    expect(version).toBe(1);
    expect(families.map(({ id }) => id)).toContain('argo-workflows/retry-strategy');
    for (const family of families) {
      expect(family.formula, family.id).not.toBe('');
      expect(family.sources.length, family.id).toBeGreaterThan(0);
      expect(family.fields.length, family.id).toBeGreaterThan(0);
    }
    const text = await run(['families']);
    for (const { id } of families) expect(text.stdout).toContain(id);
  });
});

describe('lsp', () => {
  it('speaks the protocol over standard input and output', async () => {
    const child = spawn(process.execPath, [command, 'lsp', '--stdio']);
    const request = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { processId: null, rootUri: null, capabilities: {} },
    });
    child.stdin.write(`Content-Length: ${String(request.length)}\r\n\r\n${request}`);
    const [head] = (await once(child.stdout, 'data')) as [Buffer];
    expect(head.toString()).toMatch(/^Content-Length: \d+\r\n/);
    child.kill();
    await once(child, 'close');
  });
});

describe('a closed pipe', () => {
  it('ends the command without a word', async () => {
    const many = Array.from({ length: 20_000 }, () => workflow('limit: 2', 'retryOn: x')).join(
      '---\n',
    );
    const cwd = folderWith({ 'many.yaml': many });
    const child = spawn(process.execPath, [command, 'lint', 'many.yaml'], { cwd });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = (await once(child, 'close')) as [number | null];
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});
