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
const inner = [
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
  tests('unit'),
];

/** @type {readonly Step[]} */
const outer = [
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
for (const step of wish.inner === true ? inner : [...inner, ...outer]) await take(step);
console.log(`\n${summary.join('\n')}`);
if (failed.size > 0) console.log(`Failed: ${[...failed].join(', ')}.`);
console.log(`${String(count.passed)} passed, ${String(count.failed)} failed`);
process.exitCode = failed.size > 0 ? 1 : 0;

/** @param {Step} step */
async function take(step) {
  if (step.needs !== undefined && failed.has(step.needs)) {
    failed.add(step.name);
    summary.push(`${step.name.padEnd(18)} not run: ${step.needs} failed`);
    return;
  }
  console.log(`\n── ${step.name}`);
  if (step.project !== undefined) await rm(reportOf(step.project), { force: true });
  const started = performance.now();
  let succeeded = await node(step.command);
  if (step.project !== undefined && !(await countTests(step.project))) succeeded = false;
  if (!succeeded) failed.add(step.name);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  summary.push(`${step.name.padEnd(18)} ${seconds.padStart(6)} s${succeeded ? '' : '  failed'}`);
}

/** @param {readonly string[]} command @returns {Promise<boolean>} whether it ended well */
function node(command) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, command, { cwd: repository, stdio: 'inherit' });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
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
