import type { AnalysedPolicy } from './analysePlace.ts';
import { remarksOn, resetText, sentenceOf, summaryOfSchedule } from './explain.ts';
import type { ClusterView, ResourceRef, Unpack } from './live.ts';
import { stateJson, type StateJson } from './liveJson.ts';
import { manifestStates } from './manifestState.ts';
import { bound, firstSteps, type Bound, type Schedule } from './schedule.ts';
import type { Setting } from './setting.ts';
import { formatPath, toJson, type SourceNode, type Span } from './source.ts';
import { formatDuration, formatWindow } from './durations/format.ts';
import { describeEnd, nameOf, plural } from './summary.ts';
import type { Instant, Window } from './units.ts';

/** Lines and columns as the command prints them: 1-based, UTF-16 code units, end exclusive. */
export type RangeJson = {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
};

export type SettingJson = {
  readonly from: Setting<unknown>['from'];
  /** Durations in milliseconds. */
  readonly value?: unknown;
  readonly text?: string;
  readonly range?: RangeJson;
  readonly means?: string;
  readonly problem?: string;
  readonly source?: string;
  readonly likely?: { readonly value?: unknown; readonly because: string };
};

export type ScheduleJson = {
  readonly waits: readonly {
    readonly retry: number;
    readonly minMs: number;
    readonly maxMs: number;
    readonly totalMinMs: number;
    readonly totalMaxMs: number;
    readonly capped: boolean;
  }[];
  readonly more: boolean;
  readonly capMs?: number;
  readonly end: EndJson;
  readonly resets: readonly string[];
};

export type EndJson = {
  readonly kind: 'retries' | 'elapsed' | 'condition' | 'never';
  readonly by?: string;
  /** The most retries that can start, and the fewest where chance decides. */
  readonly retries?: number;
  readonly minRetries?: number;
  readonly totalMinMs?: number;
  readonly totalMaxMs?: number;
  readonly text: string;
};

/** One policy as `explain` prints it, without the file that it is in. */
export type PolicyJson = {
  readonly resource: ResourceRef;
  readonly family: string;
  readonly anchor: string;
  readonly range?: RangeJson;
  readonly settings: Readonly<Record<string, SettingJson>>;
  readonly schedule?: ScheduleJson;
  /** What the schedule would be with the values to expect at run time. */
  readonly likely?: { readonly because: string; readonly schedule: ScheduleJson };
  readonly summary: string;
  /** What the numbers do not say; `field` names the setting that a remark belongs to. */
  readonly notes?: readonly { readonly text: string; readonly field?: string }[];
  readonly state?: StateJson;
  /** All states, where the object has several. */
  readonly states?: readonly StateJson[];
};

export type PolicyJsonInput = {
  readonly retries: number;
  readonly rangeOf: (span: Span) => RangeJson;
  /** Makes readable what the object carries packed; absent: it stays so. */
  readonly unpack?: Unpack;
  readonly now: Instant;
  /** What else the manifest's file holds. */
  readonly view?: ClusterView;
};

/** Writes a policy in the public shape. */
export function policyJson(analysed: AnalysedPolicy, input: PolicyJsonInput): PolicyJson {
  const { policy, schedule, assuming } = analysed;
  const written = schedule === undefined ? undefined : scheduleJson(schedule, input.retries);
  const isCertain = assuming.length === 0;
  const states = statesOf(analysed, input);
  const notes = remarksOn(analysed).map(({ text, field }) =>
    field === undefined ? { text } : { text, field },
  );
  const [state] = states.toSorted((a, b) => urgency(a) - urgency(b));
  return {
    resource: policy.resource,
    family: policy.family,
    anchor: formatPath(policy.anchor),
    ...(policy.span === undefined ? {} : { range: input.rangeOf(policy.span) }),
    settings: Object.fromEntries(
      Object.entries(policy.settings).map(([name, setting]) => [
        name,
        settingJson(setting, input.rangeOf),
      ]),
    ),
    ...(written === undefined
      ? {}
      : isCertain
        ? { schedule: written }
        : { likely: { because: assuming.join('; '), schedule: written } }),
    summary: summaryOf(analysed),
    ...(notes.length === 0 ? {} : { notes }),
    ...(state === undefined ? {} : { state }),
    ...(states.length > 1 ? { states } : {}),
  };
}

/** The schedule in one line, or what keeps it from being known. */
export function summaryOf(analysed: AnalysedPolicy): string {
  const { schedule, assuming } = analysed;
  if (schedule === undefined) return sentenceOf(analysed);
  const summary = summaryOfSchedule(analysed, schedule);
  return assuming.length === 0
    ? summary
    : `known only at run time, likely ${summary} (${assuming.join('; ')})`;
}

