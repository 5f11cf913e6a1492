// @ts-check
/**
 * Loaded before everything else into each process of the editor: in the extension host it measures how late the event
 * loop is. On SIGUSR2 it writes what it has measured since the last time to the file that KUBE_BACKOFF_PROBE names.
 *
 * The extension itself knows nothing of it.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env['KUBE_BACKOFF_PROBE'];
const isHost = process.argv.some((word) => word.includes('extensionHost'));
/** The histogram counts from one look to the next; what it is late is all beyond this. */
const resolution = 10;

if (file !== undefined && isHost) {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  let seen = 0;
  const late = (/** @type {number} */ nanoseconds) =>
    Math.max(0, nanoseconds / 1_000_000 - resolution);
  const write = () => {
    const measured = {
      pid: process.pid,
      turn: (seen += 1),
      median: late(delay.percentile(50)),
      late: late(delay.percentile(99)),
      latest: late(delay.max),
      heap: process.memoryUsage().heapUsed,
    };
    writeFileSync(`${file}.part`, JSON.stringify(measured));
    renameSync(`${file}.part`, file);
    delay.reset();
  };
  process.on('SIGUSR2', write);
  write();
}
