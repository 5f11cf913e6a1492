// @ts-check
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/**
 * A language server under measurement, spoken to over stdio.
 *
 * @typedef {object} Peer
 * @property {(method: string, params: unknown) => Promise<unknown>} request
 * @property {(method: string, params: unknown) => void} notify
 * @property {(method: string, match: (params: any) => boolean) => Promise<any>} next waits for a notification
 * @property {() => Promise<number>} cpuMs processor time so far, user and system
 * @property {() => Promise<number>} rssMb resident memory
 * @property {() => void} stop
 */

/**
 * @param {string} node
 * @param {readonly string[]} parameters
 * @param {(method: string, params: any) => unknown} answer
 * @returns {Peer}
 */
export function startPeer(node, parameters, answer) {
  const child = spawn(node, [...parameters], { stdio: ['pipe', 'pipe', 'ignore'] });
  /** @type {Map<number, (result: unknown) => void>} */
  const pending = new Map();
  /** @type {{ method: string, match: (params: any) => boolean, resolve: (params: any) => void }[]} */
  const waiting = [];
  /** @type {Buffer} */
  let buffer = Buffer.alloc(0);
  let id = 0;

  /** @param {object} message */
  const send = (message) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    child.stdin.write(body);
  };
  /** @param {any} message */
  const receive = (message) => {
    if (message.method === undefined) {
      pending.get(message.id)?.(message.result);
      pending.delete(message.id);
      return;
    }
    if (message.id !== undefined) {
      send({ id: message.id, result: answer(message.method, message.params) ?? null });
      return;
    }
    const index = waiting.findIndex(
      ({ method, match }) => method === message.method && match(message.params),
    );
    if (index >= 0) waiting.splice(index, 1)[0]?.resolve(message.params);
  };
  child.stdout.on('data', (/** @type {Buffer} */ chunk) => {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    for (;;) {
      const head = buffer.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString('latin1', 0, head))?.[1]);
      const end = head + 4 + length;
      if (buffer.length < end) return;
      const text = buffer.toString('utf8', head + 4, end);
      buffer = buffer.subarray(end);
      receive(JSON.parse(text));
    }
  });

  return {
    request: (method, params) =>
      new Promise((resolve) => {
        id += 1;
        pending.set(id, resolve);
        send({ id, method, params });
      }),
    notify: (method, params) => send({ method, params }),
    next: (method, match) =>
      new Promise((resolve) => {
        waiting.push({ method, match, resolve });
      }),
    cpuMs: async () => {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // Fields 14 and 15 of proc(5), in clock ticks of ten milliseconds.
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    rssMb: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    stop: () => {
      child.kill();
    },
  };
}
