import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import oniguruma from 'vscode-oniguruma';
import textmate from 'vscode-textmate';

const require = createRequire(import.meta.url);

/** One token: the columns it covers and its scopes, outermost first. */
export type Token = {
  readonly start: number;
  readonly end: number;
  readonly scopes: readonly string[];
};

/** Reads a text the way the editor does: `tokenize(text)[line]` are the tokens of that line. */
export type Tokenizer = (text: string) => readonly (readonly Token[])[];

/** The grammars the extension contributes, by scope name. */
export const contributed: ReadonlyMap<string, string> = new Map([
  ['kube-backoff.injection', ours('kube-backoff.injection')],
  ['kube-backoff.flags.injection', ours('kube-backoff.flags.injection')],
]);

// VS Code's built-in YAML extension, packed for npm. The package's only dependency is the editor
// itself, which package.json replaces: nothing here imports it.
const builtIn: ReadonlyMap<string, string> = new Map([
  ['source.yaml', builtInYaml('yaml')],
  ...['1.0', '1.1', '1.2', '1.3', 'embedded'].map(
    (version) => [`source.yaml.${version}`, builtInYaml(`yaml-${version}`)] as const,
  ),
  ['source.helm', new URL('helm.tmLanguage.json', import.meta.url).pathname],
]);

const wasm = readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
const onigLib = oniguruma.loadWASM(wasm).then(() => ({
  createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
  createOnigString: (text: string) => new oniguruma.OnigString(text),
}));

type Root = 'source.yaml' | 'source.helm';
type Injected = 'injected' | 'plain';

const made = new Map<string, Promise<Tokenizer>>();

/** The real engine on the real YAML grammar, with or without our injections; each is made once. */
export function tokenizer(root: Root, injected: Injected): Promise<Tokenizer> {
  const key = `${root} ${injected}`;
  const tokenize = made.get(key) ?? makeTokenizer(root, injected);
  made.set(key, tokenize);
  return tokenize;
}

async function makeTokenizer(root: Root, injected: Injected): Promise<Tokenizer> {
  const registry = new textmate.Registry({
    onigLib,
    loadGrammar: async (scope) => {
      const path = builtIn.get(scope) ?? contributed.get(scope);
      return path === undefined ? null : textmate.parseRawGrammar(readFileSync(path, 'utf8'), path);
    },
    getInjections: (scope) =>
      scope === root && injected === 'injected' ? [...contributed.keys()] : undefined,
  });
  const grammar = await registry.loadGrammar(root);
  if (grammar === null) throw new Error(`no grammar for ${root}`);
  return (text) => {
    let state = textmate.INITIAL;
    return text.split('\n').map((line) => {
      const read = grammar.tokenizeLine(line, state);
      state = read.ruleStack;
      return read.tokens.map(({ startIndex, endIndex, scopes }) => ({
        start: startIndex,
        end: Math.min(endIndex, line.length),
        scopes,
      }));
    });
  };
}

function ours(name: string): string {
  return new URL(`../../syntaxes/${name}.tmLanguage.json`, import.meta.url).pathname;
}

function builtInYaml(name: string): string {
  return require.resolve(
    `@codingame/monaco-vscode-yaml-default-extension/resources/${name}.tmLanguage.json`,
  );
}
