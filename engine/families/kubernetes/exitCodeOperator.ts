import { fix, replaceValue } from '../../edits.ts';
import type { Report } from '../../family.ts';
import { isRunTimeText } from '../../runTimeText.ts';
import { child, nameSpan, type SourceNode } from '../../source.ts';

/** What a rule on exit codes lacks, or an operator that there is not: all of it is refused. */
export function* operatorReports(codes: SourceNode | undefined): Generator<Report> {
  if (codes?.kind !== 'map' || hasTemplateKeys(codes.children)) return;
  const at = nameSpan(codes) ?? codes.span;
  const operator = child(codes, 'operator');
  const values = child(codes, 'values');
  const isLeftOut = (node: SourceNode | undefined): boolean =>
    node === undefined || (node.kind === 'scalar' && node.value === null);
  if (isLeftOut(operator) && at !== undefined) {
    yield {
      message:
        'A rule on exit codes without `operator` is refused by the API server: write In or NotIn',
      at,
    };
  }
  if (isLeftOut(values) && at !== undefined) {
    yield {
      message: 'A rule without exit codes is refused by the API server: name 1 to 255 in `values`',
      at,
    };
  }
  if (operator?.kind !== 'scalar' || operator.value === null || operator.span === undefined) return;
  if (isRunTimeText(operator.text) || ['In', 'NotIn'].includes(operator.text)) return;
  const meant = ['In', 'NotIn'].find((word) => word.toLowerCase() === operator.text.toLowerCase());
  yield {
    message: `\`${operator.text}\` is no operator, so the API server refuses the Job: write In or NotIn`,
    at: operator.span,
    fixes: meant === undefined ? [] : fix(`Write ${meant}`, true, replaceValue(operator, meant)),
  };
}

/** Keys that a template writes: what stands beside them is not all there is. */
const hasTemplateKeys = (children: ReadonlyMap<string, SourceNode>): boolean =>
  [...children.keys()].some((key) => /[\uE000{<$]/.test(key));
