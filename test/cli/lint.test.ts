import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LintReport } from '../../cli/lintReport.ts';
import { folderWith, run, workflow } from '../support/cli.ts';

const sound = workflow('limit: 2');
// An error that holds whatever the versions: `1d` is no Go duration.
const wrong = workflow('limit: 2', 'backoff: { duration: "5s", maxDuration: "1d" }');
const odd = workflow('limit: 2', 'retryOn: Always');

async function lint(
  args: readonly string[],
  cwd: string,
  stdin?: string,
): Promise<{ readonly report: LintReport; readonly code: number | null; readonly stderr: string }> {
  const call = stdin === undefined ? { cwd } : { cwd, stdin };
  const { stdout, code, stderr } = await run(['lint', '--format', 'json', ...args], call);
  return { report: JSON.parse(stdout) as LintReport, code, stderr };
}

const filesOf = ({ findings }: LintReport): readonly string[] =>
  [...new Set(findings.map(({ file }) => file))].toSorted();

describe('exit code', () => {
  it('is 0 where nothing is found', async () => {
    const cwd = folderWith({ 'a.yaml': sound });
    const { report, code, stderr } = await lint(['a.yaml'], cwd);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(report).toEqual({
      version: 1,
      files: 1,
      documents: 1,
      policies: 1,
      findings: [],
      problems: [],
    });
  });

  it('is 1 for an error, and for a warning only when asked', async () => {
    const cwd = folderWith({ 'wrong.yaml': wrong, 'odd.yaml': odd });
    expect((await run(['lint', 'wrong.yaml'], { cwd })).code).toBe(1);
    expect((await run(['lint', 'odd.yaml'], { cwd })).code).toBe(0);
    expect((await run(['lint', '--fail-on', 'warning', 'odd.yaml'], { cwd })).code).toBe(1);
    expect((await run(['lint', '--fail-on', 'never', 'wrong.yaml'], { cwd })).code).toBe(0);
  });

  it.each([
    [['lint'], 'missing required argument'],
    [['lint', '--format', 'xml', 'a.yaml'], '--format knows no "xml"'],
    [['lint', '--format', 'sarif=', 'a.yaml'], 'names no file'],
    [['lint', '--format', 'json', '--format', 'text', 'a.yaml'], 'Only one --format'],
    [['lint', '--fail-on', 'fatal', 'a.yaml'], 'fatal'],
    [['lint', '--fix', '-'], 'standard input is no file'],
    [['lint', '--nonsense', 'a.yaml'], 'unknown option'],
    [['lnit', 'a.yaml'], "unknown command 'lnit'"],
    [['explain', '--retries', '0', 'a.yaml'], '--retries takes a whole number'],
    [['explain', '--at', 'noon', 'a.yaml'], '--at takes a time'],
    [['simulate', '--qps', '5', '--base', '1s'], 'give both'],
    [['simulate', '--base', '5'], '--base takes a duration'],
    [['simulate'], 'give --base'],
  ])('is 2 for the call %j, with nothing on standard output', async (args, words) => {
    const { code, stdout, stderr } = await run(args, { cwd: folderWith({ 'a.yaml': sound }) });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
  });

  it('is 0 for help and version', async () => {
    const version = await run(['--version']);
    expect(version).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
    for (const args of [['--help'], ['lint', '--help'], ['simulate', '--help']]) {
      const { code, stdout, stderr } = await run(args);
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: kube-backoff');
      expect(stderr).toBe('');
    }
    expect((await run(['lint', '--version'])).code).toBe(0);
  });
});

