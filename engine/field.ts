import type { Citation } from './citation.ts';
import { parseFieldPath, type FieldPath } from './fieldPath.ts';
import type { Format, Read } from './format.ts';
import type { Setting, SettingProblem } from './setting.ts';
import type { SourceNode } from './source.ts';

/** What leaving a field out means. */
export type Absent<T> = Default<T> | Required | Unset;
export type Default<T> = { readonly kind: 'default'; readonly value: T; readonly cite: Citation };
export type Required = { readonly kind: 'required'; readonly consequence: string };
export type Unset = { readonly kind: 'unset'; readonly means: string };

/** Whether the formula needs the field, or only rules, explanation and live state read it. */
export type Role = 'formula' | 'beside';

/**
 * One setting of a policy.
 *
 * `path` starts at the anchor: `backoff.duration`. `../x` starts one level up, `/spec/x` at the root.
 */
export type Field<T, A extends Absent<T> = Absent<T>, R extends Role = Role> = {
  readonly path: string;
  /** One line, for hover, completion and reference. */
  readonly summary: string;
  readonly format: Format<T>;
  readonly absent: A;
  /** The setting where nothing is written, made once: most fields of most manifests are. */
  readonly whenAbsent: Setting<T>;
  readonly role: R;
  /** The first version that knows the field, and what older ones do with it. */
  readonly since?: Since;
  /** Another default where a neighbour is written. */
  readonly otherwise?: OtherDefault<T>;
  readonly bounds?: Bounds<T>;
  readonly read: (node: SourceNode) => Read<T>;
  /** The path, taken apart. */
  readonly steps: FieldPath;
};

/** `gate` names the feature gate that brings the field to older versions where it is on. */
export type Since = { readonly version: string; readonly before: string; readonly gate?: string };

/** The default that holds where the field at `beside` is written: `backoffLimit` next to `backoffLimitPerIndex`. */
export type OtherDefault<T> = {
  readonly beside: string;
  readonly value: T;
  readonly cite: Citation;
};

export type Bounds<T> = {
  readonly min?: T;
  readonly max?: T;
  /** Who refuses the value, and when: `the API server refuses it`. */
  readonly consequence: string;
  readonly cite: Citation;
};

export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueIn<D> = D extends Field<infer T> ? T : never;

/** What a formula sees: `T | undefined` where absence is no value, or where the formula does not need one. */
export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K]['absent'] extends Unset
    ? ValueIn<F[K]> | undefined
    : F[K]['role'] extends 'formula'
      ? ValueIn<F[K]>
      : ValueIn<F[K]> | undefined;
};

export type ValueOf<D> = ValueIn<D>;

type Draft<T, R extends Role> = {
  readonly path: string;
  readonly summary: string;
  readonly format: Format<T>;
  readonly role: R;
  readonly since?: Since;
  readonly otherwise?: OtherDefault<T>;
  readonly bounds?: Bounds<T>;
};

/** A field being declared; `defaultsTo`, `required` or `unset` finishes it. */
export type FieldBuilder<T, R extends Role> = {
  /** Not part of the formula: read by rules, explanation or live state only. */
  readonly beside: () => FieldBuilder<T, 'beside'>;
  readonly within: (bounds: Bounds<T>) => FieldBuilder<T, R>;
  readonly since: (version: string, before: string, gate?: string) => FieldBuilder<T, R>;
  readonly otherwise: (beside: string, value: T, cite: Citation) => FieldBuilder<T, R>;
  readonly defaultsTo: (value: T, cite: Citation) => Field<T, Default<T>, R>;
  readonly required: (consequence: string) => Field<T, Required, R>;
  readonly unset: (means: string) => Field<T, Unset, R>;
};

/** Declares a field: `field(goDuration, 'backoff.duration', 'Wait before the first retry').unset('no wait')`. */
export function field<T>(
  format: Format<T>,
  path: string,
  summary: string,
): FieldBuilder<T, 'formula'> {
  return builder({ path, summary, format, role: 'formula' });
}

