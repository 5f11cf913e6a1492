// @ts-check
/**
 * `npm run bench`: this server beside yaml-language-server, and the analysis beside `yaml`'s own parse.
 *
 * Every figure is a ratio against a peer in the same run, on the same machine, with the same text. The limits are
 * those the project promises; a limit that is missed is marked and makes the exit non-zero with --strict.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureDependencies, repository } from './setup.mjs';

ensureDependencies();
const { benchServers } = await import('./bench/servers.mjs');
const { benchThroughput } = await import('./bench/throughput.mjs');
const { run } = await import('./workbench/run.mjs');

await run(process.execPath, ['scripts/build.mjs', '--no-vsix', '--quiet'], { cwd: repository });
const lines = [...(await benchServers()), ...(await benchThroughput())];

const widths = [0, 1, 2, 3, 4].map((column) =>
  Math.max(...lines.map((line) => (line.cells[column] ?? '').length)),
);
for (const { cells, holds } of lines) {
  const text = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  console.log(`${holds === false ? '✗' : holds === true ? '✓' : ' '} ${text}`);
}
const folder = path.join(repository, '.artefacts');
await mkdir(folder, { recursive: true });
await writeFile(path.join(folder, 'bench.json'), `${JSON.stringify(lines, null, 2)}\n`);
const missed = lines.filter(({ holds }) => holds === false).length;
console.log(missed === 0 ? 'Every limit holds.' : `${missed} limits are missed.`);
if (missed > 0 && process.argv.includes('--strict')) process.exitCode = 1;
