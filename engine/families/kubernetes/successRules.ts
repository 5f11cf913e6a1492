import type { Report } from '../../family.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, type SourceNode } from '../../source.ts';
import { plural } from '../../summary.ts';

/** What the API server refuses in one rule of a success policy; `completions` where they are known. */
export function* successReports(
  rule: SourceNode,
  completions: number | undefined,
): Generator<Report> {
  const indexes = child(rule, 'succeededIndexes');
  const count = child(rule, 'succeededCount');
  const size = yield* indexReports(indexes, completions);
  if (count?.kind !== 'scalar' || typeof count.value !== 'number' || count.span === undefined) {
    return;
  }
  const most = Math.min(size ?? Infinity, completions ?? Infinity);
  if (count.value < 0) {
    yield {
      message: `The API server refuses ${count.text}: \`succeededCount\` is the number of indexes that must succeed`,
      at: count.span,
    };
  } else if (count.value > most) {
    const of = size !== undefined && size === most ? '`succeededIndexes` names' : 'the Job has';
    yield {
      message: `The API server refuses ${count.text}: ${of} only ${plural(most, 'index', 'indexes')}`,
      at: count.span,
    };
  }
}

/** Reports a set of indexes that is refused; gives the number of indexes in one that is not. */
function* indexReports(
  node: SourceNode | undefined,
  completions: number | undefined,
): Generator<Report, number | undefined> {
  if (node?.kind !== 'scalar' || node.value === null || node.span === undefined) return undefined;
  if (isRunTimeText(node.text)) return undefined;
  if (typeof node.value !== 'string') {
    yield {
      message: `The API server refuses the ${typeof node.value} ${node.text} here: indexes are a text, write "${node.text}"`,
      at: node.span,
    };
    return undefined;
  }
  const read = readIndexes(node.value, completions);
  if (typeof read === 'number') return read;
  yield { message: `The API server refuses these indexes: ${read}`, at: node.span };
  return undefined;
}

/** Reads `1,3-5,7` as the API server does: the number of indexes, or what is wrong. */
function readIndexes(text: string, completions: number | undefined): number | string {
  if (text === '') return 0;
  let size = 0;
  let previous = -1;
  for (const part of text.split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part);
    if (match === null) return `\`${part}\` is no index and no range such as 3-5`;
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    if (first <= previous || (match[2] !== undefined && last <= first)) {
      return `${part} is not in ascending order`;
    }
    if (completions !== undefined && last >= completions) {
      return `the Job has no index ${String(last)}, its last one is ${String(completions - 1)}`;
    }
    size += last - first + 1;
    previous = last;
  }
  return size;
}