describe('files that cannot be used', () => {
  it.each([
    ['absent.yaml', 'There is no such file or folder'],
    ['nothing/*.yaml', 'No file matches'],
    ['binary.yaml', 'not text'],
    ['latin.yaml', 'not UTF-8 (line 2)'],
    ['wide.yaml', 'UTF-16'],
  ])('are problems: %s', async (name, words) => {
    const cwd = folderWith({
      'good.yaml': wrong,
      'binary.yaml': new Uint8Array([0x61, 0x3a, 0x00, 0x01]),
      'latin.yaml': Buffer.from('a: b\nc: \xE9\n', 'latin1'),
      'wide.yaml': Buffer.from('\uFEFFa: b\n', 'utf16le'),
    });
    const { report, code, stderr } = await lint(['good.yaml', name], cwd);
    expect(code).toBe(2);
    expect(report.problems).toEqual([{ file: name, message: expect.stringContaining(words) }]);
    expect(stderr).toContain(`${name}: `);
    expect(filesOf(report), 'the others are still linted').toEqual(['good.yaml']);
  });

  it('are problems when they are too large to be manifests', async () => {
    const cwd = folderWith({ 'huge.yaml': new Uint8Array(33 * 1024 * 1024).fill(0x20) });
    const { report, code } = await lint(['huge.yaml'], cwd);
    expect(code).toBe(2);
    expect(report.problems[0]?.message).toContain('33 MiB');
  });

  it('are problems when a link leads nowhere but to itself', async () => {
    const cwd = folderWith({});
    symlinkSync('self.yaml', path.join(cwd, 'self.yaml'));
    const { report, code } = await lint(['self.yaml'], cwd);
    expect(code).toBe(2);
    expect(report.problems).toEqual([{ file: 'self.yaml', message: 'This link leads to itself' }]);
  });

  it('do not keep broken YAML from being a finding', async () => {
    const cwd = folderWith({ 'broken.yaml': `${sound}  x: "no end\n` });
    const { report, code } = await lint(['broken.yaml'], cwd);
    expect(code).toBe(1);
    expect(report.findings.map((finding) => finding.code)).toEqual(['policy/syntax']);
  });

  it('take a whole line of any length', async () => {
    const long = `${sound}# ${'x'.repeat(3_000_000)}\n---\n${wrong}`;
    const cwd = folderWith({ 'long.yaml': long });
    const { report, code } = await lint(['long.yaml'], cwd);
    expect(code).toBe(1);
    expect(report.documents).toBe(2);
    const text = await run(['lint', 'long.yaml'], { cwd });
    expect(Math.max(...text.stdout.split('\n').map((line) => line.length))).toBeLessThan(400);
  });
});

describe('ranges', () => {
  it('count lines and columns from 1 in UTF-16 code units, with an exclusive end', async () => {
    const cwd = folderWith({});
    const text = [
      '# 😀 two units',
      '---',
      'apiVersion: argoproj.io/v1alpha1',
      'kind: Workflow',
      'spec:',
      '  templates:',
      '    - { name: "😀", retryStrategy: { limit: 2, retryOn: Always } }',
      '',
    ].join('\r\n');
    const { report } = await lint(['-'], cwd, text);
    expect(report.findings).toMatchObject([
      {
        file: '-',
        document: 0,
        code: 'policy/unknown-field',
        severity: 'warning',
        range: { start: { line: 7, column: 48 }, end: { line: 7, column: 55 } },
        docs: expect.stringMatching(
          /^https:\/\/.*\/docs\/reference\/policy\.md#policy-unknown-field$/,
        ),
      },
    ]);
  });

  it('count from the start of the file in later documents, and after a byte order mark', async () => {
    const cwd = folderWith({ 'two.yaml': `\uFEFF${sound}---\n${odd}` });
    const { report } = await lint(['two.yaml'], cwd);
    expect(report.findings).toMatchObject([
      { document: 1, range: { start: { line: 18, column: 9 }, end: { line: 18, column: 16 } } },
    ]);
  });
});

describe('paths', () => {
  it('leave out what .gitignore and .kube-backoff.yaml ignore', async () => {
    const cwd = folderWith({
      '.gitignore': 'out/\n*.gen.yaml\n!keep.gen.yaml\n',
      '.kube-backoff.yaml': 'ignore:\n  - vendor/\n  - "!vendor/ours.yaml"\n',
      'a.yaml': wrong,
      'b.yml': wrong,
      'c.json': '{}',
      'd.txt': wrong,
      'out/e.yaml': wrong,
      'f.gen.yaml': wrong,
      'keep.gen.yaml': wrong,
      'vendor/g.yaml': wrong,
      'deep/.gitignore': 'h.yaml\n',
      'deep/h.yaml': wrong,
      'deep/i.yaml': wrong,
      'node_modules/j.yaml': wrong,
      '.github/k.yaml': wrong,
    });
    const expected = ['.github/k.yaml', 'a.yaml', 'b.yml', 'deep/i.yaml', 'keep.gen.yaml'];
    expect(filesOf((await lint(['.'], cwd)).report)).toEqual(expected);
    expect(filesOf((await lint(['**/*.{yaml,yml}'], cwd)).report)).toEqual(expected);
    expect(filesOf((await lint(['.'], path.join(cwd, 'deep'))).report)).toEqual(['i.yaml']);
    const named = (await lint(['out/e.yaml', 'vendor/g.yaml'], cwd)).report;
    expect(filesOf(named), 'a named file is linted although git ignores it').toEqual([
      'out/e.yaml',
    ]);
  });

  it('are each linted once, whatever names them', async () => {
    const cwd = folderWith({ 'a.yaml': wrong });
    const { report } = await lint(['a.yaml', '.', './a.yaml', path.join(cwd, 'a.yaml')], cwd);
    expect(report.files).toBe(1);
    expect(filesOf(report)).toEqual(['a.yaml']);
  });

  it('do not lead in circles', async () => {
    const cwd = folderWith({ 'a/b.yaml': wrong });
    symlinkSync('..', path.join(cwd, 'a/up'));
    symlinkSync('nowhere.yaml', path.join(cwd, 'a/dangling.yaml'));
    const { report, code } = await lint(['.'], cwd);
    expect(filesOf(report)).toEqual(['a/b.yaml']);
    expect(code).toBe(1);
  });

  it('take names with blanks and brackets', async () => {
    const cwd = folderWith({ 'my [old] file.yaml': wrong });
    expect(filesOf((await lint(['my [old] file.yaml'], cwd)).report)).toEqual([
      'my [old] file.yaml',
    ]);
  });
});

