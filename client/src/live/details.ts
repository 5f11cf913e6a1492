import { explain } from '../../../engine/explain.ts';
import { versionText, type System, type Environment } from '../../../engine/environment.ts';
import { families } from '../../../engine/families/index.ts';
import type { LiveBackoff, ResourceRef } from '../../../engine/live.ts';
import { buildRegistry } from '../../../engine/registry.ts';
import { actionsOn, adviceOn, type Action } from '../cluster/actions.ts';
import type { HistoryEntry, LiveRow, SessionSnapshot } from '../cluster/sessionTypes.ts';
import { ladder } from '../panel/ladder.ts';
import { livePolicy } from '../panel/livePolicy.ts';
import type { ActionLine, Detail, EvidenceLine, Link, PastEntry } from '../panel/model/detail.ts';
import { serverTime } from '../panel/model/countdown.ts';
import { instant, type Instant } from '../../../engine/units.ts';
import type { Connection, FoundRow } from './hub.ts';

const registry = buildRegistry(families);

/** What is known beside the row: its past once it is read, and what keeps an action from being done. */
export type Beside = {
  readonly past: readonly HistoryEntry[] | 'loading';
  readonly blocked: (action: Action) => string | undefined;
};

/** The server's time of a connection. */
export const nowOf = (
  { session }: Connection,
  { clockSkew }: Pick<SessionSnapshot, 'clockSkew'> = session.snapshot(),
): Instant => serverTime(instant(Date.now()), clockSkew);

/** Everything the panel shows of one object. */
export function detailOf({ connection, row, shown }: FoundRow, beside: Beside): Detail {
  const { session } = connection;
  const object = session.object(row.resource);
  const family = registry.byId.get(row.family);
  const { env } = session.snapshot();
  const analysed = object === undefined ? undefined : livePolicy(object, row, registry, env);
  const explanation = analysed === undefined ? undefined : explain(analysed);
  const advice = object === undefined ? undefined : adviceOn(object);
  return {
    id: shown.id,
    policy: family?.title ?? row.family,
    formula: family?.formula ?? '',
    version:
      explanation === undefined
        ? computedFor(family?.system, env)
        : `Computed for ${explanation.version}.`,
    ...(analysed?.schedule === undefined
      ? { withoutLadder: withoutSchedule(row.isEstimate, explanation?.sentence) }
      : { ladder: ladder(analysed.schedule, shown) }),
    past: beside.past === 'loading' ? 'loading' : beside.past.map(pastEntry),
    evidence: evidenceOf(row.state, row.resource),
    links: linksOf(row, analysed !== undefined, connection),
    actions: (object === undefined ? [] : actionsOn(object, nowOf(connection))).map((action) =>
      actionLine(action, beside.blocked(action)),
    ),
    ...(advice === undefined ? {} : { advice }),
  };
}

const computedFor = (system: System | undefined, env: Environment): string => {
  if (system === undefined) return '';
  return `Computed for ${versionText(env, system)}.`;
};

const withoutSchedule = (isEstimate: boolean, sentence: string | undefined): string =>
  isEstimate
    ? 'The waits are kept in the memory of its controller: only bounds can be told, so this is an estimate.'
    : (sentence ??
      'The object does not carry the policy itself, so the waits after the next one are not listed.');

const actionLine = ({ id, title, effect }: Action, blocked: string | undefined): ActionLine => ({
  id,
  title,
  effect,
  ...(blocked === undefined ? {} : { blocked }),
});

const pastEntry = ({ at, what, source, kind }: HistoryEntry): PastEntry => ({
  at,
  what,
  kind,
  source: `${source.kind} ${source.name ?? ''}`.trim(),
});

function evidenceOf(state: LiveBackoff, own: ResourceRef): readonly EvidenceLine[] {
  if (state.kind === 'unseen') return [];
  return state.seen.map(({ object, path, value }) => ({
    object:
      object.kind === own.kind && object.name === own.name
        ? ''
        : `${object.kind} ${object.name ?? ''}`,
    path,
    value: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  }));
}

function linksOf(row: LiveRow, hasPolicy: boolean, { isDemo }: Connection): readonly Link[] {
  return [
    'sentence',
    'markdown',
    'yaml',
    ...(hasPolicy && !isDemo ? (['policy'] as const) : []),
    'events',
    ...(logsCommand(row, '') === undefined ? [] : (['logs'] as const)),
  ];
}

/** The command that prints the logs behind a row; `kubectl` and `argo` know where they are. */
export function logsCommand(
  { family, resource, part }: Pick<LiveRow, 'family' | 'resource' | 'part'>,
  context: string,
): string | undefined {
  // A container whose image is not there has never run, so it has written nothing.
  if (family === 'kubernetes/image-pull') return undefined;
  const { kind, namespace, name: own = '' } = resource;
  const where = `${context === '' ? '' : ` --context ${quoted(context)}`}${namespace === undefined ? '' : ` -n ${namespace}`}`;
  switch (kind) {
    case 'Pod':
      return `kubectl${where} logs ${own}${part === undefined ? '' : ` -c ${part}`} --previous`;
    case 'Job':
      return `kubectl${where} logs job/${own} --all-containers`;
    case 'Workflow':
      return `kubectl${where} logs -l workflows.argoproj.io/workflow=${own} -c main --prefix`;
    default:
      return undefined;
  }
}

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export const emptyBeside: Beside = {
  past: 'loading',
  blocked: () => undefined,
};
