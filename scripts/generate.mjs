// @ts-check
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Writes what is derived from the families' file names; with --check it only says what is stale. */
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const check = process.argv.includes('--check');
let stale = 0;

/** @param {string} file @param {string} text */
function write(file, text) {
  const at = path.join(root, file);
  let old = '';
  try {
    old = readFileSync(at, 'utf8');
  } catch {
    old = '';
  }
  if (old === text) return;
  if (check) {
    stale += 1;
    console.error(`${file} is stale: run npm run generate`);
    return;
  }
  writeFileSync(at, text);
  console.log(`wrote ${file}`);
}

function familyIndex() {
  const folder = path.join(root, 'engine/families');
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) =>
      readdirSync(path.join(folder, entry.name))
        .filter((name) => name.endsWith('.family.ts'))
        .map((name) => `${entry.name}/${name}`),
    )
    .sort();
  /** @param {string} file */
  const nameOf = (file) =>
    file.replace('.family.ts', '').replace(/[-/](\w)/g, (_, letter) => letter.toUpperCase());
  const imports = files.map((file) => `import { family as ${nameOf(file)} } from './${file}';`);
  const names = files.map((file) => `  ${nameOf(file)},`);
  return [
    "import type { PolicyFamily } from '../family.ts';",
    ...imports,
    '',
    '/** Every family there is, in the order of their ids. Generated: `npm run generate`. */',
    'export const families: readonly PolicyFamily[] = [',
    ...names,
    '];',
    '',
  ].join('\n');
}

function projectModule() {
  const { version, repository } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return [
    '/** What package.json says of the project. Generated: `npm run generate`. */',
    `export const version = '${version}';`,
    `export const repository = '${repository.url.replace(/^git\+|\.git$/g, '')}';`,
    '',
  ].join('\n');
}

write('engine/families/index.ts', familyIndex());
write('engine/project.ts', projectModule());
if (stale > 0) process.exitCode = 1;