describe('.kube-backoff.yaml', () => {
  it('sets severities, and codes per path', async () => {
    const cwd = folderWith({
      '.kube-backoff.yaml': [
        'severity: { policy/unknown-field: error }',
        'ignore: [{ path: legacy/, codes: [policy/bad-duration] }]',
      ].join('\n'),
      'a.yaml': odd,
      'legacy/b.yaml': wrong,
    });
    const { report, code } = await lint(['.'], cwd);
    expect(code).toBe(1);
    expect(report.findings).toMatchObject([{ file: 'a.yaml', severity: 'error' }]);
    expect(report.findings).toHaveLength(1);
  });

  it('is a problem where it holds what is not known', async () => {
    const cwd = folderWith({ '.kube-backoff.yaml': 'severty: {}\n', 'a.yaml': sound });
    const { report, code } = await lint(['a.yaml'], cwd);
    expect(code).toBe(2);
    expect(report.problems).toEqual([
      {
        file: '.kube-backoff.yaml',
        message:
          'line 1: severty: There is no key called `severty`, so this has no effect; did you mean `severity`?',
      },
    ]);
  });

  it('holds for the folders below it, the nearest one first', async () => {
    const cwd = folderWith({
      '.kube-backoff.yaml': 'severity: { policy/unknown-field: off }\n',
      'a.yaml': odd,
      'sub/.kube-backoff.yaml': 'severity: { policy/unknown-field: info }\n',
      'sub/deep/b.yaml': odd,
    });
    const { report } = await lint(['.'], cwd);
    expect(report.findings).toMatchObject([{ file: 'sub/deep/b.yaml', severity: 'info' }]);
  });
});

describe('standard input', () => {
  it('is read for -', async () => {
    const cwd = folderWith({});
    const { report, code } = await lint(['-'], cwd, wrong);
    expect(code).toBe(1);
    expect(filesOf(report)).toEqual(['-']);
  });

  it('may be empty', async () => {
    const { report, code } = await lint(['-'], folderWith({}), '');
    expect(code).toBe(0);
    expect(report.documents).toBe(0);
  });
});

describe('results in files', () => {
  it('are written beside the one on standard output', async () => {
    const cwd = folderWith({ 'a.yaml': wrong });
    const { code, stdout } = await run(
      [
        'lint',
        '--format',
        'text',
        '--format',
        'json=a.json',
        '--format',
        'junit=b=c.xml',
        'a.yaml',
      ],
      { cwd },
    );
    expect(code).toBe(1);
    expect(stdout).toContain('a.yaml:9:49: error: ');
    expect(readdirSync(cwd).toSorted()).toEqual(['.git', 'a.json', 'a.yaml', 'b=c.xml']);
  });

  it('are problems where they cannot be written, and leave nothing behind', async () => {
    const cwd = folderWith({ 'a.yaml': sound });
    mkdirSync(path.join(cwd, 'full'));
    writeFileSync(path.join(cwd, 'full/x'), '');
    const { code, stderr } = await run(['lint', '--format', 'json=full', 'a.yaml'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('full: The result was not written');
    expect(readdirSync(cwd).toSorted()).toEqual(['.git', 'a.yaml', 'full']);
  });
});
