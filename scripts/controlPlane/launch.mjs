// @ts-check
/**
 * Starts a real control plane on free ports of 127.0.0.1, with its data in a temporary folder.
 *
 * Its users are real too, so that access rules can be tested: `admin`; `viewer`, who may list namespaces and read
 * everything in `team-a` alone; `nobody`.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from '../workbench/run.mjs';
import { customResource } from './customResource.mjs';
import { compact, seed } from './etcd.mjs';
import { call, plain } from './http.mjs';
import { ensureControlPlane } from './install.mjs';
import { freePorts, startService } from './processes.mjs';

/** @typedef {import('./customResource.mjs').CustomKind} CustomKind */
/** @typedef {import('./http.mjs').Answer} Answer */
/** @typedef {'admin' | 'viewer' | 'nobody'} User */

/**
 * @typedef {object} RunningControlPlane
 * @property {string} server
 * @property {string} folder
 * @property {string} auditLog one JSON object per request, one per line
 * @property {Readonly<Record<User, string>>} kubeconfigs a file for each user
 * @property {Readonly<Record<User, string>>} tokens
 * @property {(method: string, path: string, body?: unknown, contentType?: string) => Promise<Answer>} api as admin
 * @property {(object: any) => Promise<any>} create makes an object, and its namespace; its status is written too
 * @property {(kinds: readonly CustomKind[]) => Promise<void>} addKinds
 * @property {(between?: () => Promise<void>) => Promise<void>} restartApiServer at the same port
 * @property {(plural: string, objects: readonly any[]) => Promise<void>} seed writes many objects at once
 * @property {() => Promise<void>} compact forgets every version but the newest
 * @property {() => Promise<void>} stop
 */

const users = /** @type {const} */ (['admin', 'viewer', 'nobody']);

/**
 * @param {object} [options]
 * @param {readonly CustomKind[]} [options.kinds]
 * @param {boolean} [options.controllerManager] whether Jobs get their pods; on by default
 * @param {(line: string) => void} [options.log]
 * @returns {Promise<RunningControlPlane>}
 */
