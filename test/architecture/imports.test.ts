import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

type Import = { readonly from: string; readonly to: string };

/** What a file may import: files by path from the root, packages by name. */
type Rule = {
  readonly name: string;
  readonly files: RegExp;
  readonly may: readonly RegExp[];
};

const engineCore = /^engine\/(?!families\/)/;
const anyPackage = /^pkg:/;
const node = /^pkg:node:/;

const rules: readonly Rule[] = [
  {
    name: 'the engine core imports only itself, and the list of families',
    files: /^engine\/(?!families\/)/,
    may: [engineCore, /^engine\/families\/index\.ts$/],
  },
  {
    name: 'the list of families imports the families',
    files: /^engine\/families\/index\.ts$/,
    may: [/^engine\/family\.ts$/, /^engine\/families\/[^/]+\/[^/]+\.family\.ts$/],
  },
  {
    name: 'analysis knows the engine, and packages only where they are named',
    files: /^server\/src\/analysis\/(?!yamlTree|syntaxProblems|ignored)/,
    may: [/^engine\//, /^server\/src\/analysis\//],
  },
  {
    name: 'yaml is known to one file and its table of errors',
    files: /^server\/src\/analysis\/(yamlTree|syntaxProblems)\.ts$/,
    may: [/^engine\//, /^server\/src\/analysis\//, /^pkg:yaml$/],
  },
  {
    name: 'ignore is known to one file',
    files: /^server\/src\/analysis\/ignored\.ts$/,
    may: [/^engine\//, /^server\/src\/analysis\//, /^pkg:ignore$/],
  },
  {
    name: 'a feature imports no other feature',
    files: /^server\/src\/features\//,
    may: [/^engine\//, /^server\/src\/(?!features\/)/, /^pkg:vscode-languageserver/],
  },
  {
    name: 'the server imports neither client nor command',
    files: /^server\/src\/[^/]+\.ts$/,
    may: [/^engine\//, /^server\//, /^pkg:(vscode-languageserver|croner|cronstrue)/, node],
  },
  {
    name: 'the cluster half knows the engine and Node',
    files: /^client\/src\/cluster\/(?!kubernetesPort|kubeconfig)/,
    may: [/^engine\//, /^client\/src\/cluster\//, node],
  },
  {
    name: 'the client knows the engine, not the server',
    files: /^client\/src\/(?!cluster\/|panel\/webview\/)/,
    may: [/^engine\//, /^client\/src\/(?!panel\/webview\/)/, anyPackage],
  },
  {
    name: 'the command composes analysis and cluster, and knows neither LSP nor VS Code',
    files: /^cli\//,
    may: [
      /^engine\//,
      /^cli\//,
      /^server\/src\/analysis\//,
      /^client\/src\/cluster\//,
      /^pkg:(?!vscode|@kubernetes)/,
    ],
  },
];

const imports = sources().flatMap((from) => importsOf(from));

describe('who imports whom', () => {
  it.each(rules)('$name', ({ files, may }) => {
    const own = imports.filter(({ from }) => files.test(from));
    expect(own.length).toBeGreaterThan(0);
    const wrong = own.filter(({ to }) => !may.some((allowed) => allowed.test(to)));
    expect(wrong).toEqual([]);
  });

  it('no family imports another system', () => {
    const families = imports.filter(({ from }) => /^engine\/families\/[^/]+\//.test(from));
    const wrong = families.filter(({ from, to }) => {
      const folder = from.split('/').slice(0, 3).join('/');
      return !engineCore.test(to) && !to.startsWith(`${folder}/`);
    });
    expect(wrong).toEqual([]);
  });

  it('the Kubernetes client is known to one file', () => {
    const users = imports.filter(({ to }) => to.startsWith('pkg:@kubernetes/'));
    expect(new Set(users.map(({ from }) => from)).size).toBe(1);
  });

  it('nothing imports the tests', () => {
    expect(imports.filter(({ to }) => to.startsWith('test/'))).toEqual([]);
  });

  it('no source file is longer than 400 lines', () => {
    const long = sources().filter(
      (file) => readFileSync(path.join(root, file), 'utf8').split('\n').length > 401,
    );
    expect(long).toEqual([]);
  });

  it('the engine reads no clock and rolls no dice', () => {
    const guilty = sources()
      .filter((file) => file.startsWith('engine/'))
      .filter((file) =>
        /\bDate\.now\(|new Date\(\)|Math\.random\(|\bperformance\.|\bprocess\./.test(
          readFileSync(path.join(root, file), 'utf8'),
        ),
      );
    expect(guilty).toEqual([]);
  });
});

function sources(): readonly string[] {
  return ['engine', 'server', 'client', 'cli'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.posix.join(folder, name.split(path.sep).join('/'))),
  );
}

function importsOf(from: string): readonly Import[] {
  const text = readFileSync(path.join(root, from), 'utf8');
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g;
  return [...text.matchAll(pattern)].map(([, a, b, c]) => {
    const target = a ?? b ?? c ?? '';
    const to = target.startsWith('.')
      ? path.posix.normalize(path.posix.join(path.posix.dirname(from), target))
      : `pkg:${target}`;
    return { from, to };
  });
}
