// @ts-check
/**
 * `npm run bench`: this server beside yaml-language-server, and the analysis beside `yaml`'s own parse.
 *
 *   npm run bench -- --cluster             a session and the panel on a real API server instead
 *   npm run bench -- --cluster --patience  and as long as it takes until nobody is taken to look
 *
 * Every figure is a ratio against a peer in the same run, on the same machine, with the same text. The limits are
 * those the project promises; a limit that is missed is marked and makes the exit non-zero with --strict.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureDependencies, repository } from './setup.mjs';

ensureDependencies();
const { run } = await import('./workbench/run.mjs');

const isCluster = process.argv.includes('--cluster');
const extent = isCluster ? [] : ['--no-vsix'];
await run(process.execPath, ['scripts/build.mjs', ...extent, '--quiet'], { cwd: repository });
const lines = await (isCluster ? onCluster() : onText());

const widths = [0, 1, 2, 3, 4].map((column) =>
  Math.max(...lines.map((line) => (line.cells[column] ?? '').length)),
);
for (const { cells, holds } of lines) {
  const text = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  console.log(`${holds === false ? '✗' : holds === true ? '✓' : ' '} ${text}`);
}
const folder = path.join(repository, '.artefacts');
await mkdir(folder, { recursive: true });
await writeFile(
  path.join(folder, isCluster ? 'bench-cluster.json' : 'bench.json'),
  `${JSON.stringify(lines, null, 2)}\n`,
);
const missed = lines.filter(({ holds }) => holds === false).length;
console.log(missed === 0 ? 'Every limit holds.' : `${missed} limits are missed.`);
if (missed > 0 && process.argv.includes('--strict')) process.exitCode = 1;

async function onText() {
  const { benchServers } = await import('./bench/servers.mjs');
  const { benchThroughput } = await import('./bench/throughput.mjs');
  return [...(await benchServers()), ...(await benchThroughput())];
}

async function onCluster() {
  const { benchCluster } = await import('./bench/cluster.mjs');
  const { benchPanel } = await import('./bench/panel.mjs');
  const isPatient = process.argv.includes('--patience');
  return [...(await benchCluster()), ...(await benchPanel({ isPatient }))];
}
