import { estimateWorkQueue } from '../../../engine/estimate.ts';
import { emptyEnvironment } from '../../../engine/environment.ts';
import { families } from '../../../engine/families/index.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import type { LiveState, ResourceRef, ResourceType } from '../../../engine/live.ts';
import { itemsOf, nodeAt, textAt, type SourceNode } from '../../../engine/source.ts';
import { ms, seconds } from '../../../engine/units.ts';
import type { Clock } from '../cluster/clock.ts';
import { listIn, textIn } from '../cluster/json.ts';
import type { ClusterPort } from '../cluster/port.ts';
import type {
  ClusterSession,
  LiveRow,
  SessionChange,
  SessionSnapshot,
} from '../cluster/sessionTypes.ts';

/** A session that lists everything anew every second: enough for objects that are made on this machine. */
export function directSession(port: ClusterPort, clock: Clock): ClusterSession {
  const listeners = new Set<(change: SessionChange) => void>();
  const objects = new Map<string, unknown>();
  let snapshot: SessionSnapshot = {
    context: port.context,
    state: { kind: 'connecting', since: clock.now() },
    rows: new Map(),
    idle: 0,
    unseen: [],
    versions: [],
    clockSkew: ms(0),
    checkedAt: clock.now(),
    isComplete: false,
  };
  let stop = (): void => undefined;
  let isPaused = false;

  const round = async (): Promise<void> => {
    const fresh = await read(port, clock);
    if (isPaused) return;
    objects.clear();
    for (const one of fresh.objects) objects.set(keyOf(refOf(one)), one);
    const changed = [...fresh.rows.values()].filter(
      (row) => JSON.stringify(row.state) !== JSON.stringify(snapshot.rows.get(row.key)?.state),
    );
    const removed = [...snapshot.rows.keys()].filter((key) => !fresh.rows.has(key));
    const about = !snapshot.isComplete;
    snapshot = {
      ...snapshot,
      state: { kind: 'live', since: clock.now() },
      rows: fresh.rows,
      idle: fresh.idle,
      unseen: fresh.unseen,
      checkedAt: clock.now(),
      isComplete: true,
    };
    if (changed.length + removed.length > 0 || about) {
      for (const listener of listeners) listener({ changed, removed, about });
    }
    stop = clock.after(seconds(1), () => void round());
  };
  void round();
  return {
    snapshot: () => snapshot,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pause: () => {
      isPaused = true;
      stop();
    },
    resume: () => {
      if (!isPaused) return;
      isPaused = false;
      void round();
    },
    object: (ref) => objects.get(keyOf(ref)),
    history: () => Promise.resolve([]),
    dispose: () => {
      isPaused = true;
      stop();
    },
  };
}

const keyOf = ({ kind, namespace, name }: ResourceRef): string =>
  `${kind}/${namespace ?? ''}/${name ?? ''}`;

const refOf = (object: unknown): ResourceRef => {
  const namespace = textIn(object, 'metadata', 'namespace');
  return {
    apiVersion: textIn(object, 'apiVersion') ?? '',
    kind: textIn(object, 'kind') ?? '',
    name: textIn(object, 'metadata', 'name') ?? '',
    ...(namespace === undefined ? {} : { namespace }),
  };
};

async function read(port: ClusterPort, clock: Clock) {
  const rows = new Map<string, LiveRow>();
  const unseen: SessionSnapshot['unseen'][number][] = [];
  const all: { readonly object: unknown; readonly plural: string }[] = [];
  let idle = 0;
  const types = await discovered(port);
  for (const { group, version, plural } of types) {
    const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const result = await port.request({ method: 'GET', path: `${base}/${plural}` });
    if (result.ok) {
      for (const object of listIn(result.answer.body, 'items')) all.push({ object, plural });
    } else {
      const resource = group === '' ? plural : `${plural}.${group}`;
      unseen.push({ resource, why: 'forbidden', detail: result.failure.detail });
    }
  }
  const trees = all.map(({ object, plural }) => ({ node: jsonTree(object).root, object, plural }));
  const ownedBy = (ref: ResourceRef, type: ResourceType): readonly SourceNode[] =>
    trees
      .filter(({ plural, node }) => plural === type.plural && isAbout(node, ref))
      .map(({ node }) => node);
  for (const { object, node } of trees) {
    const ref = refOf(object);
    const uid = textIn(object, 'metadata', 'uid') ?? '';
    const found: {
      readonly family: string;
      readonly state: LiveState;
      readonly estimate: boolean;
    }[] = [];
    const input = {
      object: node,
      ref,
      view: {
        get: (wanted: ResourceRef) =>
          trees.find((one) => keyOf(refOf(one.object)) === keyOf(wanted))?.node,
        related: ownedBy,
      },
      env: emptyEnvironment,
      now: clock.now(),
    };
    for (const family of families) {
      if (family.live?.reads.some(({ kind }) => kind === ref.kind) !== true) continue;
      for (const state of family.live.read(input)) {
        found.push({ family: family.id, state, estimate: false });
      }
    }
    const state = found.length > 0 ? undefined : estimateWorkQueue(input);
    if (state !== undefined) {
      found.push({ family: 'controller-runtime/work-queue', state: { state }, estimate: true });
    }
    for (const one of found) {
      if (one.state.state.kind === 'idle') {
        idle += 1;
        continue;
      }
      const key = `${uid}/${one.family}/${one.state.part ?? ''}`;
      rows.set(key, {
        key,
        family: one.family,
        resource: ref,
        uid,
        ...(one.state.part === undefined ? {} : { part: one.state.part }),
        state: one.state.state,
        isEstimate: one.estimate,
      });
    }
  }
  return { rows, idle, unseen, objects: all.map(({ object }) => object) };
}

async function discovered(port: ClusterPort): Promise<readonly ResourceType[]> {
  const groups = await port.request({ method: 'GET', path: '/apis' });
  const names = groups.ok
    ? listIn(groups.answer.body, 'groups').map(
        (one) => textIn(one, 'preferredVersion', 'groupVersion') ?? '',
      )
    : [];
  const types: ResourceType[] = [];
  for (const name of ['v1', ...names]) {
    const path = name === 'v1' ? '/api/v1' : `/apis/${name}`;
    const result = await port.request({ method: 'GET', path });
    if (!result.ok) continue;
    const [group = '', version = ''] = name.includes('/') ? name.split('/') : ['', name];
    for (const one of listIn(result.answer.body, 'resources')) {
      types.push({
        group,
        version,
        kind: textIn(one, 'kind') ?? '',
        plural: textIn(one, 'name') ?? '',
      });
    }
  }
  return types;
}

function isAbout(node: SourceNode, { kind, name, namespace }: ResourceRef): boolean {
  if (textAt(node, 'metadata', 'namespace') !== namespace) return false;
  const about = nodeAt(node, ['involvedObject']);
  if (about !== undefined) return textAt(about, 'kind') === kind && textAt(about, 'name') === name;
  return itemsOf(nodeAt(node, ['metadata', 'ownerReferences'])).some(
    (owner) => textAt(owner, 'kind') === kind && textAt(owner, 'name') === name,
  );
}
