import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** The command as `npm run build` makes it. */
export const command = path.join(import.meta.dirname, '../../dist/cli/kube-backoff.mjs');

export type Outcome = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Call = {
  /** Another command of the build than `kube-backoff`. */
  readonly command?: string;
  readonly cwd?: string;
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
};

/** Runs the built command as a shell would. */
export function run(args: readonly string[], call: Call = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const file =
      call.command === undefined
        ? command
        : path.join(path.dirname(command), `${call.command}.mjs`);
    const child = spawn(process.execPath, [file, ...args], {
      cwd: call.cwd,
      env: { PATH: process.env['PATH'], HOME: tmpdir(), ...call.env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    // A command that does not read its input closes it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(call.stdin ?? '');
  });
}

/** A folder of its own with these files, gone after the test. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'kube-backoff-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // Ends the search for configuration and ignore files here.
  mkdirSync(path.join(folder, '.git'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

/** A workflow whose `retryStrategy` holds these lines. */
export const workflow = (...lines: readonly string[]): string =>
  [
    'apiVersion: argoproj.io/v1alpha1',
    'kind: Workflow',
    'metadata: { name: demo, namespace: ci }',
    'spec:',
    '  templates:',
    '    - name: main',
    '      retryStrategy:',
    ...lines.map((line) => `        ${line}`),
    '',
  ].join('\n');
