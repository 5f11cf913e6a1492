// @ts-check
/** A control plane on this machine with objects that fail, for trying the live panel on something real. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { launchControlPlane } from './controlPlane/launch.mjs';
import { repository } from './setup.mjs';

/** @typedef {import('./controlPlane/launch.mjs').RunningControlPlane} RunningControlPlane */
/** @typedef {{ group: string, version: string, kind: string, plural: string }} Kind */
/** @typedef {{ type: Kind, object: any }} Made */

const contextName = 'local-failing';

/**
 * Starts it, creates the custom resources of the demo and two Jobs, and lets every pod of the Jobs fail: the Job
 * controller is the real one, and waits as it does everywhere.
 *
 * @param {(line: string) => void} log
 * @returns {Promise<{ kubeconfig: string, stop: () => Promise<void> }>}
 */
export async function launchFailingCluster(log) {
  const { kinds, objects } = await demoObjects();
  log('Starting a control plane on this machine.');
  const plane = await launchControlPlane({ kinds, log });
  const timer = setInterval(() => void failPods(plane), 2_000);
  const stop = async () => {
    clearInterval(timer);
    await plane.stop();
  };
  try {
    for (const { object } of objects) await createWithChildren(plane, object, objects);
    for (const [name, limit] of /** @type {const} */ ([
      ['nightly-report', 6],
      ['import-orders', 20],
    ])) {
      await plane.create(job(name, limit));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { kubeconfig: await named(plane), stop };
}

/** A kubeconfig whose context says what it is. @param {RunningControlPlane} plane */
async function named(plane) {
  const config = JSON.parse(await readFile(plane.kubeconfigs.admin, 'utf8'));
  config['current-context'] = contextName;
  for (const context of config.contexts) context.name = contextName;
  const file = join(plane.folder, 'failing.kubeconfig');
  await writeFile(file, JSON.stringify(config, null, 2), { mode: 0o600 });
  return file;
}

/** The demo's own objects, as they are at this moment; what Kubernetes itself runs is left out. */
async function demoObjects() {
  const file = join(tmpdir(), `kube-backoff-demo-${process.pid}.mjs`);
  const result = await build({
    stdin: {
      contents: `export { actors } from './client/src/cluster/demoResources.ts';
export { timesFrom } from './client/src/cluster/demoScene.ts';`,
      resolveDir: repository,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'warning',
  });
  await writeFile(file, result.outputFiles[0]?.contents ?? '');
  try {
    const { actors, timesFrom } = await import(pathToFileURL(file).href);
    const at = timesFrom(Math.floor(Date.now() / 1000) * 1000);
    /** @type {readonly Made[]} */
    const all = actors.flatMap((/** @type {any} */ actor) => actor(0, at).objects);
    const isOwn = (/** @type {Kind} */ { group }) => group !== '' && group !== 'batch';
    /** @type {Map<string, Kind>} */
    const kinds = new Map();
    for (const { type } of all) if (isOwn(type)) kinds.set(`${type.group}/${type.kind}`, type);
    return {
      kinds: [...kinds.values()],
      objects: all.filter(({ type, object }) => isOwn(type) || isChildJob(object)),
    };
  } finally {
    await rm(file, { force: true });
  }
}

const isChildJob = (/** @type {any} */ object) =>
  object.kind === 'Job' && object.metadata.ownerReferences !== undefined;

/**
 * Creates an object, and then what it owns, which has to carry its new uid: the garbage collector is real too.
 *
 * @param {RunningControlPlane} plane
 * @param {any} object
 * @param {readonly Made[]} all
 */
async function createWithChildren(plane, object, all) {
  if (isChildJob(object)) return;
  const { uid: former, ...metadata } = object.metadata;
  const made = await plane.create({ ...object, metadata });
  for (const { object: child } of all) {
    if (!isChildJob(child) || child.metadata.ownerReferences[0].uid !== former) continue;
    const { uid: _, ...rest } = child.metadata;
    const [owner] = rest.ownerReferences;
    await plane.create({
      ...child,
      metadata: { ...rest, ownerReferences: [{ ...owner, uid: made.metadata.uid }] },
      // These Jobs have ended already: the Job controller is to start no pod for them.
      spec: { ...job('', 0).spec, parallelism: 0 },
    });
  }
}

/** @param {string} name @param {number} backoffLimit */
const job = (name, backoffLimit) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'batch' },
  spec: {
    backoffLimit,
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'registry.example.test/report:1' }],
      },
    },
  },
});

/** There is no kubelet here: what one would do with a pod whose container fails. @param {RunningControlPlane} plane */
async function failPods(plane) {
  try {
    const { body } = await plane.api('GET', '/api/v1/namespaces/batch/pods');
    for (const { metadata, status } of body.items ?? []) {
      if (status.phase !== 'Pending') continue;
      const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      await plane.api(
        'PATCH',
        `/api/v1/namespaces/batch/pods/${metadata.name}/status`,
        {
          status: {
            phase: 'Failed',
            containerStatuses: [
              {
                name: 'main',
                image: 'registry.example.test/report:1',
                imageID: '',
                ready: false,
                restartCount: 0,
                state: {
                  terminated: {
                    exitCode: 2,
                    reason: 'Error',
                    startedAt: metadata.creationTimestamp,
                    finishedAt: now,
                  },
                },
              },
            ],
          },
        },
        'application/merge-patch+json',
      );
    }
  } catch {
    // The control plane is being stopped, or not there yet: the next turn sees.
  }
}
