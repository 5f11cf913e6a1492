// @ts-check
/**
 * `npm run build`: bundles the command, the server and the extension into `dist/`, and packs the extension.
 *
 *   npm run build                    everything
 *   npm run build -- --vsix          everything, said outright
 *   npm run build -- --no-vsix       the bundles only
 *   npm run build -- --only cli      one part: cli, server, client or web
 *   npm run build -- --quiet         prints nothing but what went wrong
 */
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { repository } from './setup.mjs';

const { values: wish } = parseArgs({
  options: {
    vsix: { type: 'boolean' },
    'no-vsix': { type: 'boolean' },
    only: { type: 'string', multiple: true },
    quiet: { type: 'boolean' },
  },
});

/** @typedef {{ part: string, entries: Record<string, string>, options: import('esbuild').BuildOptions }} Bundle */

// Packages that come as CommonJS call `require` for Node's modules; an ES module has to bring its own.
const requireInModule =
  "import { createRequire as kbRequire } from 'node:module'; const require = kbRequire(import.meta.url);";

/** @type {readonly Bundle[]} */
const bundles = [
  {
    part: 'cli',
    entries: {
      'cli/kube-backoff': 'cli/main.ts',
      'cli/kubectl-backoff': 'cli/kubectlBackoff.ts',
    },
    options: {
      platform: 'node',
      format: 'esm',
      splitting: true,
      chunkNames: 'cli/[name]-[hash]',
      outExtension: { '.js': '.mjs' },
      banner: { js: requireInModule },
    },
  },
  {
    part: 'server',
    entries: { 'server/main': 'server/src/main.ts' },
    options: { platform: 'node', format: 'cjs', outExtension: { '.js': '.cjs' } },
  },
  {
    part: 'client',
    entries: {
      'client/extension': 'client/src/extension.ts',
      'client/nodeClient': 'client/src/nodeClient.ts',
      'client/liveHalf': 'client/src/live/liveHalf.ts',
      'client/kubernetesPort': 'client/src/cluster/kubernetesPort.ts',
    },
    options: {
      platform: 'node',
      format: 'cjs',
      external: ['vscode'],
      outExtension: { '.js': '.cjs' },
      plugins: [lazyBundles()],
    },
  },
  {
    part: 'client',
    entries: { 'webview/panel': 'client/src/panel/webview/main.ts' },
    options: { platform: 'browser', format: 'esm' },
  },
  {
    part: 'client',
    entries: { 'webview/panel': 'client/src/panel/webview/panel.css' },
    options: { platform: 'browser', format: 'esm', loader: { '.css': 'css' } },
  },
  {
    part: 'web',
    entries: { 'web/extension': 'client/src/browser.ts' },
    options: { platform: 'browser', format: 'cjs', external: ['vscode'] },
  },
  {
    part: 'web',
    entries: { 'web/server': 'server/src/browser.ts' },
    options: { platform: 'browser', format: 'iife' },
  },
];

const dist = path.join(repository, 'dist');
const started = performance.now();

try {
  await run();
} catch (error) {
  // esbuild has printed its own errors, with the lines they are about.
  const isShown = error instanceof Error && 'errors' in error;
  if (!isShown) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run() {
  const parts = new Set(wish.only ?? bundles.map(({ part }) => part));
  const unknown = [...parts].filter((name) => !bundles.some(({ part }) => part === name));
  if (unknown.length > 0) throw new Error(`--only knows no part called ${unknown.join(', ')}.`);
  const chosen = bundles.filter(({ part }) => parts.has(part));
  await mkdir(dist, { recursive: true });
  const written = (await Promise.all(chosen.map(bundle))).flat();
  if (wish.only === undefined) await removeStale(new Set(written));
  if (wish['no-vsix'] !== true && wish.only === undefined) await pack();
  say(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** @param {Bundle} bundle @returns {Promise<readonly string[]>} */
async function bundle({ entries, options }) {
  const result = await build({
    ...options,
    entryPoints: Object.entries(entries).map(([out, entry]) => ({
      in: path.join(repository, entry),
      out,
    })),
    absWorkingDir: repository,
    outdir: dist,
    bundle: true,
    target: options.platform === 'browser' ? 'es2023' : 'node20',
    minify: true,
    // Names of functions appear in the log of a caught fault.
    keepNames: false,
    sourcemap: 'external',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  await Promise.all(result.outputFiles.map(({ path: to, contents }) => replace(to, contents)));
  for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
    if (!file.endsWith('.map'))
      say(`${file.padEnd(34)} ${(bytes / 1024).toFixed(1).padStart(8)} kB`);
  }
  return result.outputFiles.map((file) => file.path);
}

/**
 * Puts a whole file in place at once: who runs the old one meanwhile never meets half of the new one.
 *
 * @param {string} to
 * @param {Uint8Array} contents
 */
async function replace(to, contents) {
  await mkdir(path.dirname(to), { recursive: true });
  const temporary = `${to}.${String(process.pid)}.tmp`;
  await writeFile(temporary, contents);
  if (to.endsWith('.mjs')) await chmod(temporary, 0o755);
  await rename(temporary, to);
}

/**
 * Leaves dynamic imports of our own files to the bundles of the same name beside them: CommonJS bundles are not
 * split otherwise, and what is loaded on first use must not be loaded on activation.
 *
 * @returns {import('esbuild').Plugin}
 */
function lazyBundles() {
  return {
    name: 'lazy-bundles',
    setup: (builder) => {
      builder.onResolve({ filter: /^\.\.?\// }, ({ kind, path: wanted }) =>
        kind === 'dynamic-import'
          ? { path: `./${path.basename(wanted, '.ts')}.cjs`, external: true }
          : undefined,
      );
    },
  };
}

/** Chunks of earlier builds carry other hashes. @param {ReadonlySet<string>} fresh */
async function removeStale(fresh) {
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const isOurs = /\.(?:[cm]?js|map)$/.test(entry.name);
    if (entry.isFile() && isOurs && !fresh.has(file)) await rm(file, { force: true });
  }
}

/** Packs what `.vscodeignore` allows. */
async function pack() {
  const { createVSIX } = await import('@vscode/vsce');
  const packagePath = path.join(dist, 'kube-backoff.vsix');
  const { log } = console;
  // It lists every file; its warnings and errors come through another way.
  if (wish.quiet === true) console.log = () => undefined;
  try {
    await createVSIX({ cwd: repository, packagePath, dependencies: false });
  } finally {
    console.log = log;
  }
}

/** @param {string} line */
function say(line) {
  if (wish.quiet !== true) console.log(line);
}