function builder<T, R extends Role>(draft: Draft<T, R>): FieldBuilder<T, R> {
  const finish = <A extends Absent<T>>(absent: A): Field<T, A, R> => ({
    ...draft,
    absent,
    whenAbsent: settingOfAbsence(draft.format, absent),
    read: (node) => readWithin(draft, node),
    steps: parseFieldPath(draft.path),
  });
  return {
    beside: () => builder({ ...draft, role: 'beside' }),
    within: (bounds) => builder({ ...draft, bounds }),
    since: (version, before, gate) =>
      builder({ ...draft, since: { version, before, ...(gate === undefined ? {} : { gate }) } }),
    otherwise: (beside, value, cite) => builder({ ...draft, otherwise: { beside, value, cite } }),
    defaultsTo: (value, cite) => finish({ kind: 'default', value, cite }),
    required: (consequence) => finish({ kind: 'required', consequence }),
    unset: (means) => finish({ kind: 'unset', means }),
  };
}

/** What a setting is where its key is not written. */
export function settingOfAbsence<T>(format: Format<T>, rule: Absent<T>): Setting<T> {
  switch (rule.kind) {
    case 'default':
      return {
        from: 'default',
        value: rule.value,
        text: format.write(rule.value),
        cite: rule.cite,
      };
    case 'unset':
      return { from: 'unset', means: rule.means };
    case 'required':
      return {
        from: 'unreadable',
        problem: { code: 'missing-field', message: rule.consequence },
      };
  }
}

function readWithin<T>(draft: Draft<T, Role>, node: SourceNode): Read<T> {
  const read = draft.format.read(node);
  const { bounds } = draft;
  if (bounds === undefined) return read;
  if (!read.ok) return { ok: false, problem: suggestedWithin(draft, node, read.problem) };
  const { min, max, consequence } = bounds;
  const written = node.kind === 'scalar' ? node.text : draft.format.write(read.value);
  const outside = (limit: T, words: string): Read<T> => ({
    ok: false,
    problem: outOfRange(written, words, draft.format.write(limit), consequence),
  });
  if (min !== undefined && Number(read.value) < Number(min)) return outside(min, 'at least');
  if (max !== undefined && Number(read.value) > Number(max)) return outside(max, 'at most');
  return read;
}

/** A suggestion that would be refused in turn is none: `1d`, read as 24h, where 5m is the most. */
function suggestedWithin<T>(
  draft: Draft<T, Role>,
  node: SourceNode,
  problem: SettingProblem,
): SettingProblem {
  const { suggestion } = problem;
  if (suggestion === undefined || node.kind !== 'scalar') return problem;
  const value =
    problem.style === 'plain' && /^-?\d+$/.test(suggestion) ? Number(suggestion) : suggestion;
  const again = readWithin(draft, { ...node, text: suggestion, value });
  if (again.ok || again.problem.code !== 'out-of-range') return problem;
  const { message, suggestion: limit } = again.problem;
  const bare = message.slice(message.lastIndexOf('write at '));
  const advice = problem.style === 'quoted' ? bare.replace(/\S+$/, '"$&"') : bare;
  const end = [`write ${suggestion}`, `write "${suggestion}"`].find((one) =>
    problem.message.endsWith(one),
  );
  return {
    code: problem.code,
    message:
      end === undefined
        ? `${problem.message}, and ${advice}`
        : problem.message.slice(0, -end.length) + advice,
    ...(limit === undefined ? {} : { suggestion: limit }),
    ...(problem.style === undefined ? {} : { style: problem.style }),
    isGuess: true,
  };
}

const outOfRange = (
  written: string,
  words: string,
  limit: string,
  consequence: string,
): SettingProblem => ({
  code: 'out-of-range',
  message: `\`${written}\` is out of range, ${consequence}: write ${words} ${limit}`,
  suggestion: limit,
});

/** The last key of a field's path: how the author knows it. */
export const fieldName = (path: string): string =>
  path.split(/[./]/).findLast((part) => part !== '') ?? path;
