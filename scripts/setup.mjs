// @ts-check
/** Runs on a bare Node before anything is installed: imports Node's own modules only. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('..', import.meta.url));

/**
 * Makes `node_modules` match package-lock.json, with `npm ci` where it does not.
 *
 * A checkout gives package-lock.json a new date without changing it, so versions are compared, not dates.
 */
export function ensureDependencies() {
  const difference = differenceFromLock();
  if (difference === undefined) return;
  console.log(`Installing dependencies (npm ci): ${difference}.`);
  const outcome = npm(['ci', '--no-audit', '--no-fund']);
  if (outcome.status === 0) return;
  throw new Error(
    'npm ci failed; its own message is above. Kube Backoff cannot be built without its dependencies.',
  );
}

/** @returns {string | undefined} what is missing, or undefined where nothing is */
function differenceFromLock() {
  const wanted = readPackages('package-lock.json');
  if (!wanted) return 'package-lock.json is unreadable';
  const present = readPackages('node_modules/.package-lock.json');
  if (!present) return 'node_modules is missing';
  for (const [path, entry] of Object.entries(wanted)) {
    const isRoot = path === '';
    // An optional package is absent where its platform is another one.
    const mayBeAbsent = entry.optional === true && !(path in present);
    if (isRoot || mayBeAbsent) continue;
    const version = present[path]?.version;
    if (version !== entry.version) {
      return `${path} should be ${entry.version} and is ${version ?? 'missing'}`;
    }
  }
  return undefined;
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version?: string, optional?: boolean }> | undefined}
 */
function readPackages(lockFile) {
  let text;
  try {
    text = readFileSync(new URL(`../${lockFile}`, import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
  return JSON.parse(text).packages;
}

/** @param {readonly string[]} parameters */
function npm(parameters) {
  const running = process.env['npm_execpath'];
  const options = /** @type {const} */ ({ cwd: repository, stdio: 'inherit' });
  // Under `npm start` the npm that is running names itself; otherwise the one on the PATH is used.
  return running?.endsWith('.js')
    ? spawnSync(process.execPath, [running, ...parameters], options)
    : spawnSync('npm', [...parameters], { ...options, shell: process.platform === 'win32' });
}
