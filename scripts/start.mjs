// @ts-check
/**
 * `npm start`: VS Code on `examples/`, with the extension as it is in this folder.
 *
 *   npm start                 in the VS Code that is installed, or else in the browser
 *   npm start -- --browser    in the browser
 *   npm start -- --port 8080  in the browser, at that port of 127.0.0.1
 *   npm start -- --demo       with the live panel open on the demo
 *   npm start -- --cluster    with a control plane on this machine that has failing objects, to connect to
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureDependencies, repository } from './setup.mjs';
import { launchWorkbench } from './workbench/launch.mjs';
import { findCommand } from './workbench/run.mjs';

const examples = join(repository, 'examples');
const firstManifest = join(examples, 'cert-manager/failing.yaml');

try {
  await start();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function start() {
  const wish = readParameters();
  ensureDependencies();
  const editor = wish.browser ? undefined : installedEditor();
  console.log('Building the extension.');
  // An installed editor loads this folder; the browser's is given the package.
  build(editor === undefined ? '--vsix' : '--no-vsix');
  const cluster = wish.first === 'connect' ? await startCluster() : undefined;
  if (cluster !== undefined) {
    console.log('Things fail there. The same in a shell, while this runs:\n');
    console.log(`  ${statusOf(cluster.kubeconfig)}\n`);
  }
  /** @type {NodeJS.ProcessEnv} */
  const env = {
    ...(wish.first === undefined ? {} : { KUBE_BACKOFF_START: wish.first }),
    ...(cluster === undefined ? {} : { KUBECONFIG: cluster.kubeconfig }),
  };
  try {
    await (editor === undefined ? startInBrowser(wish.port, env) : startInEditor(editor, env));
  } finally {
    await cluster?.stop();
  }
}

/** @param {string} kubeconfig */
function statusOf(kubeconfig) {
  return `node dist/cli/kube-backoff.mjs status -A --kubeconfig ${kubeconfig}`;
}

/** Loaded only where it is asked for: a control plane takes more than an editor does. */
async function startCluster() {
  const { launchFailingCluster } = await import('./failingCluster.mjs');
  return launchFailingCluster(console.log);
}

/**
 * `first` is what the extension does first: it activates with the manifest that is opened along.
 *
 * @returns {{ browser: boolean, port: number | undefined, first: 'demo' | 'connect' | undefined }}
 */
function readParameters() {
  const { values } = parseArgs({
    options: {
      browser: { type: 'boolean' },
      port: { type: 'string' },
      demo: { type: 'boolean' },
      cluster: { type: 'boolean' },
    },
  });
  const first = values.cluster === true ? 'connect' : values.demo === true ? 'demo' : undefined;
  if (values.port === undefined) {
    return { browser: values.browser ?? false, port: undefined, first };
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`--port takes a number from 1 to 65535, not ${values.port}.`);
  }
  return { browser: true, port, first };
}

/** @param {'--vsix' | '--no-vsix'} extent */
function build(extent) {
  const outcome = spawnSync(process.execPath, ['scripts/build.mjs', '--quiet', extent], {
    cwd: repository,
    stdio: 'inherit',
  });
  if (outcome.status !== 0) throw new Error('The build failed; its own message is above.');
}

/** A VS Code on this machine that can show a window and load an extension from a folder. */
function installedEditor() {
  const isRemote =
    process.env['VSCODE_IPC_HOOK_CLI'] !== undefined || 'WSL_DISTRO_NAME' in process.env;
  const hasScreen = 'DISPLAY' in process.env || 'WAYLAND_DISPLAY' in process.env;
  // Electron refuses to run as root, and needs a screen; a remote `code` cannot load a folder as an extension.
  if (isRemote || (process.platform === 'linux' && (!hasScreen || process.getuid?.() === 0))) {
    return undefined;
  }
  return ['code', 'code-insiders', 'codium']
    .map(findCommand)
    .find((command) => command !== undefined);
}

/**
 * Waits until the window is closed or Ctrl+C is pressed. The editor's data is in a folder of its own, so that
 * the settings, extensions and open windows of the person at this machine stay as they are.
 *
 * @param {string} editor
 * @param {NodeJS.ProcessEnv} env
 */
async function startInEditor(editor, env) {
  const userData = await mkdtemp(join(tmpdir(), 'kube-backoff-'));
  console.log(`Opening ${examples} in ${editor}. Close its window or press Ctrl+C to end.`);
  const child = spawn(
    editor,
    [
      '--wait',
      '--new-window',
      '--disable-workspace-trust',
      ...['--user-data-dir', userData],
      ...['--extensions-dir', join(userData, 'extensions')],
      `--extensionDevelopmentPath=${repository}`,
      examples,
      ...(env['KUBE_BACKOFF_START'] === undefined ? [] : [firstManifest]),
    ],
    { stdio: 'inherit', shell: process.platform === 'win32', env: { ...process.env, ...env } },
  );
  const stopped = interruption();
  try {
    await Promise.race([once(child, 'exit'), stopped]);
  } finally {
    await endEditor(userData);
    await rm(userData, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * The `code` command only waits for the editor, whose process id is in its data folder.
 *
 * @param {string} userData
 */
async function endEditor(userData) {
  try {
    const owner = Number(await readFile(join(userData, 'code.lock'), 'utf8'));
    if (owner > 0) process.kill(owner);
  } catch {
    // No lock file, or no such process: the editor has ended by itself.
  }
}

/** @param {number | undefined} port @param {NodeJS.ProcessEnv} env */
async function startInBrowser(port, env) {
  const stopped = interruption();
  const launched = launchWorkbench({
    folder: examples,
    extensions: [join(repository, 'dist/kube-backoff.vsix')],
    env,
    ...(port === undefined ? {} : { port }),
  });
  const workbench = await Promise.race([launched, stopped]);
  // Leaving the process ends what the launch has started so far.
  if (workbench === 'interrupted') process.exit();
  console.log(`\nVS Code with Kube Backoff is ready. Open this address in a browser:\n`);
  const isOpened = env['KUBE_BACKOFF_START'] !== undefined;
  console.log(`  ${isOpened ? withFile(workbench.url, firstManifest) : workbench.url}\n`);
  console.log('It listens on this machine only. Press Ctrl+C to end.');
  const outcome = await Promise.race([
    stopped,
    workbench.ended.then(() => /** @type {const} */ ('ended by itself')),
  ]);
  await workbench.stop();
  if (outcome === 'ended by itself') throw new Error('The workbench has ended by itself.');
}

/** The address that opens a file too. @param {string} address @param {string} file */
function withFile(address, file) {
  const url = new URL(address);
  const open = ['openFile', `vscode-remote://${url.host}${pathToFileURL(file).pathname}`];
  url.searchParams.set('payload', JSON.stringify([open]));
  return url.href;
}

/** Settles when Ctrl+C is pressed, or this process is asked to end in another way. */
function interruption() {
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  return Promise.race(signals.map((signal) => once(process, signal))).then(
    () => /** @type {const} */ ('interrupted'),
  );
}
