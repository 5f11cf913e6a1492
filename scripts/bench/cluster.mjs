// @ts-check
/**
 * `node scripts/bench/cluster.mjs`: a session against a real API server with 20,000 custom resources.
 *
 * Every time is a ratio to reading the same list raw and in pages, as `kubectl get --raw` does, in the same run.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { launchControlPlane } from '../controlPlane/launch.mjs';
import { repository } from '../setup.mjs';

export const objects = 20_000;
export const failing = 2_000;
const rounds = 3;
export const kind = {
  group: 'cert-manager.io',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
  plainStatus: true,
};
export const collection = `/apis/${kind.group}/${kind.version}/${kind.plural}`;

setFlagsFromString('--expose-gc');
/** @type {() => void} */
const collect = runInNewContext('gc');

/**
 * @typedef {object} Line
 * @property {readonly string[]} cells
 * @property {boolean | undefined} holds
 */

/** @returns {Promise<readonly Line[]>} */
export async function benchCluster() {
  const tools = await bundled();
  const plane = await launchControlPlane({ kinds: [kind], controllerManager: false });
  try {
    await plane.seed(
      kind.plural,
      Array.from({ length: objects }, (_, index) => certificate(index)),
    );
    const raw = [];
    const runs = [];
    for (let round = 0; round < rounds; round += 1) {
      raw.push(await rawList(plane));
      runs.push(await session(tools, plane));
    }
    const best = (/** @type {readonly number[]} */ times) => Math.min(...times);
    const rawTime = best(raw);
    const complete = best(runs.map((run) => run.complete));
    const planning = best(runs.map((run) => run.firstPage));
    const afterPage = best(runs.map((run) => run.firstRows - run.firstPage));
    const heap = best(runs.map((run) => run.heap));
    const readTime = reading(tools);
    const wrong = runs.find((run) => run.rows !== failing);
    return [
      line(`raw list of ${objects} in pages`, ms(rawTime), '', undefined),
      line(
        'complete, to the raw list',
        ms(complete),
        `${(complete / rawTime).toFixed(2)}x of 1.5x`,
        complete <= 1.5 * rawTime,
      ),
      line('first page, from nothing', ms(planning), '', undefined),
      line('first rows after the first page', ms(afterPage), 'of 1000 ms', afterPage < 1000),
      line('heap growth', `${(heap / 2 ** 20).toFixed(1)} MB`, 'of 60 MB', heap < 60 * 2 ** 20),
      line(`reading ${objects} states`, ms(readTime), 'of 150 ms', readTime < 150),
      line('rows', String(runs[0]?.rows), `of ${failing}`, wrong === undefined),
    ];
  } finally {
    await plane.stop();
  }
}

/** @param {string} name @param {string} value @param {string} limit @param {boolean | undefined} holds @returns {Line} */
export const line = (name, value, limit, holds) => ({
  cells: ['cluster', name, value, limit],
  holds,
});

export const ms = (/** @type {number} */ time) => `${time.toFixed(0)} ms`;

/** The session as it is built for the command, with what the measurement needs beside it. */
async function bundled() {
  const folder = path.join(repository, '.artefacts/bench');
  await mkdir(folder, { recursive: true });
  const entry = path.join(folder, 'clusterEntry.ts');
  const from = (/** @type {string} */ file) => JSON.stringify(path.join(repository, file));
  await writeFile(
    entry,
    [
      `export { openPort } from ${from('client/src/cluster/kubernetesPort.ts')};`,
      `export { openSession } from ${from('client/src/cluster/session.ts')};`,
      `export { liveKinds } from ${from('client/src/cluster/liveKinds.ts')};`,
      `export { readRows } from ${from('client/src/cluster/readRows.ts')};`,
      `export { families } from ${from('engine/families/index.ts')};`,
      `export { emptyEnvironment } from ${from('engine/environment.ts')};`,
      `export { emptyView } from ${from('engine/live.ts')};`,
    ].join('\n'),
  );
  const outfile = path.join(folder, 'cluster.mjs');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    minify: true,
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as kbRequire } from 'node:module'; const require = kbRequire(import.meta.url);",
    },
  });
  return import(pathToFileURL(outfile).href);
}

