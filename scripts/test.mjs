// @ts-check
/**
 * `npm test`: every check there is, from a bare checkout on.
 *
 *   npm test                  everything
 *   npm run check             the inner loop: stops before the build
 *
 * The last line counts the tests: `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies, repository } from './setup.mjs';

/** @typedef {{ name: string, command: readonly string[], project?: string, needs?: string }} Step */

const { values: wish } = parseArgs({ options: { inner: { type: 'boolean' } } });

/** @param {string} file */
const bin = (file) => path.join('node_modules', file);

/** @param {string} project @returns {Step} */
const tests = (project) => ({
  name: `tests: ${project}`,
  project,
  command: [
    bin('vitest/vitest.mjs'),
    'run',
    `--project=${project}`,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportOf(project)}`,
  ],
});

/** @type {readonly Step[]} */
const statics = [
  { name: 'generated files', command: ['scripts/generate.mjs', '--check'] },
  {
    name: 'format',
    command: [
      bin('prettier/bin/prettier.cjs'),
      '--check',
      '--log-level=warn',
      '--cache',
      '--cache-location=.cache/prettier',
      '.',
    ],
  },
  { name: 'types', command: [bin('typescript/bin/tsc'), '-b'] },
  { name: 'lint', command: [bin('oxlint/bin/oxlint'), '--type-aware'] },
];

/** @type {readonly Step[]} */
const built = [
  { name: 'build', command: ['scripts/build.mjs'] },
  { ...tests('built'), needs: 'build' },
  { ...tests('cluster'), needs: 'build' },
  { ...tests('e2e'), needs: 'build' },
];

ensureDependencies();
/** @type {Set<string>} */
const failed = new Set();
/** @type {string[]} */
const summary = [];
const count = { passed: 0, failed: 0 };
// The other checks run beside the unit tests: what is longest alone is not waited for.
await Promise.all([
  take(tests('unit'), 'together'),
  ...statics.map((step) => take(step, 'together')),
]);
if (wish.inner !== true) for (const step of built) await take(step);
console.log(`\n${summary.join('\n')}`);
if (failed.size > 0) console.log(`Failed: ${[...failed].join(', ')}.`);
console.log(`${String(count.passed)} passed, ${String(count.failed)} failed`);
process.exitCode = failed.size > 0 ? 1 : 0;

/**
 * Takes a step and notes how it went. Steps taken together print when they are done, each as a whole.
 *
 * @param {Step} step
 * @param {'alone' | 'together'} [how]
 */
async function take(step, how = 'alone') {
  if (step.needs !== undefined && failed.has(step.needs)) {
    failed.add(step.name);
    summary.push(`${step.name.padEnd(18)} not run: ${step.needs} failed`);
    return;
  }
  const heading = `\n── ${step.name}`;
  if (how === 'alone') console.log(heading);
  if (step.project !== undefined) await rm(reportOf(step.project), { force: true });
  const started = performance.now();
  let succeeded = await node(step.command, how === 'alone' ? undefined : heading);
  if (step.project !== undefined && !(await countTests(step.project))) succeeded = false;
  if (!succeeded) failed.add(step.name);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  summary.push(`${step.name.padEnd(18)} ${seconds.padStart(6)} s${succeeded ? '' : '  failed'}`);
}

/**
 * Runs a script of Node's; its output goes through, or is printed below a heading at its end.
 *
 * @param {readonly string[]} command
 * @param {string} [heading]
 * @returns {Promise<boolean>} whether it ended well
 */
function node(command, heading) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, {
      cwd: repository,
      stdio: heading === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    });
    let output = heading === undefined ? '' : `${heading}\n`;
    child.stdout?.on('data', (chunk) => (output += String(chunk)));
    child.stderr?.on('data', (chunk) => (output += String(chunk)));
    child.on('error', () => resolve(false));
    child.on('close', (code) => {
      process.stdout.write(output);
      resolve(code === 0);
    });
  });
}

/** @param {string} project */
function reportOf(project) {
  return path.join(repository, `.artefacts/tests/${project}.json`);
}

/**
 * Adds a project's tests to the count. A file that fails before its first test counts as one failure.
 *
 * @param {string} project
 * @returns {Promise<boolean>} whether tests ran, and none failed
 */
async function countTests(project) {
  /** @type {{ numPassedTests: number, numFailedTests: number, testResults: { status: string, assertionResults: { status: string }[] }[] }} */
  let report;
  try {
    report = JSON.parse(await readFile(reportOf(project), 'utf8'));
  } catch {
    console.error(`The tests of ${project} left no report.`);
    return false;
  }
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
  ).length;
  count.passed += report.numPassedTests;
  count.failed += report.numFailedTests + broken;
  return report.numPassedTests > 0 && report.numFailedTests + broken === 0;
}
