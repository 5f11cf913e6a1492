// @ts-check
/** Starts VS Code for a browser on loopback, with an extension in it and nothing of the person's own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureWorkbench } from './install.mjs';
import { run } from './run.mjs';

/** @typedef {'light' | 'dark' | 'high-contrast' | 'high-contrast-light'} Theme */

/** @type {Readonly<Record<Theme, string>>} */
const themeNames = {
  light: 'Light Modern',
  dark: 'Dark Modern',
  'high-contrast': 'Default High Contrast',
  'high-contrast-light': 'Default High Contrast Light',
};

/**
 * @typedef {object} LaunchOptions
 * @property {string} folder the workspace folder
 * @property {readonly string[]} extensions packaged extensions (.vsix) to install
 * @property {Theme} [theme] `light` where left out
 * @property {'trusted' | 'restricted'} [trust] `trusted` where left out; `restricted` is Restricted Mode, for real
 * @property {Readonly<Record<string, unknown>>} [settings] user settings beside the ones that keep the editor quiet
 * @property {NodeJS.ProcessEnv} [env] variables for the extension host, such as KUBECONFIG
 * @property {readonly string[]} [nodeArguments] what Node is started with, in the extension host too
 * @property {number} [port] a free one where left out
 * @property {number} [endsWhenIdleFor] seconds without a browser after which the server ends by itself, more than 60
 * @property {(line: string) => void} [log]
 */

/**
 * @typedef {object} RunningWorkbench
 * @property {string} url the address that opens the folder
 * @property {string} userData the editor's data folder; gone after `stop`
 * @property {(name: string) => Promise<string>} readLog what output channels named so have logged, '' where none has
 * @property {Promise<void>} ended settles when the server has ended, whoever ended it
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a workbench and waits until it answers.
 *
 * @param {LaunchOptions} options
 * @returns {Promise<RunningWorkbench>}
 */
export async function launchWorkbench(options) {
  const { node, entry } = await ensureWorkbench(options.log);
  const userData = await mkdtemp(join(tmpdir(), 'kube-backoff-'));
  const env = {
    ...cleanEnvironment(),
    XDG_DATA_HOME: join(userData, 'xdg'),
    // No extension gallery: the editor would ask it about the installed extension.
    EXTENSIONS_GALLERY: '{}',
    ...options.env,
  };
  const places = [
    ...['--config', join(userData, 'config.yaml')],
    ...['--user-data-dir', userData],
    ...['--extensions-dir', join(userData, 'extensions')],
  ];
  const removal = { recursive: true, force: true, maxRetries: 5 };
  const removeDataAtExit = () => rmSync(userData, removal);
  const removeData = async () => {
    process.off('exit', removeDataAtExit);
    await rm(userData, removal);
  };
  process.once('exit', removeDataAtExit);
  try {
    await mkdir(join(userData, 'User'));
    await writeFile(join(userData, 'config.yaml'), 'auth: none\n');
    await writeSettings(userData, { ...quietSettings(options), ...options.settings });
    for (const vsix of options.extensions) {
      await run(node, [entry, ...places, '--install-extension', resolve(vsix)], { env });
    }
    const parameters = [...(options.nodeArguments ?? []), entry, ...serverParameters(options)];
    const server = await startServer(node, [...parameters, ...places], env);
    return {
      url: `${server.origin}/?folder=${encodeURIComponent(resolve(options.folder))}`,
      userData,
      ended: server.ended,
      readLog: (name) => readLogs(userData, name),
      stop: async () => {
        await server.stop();
        await removeData();
      },
    };
  } catch (error) {
    await removeData();
    throw error;
  }
}

/** @param {LaunchOptions} options */
function serverParameters(options) {
  return [
    ...['--bind-addr', `127.0.0.1:${options.port ?? 0}`],
    ...['--auth', 'none'],
    ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
    ...(options.trust === 'restricted' ? [] : ['--disable-workspace-trust']),
    ...(options.endsWhenIdleFor === undefined
      ? []
      : ['--idle-timeout-seconds', String(options.endsWhenIdleFor)]),
  ];
}

