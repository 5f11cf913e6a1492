// @ts-check
/**
 * VS Code for a browser: code-server and the Node it needs, in a cache folder outside the repository.
 *
 *   node scripts/workbench/install.mjs             installs it and prints where it is
 *   node scripts/workbench/install.mjs --browser   and sees to the browser of the end-to-end tests
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browserPackages, buildPackages, ensurePackages } from './debian.mjs';
import { withLock } from './lock.mjs';
import { run } from './run.mjs';

const codeServerVersion = '4.139.1';
/** code-server's own `engines` ask for exactly this major version. */
const nodeVersion = '24.21.0';

/** Compiled on this machine during the installation, or fetched for it: each must load. */
const nativeModules = [
  'argon2',
  'code-server/lib/vscode/node_modules/@parcel/watcher',
  'code-server/lib/vscode/node_modules/@vscode/native-watchdog',
  'code-server/lib/vscode/node_modules/@vscode/spdlog',
  'code-server/lib/vscode/node_modules/@vscode/sqlite3',
  'code-server/lib/vscode/node_modules/kerberos',
  'code-server/lib/vscode/node_modules/node-pty',
];

/**
 * @typedef {object} Workbench
 * @property {string} node  the Node that runs it
 * @property {string} entry code-server's main script
 */

/**
 * Installs the workbench where it is not there yet.
 *
 * @param {(line: string) => void} [log]
 * @returns {Promise<Workbench>}
 */
export async function ensureWorkbench(log = console.log) {
  const folder = workbenchFolder();
  if (!isComplete(folder)) {
    await mkdir(dirname(folder), { recursive: true });
    await withLock(
      `${folder}.lock`,
      () => log('Another process is installing the workbench; waiting for it.'),
      async () => {
        if (!isComplete(folder)) await install(folder, log);
      },
    );
  }
  return workbenchIn(folder);
}

/**
 * @param {string} folder
 * @returns {Workbench}
 */
function workbenchIn(folder) {
  return {
    node: join(folder, 'node/node_modules/.bin/node'),
    entry: join(folder, 'code-server/node_modules/code-server/out/node/entry.js'),
  };
}

/** `$KUBE_BACKOFF_CACHE`, or the user's cache folder. */
function workbenchFolder() {
  const cache =
    process.env['KUBE_BACKOFF_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kube-backoff');
  const key = [codeServerVersion, `node${nodeVersion}`, process.platform, process.arch].join('-');
  return join(cache, `workbench-${key}`);
}

/** @param {string} folder */
function isComplete(folder) {
  return existsSync(join(folder, 'complete'));
}

/**
 * @param {string} folder
 * @param {(line: string) => void} log
 */
async function install(folder, log) {
  if (process.platform === 'win32') {
    throw new Error('code-server does not run on Windows. Install VS Code, then try again.');
  }
  await ensurePackages(buildPackages, log);
  log('Installing VS Code for the browser (code-server), once: about two minutes, 800 MB.');
  log(`  in ${folder}`);
  await removeLeftovers(folder);
  const partial = `${folder}.partial-${process.pid}`;
  await mkdir(partial);
  try {
    await installPackages(partial);
    await checkNativeModules(partial);
    await writeFile(join(partial, 'complete'), '');
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/**
 * What an installation that was interrupted left behind; called under the lock, so none is running.
 *
 * @param {string} folder
 */
async function removeLeftovers(folder) {
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(`${basename(folder)}.partial-`)) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** @param {string} folder */
async function installPackages(folder) {
  /** @type {NodeJS.ProcessEnv} */
  const env = {
    ...process.env,
    // npm asks for consent to each package's install script; those of code-server compile its modules.
    npm_config_dangerously_allow_all_scripts: 'true',
    npm_config_ignore_scripts: 'false',
  };
  // An npm around this one, as in `npm test`, passes on which Node it runs on; code-server's script believes it.
  delete env['npm_config_user_agent'];
  // Two folders: an installation beside it would prune what the `node` package's own script put down.
  const node = join(folder, 'node');
  await installPackage(node, `node@${nodeVersion}`, env);
  await installPackage(join(folder, 'code-server'), `code-server@${codeServerVersion}`, {
    ...env,
    PATH: join(node, 'node_modules/.bin') + delimiter + process.env['PATH'],
    // The headers of this Node; npm would take those of another, or fetch them from a third place.
    npm_config_nodedir: await packageWithHeaders(node),
  });
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
async function installPackage(folder, name, env) {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await run('npm', ['install', '--no-audit', '--no-fund', name], { cwd: folder, env });
}

/**
 * The platform's own package, which the script of the `node` package installed.
 *
 * @param {string} folder
 */
async function packageWithHeaders(folder) {
  const packages = join(folder, 'node_modules/node/node_modules');
  const found = (await readdir(packages))
    .map((name) => join(packages, name))
    .find((path) => existsSync(join(path, 'include/node/node_version.h')));
  if (found === undefined) throw new Error(`The npm package node@${nodeVersion} has no headers.`);
  return found;
}

/** @param {string} folder */
async function checkNativeModules(folder) {
  const paths = nativeModules.map((name) => join(folder, 'code-server/node_modules', name));
  const load = `for (const path of ${JSON.stringify(paths)}) require(path);`;
  await run(workbenchIn(folder).node, ['-e', load]);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    if (process.argv.includes('--browser')) await ensurePackages(browserPackages, console.log);
    console.log((await ensureWorkbench()).entry);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
