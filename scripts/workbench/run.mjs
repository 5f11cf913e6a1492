// @ts-check
import { spawn } from 'node:child_process';
import { constants, accessSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 */

/**
 * Runs a command to its end and returns what it printed; throws with the last lines where it fails.
 *
 * @param {string} command
 * @param {readonly string[]} parameters
 * @param {RunOptions} [options]
 * @returns {Promise<string>}
 */
export function run(command, parameters, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...parameters], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (/** @type {Buffer} */ chunk) => (output += chunk));
    child.stderr.on('data', (/** @type {Buffer} */ chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const tail = output.trimEnd().split('\n').slice(-25).join('\n');
      reject(
        new Error(`${command} ${parameters.join(' ')} ended with ${signal ?? code}:\n${tail}`),
      );
    });
  });
}

/**
 * Where a command is, as a shell would find it.
 *
 * @param {string} command
 * @returns {string | undefined}
 */
export function findCommand(command) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  return folders
    .flatMap((folder) => suffixes.map((suffix) => join(folder, command + suffix)))
    .find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