/** @param {LaunchOptions} options */
function quietSettings(options) {
  return {
    'workbench.colorTheme': themeNames[options.theme ?? 'light'],
    'window.autoDetectHighContrast': false,
    'window.autoDetectColorScheme': false,
    'security.workspace.trust.enabled': options.trust === 'restricted',
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'always',
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
    'workbench.secondarySideBar.defaultVisibility': 'hidden',
    'chat.disableAIFeatures': true,
    'telemetry.telemetryLevel': 'off',
    'extensions.autoUpdate': 'off',
    'extensions.autoCheckUpdates': false,
    'extensions.ignoreRecommendations': true,
    'git.openRepositoryInParentFolders': 'never',
    // The browser's default is to save after a delay; an example that is only being tried should not change.
    'files.autoSave': 'off',
  };
}

/**
 * @param {string} userData
 * @param {Readonly<Record<string, unknown>>} settings
 */
async function writeSettings(userData, settings) {
  await writeFile(join(userData, 'User/settings.json'), JSON.stringify(settings, undefined, 2));
}

/**
 * The environment without what would make the server join, or imitate, an editor that started this process.
 *
 * @returns {NodeJS.ProcessEnv}
 */
function cleanEnvironment() {
  const foreign =
    /^(VSCODE_|ELECTRON_|CODE_SERVER_|VITEST|npm_|NODE_OPTIONS$|NODE_ENV$|PORT$|LOG_LEVEL$)/;
  const secret = /^(PASSWORD|HASHED_PASSWORD|GITHUB_TOKEN)$/;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !foreign.test(name) && !secret.test(name)),
  );
}

/**
 * Starts the server in a process group of its own, so that its extension hosts end with it.
 *
 * @param {string} node
 * @param {readonly string[]} parameters
 * @param {NodeJS.ProcessEnv} env
 */
async function startServer(node, parameters, env) {
  const child = spawn(node, [...parameters], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(() => undefined);
  /** @param {NodeJS.Signals} signal */
  const signalGroup = (signal) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // ESRCH: the whole group has ended already.
    }
  };
  const killGroup = () => signalGroup('SIGKILL');
  process.prependOnceListener('exit', killGroup);
  const stop = async () => {
    signalGroup('SIGTERM');
    const timer = setTimeout(killGroup, 5_000);
    await ended;
    clearTimeout(timer);
    // Children that outlive their parent by a moment must not write into folders that are being removed.
    killGroup();
    process.off('exit', killGroup);
  };
  try {
    return { origin: await listeningAddress([child.stdout, child.stderr], ended), ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The address in the server's own log, which with port 0 is the only place that has it.
 *
 * @param {readonly NodeJS.ReadableStream[]} outputs
 * @param {Promise<void>} ended
 */
async function listeningAddress(outputs, ended) {
  /** @type {string[] | undefined} */
  let lines = [];
  const address = new Promise((found) => {
    for (const output of outputs) {
      // Read to the end, so that the server never waits for a reader.
      createInterface(output).on('line', (line) => {
        lines?.push(line);
        const match = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(line);
        if (match) found(match[1]);
      });
    }
  });
  const tooLate = AbortSignal.timeout(60_000);
  const failed = Promise.race([ended, once(tooLate, 'abort')]).then(() => {
    throw new Error(`The workbench did not start. It said:\n${lines?.join('\n')}`);
  });
  const origin = /** @type {string} */ (await Promise.race([address, failed]));
  lines = undefined;
  return origin;
}

/**
 * @param {string} userData
 * @param {string} name
 */
async function readLogs(userData, name) {
  const paths = await readdir(join(userData, 'logs'), { recursive: true });
  const wanted = paths.filter((path) => path.endsWith(`${name}.log`)).sort();
  const texts = await Promise.all(
    wanted.map((path) => readFile(join(userData, 'logs', path), 'utf8')),
  );
  return texts.join('\n');
}
