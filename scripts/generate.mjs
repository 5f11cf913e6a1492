// @ts-check
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Writes what is derived from the families and package.json; with --check it only says what is stale. */
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
  mkdirSync(path.dirname(at), { recursive: true });
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
const files = await fromFamilies();
for (const [file, text] of files) write(file, text);
removeOthers('docs/reference', new Set(files.keys()));
if (stale > 0) process.exitCode = 1;

/**
 * The reference pages and the schema, written by the families themselves: bundled here and run at once.
 *
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
async function fromFamilies() {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'scripts/reference/generated.ts')],
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'node20',
    write: false,
    logLevel: 'warning',
  });
  const source = outputFiles[0]?.text ?? '';
  /** @type {typeof import('./reference/generated.ts')} */
  const module = await import(
    `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`
  );
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return module.generated(fixtures(), manifest);
}

function fixtures() {
  const folder = path.join(root, 'test/fixtures');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => name.split(path.sep).join('/'))
    .sort()
    .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));
}

/** A page whose family is gone. @param {string} folder @param {ReadonlySet<string>} wanted */
function removeOthers(folder, wanted) {
  for (const name of readdirSync(path.join(root, folder))) {
    const file = `${folder}/${name}`;
    if (wanted.has(file)) continue;
    if (check) {
      stale += 1;
      console.error(`${file} belongs to no family: run npm run generate`);
    } else {
      rmSync(path.join(root, file));
      console.log(`removed ${file}`);
    }
  }
}
