// @ts-check
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { repository } from '../setup.mjs';
import { sizes, stream } from './corpus.mjs';

/** @typedef {import('./servers.mjs').Line} Line */

const turns = 5;

/**
 * The analysis of a whole file beside `yaml`'s parse of those documents in it that hold a policy, and `lint` as a
 * process beside a process that only parses them.
 *
 * @returns {Promise<readonly Line[]>}
 */
export async function benchThroughput() {
  const folder = await mkdtemp(path.join(tmpdir(), 'kube-backoff-bench-'));
  try {
    const module = path.join(folder, 'analysis.mjs');
    await build({
      stdin: {
        contents: `
          export { analyseFile } from './server/src/analysis/file.ts';
          export { splitDocuments } from './server/src/analysis/split.ts';
          export { buildRegistry } from './engine/registry.ts';
          export { families } from './engine/families/index.ts';
          export { emptyEnvironment } from './engine/environment.ts';
          export { parseAllDocuments } from 'yaml';
        `,
        resolveDir: repository,
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: module,
      logLevel: 'warning',
      banner: {
        js: "import { createRequire as kbRequire } from 'node:module'; const require = kbRequire(import.meta.url);",
      },
    });
    return [...(await benchAnalysis(module)), ...(await benchLint(module, folder))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} module @returns {Promise<readonly Line[]>} */
async function benchAnalysis(module) {
  const {
    analyseFile,
    splitDocuments,
    buildRegistry,
    families,
    emptyEnvironment,
    parseAllDocuments,
  } = await import(pathToFileURL(module).href);
  /** @type {Line[]} */
  const lines = [{ cells: ['', 'kube-backoff', 'yaml', 'ratio', 'limit'] }];
  for (const { name, documents } of sizes) {
    const text = stream(documents);
    const registry = buildRegistry(families);
    const holding = splitDocuments(text)
      .map((/** @type {{ text: string }} */ one) => one.text)
      .filter(registry.mayHold);
    const parse = () => {
      for (const one of holding) parseAllDocuments(one, { logLevel: 'error', merge: true });
    };
    const analyse = () => {
      // A context of its own each time, so that nothing is kept from the last turn.
      const file = analyseFile(text, { registry, env: { ...emptyEnvironment } });
      for (const one of file.documents) one.analyse();
    };
    const [ours, theirs] = interleaved(analyse, parse);
    lines.push({
      cells: [
        `${name}: analysis of the file, parse of its ${holding.length} documents with a policy`,
        `${ours.toFixed(1)} ms`,
        `${theirs.toFixed(1)} ms`,
        (ours / theirs).toFixed(2),
        'ratio 1.2',
      ],
      ...(documents > 1 ? { holds: ours <= theirs * 1.2 } : {}),
    });
  }
  return lines;
}

/** @param {string} module @param {string} folder @returns {Promise<readonly Line[]>} */
async function benchLint(module, folder) {
  const file = path.join(folder, 'stream.yaml');
  await writeFile(file, stream(sizes.at(-1)?.documents ?? 1));
  const parser = path.join(folder, 'parse.mjs');
  await writeFile(
    parser,
    `import { readFileSync } from 'node:fs';
     import { splitDocuments, buildRegistry, families, parseAllDocuments } from ${JSON.stringify(module)};
     const { mayHold } = buildRegistry(families);
     for (const { text } of splitDocuments(readFileSync(${JSON.stringify(file)}, 'utf8')))
       if (mayHold(text)) parseAllDocuments(text, { logLevel: 'error', merge: true });`,
  );
  const command = path.join(repository, 'dist/cli/kube-backoff.mjs');
  const whole = (/** @type {readonly string[]} */ parameters) => () => {
    const { status } = spawnSync(process.execPath, [...parameters], { stdio: 'ignore' });
    if (status !== 0) throw new Error(`${parameters.join(' ')} ended with ${status}`);
  };
  const [ours, theirs] = interleaved(
    whole([command, 'lint', '--format', 'json', '--fail-on', 'never', file]),
    whole([parser]),
  );
  return [
    {
      cells: [
        '1.3 MB: lint as a process, a process that only parses',
        `${ours.toFixed(0)} ms`,
        `${theirs.toFixed(0)} ms`,
        (ours / theirs).toFixed(2),
        'ratio 1',
      ],
      holds: ours <= theirs,
    },
  ];
}

/**
 * The medians of two pieces of work done in turns, so that a slow moment of the machine hits both.
 *
 * @param {() => void} first
 * @param {() => void} second
 * @returns {readonly [number, number]}
 */
function interleaved(first, second) {
  /** @type {[number[], number[]]} */
  const times = [[], []];
  first();
  second();
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [index, work] of [first, second].entries()) {
      const started = performance.now();
      work();
      times[index === 0 ? 0 : 1].push(performance.now() - started);
    }
  }
  const [a, b] = times.map((list) => list.toSorted((x, y) => x - y)[Math.floor(turns / 2)] ?? 0);
  return [a ?? 0, b ?? 0];
}
