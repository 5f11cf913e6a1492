// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';

/**
 * @typedef {object} Service
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop
 * @property {() => boolean} isRunning
 */

// The shell ends the service as soon as its own input is closed, which also happens when our process dies.
const onClosedInput =
  'exec 3<&0; "$@" < /dev/null & service=$!; ' +
  'trap "kill -TERM $service" TERM; trap "kill -KILL $service" USR1; ' +
  '{ cat <&3 > /dev/null; kill -KILL $service 2> /dev/null; } & watcher=$!; ' +
  'while kill -0 $service 2> /dev/null; do wait $service; done; kill $watcher 2> /dev/null; exit 0';

/**
 * Starts a service that ends with this process, however that ends.
 *
 * @param {string} command
 * @param {readonly string[]} parameters
 * @param {string} log where its output goes
 * @returns {Promise<Service>}
 */
export async function startService(command, parameters, log) {
  const file = await open(log, 'a');
  const child = spawn('sh', ['-c', onClosedInput, 'sh', command, ...parameters], {
    stdio: ['pipe', file.fd, file.fd],
  });
  const ended = once(child, 'close');
  await once(child, 'spawn');
  await file.close();
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    isRunning,
    stop: async (signal = 'SIGKILL') => {
      if (isRunning()) child.kill(signal === 'SIGKILL' ? 'SIGUSR1' : 'SIGTERM');
      await ended;
    },
  };
}

/**
 * Ports of 127.0.0.1 that were free a moment ago, all different.
 *
 * @param {number} count
 * @returns {Promise<readonly number[]>}
 */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port is free.');
    ports.push(address.port);
  }
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}
