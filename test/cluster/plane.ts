import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { openPort } from '../../client/src/cluster/kubernetesPort.ts';
import { openSession, type SessionOptions } from '../../client/src/cluster/session.ts';
import type { ClusterSession, LiveRow } from '../../client/src/cluster/sessionTypes.ts';
import { families } from '../../engine/families/index.ts';
import {
  launchControlPlane,
  type RunningControlPlane,
} from '../../scripts/controlPlane/launch.mjs';
import type { CustomKind } from '../../scripts/controlPlane/customResource.mjs';

export type Plane = RunningControlPlane;
export type User = keyof Plane['kubeconfigs'];

/** The custom kinds of the tests, in `crds/`. */
export const kinds: readonly CustomKind[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'crds/kinds.json'), 'utf8'),
) as readonly CustomKind[];

export const launch = (): Promise<Plane> => launchControlPlane({ kinds, log: console.log });

/** The objects under `objects/`, by file name: stored objects with their status. */
export function objectOf(name: string): Record<string, unknown> {
  const folder = path.join(import.meta.dirname, 'objects');
  const file = readdirSync(folder).find((one) => one.startsWith(name));
  if (file === undefined) throw new Error(`There is no object ${name}.`);
  return parse(readFileSync(path.join(folder, file), 'utf8')) as Record<string, unknown>;
}

export const placeOf = (plane: Plane, user: User) => ({
  files: [plane.kubeconfigs[user]],
  env: { PATH: process.env['PATH'] },
  home: plane.folder,
});

/** A session of one of the users, at the API server or at a proxy before it. */
export function connect(
  plane: Plane,
  user: User = 'admin',
  options: Partial<SessionOptions> = {},
  kubeconfig = plane.kubeconfigs[user],
): ClusterSession {
  const opening = openPort({ ...placeOf(plane, user), files: [kubeconfig] });
  if (!opening.ok) throw new Error(opening.problem);
  return openSession({ port: opening.port, families, ...options });
}

/** Waits until something holds of a session; says what it was like where it never does. */
export async function until(
  session: ClusterSession,
  holds: (session: ClusterSession) => boolean,
  longest = 30_000,
): Promise<void> {
  const deadline = Date.now() + longest;
  while (!holds(session)) {
    if (Date.now() > deadline) {
      const { state, rows, unseen } = session.snapshot();
      throw new Error(
        `It never came: ${JSON.stringify({ state, rows: [...rows.values()], unseen }).slice(0, 4000)}`,
      );
    }
    await delay(20);
  }
}

export const complete = (session: ClusterSession): Promise<void> =>
  until(session, (one) => one.snapshot().isComplete && one.snapshot().state.kind === 'live');

export const rowOf = (
  session: ClusterSession,
  name: string,
  family?: string,
): LiveRow | undefined =>
  [...session.snapshot().rows.values()].find(
    (row) => row.resource.name === name && (family === undefined || row.family === family),
  );