/** @param {number} index */
export function certificate(index) {
  const isFailing = index % (objects / failing) === 0;
  const name = `certificate-${String(index).padStart(5, '0')}`;
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: {
      name,
      namespace: `team-${index % 20}`,
      labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'meta.helm.sh/release-name': name, note: 'x'.repeat(300) },
    },
    spec: {
      secretName: `${name}-tls`,
      dnsNames: [`${name}.example.test`, `www.${name}.example.test`],
      duration: '2160h0m0s',
      renewBefore: '360h0m0s',
      issuerRef: { group: 'cert-manager.io', kind: 'ClusterIssuer', name: 'acme' },
      usages: ['digital signature', 'key encipherment'],
    },
    status: isFailing
      ? {
          failedIssuanceAttempts: 1 + (index % 7),
          lastFailureTime: '2026-01-10T08:00:00Z',
          conditions: [
            condition('Ready', 'False', 'DoesNotExist'),
            condition('Issuing', 'False', 'Failed'),
          ],
        }
      : {
          notBefore: '2026-01-01T00:00:00Z',
          notAfter: '2099-04-01T00:00:00Z',
          renewalTime: '2099-03-01T00:00:00Z',
          revision: 4,
          conditions: [condition('Ready', 'True', 'Ready')],
        },
  };
}

/** @param {string} type @param {string} status @param {string} reason */
const condition = (type, status, reason) => ({
  type,
  status,
  reason,
  message: 'Certificate is as its conditions say, and this is the text that says so',
  lastTransitionTime: '2026-01-10T08:00:00Z',
  observedGeneration: 1,
});

/**
 * What no client can be quicker than: the same pages over one connection, and nothing done with them.
 *
 * @param {import('../controlPlane/launch.mjs').RunningControlPlane} plane
 */
export async function rawList(plane) {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const headers = { authorization: `Bearer ${plane.tokens.admin}` };
  const start = performance.now();
  let token = '';
  do {
    const query = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
    const text = await read(
      request(`${plane.server}${collection}?limit=500${query}`, { agent, headers }),
    );
    // The API server writes the metadata of such lists last.
    token = /"continue":"([^"]*)"/.exec(text.slice(-2000))?.[1] ?? '';
  } while (token !== '');
  const time = performance.now() - start;
  agent.destroy();
  return time;
}

/** @param {import('node:http').ClientRequest} outgoing @returns {Promise<string>} */
function read(outgoing) {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (/** @type {string} */ chunk) => (text += chunk));
      incoming.on('error', reject);
      incoming.on('end', () => resolve(text));
    });
    outgoing.end();
  });
}

/**
 * @param {any} tools
 * @param {import('../controlPlane/launch.mjs').RunningControlPlane} plane
 */
async function session(tools, plane) {
  const { openPort, openSession, families } = tools;
  const place = { files: [plane.kubeconfigs.admin], env: {}, home: '/' };
  collect();
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  const { port } = openPort(place);
  let firstPage = 0;
  const timed = {
    ...port,
    request: async (/** @type {any} */ asked) => {
      const result = await port.request(asked);
      if (asked.path === collection && firstPage === 0) firstPage = performance.now() - start;
      return result;
    },
  };
  const one = openSession({ port: timed, families });
  let firstRows = 0;
  let complete = 0;
  await new Promise((resolve) => {
    one.subscribe((/** @type {any} */ change) => {
      if (firstRows === 0 && change.changed.length > 0) firstRows = performance.now() - start;
      if (!one.snapshot().isComplete) return;
      complete = performance.now() - start;
      resolve(undefined);
    });
  });
  collect();
  const heap = process.memoryUsage().heapUsed - before;
  const rows = one.snapshot().rows.size;
  one.dispose();
  return { firstPage, firstRows, complete, heap, rows };
}

/** The engine's own share: parsed objects to states. @param {any} tools */
function reading({ liveKinds, readRows, families, emptyEnvironment, emptyView }) {
  const kinds = liveKinds(families);
  const made = Array.from({ length: objects }, (_, index) => certificate(index));
  const now = Date.parse('2026-01-10T09:00:00Z');
  const once = () => {
    const start = performance.now();
    for (const object of made) {
      const { name, namespace } = object.metadata;
      const ref = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', namespace, name };
      readRows(
        { object, ref, uid: name, view: emptyView, env: emptyEnvironment, now },
        kinds,
        false,
      );
    }
    return performance.now() - start;
  };
  return Math.min(once(), once(), once());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { cells, holds } of await benchCluster()) {
    console.log(`${holds === false ? '✗' : holds === true ? '✓' : ' '} ${cells.join('  ')}`);
  }
}
