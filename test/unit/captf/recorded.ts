import { jobsLive } from '../../../engine/families/captf/jobsLive.ts';
import { jsonTree } from '../../../engine/jsonTree.ts';
import type { LiveBackoff, LiveReader, LiveState, ResourceRef } from '../../../engine/live.ts';
import { child, textAt, type SourceNode } from '../../../engine/source.ts';
import { instant, type Instant } from '../../../engine/units.ts';
import { environment } from '../../support/analyse.ts';

const group = 'captf.infrastructure.cluster.x-k8s.io';
export const uid = '5f1d3c2a-0000-4000-8000-00000000000a';

export const at = (clock: string): Instant => instant(Date.parse(`2026-10-01T${clock}Z`));

type Marks = Readonly<Record<string, string>>;

/** A finished or running Job, as CAPTF labels and marks it. */
export function job(
  op: string,
  sequence: number,
  end:
    | 'running'
    | { readonly at: string; readonly as?: 'Complete' | 'Failed'; readonly reason?: string },
  marks: Marks = {},
  owner = uid,
): unknown {
  const conditions =
    end === 'running'
      ? []
      : [
          {
            type: end.as ?? 'Failed',
            status: 'True',
            reason: end.reason ?? 'BackoffLimitExceeded',
            lastTransitionTime: `2026-10-01T${end.at}Z`,
          },
        ];
  const bookkept = end === 'running' ? {} : { 'captf.io/bookkept': 'true' };
  const annotations = Object.fromEntries(
    Object.entries(marks).map(([key, value]) => [`captf.io/${key}`, value]),
  );
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `captf-c-prod-${op}-a${String(sequence)}-0f1e2d`,
      namespace: 'team-a',
      creationTimestamp: '2026-10-01T09:00:00Z',
      labels: {
        [`${group}/op`]: op,
        [`${group}/attempt`]: String(sequence),
        [`${group}/owner-kind`]: 'TerraformCluster',
        [`${group}/owner-name`]: 'prod',
        'captf.io/managed': 'true',
      },
      annotations: { ...bookkept, ...annotations },
      ownerReferences: [{ kind: 'TerraformCluster', name: 'prod', uid: owner, controller: true }],
    },
    status: { conditions },
  };
}

export type Recorded = {
  readonly kind?: string;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly jobs?: readonly unknown[];
  readonly events?: readonly unknown[];
  readonly others?: readonly unknown[];
  readonly now?: string;
};

export function read(recorded: Recorded, reader: LiveReader = jobsLive): readonly LiveState[] {
  const { kind = 'TerraformCluster', spec = {}, status = {}, metadata = {} } = recorded;
  const trees = (values: readonly unknown[] = []) => values.map((value) => jsonTree(value).root);
  const related = new Map<string, readonly SourceNode[]>([
    ['Job', trees(recorded.jobs)],
    ['Event', trees(recorded.events)],
  ]);
  const others = trees(recorded.others);
  const apiVersion = 'infrastructure.cluster.x-k8s.io/v1alpha1';
  return reader.read({
    object: jsonTree({
      apiVersion,
      kind,
      metadata: { name: 'prod', namespace: 'team-a', uid, ...metadata },
      spec,
      status,
    }).root,
    ref: { apiVersion, kind, namespace: 'team-a', name: 'prod' },
    view: {
      get: (ref: ResourceRef) =>
        others.find(
          (node) =>
            textAt(node, 'kind') === ref.kind &&
            textAt(child(node, 'metadata'), 'name') === ref.name,
        ),
      related: (_, type) => related.get(type.kind) ?? [],
    },
    env: environment(),
    now: at(recorded.now ?? '10:05:30'),
  });
}

export const partOf = (states: readonly LiveState[], part: string): LiveBackoff | undefined =>
  states.find((state) => state.part === part)?.state;

/** A waiting state in one line: retry, failures, wait in seconds, when next, capped. */
export function waitingLine(state: LiveBackoff | undefined): string {
  if (state?.kind !== 'waiting') return state?.kind ?? 'no state';
  const { retry, failures, wait, next, capped } = state;
  const number = (known: typeof retry) => (known.how === 'unknown' ? '?' : String(known.value));
  const window =
    wait.how === 'unknown'
      ? '?'
      : `${String(wait.value.lo / 1000)}..${String(wait.value.hi / 1000)}s`;
  const clock = (value: number) => new Date(value).toISOString().slice(11, 19);
  const when =
    next.how === 'unknown' ? '?' : `${clock(next.value.lo)}..${clock(next.value.hi)} ${next.how}`;
  const cap = capped.how === 'unknown' ? 'perhaps capped' : capped.value ? 'capped' : 'not capped';
  return `retry ${number(retry)}, ${number(failures)} failures, ${window}, ${when}, ${cap}`;
}