const statesOf = (analysed: AnalysedPolicy, input: PolicyJsonInput): readonly StateJson[] =>
  manifestStates(analysed, input.now, input).map((state) =>
    stateJson(analysed.family.id, analysed.policy.resource, state),
  );

const order = ['waiting', 'attempting', 'gave-up', 'idle', 'unseen'];
const urgency = ({ state }: StateJson): number => order.indexOf(state);

function settingJson(setting: Setting<unknown>, rangeOf: (span: Span) => RangeJson): SettingJson {
  const span = setting.at?.span ?? setting.at?.key;
  const range = span === undefined ? {} : { range: rangeOf(span) };
  switch (setting.from) {
    case 'document':
      // A map or a list has no text of its own.
      return {
        from: setting.from,
        ...valueJson(setting.value),
        ...(setting.text === '' ? {} : { text: setting.text }),
        ...range,
      };
    case 'default':
      return {
        from: setting.from,
        ...valueJson(setting.value),
        text: setting.text,
        source: setting.cite.source,
        ...range,
      };
    case 'unset':
      return { from: setting.from, means: setting.means, ...range };
    case 'runtime': {
      const { likely } = setting;
      return {
        from: setting.from,
        text: setting.text,
        ...range,
        ...(likely === undefined
          ? {}
          : { likely: { ...valueJson(likely.value), because: likely.because } }),
      };
    }
    case 'unreadable':
      return {
        from: setting.from,
        ...(setting.text === undefined ? {} : { text: setting.text }),
        problem: setting.problem.message,
        ...range,
      };
  }
}

/** A value where JSON has one for it; an endless number has none and is left out. */
function valueJson(value: unknown): { readonly value?: unknown } {
  const plain = toPlain(value);
  return plain === undefined ? {} : { value: plain };
}

function toPlain(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : undefined;
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'string':
    case 'boolean':
      return value;
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(toPlain);
  if (isNode(value)) return toJson(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlain(inner)]));
}

const isNode = (value: object): value is SourceNode =>
  'kind' in value && 'path' in value && ['scalar', 'list', 'map'].includes(String(value.kind));

/** A schedule in the public shape, with the first waits listed. */
export function scheduleJson(schedule: Schedule, retries: number): ScheduleJson {
  const { steps, more } = firstSteps(schedule, retries);
  const { cap } = schedule;
  return {
    waits: steps.map(({ retry, wait, total, capped }) => ({
      retry,
      minMs: wait.lo,
      maxMs: wait.hi,
      totalMinMs: total.lo,
      totalMaxMs: total.hi,
      capped,
    })),
    more,
    ...(cap === undefined ? {} : { capMs: cap.value }),
    end: endJson(bound(schedule)),
    resets: schedule.resets.map(resetText),
  };
}

function endJson(end: Bound): EndJson {
  switch (end.kind) {
    case 'unbounded':
      return { kind: 'never', text: 'never ends: it retries until it succeeds' };
    case 'conditional':
      return {
        kind: 'condition',
        by: end.on.map(nameOf).join(', '),
        text: `ends when ${describeEnd(end)}`,
      };
    case 'bounded': {
      const { by, retries, lasts } = end;
      return {
        kind: by.kind,
        by: nameOf(by),
        ...(retries === undefined ? {} : countJson(retries)),
        totalMinMs: lasts.lo,
        totalMaxMs: lasts.hi,
        text: boundText(end),
      };
    }
  }
}

const countJson = ({ lo, hi }: Window<number>) =>
  lo === hi ? { retries: hi } : { retries: hi, minRetries: lo };

/** `the node fails after retry 10`; where time decides, the convention behind the number is said. */
function boundText(end: Bound & { readonly kind: 'bounded' }): string {
  const { by, retries, lasts } = end;
  if (by.kind === 'condition') return `${by.then} when ${by.text}`;
  // Nothing is waited for then: the time passes in runs, and the stop's own limit may hold for more than them.
  if (retries === undefined) return `${by.then} after ${formatWindow(lasts)}, by ${nameOf(by)}`;
  const when = retryText(retries);
  if (by.kind === 'retries') return `${by.then} after ${when}`;
  const limit = formatDuration(by.limit);
  return `${by.then} after ${when} (${nameOf(by)} of ${limit}, when no attempt takes any time)`;
}

function retryText({ lo, hi }: Window<number>): string {
  if (hi === 0) return 'the first failure';
  return lo === hi ? `retry ${String(hi)}` : `${String(lo)} to ${plural(hi, 'retry', 'retries')}`;
}
