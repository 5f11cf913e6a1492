import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, run, workflow } from '../support/cli.ts';

const faulty = [
  '# the workflow',
  'apiVersion: argoproj.io/v1alpha1',
  'kind: Workflow # its kind',
  'spec:',
  '  templates:',
  '    # one template',
  '    - name: "main"',
  '      retryStrategy: # how to retry',
  '        limit: 2',
  '        retryOn:   Always # spaced',
  "        backoff: { duration: '5s', maxDuration: '1d' } # inline",
  '---',
  '# the end',
  '',
].join('\n');
const mended = faulty.replace('retryOn', 'retryPolicy').replace("'1d'", "'24h'");

const read = (cwd: string, name: string): string => readFileSync(path.join(cwd, name), 'utf8');

describe('--fix', () => {
  it('applies the preferred fixes and keeps every comment, quote and blank', async () => {
    const cwd = folderWith({ 'a.yaml': faulty });
    const { code, stdout, stderr } = await run(['lint', '--fix', 'a.yaml'], { cwd });
    expect(read(cwd, 'a.yaml')).toBe(mended);
    expect(stderr).toBe('');
    expect(stdout).toContain('a.yaml: fixed: Rename to retryPolicy\n');
    expect(stdout).toContain('a.yaml: fixed: Write maxDuration: 24h\n');
    expect(stdout).toContain('2 fixed');
    expect(code).toBe(0);
  });

  it('says in JSON what it did, and reports what is left', async () => {
    const left = workflow('limit: 2', 'retryOn: Always', 'retryPolicy2: x', 'expression: 5');
    const cwd = folderWith({ 'a.yaml': left });
    const { stdout } = await run(['lint', '--fix', '--format', 'json', 'a.yaml'], { cwd });
    const report = JSON.parse(stdout) as { fixed: unknown; findings: readonly { code: string }[] };
    expect(report.fixed).toContainEqual({
      file: 'a.yaml',
      code: 'policy/unknown-field',
      title: 'Rename to retryPolicy',
    });
    const again = await run(['lint', '--format', 'json', 'a.yaml'], { cwd });
    const { findings } = JSON.parse(again.stdout) as { findings: unknown };
    expect(findings).toEqual(report.findings);
  });

  it('renames no two keys to the same name', async () => {
    const cwd = folderWith({
      'a.yaml': faulty.replace('limit: 2', 'retries: 2\n        attempts: 3'),
    });
    await run(['lint', '--fix', 'a.yaml'], { cwd });
    expect(read(cwd, 'a.yaml')).toBe(mended.replace('limit: 2', 'limit: 2\n        attempts: 3'));
  });

  it('keeps line breaks and a byte order mark', async () => {
    const windows = `\uFEFF${faulty.replaceAll('\n', '\r\n')}`;
    const cwd = folderWith({ 'a.yaml': windows });
    await run(['lint', '--fix', 'a.yaml'], { cwd });
    expect(read(cwd, 'a.yaml')).toBe(`\uFEFF${mended.replaceAll('\n', '\r\n')}`);
  });

  it('keeps JSON readable', async () => {
    const json = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      spec: {
        templates: [{ retryStrategy: { limit: 2, retryOn: 'Always', backoff: { duration: 5 } } }],
      },
    };
    const cwd = folderWith({ 'a.json': JSON.stringify(json, null, 2) });
    await run(['lint', '--fix', 'a.json'], { cwd });
    expect(JSON.parse(read(cwd, 'a.json'))).toMatchObject({
      spec: {
        templates: [{ retryStrategy: { retryPolicy: 'Always', backoff: { duration: '5s' } } }],
      },
    });
  });

  it('writes through links, with the permissions the file has, and leaves no other file', async () => {
    const cwd = folderWith({ 'real/a.yaml': faulty });
    symlinkSync('real/a.yaml', path.join(cwd, 'link.yaml'));
    chmodSync(path.join(cwd, 'real/a.yaml'), 0o640);
    await run(['lint', '--fix', 'link.yaml'], { cwd });
    expect(read(cwd, 'real/a.yaml')).toBe(mended);
    expect(lstatSync(path.join(cwd, 'link.yaml')).isSymbolicLink()).toBe(true);
    expect(statSync(path.join(cwd, 'real/a.yaml')).mode & 0o777).toBe(0o640);
    expect(readdirSync(path.join(cwd, 'real'))).toEqual(['a.yaml']);
  });

  it('does not touch a file without fixes, nor one that cannot be read', async () => {
    const bytes = Buffer.from('retry: \xE9\n', 'latin1');
    const cwd = folderWith({ 'a.yaml': workflow('limit: 2'), 'b.yaml': bytes });
    const before = statSync(path.join(cwd, 'a.yaml')).ino;
    const { code } = await run(['lint', '--fix', '.'], { cwd });
    expect(code).toBe(2);
    expect(statSync(path.join(cwd, 'a.yaml')).ino).toBe(before);
    expect(readFileSync(path.join(cwd, 'b.yaml'))).toEqual(bytes);
  });

  it('leaves findings alone that a comment or the configuration ignores', async () => {
    const ignored = faulty.replace(
      '        retryOn',
      '        # kube-backoff-ignore policy/unknown-field: on purpose\n        retryOn',
    );
    const cwd = folderWith({
      'a.yaml': ignored,
      '.kube-backoff.yaml': 'severity: { policy/bad-duration: off }\n',
    });
    await run(['lint', '--fix', 'a.yaml'], { cwd });
    expect(read(cwd, 'a.yaml')).toBe(ignored);
  });
});
