// @ts-check
import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs `task` while no other process on this machine runs one under the same lock file.
 *
 * The file holds the owner's process id, so that the lock of a process that died is taken over.
 *
 * @template T
 * @param {string} path
 * @param {() => void} onWait called once, where another process holds the lock
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, task) {
  let hasWaited = false;
  while (!(await take(path))) {
    if (!(await isHeld(path))) {
      await rm(path, { force: true });
      continue;
    }
    if (!hasWaited) onWait();
    hasWaited = true;
    await delay(500);
  }
  try {
    return await task();
  } finally {
    await rm(path, { force: true });
  }
}

/** @param {string} path */
async function take(path) {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(String(process.pid));
    await file.close();
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** @param {string} path */
async function isHeld(path) {
  try {
    const owner = Number(await readFile(path, 'utf8'));
    // Empty: its owner has created it and is about to write its id.
    if (owner === 0) return true;
    process.kill(owner, 0);
    return true;
  } catch (error) {
    // EPERM: the process is there and belongs to someone else.
    return hasCode(error, 'EPERM');
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
