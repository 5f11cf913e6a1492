import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request, type RequestOptions, type ServerOptions } from 'node:https';
import { Socket, type AddressInfo } from 'node:net';
import path from 'node:path';
import type { Plane, User } from './plane.ts';

export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly at: number;
  status: number;
  /** Set where a watch was told that its version is too old. */
  isGone: boolean;
};

export type Canned = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** Stands before the API server with its own certificate: counts requests, answers some, shifts the time. */
export type FaultProxy = {
  readonly kubeconfig: string;
  readonly seen: readonly Seen[];
  /** Answers instead of the server where it gives an answer. */
  answer: (request: { readonly method: string; readonly path: string }) => Canned | undefined;
  /** What the `Date` of every answer is ahead of the server's. */
  skew: number;
  /** Whether new connections are reset. */
  isRefusing: boolean;
  readonly cut: () => void;
  readonly close: () => Promise<void>;
};

export async function faultProxyTo(plane: Plane, user: User = 'admin'): Promise<FaultProxy> {
  const inFolder = (name: string): string => path.join(plane.folder, 'certificates', name);
  const identity: ServerOptions = {
    cert: readFileSync(inFolder('apiserver.crt')),
    key: readFileSync(inFolder('apiserver.key')),
  };
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const sockets = new Set<Socket>();
  const seen: Seen[] = [];
  const server = createServer(identity, (near, reply) => {
    const url = new URL(near.url ?? '/', plane.server);
    const note: Seen = {
      method: near.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      at: Date.now(),
      status: 0,
      isGone: false,
    };
    seen.push(note);
    const canned = proxy.answer(note);
    if (canned === undefined) forward(url, near, reply, note);
    else {
      note.status = canned.status;
      near.resume();
      reply.writeHead(canned.status, { 'content-type': 'application/json', ...canned.headers });
      reply.end(JSON.stringify(canned.body ?? { kind: 'Status', code: canned.status }));
    }
  });

  const forward = (url: URL, near: IncomingMessage, reply: ServerResponse, note: Seen): void => {
    const options: RequestOptions = {
      agent,
      ...(near.method === undefined ? {} : { method: near.method }),
      headers: near.headers,
    };
    const far = request(url, options, (answer) => {
      note.status = answer.statusCode ?? 0;
      const date = Date.parse(answer.headers.date ?? '') + proxy.skew;
      const shifted = Number.isNaN(date) ? {} : { date: new Date(date).toUTCString() };
      reply.writeHead(note.status, { ...answer.headers, ...shifted });
      answer.on('data', (chunk: Buffer) => {
        note.isGone ||= note.query.has('watch') && chunk.includes('"code":410');
      });
      answer.on('error', () => reply.destroy());
      answer.pipe(reply);
    });
    far.on('error', () => reply.destroy());
    reply.on('close', () => far.destroy());
    near.pipe(far);
  };

  server.on('connection', (socket) => {
    if (!(socket instanceof Socket)) return;
    if (proxy.isRefusing) {
      socket.resetAndDestroy();
      return;
    }
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const kubeconfig = path.join(plane.folder, `faults-${String(port)}.kubeconfig`);
  const text = readFileSync(plane.kubeconfigs[user], 'utf8');
  writeFileSync(kubeconfig, text.replaceAll(plane.server, `https://127.0.0.1:${String(port)}`));
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const proxy: FaultProxy = {
    kubeconfig,
    seen,
    answer: () => undefined,
    skew: 0,
    isRefusing: false,
    cut,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
      agent.destroy();
    },
  };
  return proxy;
}
