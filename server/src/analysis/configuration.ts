import { isVersion, type Environment } from '../../../engine/environment.ts';
import { codeOf, systemOf, type PolicyFamily } from '../../../engine/family.ts';
import { severities, type Code, type Severity } from '../../../engine/finding.ts';
import { nearest } from '../../../engine/format.ts';
import { policyCodes } from '../../../engine/policyRules.ts';
import { formatPath, nameSpan, type SourceNode, type Span } from '../../../engine/source.ts';
import { parseYamlDocument } from './yamlDocument.ts';

/** What `.kube-backoff.yaml` says. Frozen, and compared by identity: it is part of what results are kept by. */
export type Configuration = {
  readonly env: Environment;
  readonly disabledSystems: ReadonlySet<string>;
  readonly severities: ReadonlyMap<string, Severity | 'off'>;
  readonly ignore: readonly IgnoreRule[];
};

/** Files that are left out, or some of whose findings are. `path` is a pattern as in `.gitignore`. */
export type IgnoreRule = { readonly path: string; readonly codes?: readonly string[] };

/** What is wrong with the file, and at which of its keys. */
export type ConfigurationProblem = {
  /** `severity.policy/syntax`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  readonly at?: Span;
};

export type ReadConfiguration = {
  readonly configuration: Configuration;
  readonly problems: readonly ConfigurationProblem[];
};

/** The names that a configuration can use. */
export type KnownNames = {
  readonly systems: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
};

export const configurationFileName = '.kube-backoff.yaml';

export const emptyConfiguration: Configuration = frozen({
  env: { versions: new Map(), gates: new Map(), controllers: new Map() },
  disabledSystems: new Set(),
  severities: new Map(),
  ignore: [],
});

/** The systems and finding codes there are. */
export function knownNames(families: readonly PolicyFamily[]): KnownNames {
  const systems = new Set<string>();
  const codes = new Set<string>(Object.keys(policyCodes).map((slug) => `policy/${slug}`));
  for (const family of families) {
    systems.add(systemOf(family)).add(family.system.id);
    for (const rule of [...family.rules, ...(family.documentRules ?? [])]) {
      codes.add(codeOf(family, rule));
    }
  }
  return { systems, codes };
}

/**
 * Reads the text of a `.kube-backoff.yaml`.
 *
 * Never throws: what cannot be used is a problem with its path, and the rest holds.
 */
export function readConfiguration(text: string, known: KnownNames): ReadConfiguration {
  const parsed = parseYamlDocument(text);
  const problems: ConfigurationProblem[] = (parsed?.problems ?? []).map(({ message, at }) => ({
    path: '',
    message,
    at,
  }));
  const root = parsed?.tree.root;
  if (root === undefined || (root.kind === 'scalar' && root.value === null)) {
    return { configuration: emptyConfiguration, problems };
  }
  const reader = new Reader(problems, known);
  return { configuration: reader.read(root), problems };
}

const keys = ['versions', 'gates', 'controllers', 'disabledSystems', 'severity', 'ignore'];
const severityWords: readonly string[] = [...severities, 'off'];

/** Collects values and problems while it walks; the values of bad keys are left out. */
class Reader {
  readonly #problems: ConfigurationProblem[];
  readonly #known: KnownNames;

  constructor(problems: ConfigurationProblem[], known: KnownNames) {
    this.#problems = problems;
    this.#known = known;
  }

  read(root: SourceNode): Configuration {
    const parts = new Map<string, SourceNode>();
    for (const [key, node] of this.#entries(root, `the keys ${keys.join(', ')}`)) {
      if (keys.includes(key)) parts.set(key, node);
      else this.#unknown(node, key, 'key', keys);
    }
    return frozen({
      env: {
        versions: this.#versions(parts.get('versions')),
        gates: this.#gates(parts.get('gates')),
        controllers: this.#controllers(parts.get('controllers')),
      },
      disabledSystems: this.#disabledSystems(parts.get('disabledSystems')),
      severities: this.#severities(parts.get('severity')),
      ignore: this.#ignore(parts.get('ignore')),
    });
  }

  #versions(node: SourceNode | undefined): ReadonlyMap<string, string> {
    const versions = new Map<string, string>();
    for (const [system, value] of this.#entries(node, 'a version per system')) {
      if (!this.#isSystem(value, system)) continue;
      const text = this.#text(value, 'write a version, such as "3.7.9"');
      if (text === undefined) continue;
      if (isVersion(text)) versions.set(system, text);
      else this.#problem(value, `\`${text}\` is not a version: write one such as "3.7.9"`);
    }
    return versions;
  }

  #gates(node: SourceNode | undefined): ReadonlyMap<string, boolean> {
    const gates = new Map<string, boolean>();
    for (const [gate, value] of this.#entries(node, 'true or false per feature gate')) {
      if (value.kind === 'scalar' && typeof value.value === 'boolean') gates.set(gate, value.value);
      else this.#problem(value, 'A feature gate is on or off: write true or false');
    }
    return gates;
  }

  #controllers(node: SourceNode | undefined): ReadonlyMap<string, string> {
    const controllers = new Map<string, string>();
    for (const [system, settings] of this.#entries(node, 'settings per system')) {
      if (!this.#isSystem(settings, system)) continue;
      for (const [name, value] of this.#entries(settings, 'a value per setting')) {
        const text = this.#text(value, 'write one value, such as 10m');
        if (text !== undefined) controllers.set(`${system}/${name}`, text);
      }
    }
    return controllers;
  }

  #disabledSystems(node: SourceNode | undefined): ReadonlySet<string> {
    const systems = new Set<string>();
    for (const item of this.#items(node, 'a list of systems')) {
      const system = this.#text(item, 'write the name of a system');
      if (system !== undefined && this.#isSystem(item, system)) systems.add(system);
    }
    return systems;
  }

  #severities(node: SourceNode | undefined): ReadonlyMap<string, Severity | 'off'> {
    const found = new Map<string, Severity | 'off'>();
    for (const [code, value] of this.#entries(node, 'a severity per finding code')) {
      if (!this.#isCode(value, code)) continue;
      const word = value.kind === 'scalar' ? value.text : '';
      const severity = severities.find((one) => one === word);
      if (severity !== undefined) found.set(code, severity);
      else if (word === 'off') found.set(code, 'off');
      else this.#problem(value, `Write one of ${severityWords.join(', ')}`);
    }
    return found;
  }

  #ignore(node: SourceNode | undefined): readonly IgnoreRule[] {
    return this.#items(node, 'a list of paths').flatMap((item): readonly IgnoreRule[] => {
      if (item.kind === 'scalar') {
        const path = this.#text(item, 'write a path');
        return path === undefined ? [] : [{ path }];
      }
      return this.#ignoreEntry(item);
    });
  }

  #ignoreEntry(item: SourceNode): readonly IgnoreRule[] {
    let path: string | undefined;
    let codes: readonly string[] | undefined;
    for (const [key, value] of this.#entries(
      item,
      'a path, with codes where only some are meant',
    )) {
      if (key === 'path') path = this.#text(value, 'write a path');
      else if (key === 'codes') codes = this.#codes(value);
      else this.#unknown(value, key, 'key', ['path', 'codes']);
    }
    if (path !== undefined) return [codes === undefined ? { path } : { path, codes }];
    if (item.kind === 'map' && !item.children.has('path')) {
      this.#problem(item, 'This names no path, so it ignores nothing: add `path`');
    }
    return [];
  }

  #codes(node: SourceNode): readonly string[] {
    return this.#items(node, 'a list of finding codes').flatMap((item) => {
      const code = this.#text(item, 'write a finding code');
      return code !== undefined && this.#isCode(item, code) ? [code] : [];
    });
  }

  #entries(node: SourceNode | undefined, wanted: string): Iterable<[string, SourceNode]> {
    if (isNothing(node)) return [];
    if (node.kind === 'map') return node.children;
    this.#problem(node, `Write ${wanted} here`);
    return [];
  }

  #items(node: SourceNode | undefined, wanted: string): readonly SourceNode[] {
    if (isNothing(node)) return [];
    if (node.kind === 'list') return node.items;
    this.#problem(node, `Write ${wanted} here`);
    return [];
  }

  /** As written: `1.30` stays `1.30`, quoted or not. */
  #text(node: SourceNode, wanted: string): string | undefined {
    if (node.kind === 'scalar' && node.value !== null && node.text !== '') return node.text;
    this.#problem(node, `There is no value to read here: ${wanted}`);
    return undefined;
  }

  #isSystem(node: SourceNode, system: string): boolean {
    if (this.#known.systems.has(system)) return true;
    this.#unknown(node, system, 'system', this.#known.systems);
    return false;
  }

  #isCode(node: SourceNode, code: string): boolean {
    if (this.#known.codes.has(code)) return true;
    this.#unknown(node, code, 'finding', this.#known.codes);
    return false;
  }

  #unknown(node: SourceNode, name: string, what: string, known: Iterable<string>): void {
    const all = [...known];
    const meant = nearest(name, all);
    const list = all.length > 12 ? '' : `; there are ${all.join(', ')}`;
    const hint = meant === undefined ? list : `; did you mean \`${meant}\`?`;
    this.#problem(
      node,
      `There is no ${what} called \`${name}\`, so this has no effect${hint}`,
      nameSpan(node),
    );
  }

  #problem(node: SourceNode, message: string, at: Span | undefined = node.span ?? node.key): void {
    const path = formatPath(node.path);
    this.#problems.push({ path, message, ...(at === undefined ? {} : { at }) });
  }
}

const isNothing = (node: SourceNode | undefined): node is undefined =>
  node === undefined || (node.kind === 'scalar' && node.value === null);

function frozen(configuration: Configuration): Configuration {
  Object.freeze(configuration.env);
  return Object.freeze(configuration);
}

/** The severity a configuration gives a finding. */
export const severityIn = (
  configuration: Configuration,
  finding: { readonly code: Code; readonly severity: Severity },
): Severity | 'off' => configuration.severities.get(finding.code) ?? finding.severity;
