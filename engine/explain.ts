import type { AnalysedPolicy } from './analysePlace.ts';
import type { Citation } from './citation.ts';
import { formatDuration, formatWindow } from './durations/format.ts';
import { versionText } from './environment.ts';
import { fieldName, type Field } from './field.ts';
import type { Note, PolicyFamily, Settings } from './family.ts';
import { valuesOf } from './readSettings.ts';
import {
  bound,
  capReachedAt,
  firstSteps,
  type Bound,
  type Reset,
  type Schedule,
  type Step,
} from './schedule.ts';
import { isTooNew, type Setting } from './setting.ts';
import { describeEnd, nameOf, plural, summarise } from './summary.ts';

/** One line of the table of retries; a gap stands for the lines left out between two others. */
export type Row =
  | { readonly kind: 'retry'; readonly step: Step; readonly mark?: 'cap' | 'last' }
  | { readonly kind: 'gap'; readonly text: string };

/** What one setting is and does, for the value under the cursor. */
export type FieldExplanation = {
  readonly name: string;
  /** The setting as written, its default, or what its absence means. */
  readonly value: string;
  /** Whether the value stands in the manifest as it is shown. */
  readonly isWritten: boolean;
  readonly summary: string;
  /** What the value does to the schedule, in one sentence. */
  readonly effect?: string;
};

/** Everything a hover, a panel or a shell says about one policy, before it is rendered. */
export type Explanation = {
  readonly title: string;
  /** What happens, in one sentence. */
  readonly sentence: string;
  readonly rows: readonly Row[];
  /** The waits of the listed retries, for a picture. */
  readonly steps: readonly Step[];
  readonly cap?: string;
  readonly end: string;
  readonly resets: readonly string[];
  readonly field?: FieldExplanation;
  /** The remarks on the policy, and those on the field that is pointed at. */
  readonly notes: readonly string[];
  /** All remarks, whatever they belong to: for a reader who points at nothing. */
  readonly allNotes: readonly Note[];
  /** What the numbers take for granted. */
  readonly assuming: readonly string[];
  readonly version: string;
  readonly formula: string;
  readonly sources: readonly Citation[];
};

/** Explains a policy, and one of its fields where the reader points at it. */
export function explain(analysed: AnalysedPolicy, field?: string): Explanation {
  const { family, policy, schedule } = analysed;
  const end = schedule === undefined ? undefined : bound(schedule);
  const described = field === undefined ? undefined : explainField(analysed, field);
  const allNotes = remarksOn(analysed);
  return {
    title: family.title,
    sentence: sentenceOf(analysed),
    rows: schedule === undefined ? [] : rowsOf(schedule),
    steps: schedule === undefined ? [] : firstSteps(schedule, 16).steps,
    ...(schedule === undefined ? {} : capText(schedule)),
    end: schedule === undefined || end === undefined ? '' : endText(schedule, end),
    resets: (schedule?.resets ?? []).map(resetText),
    ...(described === undefined ? {} : { field: described }),
    notes: notesOf(allNotes, field),
    allNotes,
    assuming: analysed.assuming,
    version: versionText(policy.env, family.system),
    formula: family.formula,
    sources: sourcesOf(family, schedule),
  };
}

/** What resets the waits, with the time that things must stay well. */
export const resetText = ({ text, after }: Reset): string =>
  after === undefined ? text : `${text} for ${formatDuration(after)}`;

/** The sentence that opens an explanation: the schedule in short, or what keeps it from being known. */
export function sentenceOf(analysed: AnalysedPolicy): string {
  const { policy, schedule, missing } = analysed;
  if (schedule !== undefined) return capitalised(summaryOfSchedule(analysed, schedule));
  const reasons = missing.map((name) => {
    const setting = policy.settings[name];
    if (setting?.from === 'runtime')
      return `${name} is only known at run time (${setting.text.trim()})`;
    if (setting?.from === 'unreadable' && setting.text !== undefined) {
      return `${name} cannot be read (${setting.text})`;
    }
    return `${name} is missing`;
  });
  return `No schedule can be computed: ${reasons.join(', ')}`;
}

/** A schedule in one line, in the family's own words where it has some. */
export const summaryOfSchedule = ({ family, policy }: AnalysedPolicy, schedule: Schedule): string =>
  family.sentence?.(policy, schedule) ?? summarise(schedule);

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const wholeLimit = 8;

/** Short schedules whole; of long ones the first, the cap and the last. */
export function rowsOf(schedule: Schedule): readonly Row[] {
  const { steps, more } = firstSteps(schedule, wholeLimit);
  if (!more) return steps.map((step) => retryRow(step));
  const capAt = capReachedAt(schedule);
  const end = bound(schedule);
  const head = steps.slice(0, 5);
  const wanted = new Set(head.map(({ retry }) => retry));
  if (capAt !== undefined) wanted.add(capAt);
  const last = end.kind === 'bounded' ? end.retries?.hi : undefined;
  if (last !== undefined && last <= 10_000) wanted.add(last);
  const rows: Row[] = [];
  let previous = 0;
  for (const step of pick(schedule, wanted)) {
    if (step.retry > previous + 1) {
      rows.push({ kind: 'gap', text: gapText(step.retry - previous - 1) });
    }
    rows.push(retryRow(step, step.retry === last ? 'last' : undefined));
    previous = step.retry;
  }
  if (last === undefined) rows.push({ kind: 'gap', text: 'and so on' });
  else if (last > previous) rows.push({ kind: 'gap', text: gapText(last - previous) });
  return rows;
}

const gapText = (count: number): string => plural(count, 'more retry', 'more retries');

