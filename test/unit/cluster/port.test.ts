import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPort } from '../../../client/src/cluster/kubernetesPort.ts';
import type { ClusterPort, WatchEvent } from '../../../client/src/cluster/port.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A port to a server on loopback that answers as it is told. */
async function portTo(
  answer: Answer,
  user: unknown = { token: 'secret-token' },
): Promise<ClusterPort> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const at = typeof address === 'object' && address !== null ? address.port : 0;
  const folder = mkdtempSync(path.join(tmpdir(), 'kube-backoff-port-'));
  const file = path.join(folder, 'config');
  writeFileSync(
    file,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${String(at)}/base/` } }],
      users: [{ name: 'u', user }],
    }),
  );
  const opening = openPort({ files: [file], env: {}, home: folder });
  if (!opening.ok) throw new Error(opening.problem);
  const { port } = opening;
  onTestFinished(() => {
    port.dispose();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });
  return port;
}

const respond =
  (status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Answer =>
  (_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };

const get = (port: ClusterPort) => port.request({ method: 'GET', path: '/version' });

describe('a request', () => {
  it('goes below the path of the server, with the token and in plain JSON', async () => {
    const port = await portTo((request, response) => {
      const { url, headers } = request;
      response.end(JSON.stringify({ url, auth: headers.authorization, accept: headers.accept }));
    });
    const result = await port.request({ method: 'GET', path: '/api', query: { limit: '5' } });
    expect(result.ok && result.answer.body).toEqual({
      url: '/base/api?limit=5',
      auth: 'Bearer secret-token',
      accept: 'application/json',
    });
    expect(result.ok && result.answer.date !== undefined).toBe(true);
  });

  it('acts for the person that the kubeconfig names', async () => {
    const user = {
      token: 't',
      as: 'alice',
      'as-groups': ['a', 'b'],
      'as-user-extra': { dept: ['x'] },
    };
    const port = await portTo((request, response) => {
      const own = Object.entries(request.headersDistinct).filter(([name]) =>
        name.startsWith('impersonate'),
      );
      response.end(JSON.stringify(Object.fromEntries(own)));
    }, user);
    const result = await get(port);
    expect(result.ok && result.answer.body).toEqual({
      'impersonate-user': ['alice'],
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-dept': ['x'],
    });
  });

  // A server whose clock is far behind ours asks for a minute.
  const sent = 'Sat, 10 Jan 2026 12:00:00 GMT';
  const later = 'Sat, 10 Jan 2026 12:01:00 GMT';
  it.each([
    [respond(401, '{"message":"Unauthorized"}'), { kind: 'unauthorised', detail: 'Unauthorized' }],
    [respond(403, '{"message":"no"}'), { kind: 'forbidden', detail: 'no' }],
    [respond(404, ''), { kind: 'not-found', detail: 'the server answered 404' }],
    [respond(410, '{"message":"old"}'), { kind: 'gone', detail: 'old' }],
    [respond(429, '', { 'retry-after': '7' }), { kind: 'throttled', retryAfter: 7000 }],
    [respond(429, ''), { kind: 'throttled' }],
    [
      respond(503, 'down\nfor now', { 'retry-after': '1' }),
      { kind: 'server', status: 503, detail: 'down', retryAfter: 1000 },
    ],
    [
      respond(503, '', { 'retry-after': later, date: sent }),
      { kind: 'server', retryAfter: 60_000 },
    ],
    [respond(409, '{"message":"changed"}'), { kind: 'conflict', detail: 'changed' }],
    [respond(422, '{"message":"wrong"}'), { kind: 'invalid', detail: 'wrong' }],
    [respond(200, '<html>login</html>'), { kind: 'server', status: 200 }],
    [respond(200, '{"items":[{"a'), { kind: 'server', status: 200 }],
    [
      respond(500, '{"message":"token=abcdefgh was wrong"}'),
      { kind: 'server', detail: 'token=[redacted] was wrong' },
    ],
    [
      respond(500, '{"message":"who is secret-token?"}'),
      { kind: 'server', detail: 'who is [redacted]?' },
    ],
    [
      respond(500, `${'.'.repeat(290)} secret-token`),
      { kind: 'server', detail: `${'.'.repeat(290)} [redacted` },
    ],
    [
      (_: IncomingMessage, response: ServerResponse) => response.destroy(),
      { kind: 'unreachable', detail: '127.0.0.1: the connection was cut' },
    ],
  ] as const)('fails as %#', async (answer, failure) => {
    const port = await portTo(answer);
    expect(await get(port)).toMatchObject({ ok: false, failure });
  });

  it('reads packed answers, and says when one breaks off', async () => {
    const packed = gzipSync('{"a":1}');
    const headers = { 'content-encoding': 'gzip' };
    const whole = await get(await portTo(respond(200, packed, headers)));
    expect(whole.ok && whole.answer.body).toEqual({ a: 1 });
    const cut = await portTo((_request, response) => {
      response.writeHead(200, { ...headers, 'content-length': '500' });
      response.write(packed.subarray(0, 12));
      setImmediate(() => response.destroy());
    });
    expect(await get(cut)).toMatchObject({ ok: false, failure: { kind: 'unreachable' } });
  });

  it('runs a credential command once more when many are refused at once', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'kube-backoff-plugin-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const command = path.join(folder, 'plugin');
    const script = `#!/bin/sh
echo run >> "${folder}/runs"
echo '{"status":{"token":"'$(wc -l < "${folder}/runs" | tr -d ' ')'"}}'
`;
    writeFileSync(command, script, { mode: 0o755 });
    const port = await portTo(
      (request, response) => {
        const isFirst = request.headers.authorization === 'Bearer 1';
        respond(isFirst ? 401 : 200, '{}')(request, response);
      },
      { exec: { command } },
    );
    const results = await Promise.all(Array.from({ length: 16 }, () => get(port)));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(readFileSync(path.join(folder, 'runs'), 'utf8')).toBe('run\nrun\n');
  });

  it('ends when it is cancelled', async () => {
    const port = await portTo(() => undefined);
    const stop = new AbortController();
    const asked = port.request({ method: 'GET', path: '/slow', signal: stop.signal });
    setImmediate(() => stop.abort());
    expect(await asked).toMatchObject({ ok: false, failure: { kind: 'cancelled' } });
  });
});

describe('a watch', () => {
  const lines = [
    '{"type":"ADDED","object":{"metadata":{"name":"ä"}}}\n',
    '{"type":"MODIFIED","object":{"metadata":{"name":"b"}}}\n{"type":"BOOKMARK",',
    '"object":{"metadata":{"resourceVersion":"9"}}}\n',
  ];

  async function watch(parts: readonly (string | Buffer)[], isCut = false) {
    const port = await portTo((_request, response) => {
      const send = (index: number) => {
        const part = parts[index];
        if (part !== undefined) response.write(part, () => setImmediate(() => send(index + 1)));
        else if (isCut) response.destroy();
        else response.end();
      };
      send(0);
    });
    const events: WatchEvent[] = [];
    let opened = 0;
    const failure = await port.watch(
      '/api/v1/pods',
      { timeoutSeconds: '5' },
      (event) => events.push(event),
      new AbortController().signal,
      () => {
        opened += 1;
      },
    );
    return { types: events.map(({ type }) => type), failure, opened, events };
  }

  it('reads events however they are cut into pieces', async () => {
    const bytes = Buffer.from(lines.join(''));
    const cuts = [3, 45, 46, 90, bytes.length].map((end, index, all) =>
      bytes.subarray(all[index - 1] ?? 0, end),
    );
    const { types, failure, opened, events } = await watch(cuts);
    expect({ types, failure, opened }).toEqual({
      types: ['ADDED', 'MODIFIED', 'BOOKMARK'],
      failure: undefined,
      opened: 1,
    });
    expect(events[0]?.object).toEqual({ metadata: { name: 'ä' } });
  });

  it.each([
    [
      'a version that is too old',
      '{"type":"ERROR","object":{"code":410,"message":"too old"}}\n',
      { kind: 'gone', detail: 'too old' },
    ],
    [
      'a server that asks for time',
      '{"type":"ERROR","object":{"code":429,"details":{"retryAfterSeconds":3}}}\n',
      { kind: 'throttled', retryAfter: 3000 },
    ],
    [
      'a server that repeats what it was sent',
      '{"type":"ERROR","object":{"code":500,"message":"who is secret-token?"}}\n',
      { kind: 'server', detail: 'who is [redacted]?' },
    ],
    ['a line that is no JSON', '{"type":"ADD\n', { kind: 'server', status: 200 }],
    ['a line that is no event', '{"kind":"Status"}\n', { kind: 'server', status: 200 }],
  ])('ends with %s', async (_name, last, failure) => {
    const told = await watch([...lines, last, lines[0] ?? '']);
    expect(told.types).toEqual(['ADDED', 'MODIFIED', 'BOOKMARK']);
    expect(told.failure).toMatchObject(failure);
  });

  it('says when the connection is cut', async () => {
    expect((await watch(lines, true)).failure).toMatchObject({ kind: 'unreachable' });
  });
});
