import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import type { Plane } from './plane.ts';

/** A wire to the API server that can be cut. */
export type Proxy = {
  /** The admin's kubeconfig, through this wire. */
  readonly kubeconfig: string;
  /** Cuts every connection in the middle. */
  readonly cut: () => void;
  /** Refuses new connections, or takes them again. */
  readonly refuse: (isRefused: boolean) => void;
  readonly open: () => number;
  readonly close: () => Promise<void>;
};

export async function proxyTo(plane: Plane): Promise<Proxy> {
  const port = Number(new URL(plane.server).port);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isRefused = false;
  const server = createServer((near) => {
    if (isRefused) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  const kubeconfig = path.join(plane.folder, `proxy-${String(own)}.kubeconfig`);
  const text = readFileSync(plane.kubeconfigs.admin, 'utf8');
  writeFileSync(kubeconfig, text.replaceAll(plane.server, `https://127.0.0.1:${String(own)}`));
  const cut = () => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
  };
  return {
    kubeconfig,
    cut,
    refuse: (value) => {
      isRefused = value;
    },
    open: () => pairs.size,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
