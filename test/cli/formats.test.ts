import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { folderWith, run, workflow } from '../support/cli.ts';

// An error, a warning with two fixes, and a file that cannot be read.
const manifest = workflow(
  'limit: 2',
  'retryOn: Always',
  'backoff: { duration: "5s", maxDuration: "1d" }',
);
const folder = () =>
  folderWith({
    'my dir/a.yaml': manifest,
    'ok.yaml': workflow('limit: 2'),
    'latin.yaml': Buffer.from('\xE9', 'latin1'),
  });

async function format(name: string, ...more: readonly string[]): Promise<string> {
  const { stdout } = await run(['lint', '--format', name, ...more, '.'], { cwd: folder() });
  return stdout;
}

describe('sarif', () => {
  it('is valid by the schema of SARIF 2.1.0', async () => {
    const log: unknown = JSON.parse(await format('sarif'));
    const validate = sarifValidator();
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    const empty = await run(['lint', '--format', 'sarif', 'ok.yaml'], { cwd: folder() });
    expect(validate(JSON.parse(empty.stdout)), JSON.stringify(validate.errors)).toBe(true);
  });

  it('has places, rules with links, fixes, and what could not be read', async () => {
    const log = JSON.parse(await format('sarif')) as { readonly runs: readonly unknown[] };
    expect(log.runs).toMatchObject([
      {
        columnKind: 'utf16CodeUnits',
        tool: {
          driver: {
            rules: [
              {
                id: 'policy/bad-duration',
                helpUri: expect.stringContaining('#policy-bad-duration'),
              },
              { id: 'policy/unknown-field' },
            ],
          },
        },
        invocations: [
          {
            executionSuccessful: false,
            toolExecutionNotifications: [{ message: { text: expect.stringContaining('UTF-8') } }],
          },
        ],
        results: [
          {
            ruleId: 'policy/unknown-field',
            ruleIndex: 1,
            level: 'warning',
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'my%20dir/a.yaml', uriBaseId: 'SRCROOT' },
                  region: { startLine: 9, startColumn: 9, endLine: 9, endColumn: 16 },
                },
              },
            ],
            fixes: [
              {
                artifactChanges: [{ replacements: [{ insertedContent: { text: 'retryPolicy' } }] }],
              },
              {},
            ],
          },
          { ruleId: 'policy/bad-duration', ruleIndex: 0, level: 'error' },
        ],
      },
    ]);
  });
});

describe('github', () => {
  it('makes one command per finding and problem, escaped', async () => {
    const lines = (await format('github')).trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^::error file=latin\.yaml::The file is not UTF-8/),
      expect.stringMatching(
        /^::warning file=my dir\/a\.yaml,line=9,endLine=9,col=9,endColumn=15,title=policy\/unknown-field::/,
      ),
      expect.stringMatching(
        /^::error file=my dir\/a\.yaml,line=10,endLine=10,col=49,endColumn=52,/,
      ),
    ]);
  });

  it('is silent where nothing is found', async () => {
    const { stdout } = await run(['lint', '--format', 'github', 'ok.yaml'], { cwd: folder() });
    expect(stdout).toBe('');
  });
});

describe('junit', () => {
  it('counts as failures what fails the call', async () => {
    const xml = await format('junit');
    expect(xml).toContain('<testsuites name="kube-backoff" tests="4" failures="1" errors="1">');
    expect(xml).toContain('<testcase classname="ok.yaml" name="no findings"/>');
    expect(xml.match(/<failure /g)).toHaveLength(1);
    expect(xml.match(/<system-out>/g)).toHaveLength(1);
    expect(await format('junit', '--fail-on', 'warning')).toContain('failures="2"');
  });

  it('is well-formed whatever the messages hold', async () => {
    const cwd = folderWith({
      'a.yaml': workflow('limit: 2', String.raw`retryPolicy: "a<&>\"\u0007"`),
    });
    const { stdout } = await run(['lint', '--format', 'junit', 'a.yaml'], { cwd });
    const withoutTags = stdout.replaceAll(
      /<\?xml[^>]*\?>|<\/?[\w-]+(?: [\w-]+="[^"<>]*")*\/?>/g,
      '',
    );
    expect(withoutTags).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;)/);
    expect(stdout).not.toContain('\u0007');
    const opened = stdout.match(/<testcase (?:[\w-]+="[^"]*" ?)*>/g) ?? [];
    expect(opened.length).toBeGreaterThan(0);
    expect(stdout.match(/<\/testcase>/g)).toHaveLength(opened.length);
  });
});

describe('text', () => {
  it('shows the line, and what can be done', async () => {
    expect(await format('text')).toContain(
      [
        '  9 │         retryOn: Always',
        '    │         ^^^^^^^',
        '  fix: Rename to retryPolicy',
        '  or: Remove retryOn',
      ].join('\n'),
    );
  });

  it('has colours only when asked, since this is no terminal', async () => {
    const escape = '\u001B[';
    const cwd = folder();
    const lint = async (args: readonly string[], env: Readonly<Record<string, string>>) =>
      (await run(['lint', ...args, '.'], { cwd, env })).stdout.includes(escape);
    expect(await lint([], {})).toBe(false);
    expect(await lint([], { NO_COLOR: '1' })).toBe(false);
    expect(await lint(['--color', 'never'], {})).toBe(false);
    expect(await lint(['--color', 'always'], {})).toBe(true);
    expect(await lint(['--color', 'always'], { NO_COLOR: '1' }), 'an option is nearer').toBe(true);
    expect(await lint(['--color', 'always', '--format', 'json'], {})).toBe(false);
  });
});

/** The schema that the standard publishes, as its JavaScript kit ships it. */
function sarifValidator() {
  const require = createRequire(import.meta.url);
  const kit = path.dirname(require.resolve('@microsoft/jest-sarif/package.json'));
  const text = readFileSync(path.join(kit, 'lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8');
  const schema = JSON.parse(text) as Record<string, unknown>;
  // Draft 4 by name; nothing in it means something else in draft 7.
  const { $schema: _draft, id: _id, ...rest } = schema;
  const formats = {
    uri: (value: string) => URL.canParse(value),
    'uri-reference': (value: string) => URL.canParse(value, 'file:///base/'),
    'date-time': (value: string) => !Number.isNaN(Date.parse(value)),
  };
  return new Ajv({ strict: false, unicodeRegExp: false, allErrors: true, formats }).compile(rest);
}
