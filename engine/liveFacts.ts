import type { Evidence, ResourceRef } from './live.ts';
import { formatPath, itemsOf, nodeAt, textAt, toJson, type SourceNode } from './source.ts';
import { instant, parseInstant, type Instant, type Window } from './units.ts';

/** A whole number at a path of a live object, if there is one. */
export function numberAt(node: SourceNode | undefined, ...path: string[]): number | undefined {
  const found = nodeAt(node, path);
  const isNumber = found?.kind === 'scalar' && typeof found.value === 'number';
  return isNumber && Number.isSafeInteger(found.value) ? found.value : undefined;
}

/** A time at a path, if there is one. */
export const timeAt = (node: SourceNode | undefined, ...path: string[]): Instant | undefined =>
  parseInstant(textAt(node, ...path));

/** The condition of a type, with the status that is asked for where one is. */
export const conditionOf = (
  object: SourceNode,
  type: string,
  status?: 'True' | 'False' | 'Unknown',
): SourceNode | undefined =>
  itemsOf(nodeAt(object, ['status', 'conditions'])).find(
    (one) =>
      textAt(one, 'type') === type && (status === undefined || textAt(one, 'status') === status),
  );

export const isTrue = (condition: SourceNode | undefined): boolean =>
  textAt(condition, 'status') === 'True';

/** A fact for the reader to check: the object, the path and the value there. */
export function evidenceAt(
  object: ResourceRef,
  node: SourceNode | undefined,
  path: readonly (string | number)[],
): readonly Evidence[] {
  const found = nodeAt(node, path);
  if (found === undefined) return [];
  return [{ object, path: formatPath(path), value: toJson(found) }];
}

/** A time of the API in whole seconds is any instant of that second. */
export const wholeSecond = (at: Instant, lo: number, hi = lo): Window<Instant> => ({
  lo: instant(at + lo),
  hi: instant(at + 1000 + hi),
});

export const latest = (times: readonly Instant[]): Instant | undefined =>
  times.length === 0 ? undefined : instant(Math.max(...times));