export async function launchControlPlane(options = {}) {
  const { kinds = [], log = () => undefined } = options;
  const binaries = await ensureControlPlane(log);
  const folder = await mkdtemp(join(tmpdir(), 'kube-backoff-control-plane-'));
  const [etcdPort = 0, etcdPeerPort = 0, apiPort = 0, managerPort = 0] = await freePorts(4);
  const inFolder = (/** @type {string} */ name) => join(folder, name);
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const server = `https://127.0.0.1:${apiPort}`;
  const auditLog = inFolder('audit.log');
  /** @type {import('./processes.mjs').Service[]} */
  const services = [];
  const stop = async () => {
    await Promise.all(services.map((service) => service.stop()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    const tokens = await writeIdentities(folder);
    services.push(
      await startService(
        binaries.etcd,
        [
          ...['--name', 'kube-backoff', '--data-dir', inFolder('etcd'), '--unsafe-no-fsync'],
          ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
          ...['--listen-peer-urls', `http://127.0.0.1:${etcdPeerPort}`],
          ...['--initial-advertise-peer-urls', `http://127.0.0.1:${etcdPeerPort}`],
          ...['--initial-cluster', `kube-backoff=http://127.0.0.1:${etcdPeerPort}`],
          ...['--auto-compaction-retention', '0', '--log-level', 'warn'],
        ],
        inFolder('etcd.log'),
      ),
    );
    await until('etcd', inFolder('etcd.log'), async () => {
      const { status } = await plain(`${etcdUrl}/health`, 'GET');
      return status === 200;
    });
    const startApiServer = async () =>
      startService(
        binaries.apiServer,
        [
          `--etcd-servers=${etcdUrl}`,
          '--bind-address=127.0.0.1',
          `--secure-port=${apiPort}`,
          `--cert-dir=${inFolder('certificates')}`,
          `--token-auth-file=${inFolder('tokens.csv')}`,
          '--authorization-mode=RBAC',
          `--service-account-key-file=${inFolder('service-accounts.pub')}`,
          `--service-account-signing-key-file=${inFolder('service-accounts.key')}`,
          '--service-account-issuer=https://kubernetes.default.svc',
          '--api-audiences=api',
          '--service-cluster-ip-range=10.0.0.0/24',
          '--disable-admission-plugins=ServiceAccount',
          '--allow-privileged=true',
          '--endpoint-reconciler-type=none',
          `--audit-policy-file=${inFolder('audit.json')}`,
          `--audit-log-path=${auditLog}`,
          '--audit-log-mode=blocking',
        ],
        inFolder('api-server.log'),
      );
    let apiServer = await startApiServer();
    services.push({ isRunning: () => true, stop: (signal) => apiServer.stop(signal) });

    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
    /** @type {RunningControlPlane['api']} */
    const api = (method, path, body, contentType) =>
      call(`${server}${path}`, method, tokens.admin, agent, body, contentType);
    const isReady = () =>
      until('the API server', inFolder('api-server.log'), async () => {
        const { status } = await api('GET', '/readyz');
        return status === 200;
      });
    await isReady();
    await copyFile(inFolder('certificates/apiserver.crt'), inFolder('ca.crt'));
    const kubeconfigs = await writeKubeconfigs(folder, server, tokens);
    const must = mustSucceed(api);
    await grantViewer(must);
    if (options.controllerManager !== false && binaries.controllerManager !== undefined) {
      services.push(
        await startService(
          binaries.controllerManager,
          [
            `--kubeconfig=${kubeconfigs.admin}`,
            `--service-account-private-key-file=${inFolder('service-accounts.key')}`,
            '--leader-elect=false',
            '--controllers=*',
            '--bind-address=127.0.0.1',
            `--secure-port=${managerPort}`,
            '--port=0',
            `--cert-dir=${inFolder('manager-certificates')}`,
          ],
          inFolder('controller-manager.log'),
        ),
      );
    }
    const addKinds = async (/** @type {readonly CustomKind[]} */ wanted) => {
      await Promise.all(wanted.map((kind) => addKind(must, api, kind)));
    };
    await addKinds(kinds);
    return {
      server,
      folder,
      auditLog,
      kubeconfigs,
      tokens,
      api,
      create: (object) => create(must, api, object),
      addKinds,
      restartApiServer: async (between = async () => undefined) => {
        // A gentle end would wait a minute for the watches of clients that never leave.
        await apiServer.stop('SIGKILL');
        await between();
        apiServer = await startApiServer();
        await isReady();
      },
      seed: (plural, objects) => seed(etcdUrl, plural, objects),
      compact: () => compact(etcdUrl),
      stop: async () => {
        agent.destroy();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Tokens, the key pair for service accounts and the audit policy. @param {string} folder */
async function writeIdentities(folder) {
  const tokens = { admin: token(), viewer: token(), nobody: token() };
  const groups = { admin: 'system:masters', viewer: 'viewers', nobody: 'nobodies' };
  const lines = users.map((user) => `${tokens[user]},${user},${user},${groups[user]}\n`);
  await writeFile(join(folder, 'tokens.csv'), lines.join(''), { mode: 0o600 });
  const key = join(folder, 'service-accounts.key');
  await run('openssl', ['genrsa', '-out', key, '2048']);
  await run('openssl', [
    ...['rsa', '-in', key, '-pubout', '-out', join(folder, 'service-accounts.pub')],
  ]);
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [
      { level: 'None', userGroups: ['system:nodes', 'system:serviceaccounts'] },
      { level: 'Request', verbs: ['patch', 'update', 'create', 'delete'] },
      { level: 'Metadata' },
    ],
  };
  await writeFile(join(folder, 'audit.json'), JSON.stringify(policy));
  await mkdir(join(folder, 'certificates'));
  return tokens;
}

const token = () => Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url');

/**
 * @param {string} folder
 * @param {string} server
 * @param {Readonly<Record<User, string>>} tokens
 */
async function writeKubeconfigs(folder, server, tokens) {
  const kubeconfigs = { admin: '', viewer: '', nobody: '' };
  for (const user of users) {
    const file = join(folder, `${user}.kubeconfig`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': user,
      contexts: [{ name: user, context: { cluster: 'local', user } }],
      clusters: [{ name: 'local', cluster: { server, 'certificate-authority': 'ca.crt' } }],
      users: [{ name: user, user: { token: tokens[user] } }],
    };
    await writeFile(file, JSON.stringify(config, null, 2), { mode: 0o600 });
    kubeconfigs[user] = file;
  }
  return kubeconfigs;
}

/** @typedef {(method: string, path: string, body?: unknown, contentType?: string) => Promise<any>} Must */

/** @param {RunningControlPlane['api']} api @returns {Must} */
const mustSucceed = (api) => async (method, path, body, contentType) => {
  const { status, body: result } = await api(method, path, body, contentType);
  if (status >= 300) {
    throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(result)}`);
  }
  return result;
};

/** @param {Must} must */
async function grantViewer(must) {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ apiGroup, kind: 'User', name: 'viewer' }];
  const read = ['get', 'list', 'watch'];
  await must('POST', '/api/v1/namespaces', { metadata: { name: 'team-a' } });
  await must('POST', `${rbac}/clusterroles`, {
    metadata: { name: 'read-namespaces' },
    rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: read }],
  });
  await must('POST', `${rbac}/clusterroles`, {
    metadata: { name: 'read-everything' },
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: read }],
  });
  await must('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name: 'viewer-reads-namespaces' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'read-namespaces' },
    subjects,
  });
  await must('POST', `${rbac}/namespaces/team-a/rolebindings`, {
    metadata: { name: 'viewer-reads-team-a' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'read-everything' },
    subjects,
  });
}

/**
 * @param {Must} must
 * @param {RunningControlPlane['api']} api
 * @param {CustomKind} kind
 */
async function addKind(must, api, kind) {
  const { group, version, plural } = kind;
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await must('POST', path, customResource(kind));
  await until(`the kind ${kind.kind}`, undefined, async () => {
    const { status } = await api('GET', `/apis/${group}/${version}/${plural}`);
    // The list of a group's kinds comes later, when there are several of them.
    const { body } = await api('GET', `/apis/${group}/${version}`);
    const listed = body.resources?.some((/** @type {any} */ { name }) => name === plural);
    return status === 200 && listed === true;
  });
}

/** @type {Map<string, { readonly plural: string, readonly namespaced: boolean, readonly hasStatus: boolean }>} */
const places = new Map();

/**
 * Creates an object with its status, and its namespace where that is not there yet.
 *
 * @param {Must} must
 * @param {RunningControlPlane['api']} api
 * @param {any} object
 */
async function create(must, api, object) {
  const { apiVersion, kind, metadata, status } = object;
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const key = `${base} ${kind}`;
  let place = places.get(key);
  if (place === undefined) {
    const { resources } = await must('GET', base);
    const found = resources.find(
      (/** @type {any} */ one) => one.kind === kind && !one.name.includes('/'),
    );
    if (found === undefined) throw new Error(`The API server does not serve ${key}.`);
    const hasStatus = resources.some(
      (/** @type {any} */ one) => one.name === `${found.name}/status`,
    );
    place = { plural: found.name, namespaced: found.namespaced, hasStatus };
    places.set(key, place);
  }
  const namespace = metadata.namespace ?? 'default';
  const folder = place.namespaced
    ? `${base}/namespaces/${namespace}/${place.plural}`
    : `${base}/${place.plural}`;
  let answer = await api('POST', folder, object);
  if (answer.status === 404 && place.namespaced) {
    await api('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    answer = await api('POST', folder, object);
  }
  if (answer.status >= 300) {
    throw new Error(`creating ${kind} ${metadata.name}: ${JSON.stringify(answer.body)}`);
  }
  if (status === undefined || !place.hasStatus) return answer.body;
  const at = `${folder}/${answer.body.metadata.name}/status`;
  return must('PATCH', at, { status }, 'application/merge-patch+json');
}

/**
 * @param {string} name
 * @param {string | undefined} log
 * @param {() => Promise<boolean>} isThere
 */
async function until(name, log, isThere) {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    try {
      if (await isThere()) return;
    } catch {
      // Not listening yet.
    }
    await delay(50);
  }
  const tail = log === undefined ? '' : (await readFile(log, 'utf8')).slice(-3000);
  throw new Error(`${name} did not get ready within a minute.\n${tail}`);
}
