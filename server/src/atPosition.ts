import type { AnalysedPolicy } from '../../engine/analysePlace.ts';
import type { Span } from '../../engine/source.ts';

/** A policy that the cursor is on, with the field where it is on one. */
export type Pointed = {
  readonly analysed: AnalysedPolicy;
  readonly field?: string;
  /** The text that the explanation covers. */
  readonly at: Span;
};

/**
 * The policies under an offset: by field first, then by the key of their block, an alias or a merge key, then by
 * any other word of a block that is all theirs, such as `backoff:`.
 *
 * Several answer where an alias, a merge key or a level above shares the text.
 */
export function pointedAt(
  text: string,
  policies: readonly AnalysedPolicy[],
  offset: number,
): readonly Pointed[] {
  const fields = policies.flatMap((analysed) => fieldAt(analysed, offset));
  if (fields.length > 0) return innermost(fields);
  const keys = policies.flatMap((analysed) => keyAt(analysed, offset));
  if (keys.length > 0) return innermost(keys);
  const word = wordAt(text, offset);
  if (word === undefined) return [];
  const blocks = policies.filter(
    ({ family, policy: { span, site } }) =>
      family.closed !== undefined &&
      site.implied !== true &&
      span !== undefined &&
      covers(span, offset),
  );
  return blocks.map((analysed) => ({ analysed, at: word }));
}

function fieldAt(analysed: AnalysedPolicy, offset: number): readonly Pointed[] {
  return Object.entries(analysed.policy.settings).flatMap(([field, setting]) => {
    const at = setting.at;
    if (at === undefined) return [];
    const { key, span } = at;
    const within = [key, span].find((one) => one !== undefined && covers(one, offset));
    if (within === undefined) return [];
    return [{ analysed, field, at: within }];
  });
}

function keyAt(analysed: AnalysedPolicy, offset: number): readonly Pointed[] {
  const { key, span, via, settings } = analysed.policy;
  const merges = Object.values(settings).map(({ at }) => at?.via);
  const isAlias = via !== undefined && span !== undefined && covers(span, offset);
  const on = [key, via, ...merges].find((one) => one !== undefined && covers(one, offset));
  if (on !== undefined) return [{ analysed, at: on }];
  return isAlias && span.end - span.start < 200 ? [{ analysed, at: span }] : [];
}

/** Of overlapping answers those with the shortest text. */
function innermost(pointed: readonly Pointed[]): readonly Pointed[] {
  const shortest = Math.min(...pointed.map(({ at }) => at.end - at.start));
  return pointed.filter(({ at }) => at.end - at.start === shortest);
}

/** The key under an offset, when it is one. */
function wordAt(text: string, offset: number): Span | undefined {
  const isPart = (at: number) => /[\w-]/.test(text[at] ?? '');
  let start = offset;
  let end = offset;
  while (start > 0 && isPart(start - 1)) start -= 1;
  while (end < text.length && isPart(end)) end += 1;
  return end > start && text[end] === ':' ? { start, end } : undefined;
}

const covers = (span: Span, offset: number): boolean => span.start <= offset && offset < span.end;