function retryRow(step: Step, mark?: 'last'): Row {
  if (step.capped) return { kind: 'retry', step, mark: 'cap' };
  return mark === undefined ? { kind: 'retry', step } : { kind: 'retry', step, mark };
}

function pick(schedule: Schedule, wanted: ReadonlySet<number>): readonly Step[] {
  const most = Math.max(...wanted);
  return firstSteps(schedule, most).steps.filter(({ retry }) => wanted.has(retry));
}

function capText(schedule: Schedule): { readonly cap?: string } {
  const { cap } = schedule;
  if (cap === undefined) return {};
  const by = cap.origin.kind === 'field' ? `\`${cap.origin.field}\`` : cap.origin.name;
  const at = capReachedAt(schedule);
  const reached = at === undefined ? 'not reached' : `reached at retry ${String(at)}`;
  return { cap: `${formatDuration(cap.value)} (${by}), ${reached}` };
}

function endText(schedule: Schedule, end: Bound): string {
  switch (end.kind) {
    case 'unbounded':
      return 'nothing: it retries until it succeeds';
    case 'conditional':
      return describeEnd(end);
    case 'bounded': {
      const { by } = end;
      if (by.kind === 'condition') return `${by.text}: ${by.then}`;
      const name = by.origin.kind === 'field' ? `\`${by.origin.field}\`` : nameOf(by);
      const when = end.retries === undefined ? formatWindow(end.lasts) : retriesText(end);
      const others = schedule.stops.filter((stop) => stop !== by && stop.kind === 'condition');
      const also = others.map((stop) => (stop.kind === 'condition' ? `, or ${stop.text}` : ''));
      return `${name}: ${by.then} after ${when}${also.join('')}`;
    }
  }
}

function retriesText(end: Bound & { kind: 'bounded' }): string {
  const { retries } = end;
  if (retries === undefined) return '';
  if (retries.hi === 0) return 'the first failure';
  return retries.lo === retries.hi
    ? `retry ${String(retries.hi)}`
    : `retry ${String(retries.lo)} to ${String(retries.hi)}`;
}

/** All that a family remarks on a policy, in its order. */
export const remarksOn = ({ family, policy, schedule }: AnalysedPolicy): readonly Note[] => [
  ...(family.notes?.(policy, schedule) ?? []),
];

/** The remarks on the field that is pointed at, then those on the policy: each where it is looked for. */
function notesOf(notes: readonly Note[], field: string | undefined): readonly string[] {
  const own = notes.filter((note) => note.field !== undefined && note.field === field);
  const general = notes.filter((note) => note.field === undefined);
  return [...own, ...general].map(({ text }) => text);
}

function explainField(analysed: AnalysedPolicy, name: string): FieldExplanation | undefined {
  const { family, policy } = analysed;
  const field = family.fields[name];
  const setting = policy.settings[name];
  if (field === undefined || setting === undefined) return undefined;
  const effect = family.effect?.(policy, name) ?? effectByOmission(analysed, name, field);
  return {
    name: fieldName(field.path),
    value:
      isTooNew(setting) && field.since !== undefined
        ? `${versionText(policy.env, family.system)} does not know it: ${field.since.before}`
        : settingText(setting),
    isWritten: setting.from === 'document',
    summary: field.summary,
    ...(effect === undefined ? {} : { effect }),
  };
}

/** A setting in words: `"5m"`, `the default 3`, `not set: waits keep growing`. */
export function settingText(setting: Setting<unknown>): string {
  switch (setting.from) {
    case 'document':
      return setting.text;
    case 'default':
      return setting.by === undefined
        ? `the default ${setting.text}`
        : `${setting.text}, from ${setting.by}`;
    case 'unset':
      return `not set: ${setting.means}`;
    case 'runtime':
      return setting.likely === undefined
        ? `${setting.text.trim()}, known only at run time`
        : `${setting.text.trim()}: ${setting.likely.because}`;
    case 'unreadable':
      return setting.text === undefined ? 'missing' : `${setting.text}, which cannot be read`;
  }
}

/** What would happen without a field says what the field does. */
function effectByOmission(
  analysed: AnalysedPolicy,
  name: string,
  field: Field<unknown>,
): string | undefined {
  const { family, policy, schedule } = analysed;
  const setting = policy.settings[name];
  if (schedule === undefined || setting?.from !== 'document' || field.role === 'beside') {
    return undefined;
  }
  const without = omitted(field);
  if (without === undefined) return undefined;
  const settings: Settings<PolicyFamily['fields']> = { ...policy.settings, [name]: without };
  const read = valuesOf(family, settings);
  if (!('values' in read)) return undefined;
  const other = summarise(family.schedule(read.values, { ...policy, settings }));
  const own = summarise(schedule);
  return own === other ? 'Without it the schedule would be the same' : `Without it: ${other}`;
}

function omitted(field: Field<unknown>): Setting<unknown> | undefined {
  const { absent } = field;
  switch (absent.kind) {
    case 'default':
      return {
        from: 'default',
        value: absent.value,
        text: field.format.write(absent.value),
        cite: absent.cite,
      };
    case 'unset':
      return { from: 'unset', means: absent.means };
    case 'required':
      return undefined;
  }
}

function sourcesOf(family: PolicyFamily, schedule: Schedule | undefined): readonly Citation[] {
  const cited = [family.cite];
  for (const { origin } of [...(schedule?.stops ?? []), ...(schedule?.resets ?? [])]) {
    if (origin.kind === 'built-in') cited.push(origin.cite);
  }
  const seen = new Set<string>();
  return cited.filter(({ source }) => {
    const isNew = !seen.has(source);
    seen.add(source);
    return isNew;
  });
}
