// @ts-check
/**
 * A real Kubernetes control plane for tests and development: etcd, API server and controller manager, no kubelet.
 *
 *   node scripts/controlPlane/install.mjs    makes sure it is there and prints where
 *
 * `KUBEBUILDER_ASSETS` is honoured, as controller-runtime's envtest does: a folder with `etcd` and
 * `kube-apiserver`. Otherwise it is built once from Debian's source package into a cache folder.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensurePackages } from '../workbench/debian.mjs';
import { withLock } from '../workbench/lock.mjs';
import { findCommand, run } from '../workbench/run.mjs';

const version = '1.20.2';

/** @param {string} name @param {string} provides */
const command = (name, provides) => ({
  name,
  isPresent: () => findCommand(provides) !== undefined,
});

const packages = [
  command('etcd-server', 'etcd'),
  command('golang-go', 'go'),
  command('rsync', 'rsync'),
  command('jq', 'jq'),
  command('make', 'make'),
  command('dpkg-dev', 'dpkg-source'),
  command('openssl', 'openssl'),
  {
    name: 'golang-github-modern-go-reflect2-dev',
    isPresent: () => existsSync(reflect2),
  },
];
const reflect2 = '/usr/share/gocode/src/github.com/modern-go/reflect2';

/**
 * @typedef {object} ControlPlane
 * @property {string} etcd
 * @property {string} apiServer
 * @property {string | undefined} controllerManager absent where the given assets have none
 */

/**
 * Installs or builds the control plane where it is not there yet.
 *
 * @param {(line: string) => void} [log]
 * @returns {Promise<ControlPlane>}
 */
export async function ensureControlPlane(log = console.log) {
  const given = process.env['KUBEBUILDER_ASSETS'];
  if (given !== undefined && given !== '') return fromAssets(given);
  const folder = cacheFolder();
  if (!existsSync(join(folder, 'complete'))) {
    await mkdir(dirname(folder), { recursive: true });
    await withLock(
      `${folder}.lock`,
      () => log('Another process is building the control plane; waiting for it.'),
      async () => {
        if (!existsSync(join(folder, 'complete'))) await install(folder, log);
      },
    );
  }
  await ensurePackages([command('etcd-server', 'etcd'), command('openssl', 'openssl')], log);
  return {
    etcd: findCommand('etcd') ?? 'etcd',
    apiServer: join(folder, 'kube-apiserver'),
    controllerManager: join(folder, 'kube-controller-manager'),
  };
}

/** @param {string} folder @returns {ControlPlane} */
function fromAssets(folder) {
  const etcd = join(folder, 'etcd');
  const apiServer = join(folder, 'kube-apiserver');
  for (const file of [etcd, apiServer]) {
    if (!existsSync(file)) {
      throw new Error(`KUBEBUILDER_ASSETS is ${folder}, but ${file} is not there.`);
    }
  }
  const manager = join(folder, 'kube-controller-manager');
  return { etcd, apiServer, controllerManager: existsSync(manager) ? manager : undefined };
}

function cacheFolder() {
  const cache =
    process.env['KUBE_BACKOFF_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kube-backoff');
  return join(cache, `control-plane-${version}-${process.platform}-${process.arch}`);
}

/**
 * @param {string} folder
 * @param {(line: string) => void} log
 */
async function install(folder, log) {
  if (process.platform !== 'linux' || findCommand('apt-get') === undefined) {
    throw new Error(
      'The control plane is built from a Debian source package. On this system, set KUBEBUILDER_ASSETS to a folder ' +
        'with etcd and kube-apiserver (controller-runtime’s setup-envtest downloads one), then try again.',
    );
  }
  await ensurePackages(packages, log);
  log(
    `Building Kubernetes ${version}'s API server and controller manager, once: about eight minutes.`,
  );
  log(`  in ${folder}`);
  const work = `${folder}.partial-${process.pid}`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  try {
    const tree = await unpackSource(work);
    await replaceReflect2(tree);
    await build(work, tree);
    const made = `${work}/made`;
    await mkdir(made);
    const bin = join(tree, '_output/local/go/bin');
    for (const name of ['kube-apiserver', 'kube-controller-manager']) {
      await cp(join(bin, name), join(made, name));
    }
    await writeFile(join(made, 'complete'), '');
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Debian's source package has the whole tree with its dependencies. The source line is derived from the machine's
 * own package configuration and kept in lists of its own.
 *
 * @param {string} work
 */
async function unpackSource(work) {
  const sites = await run('apt-get', [
    'indextargets',
    '--format',
    '$(SITE) $(RELEASE) $(COMPONENT)',
    'Created-By: Packages',
  ]);
  const line = sites
    .split('\n')
    .find((one) => /^\S+ \S+ main$/.test(one) && !/-(updates|security|backports)\b/.test(one));
  if (line === undefined)
    throw new Error('apt knows no Debian release to take the source package from.');
  const [site, release] = line.split(' ');
  const lists = join(work, 'lists');
  const sources = join(work, 'sources.list');
  await mkdir(join(lists, 'partial'), { recursive: true });
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  const signed = existsSync(keyring) ? `[signed-by=${keyring}] ` : '';
  await writeFile(sources, `deb-src ${signed}${site} ${release} main\n`);
  const options = [
    ...['-o', `Dir::Etc::SourceList=${sources}`, '-o', 'Dir::Etc::SourceParts=/dev/null'],
    ...['-o', `Dir::State::Lists=${lists}`, '-o', 'APT::Sandbox::User=root'],
  ];
  await run('apt-get', ['update', ...options]);
  await run('apt-get', ['source', '--download-only', ...options, 'kubernetes'], { cwd: work });
  const description = (await readdir(work)).find((name) => name.endsWith('.dsc'));
  if (description === undefined)
    throw new Error('The source package of Kubernetes did not arrive.');
  const tree = join(work, 'kubernetes');
  await run('dpkg-source', ['--no-check', '-x', description, tree], { cwd: work });
  return tree;
}

/**
 * The vendored version crashes under Go 1.18 and newer as soon as a custom resource is decoded.
 *
 * @param {string} tree
 */
async function replaceReflect2(tree) {
  const vendored = join(tree, 'vendor/github.com/modern-go/reflect2');
  const isSource = (/** @type {string} */ name) => /\.(go|s)$/.test(name);
  for (const name of (await readdir(vendored)).filter(isSource)) await rm(join(vendored, name));
  const fresh = (await readdir(reflect2)).filter(
    (name) => isSource(name) && !name.endsWith('_test.go'),
  );
  for (const name of fresh) await cp(join(reflect2, name), join(vendored, name));
}

/**
 * @param {string} work
 * @param {string} tree
 */
async function build(work, tree) {
  const go = join(work, 'gopath');
  const inPath = join(go, 'src/k8s.io/kubernetes');
  await mkdir(dirname(inPath), { recursive: true });
  await symlink(tree, inPath);
  await run('make', ['all', 'WHAT=cmd/kube-apiserver cmd/kube-controller-manager'], {
    cwd: inPath,
    env: {
      ...process.env,
      PWD: inPath,
      GOPATH: go,
      GOCACHE: join(work, 'gocache'),
      GOFLAGS: '',
      GO111MODULE: 'off',
      CGO_ENABLED: '0',
      KUBE_GIT_VERSION: `v${version}`,
      KUBE_GIT_TREE_STATE: 'archive',
      KUBE_GIT_COMMIT: 'none',
    },
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(await ensureControlPlane());
}
